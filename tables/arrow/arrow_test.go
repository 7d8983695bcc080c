package arrow

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"mediant/internal/tabletest"
	"mediant/tables"
	"mediant/tables/internal/columnartest"
)

// batch is a record batch, its columns written as JSON: an object a row.
func batch(t testing.TB, schema *arrow.Schema, rows string) arrow.RecordBatch {
	t.Helper()
	b, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// stream and file write batches.
func stream(t testing.TB, options []ipc.Option, batches ...arrow.RecordBatch) []byte {
	t.Helper()
	var b bytes.Buffer
	w := ipc.NewWriter(&b, append(options, ipc.WithSchema(batches[0].Schema()))...)
	for _, r := range batches {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func written(t testing.TB, options []ipc.Option, batches ...arrow.RecordBatch) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, append(options, ipc.WithSchema(batches[0].Schema()))...)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range batches {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t *testing.T, data []byte) *file {
	t.Helper()
	f, err := newFile(context.Background(), columnartest.Input("f.arrow", data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func field(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

func TestTypes(t *testing.T) {
	types := []struct {
		t    arrow.DataType
		json [2]string
		want []string
	}{
		{arrow.PrimitiveTypes.Int8, [2]string{"-128", "127"}, []string{"number", "-128", "127"}},
		{arrow.PrimitiveTypes.Uint64, [2]string{"0", "7"}, []string{"number", "0", "7"}},
		{arrow.PrimitiveTypes.Int64, [2]string{"-7", "null"}, []string{"number", "-7", ""}},
		{arrow.PrimitiveTypes.Float32, [2]string{"0.25", "-1"}, []string{"number", "0.25", "-1"}},
		{arrow.PrimitiveTypes.Float64, [2]string{"0.1", "1e300"}, []string{"number", "0.1", "1e+300"}},
		{arrow.FixedWidthTypes.Float16, [2]string{"0.5", "-2"}, []string{"number", "0.5", "-2"}},
		{arrow.FixedWidthTypes.Boolean, [2]string{"true", "false"}, []string{"text", "true", "false"}},
		{arrow.BinaryTypes.String, [2]string{`"ü"`, "null"}, []string{"text", "ü", ""}},
		{arrow.BinaryTypes.LargeString, [2]string{`"a,b"`, `""`}, []string{"text", "a,b", ""}},
		{arrow.BinaryTypes.StringView, [2]string{`"a"`, `"a string that is too long to stand in the view"`}, []string{"text", "a", "a string that is too long to stand in the view"}},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, [2]string{`"b"`, `null`}, []string{"text", "b", ""}},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.PrimitiveTypes.Float64}, [2]string{`2.5`, `3`}, []string{"number", "2.5", "3"}},
		{arrow.FixedWidthTypes.Date32, [2]string{`"2024-03-01"`, `"1969-12-31"`}, []string{"text", "2024-03-01", "1969-12-31"}},
		{arrow.FixedWidthTypes.Date64, [2]string{`"2024-03-01"`, `"1970-01-01"`}, []string{"text", "2024-03-01", "1970-01-01"}},
		{arrow.FixedWidthTypes.Timestamp_us, [2]string{"1709294400250000", "null"}, []string{"text", "2024-03-01T12:00:00.25Z", ""}},
		{&arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Berlin"}, [2]string{"1709294400", "null"}, []string{"text", "2024-03-01T12:00:00Z", ""}},
		{&arrow.TimestampType{Unit: arrow.Second}, [2]string{`"2024-03-01 12:00:00"`, "null"}, []string{"text", "2024-03-01T12:00:00", ""}},
		{arrow.FixedWidthTypes.Time32s, [2]string{`"01:02:03"`, "null"}, []string{"text", "01:02:03", ""}},
		{arrow.FixedWidthTypes.Time64ns, [2]string{`"01:02:03.5"`, "null"}, []string{"text", "01:02:03.5", ""}},
		{arrow.FixedWidthTypes.Duration_ms, [2]string{`"1500ms"`, "null"}, []string{"number", "1.5", ""}},
		{&arrow.Decimal128Type{Precision: 20, Scale: 3}, [2]string{`"-0.25"`, `"12345678901234.5"`}, []string{"number", "-0.25", "1.23456789012345e+13"}},
		{&arrow.Decimal256Type{Precision: 40, Scale: 0}, [2]string{`"7"`, "null"}, []string{"number", "7", ""}},
		{arrow.Null, [2]string{"null", "null"}, []string{"number", "", ""}},
	}
	for _, c := range types {
		t.Run(c.t.String(), func(t *testing.T) {
			schema := arrow.NewSchema([]arrow.Field{field("c", c.t), field("k", arrow.PrimitiveTypes.Int32)}, nil)
			b := batch(t, schema, `[{"c":`+c.json[0]+`,"k":1},{"c":`+c.json[1]+`,"k":2}]`)
			want := [][]string{append([]string{"c"}, c.want...), {"k", "number", "1", "2"}}
			for _, data := range [][]byte{stream(t, nil, b), written(t, nil, b), written(t, []ipc.Option{ipc.WithZstd()}, b), stream(t, []ipc.Option{ipc.WithLZ4()}, b)} {
				if diff := cmp.Diff(want, columnartest.Cells(t, open(t, data))); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// Batches of several sizes, one of them longer than a block and one that is empty, are read one after another, slices of others too.
func TestBatches(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{field("x", arrow.PrimitiveTypes.Float64), field("e", arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32))}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	list := b.Field(1).(*array.FixedSizeListBuilder)
	const n = 10000
	for i := range n {
		b.Field(0).(*array.Float64Builder).Append(float64(i))
		if i%10 == 3 {
			list.AppendNull()
			continue
		}
		list.Append(true)
		list.ValueBuilder().(*array.Float32Builder).AppendValues([]float32{float32(i), 0.5}, nil)
	}
	whole := b.NewRecordBatch()
	got := columnartest.Cells(t, open(t, written(t, nil, whole.NewSlice(0, 3), whole.NewSlice(3, 3), whole.NewSlice(3, 9000), whole.NewSlice(9000, n))))
	want := columnartest.Cells(t, open(t, stream(t, nil, whole)))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if x := got[0]; len(x) != n+2 || x[n+1] != "9999" {
		t.Errorf("%d cells, the last one %s", len(x)-2, x[len(x)-1])
	}
	if first, second := got[1], got[2]; first[0] != "e[0]" || second[0] != "e[1]" || first[2+7] != "7" || first[2+13] != "" || second[2+9999] != "0.5" {
		t.Errorf("the list is %v and %v", first[:20], second[:20])
	}
}

func TestNested(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		field("l", arrow.ListOf(arrow.PrimitiveTypes.Int8)), field("s", arrow.StructOf(field("a", arrow.PrimitiveTypes.Int8))),
		field("b", arrow.BinaryTypes.Binary), field("x", arrow.PrimitiveTypes.Int8)}, nil)
	f := open(t, written(t, nil, batch(t, schema, `[{"l":[],"s":{"a":1},"b":"YQ==","x":1},{"l":[1],"x":2},{"l":[1,2],"x":3},{"l":[1],"x":4}]`)))
	if want := "is a list of 2 items in row 3 and of 1 before, want as many in every row"; f.Fields()[0].Refused != want {
		t.Errorf("refused: %q, want %q", f.Fields()[0].Refused, want)
	}
	for _, field := range f.Fields()[:3] {
		if field.Refused == "" {
			t.Errorf("column %q is read", field.Name)
		}
	}
	if diff := cmp.Diff([][]string{{"x", "number", "1", "2", "3", "4"}}, columnartest.Cells(t, f)); diff != "" {
		t.Error(diff)
	}
}

// Lists of numbers are columns if all rows that have one have as many items, over batches too; lists of text and empty ones are none.
func TestLists(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		field("l", arrow.ListOf(arrow.PrimitiveTypes.Int8)), field("g", arrow.LargeListOf(arrow.PrimitiveTypes.Float64)), field("v", arrow.ListViewOf(arrow.PrimitiveTypes.Int8)),
		field("w", arrow.ListOf(arrow.BinaryTypes.String)), field("e", arrow.ListOf(arrow.PrimitiveTypes.Int8))}, nil)
	one := batch(t, schema, `[{"g":[]},{"l":[],"w":["a"]}]`)
	two := batch(t, schema, `[{"l":[1,2],"g":[0.5],"v":[7]},{"l":[3,null],"g":[1.5],"v":null}]`)
	want := [][]string{{"l[0]", "number", "", "", "1", "3"}, {"l[1]", "number", "", "", "2", ""}, {"g[0]", "number", "", "", "0.5", "1.5"}, {"v[0]", "number", "", "", "7", ""}}
	for _, data := range [][]byte{written(t, nil, one, two), stream(t, nil, one, two)} {
		f := open(t, data)
		if diff := cmp.Diff(want, columnartest.Cells(t, f)); diff != "" {
			t.Error(diff)
		}
		if got := f.Fields()[5].Refused; got != "is a list without any item" {
			t.Errorf("refused: %q", got)
		}
		if got := f.Fields()[4].Refused; !strings.HasPrefix(got, "is of type list<item: utf8") {
			t.Errorf("refused: %q", got)
		}
	}
}

// Types that a file has no bytes for, or no number, are refused before memory is taken for them.
func TestBeyondTheFile(t *testing.T) {
	for _, c := range []struct {
		t    arrow.DataType
		want string
	}{
		{arrow.FixedSizeListOf(1<<31-1, arrow.PrimitiveTypes.Float64), "is a list of 2147483647 items, more than the file has bytes"},
		{&arrow.Decimal128Type{Precision: 38, Scale: 2e9}, "is of decimals of scale 2000000000, want at most 1000"},
		{&arrow.Decimal128Type{Precision: 38, Scale: -2e9}, "is of decimals of scale -2000000000, want at most 1000"},
	} {
		schema := arrow.NewSchema([]arrow.Field{field("c", c.t)}, nil)
		if fields := open(t, stream(t, nil, batch(t, schema, `[]`))).Fields(); len(fields) != 1 || fields[0].Refused != c.want {
			t.Errorf("the first of %d fields is %+v, want %q", len(fields), fields[0], c.want)
		}
	}
}

// A damaged file is an error that names it, and no panic.
func TestDamaged(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{field("x", arrow.PrimitiveTypes.Float64), field("s", arrow.BinaryTypes.String)}, nil)
	b := batch(t, schema, `[{"x":1,"s":"a"},{"x":null,"s":"bc"}]`)
	for _, whole := range [][]byte{written(t, nil, b), stream(t, nil, b)} {
		for at := range len(whole) {
			for _, bits := range []byte{0x55, 0xff, 0x80} {
				data := bytes.Clone(whole)
				data[at] ^= bits
				f, err := newFile(context.Background(), columnartest.Input("f.arrow", data))
				if err == nil {
					err = columnartest.Drain(f)
				}
				if err != nil && !strings.HasPrefix(err.Error(), "arrow: f.arrow: ") {
					t.Fatalf("the error is %v", err)
				}
			}
		}
		for _, cut := range []int{0, 5, 11, len(whole) / 2} {
			f, err := newFile(context.Background(), columnartest.Input("f.arrow", whole[:cut]))
			if err == nil {
				err = columnartest.Drain(f)
			}
			if err == nil {
				t.Errorf("cut at %d of %d is read", cut, len(whole))
			}
		}
	}
}

// A stream that is cut at any place, between batches too, is an error; bytes behind its end are not looked at.
func TestCutStream(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{field("x", arrow.PrimitiveTypes.Int32)}, nil)
	whole := stream(t, nil, batch(t, schema, `[{"x":1}]`), batch(t, schema, `[{"x":0},{"x":0}]`))
	for cut := range len(whole) {
		f, err := newFile(context.Background(), columnartest.Input("f.arrow", whole[:cut]))
		if err == nil {
			err = columnartest.Drain(f)
		}
		if err == nil || !strings.HasPrefix(err.Error(), "arrow: f.arrow: ") {
			t.Errorf("cut at %d of %d the error is %v", cut, len(whole), err)
		}
	}
	if diff := cmp.Diff([][]string{{"x", "number", "1", "0", "0"}}, columnartest.Cells(t, open(t, append(whole, "more"...)))); diff != "" {
		t.Error(diff)
	}
}

// Rows without bytes are read as far as a file of its size can be thought to have them.
func TestRowsWithoutBytes(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{field("x", arrow.Null)}, nil)
	path := filepath.Join(t.TempDir(), "f.arrow")
	if err := os.WriteFile(path, stream(t, nil, array.NewRecordBatch(schema, []arrow.Array{array.NewNull(1 << 40)}, 1<<40)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, tables.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "f.arrow: the file claims more rows than its") {
		t.Errorf("the error is %v", err)
	}
}

func TestEnded(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{field("x", arrow.PrimitiveTypes.Float64)}, nil)
	f := open(t, written(t, nil, batch(t, schema, `[{"x":1}]`)))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range f.Blocks(ctx, nil) {
		if err != context.Canceled {
			t.Errorf("the error is %v", err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	schema := arrow.NewSchema([]arrow.Field{field("x", arrow.PrimitiveTypes.Float64), field("s", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String})}, nil)
	b := batch(f, schema, `[{"x":1,"s":"a"},{"x":null,"s":"bc"}]`)
	lists := arrow.NewSchema([]arrow.Field{field("l", arrow.ListOf(arrow.PrimitiveTypes.Int8)), field("t", arrow.BinaryTypes.StringView), field("n", arrow.Null)}, nil)
	f.Add(written(f, []ipc.Option{ipc.WithLZ4()}, batch(f, lists, `[{"l":[1,2],"t":"more than twelve letters"},{"l":null,"t":"few"}]`)))
	f.Add(written(f, nil, b))
	f.Add(stream(f, nil, b))
	columnartest.Written(f, ".arrow")
	f.Fuzz(func(t *testing.T, data []byte) {
		tabletest.Bounded(t, len(data), func() {
			f, err := newFile(context.Background(), columnartest.Input("f.arrow", data))
			if err == nil {
				columnartest.Drain(f)
			}
		})
	})
}

// A batch that claims more buffers of views than it has is refused, in files and streams, with dictionaries and without, before memory is taken for them.
func TestViewsBeyondTheBatch(t *testing.T) {
	const text = "a string that is too long to stand in the view"
	plain := batch(t, arrow.NewSchema([]arrow.Field{field("s", arrow.BinaryTypes.StringView)}, nil), `[{"s":"`+text+`"}]`)
	index := batch(t, arrow.NewSchema([]arrow.Field{field("s", arrow.PrimitiveTypes.Int8)}, nil), `[{"s":0}]`)
	packed := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.StringView}
	dictionary := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("s", packed)}, nil), []arrow.Array{array.NewDictionaryArray(packed, index.Column(0), plain.Column(0))}, 1)
	for _, b := range []arrow.RecordBatch{plain, dictionary} {
		for _, data := range [][]byte{written(t, nil, b), stream(t, nil, b)} {
			if got := columnartest.Cells(t, open(t, data)); got[0][2] != text {
				t.Errorf("the cell is %q", got[0][2])
			}
			one := []byte{1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0} // a vector of one count, which is 1
			refused := false
			for at := range len(data) - len(one) {
				if !bytes.HasPrefix(data[at:], one) {
					continue
				}
				claims := bytes.Clone(data)
				claims[at+7] = 4 // 67 million
				tabletest.Bounded(t, len(data), func() {
					f, err := newFile(t.Context(), columnartest.Input("f.arrow", claims))
					if err == nil {
						err = columnartest.Drain(f)
					}
					refused = refused || errors.Is(err, errDamaged)
				})
			}
			if !refused {
				t.Error("no claim was refused")
			}
		}
	}
}
