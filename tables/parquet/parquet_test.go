package parquet

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"mediant/internal/tabletest"
	"mediant/tables"
	"mediant/tables/internal/columnar"
	"mediant/tables/internal/columnartest"
)

// written is a Parquet file with the given rows.
func written[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t *testing.T, data []byte) *file {
	t.Helper()
	f, err := newFile(context.Background(), columnartest.Input("f.parquet", data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

type scalars struct {
	B   bool     `parquet:"b"`
	I8  int8     `parquet:"i8"`
	U16 uint16   `parquet:"u16"`
	I32 int32    `parquet:"i32"`
	U32 uint32   `parquet:"u32"`
	I64 int64    `parquet:"i64"`
	U64 uint64   `parquet:"u64"`
	F32 float32  `parquet:"f32"`
	F64 float64  `parquet:"f64"`
	S   string   `parquet:"s"`
	E   string   `parquet:"e,dict"`
	O   *float64 `parquet:"o,optional"`
	D9  int32    `parquet:"d9,decimal(2:9)"`
	D18 int64    `parquet:"d18,decimal(4:18)"`
	Day int32    `parquet:"day,date"`
	T   int64    `parquet:"t,timestamp(microsecond)"`
	C   int64    `parquet:"c,time(nanosecond)"`
	ID  [16]byte `parquet:"id,uuid"`
}

func TestScalars(t *testing.T) {
	half := 0.5
	noon := time.Date(2024, 3, 1, 12, 0, 0, 250000, time.UTC)
	rows := []scalars{
		{true, -128, 65535, math.MinInt32, math.MaxUint32, -1 << 53, 1 << 53, 0.25, math.NaN(), "", "a", &half, -1, 12345, 0, noon.UnixMicro(), int64(time.Hour), [16]byte{15: 1}},
		{false, 127, 0, 7, 0, 3, 4, -1, 1e300, "ü,\"\n", "b", nil, 1234, -5, -1, 0, 1, [16]byte{0: 0xab}},
	}
	want := [][]string{
		{"b", "text", "true", "false"},
		{"i8", "number", "-128", "127"},
		{"u16", "number", "65535", "0"},
		{"i32", "number", "-2.147483648e+09", "7"},
		{"u32", "number", "4.294967295e+09", "0"},
		{"i64", "number", "-9.007199254740992e+15", "3"},
		{"u64", "number", "9.007199254740992e+15", "4"},
		{"f32", "number", "0.25", "-1"},
		{"f64", "number", "", "1e+300"},
		{"s", "text", "", "ü,\"\n"},
		{"e", "text", "a", "b"},
		{"o", "number", "0.5", ""},
		{"d9", "number", "-0.01", "12.34"},
		{"d18", "number", "1.2345", "-0.0005"},
		{"day", "text", "1970-01-01", "1969-12-31"},
		{"t", "text", "2024-03-01T12:00:00.00025Z", "1970-01-01T00:00:00Z"},
		{"c", "text", "01:00:00", "00:00:00.000000001"},
		{"id", "text", "00000000-0000-0000-0000-000000000001", "ab000000-0000-0000-0000-000000000000"},
	}
	for _, options := range [][]parquet.WriterOption{
		nil,
		{parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1)},
		{parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(1)},
		{parquet.Compression(&parquet.Gzip)},
		{parquet.Compression(&parquet.Brotli)},
		{parquet.Compression(&parquet.Lz4Raw)},
		{parquet.Compression(&parquet.Lz4Raw), parquet.DataPageVersion(1)},
	} {
		if diff := cmp.Diff(want, columnartest.Cells(t, open(t, written(t, rows, options...)))); diff != "" {
			t.Error(diff)
		}
	}
}

// Nulls, dictionaries, pages and row groups whose ends do not agree between columns: each row keeps its cells.
func TestManyPages(t *testing.T) {
	type row struct {
		U string   `parquet:"u,dict"`
		X *float64 `parquet:"x,optional,dict"`
		I int64    `parquet:"i,delta"`
	}
	const n = 9000
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{U: strings.Repeat("u", i%7), I: int64(i)}
		if i%5 != 3 {
			x := float64(i) / 4
			rows[i].X = &x
		}
	}
	f := open(t, written(t, rows, parquet.PageBufferSize(300), parquet.MaxRowsPerRowGroup(2500)))
	seen := 0
	for b, err := range f.Blocks(context.Background(), []columnar.Want{{Field: 2}, {Field: 1}, {Field: 0, As: tables.Text}}) {
		if err != nil {
			t.Fatal(err)
		}
		for k := range b.Rows {
			i := seen + k
			x := b.Values[1].Numbers[k]
			if b.Values[0].Numbers[k] != float64(i) || len(b.Values[2].Cells[k]) != i%7 || math.IsNaN(x) != (i%5 == 3) || i%5 != 3 && x != float64(i)/4 {
				t.Fatalf("row %d is %g, %g, %q", i, b.Values[0].Numbers[k], x, b.Values[2].Cells[k])
			}
		}
		seen += b.Rows
	}
	if seen != n {
		t.Errorf("%d rows", seen)
	}
}

// A number that is wanted as text keeps all its digits.
func TestNumbersAsText(t *testing.T) {
	type row struct {
		ID int64 `parquet:"id"`
	}
	f := open(t, written(t, []row{{1234567890123450159}, {-1}}))
	for b, err := range f.Blocks(context.Background(), []columnar.Want{{Field: 0, As: tables.Text}}) {
		if diff := cmp.Diff([]string{"1234567890123450159", "-1"}, b.Values[0].Cells); err != nil || diff != "" {
			t.Error(diff, err)
		}
	}
	for b := range f.Blocks(context.Background(), []columnar.Want{{Field: 0}}) {
		if !b.Values[0].Rounded {
			t.Error("the number is rounded in silence")
		}
	}
}

// Lists of one length are columns, and rows without a list are missing in all of them.
func TestLists(t *testing.T) {
	type row struct {
		E []float32 `parquet:"e,list"`
		X int64     `parquet:"x"`
	}
	rows := make([]row, 3000)
	for i := range rows {
		rows[i] = row{[]float32{float32(i), 0.5}, int64(i)}
	}
	rows[1].E = nil
	got := columnartest.Cells(t, open(t, written(t, rows, parquet.PageBufferSize(200))))
	if len(got) != 3 || got[0][0] != "e[0]" || got[1][0] != "e[1]" || got[0][3] != "" || got[0][2999+2] != "2999" || got[1][2999+2] != "0.5" || got[2][2999+2] != "2999" {
		t.Errorf("the columns are %v", got[0][:5])
	}
	rows[2000].E = []float32{1}
	want := "is a list of 1 items in row 2001 and of 2 before, want as many in every row"
	if got := open(t, written(t, rows)).Fields()[0]; got.Name != "e" || got.Refused != want {
		t.Errorf("the field is %+v", got)
	}
}

func TestNested(t *testing.T) {
	type inner struct {
		A int64 `parquet:"a"`
	}
	type row struct {
		Struct inner                `parquet:"struct"`
		Two    struct{ A, B int64 } `parquet:"two"`
		Words  []string             `parquet:"words,list"`
		Map    map[string]int       `parquet:"map"`
		Deep   [][]float64          `parquet:"deep,list"`
		X      float64              `parquet:"x"`
	}
	f := open(t, written(t, []row{{Words: []string{"a"}, X: 1}}))
	for _, field := range f.Fields()[:5] {
		if field.Refused == "" {
			t.Errorf("column %q is read", field.Name)
		}
	}
	if diff := cmp.Diff([][]string{{"x", "number", "1"}}, columnartest.Cells(t, f)); diff != "" {
		t.Error(diff)
	}
}

// Bytes that are no text can be left unused.
func TestBytes(t *testing.T) {
	type row struct {
		ID []byte  `parquet:"id"`
		X  float64 `parquet:"x"`
	}
	path := filepath.Join(t.TempDir(), "f.parquet")
	if err := os.WriteFile(path, written(t, []row{{[]byte("a"), 1}, {[]byte("\xff"), 2}}), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, tables.ReadOptions{}); err == nil || !strings.HasSuffix(err.Error(), `f.parquet: column "id": row 2: is not UTF-8; leave the column unused: Options.Ignore`) {
		t.Errorf("the error is %v", err)
	}
	f, err := Open(t.Context(), path, tables.ReadOptions{Ignore: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if facts := tables.FactsOf(f); len(f.Columns()) != 1 || facts.Rows != 2 || len(facts.Unread) != 1 {
		t.Errorf("%d columns, facts %+v", len(f.Columns()), facts)
	}
}

// The rows of a file are those of its row groups, each column has as many, and a file that says otherwise is damaged.
func TestRows(t *testing.T) {
	type row struct {
		X float64 `parquet:"x"`
	}
	f := open(t, written(t, make([]row, 500), parquet.MaxRowsPerRowGroup(300)))
	meta := &footer{groups: []rowGroup{{rows: 300}, {rows: 200}}}
	for _, c := range []struct {
		file, first, want int64
		err               string
	}{
		{500, 300, 500, ""}, {0, 300, 500, ""}, {499, 300, 0, "it claims 499 rows, its row groups have 500"}, {500, -1, 0, "it has a row group of -1 rows"},
		{0, math.MaxInt64, 0, "it has a row group of 200 rows"},
	} {
		meta.rows, meta.groups[0].rows = c.file, c.first
		if got, err := meta.count(); got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.HasSuffix(err.Error(), c.err) {
			t.Errorf("%d rows, error %v, want %d, %q", got, err, c.want, c.err)
		}
	}
	type list struct {
		E []float32 `parquet:"e,list"`
	}
	lists := open(t, written(t, []list{{[]float32{1}}, {[]float32{2}}}))
	lists.rows = 1
	if _, _, err := lists.listLength(t.Context(), 0); err == nil || !strings.HasSuffix(err.Error(), `column "e": it has more values than the file has rows`) {
		t.Errorf("the error is %v", err)
	}
	for rows, want := range map[int64]string{499: "it has more values than the file has rows", 501: "row 501: the file ends before"} {
		f.rows = rows
		if err := columnartest.Drain(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d rows: error %v, want %q", rows, err, want)
		}
	}
}

// A damaged file is an error that names it, and no panic.
func TestDamaged(t *testing.T) {
	type row struct {
		X float64 `parquet:"x"`
		S string  `parquet:"s,dict"`
	}
	rows := make([]row, 500)
	for i := range rows {
		rows[i] = row{float64(i), strings.Repeat("s", i%9)}
	}
	whole := written(t, rows, parquet.Compression(&parquet.Snappy))
	errs := 0
	for at := range len(whole) {
		data := bytes.Clone(whole)
		data[at] ^= 0x55
		f, err := newFile(context.Background(), columnartest.Input("f.parquet", data))
		if err == nil {
			err = columnartest.Drain(f)
		}
		if err != nil {
			errs++
			if !strings.HasPrefix(err.Error(), "parquet: f.parquet: ") {
				t.Fatalf("the error is %v", err)
			}
		}
	}
	if errs < len(whole)/4 {
		t.Errorf("%d of %d damages are errors", errs, len(whole))
	}
	if _, err := newFile(context.Background(), columnartest.Input("f.parquet", []byte("x,u\n1,2\n3,4\n"))); err == nil || !strings.Contains(err.Error(), "f.parquet: is no Parquet file") {
		t.Errorf("of a table of text the error is %v", err)
	}
	for _, cut := range []int{0, 3, 11, len(whole) / 2, len(whole) - 1} {
		if _, err := newFile(context.Background(), columnartest.Input("f.parquet", whole[:cut])); err == nil {
			t.Errorf("cut at %d is read", cut)
		}
	}
}

func FuzzOpen(f *testing.F) {
	type row struct {
		X *float64  `parquet:"x,optional"`
		S string    `parquet:"s,dict"`
		E []float32 `parquet:"e,list"`
	}
	x := 1.5
	for _, codec := range codecs {
		if codec != format.Lz4 {
			f.Add(written(f, []row{{&x, "a", []float32{1}}, {nil, "b", nil}}, parquet.Compression(parquet.LookupCompressionCodec(codec)), parquet.DataPageVersion(1+int(codec)%2)))
		}
	}
	columnartest.Written(f, ".parquet")
	f.Fuzz(func(t *testing.T, data []byte) {
		tabletest.Bounded(t, len(data), func() {
			f, err := newFile(context.Background(), columnartest.Input("f.parquet", data))
			if err == nil {
				columnartest.Drain(f)
			}
		})
	})
}
