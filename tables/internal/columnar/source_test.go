package columnar

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mediant/internal/input"
	"mediant/internal/tabletest"
	"mediant/tables"
)

// memory is a File whose columns are []float64, []int64 or []string, in blocks of so many rows.
type memory struct {
	fields []Field
	cells  []any
	block  int
}

func (m memory) Fields() []Field { return m.fields }
func (m memory) Rows() int       { return -1 }

func (m memory) len() int {
	switch c := m.cells[0].(type) {
	case []float64:
		return len(c)
	case []int64:
		return len(c)
	}
	return len(m.cells[0].([]string))
}

func (m memory) Blocks(_ context.Context, wants []Want) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		b := NewBuffers(wants, input.NewRoom(1<<20))
		for start := 0; start < m.len(); start += m.block {
			n := min(m.block, m.len()-start)
			for k, w := range wants {
				b[k].Reset()
				for i := start; i < start+n; i++ {
					switch c := m.cells[w.Field].(type) {
					case []float64:
						b[k].Number(c[i])
					case []int64:
						b[k].Integer(c[i])
					case []string:
						b[k].Text(c[i])
					}
				}
			}
			if !yield(BlockOf(n, b), nil) {
				return
			}
		}
	}
}

func column(name string, cells any) (Field, any) {
	f := Field{Name: name}
	if _, text := cells.([]string); text {
		f.Kind = tables.Text
	}
	return f, cells
}

func fileOf(pairs ...any) memory {
	m := memory{block: 2}
	for i := 0; i < len(pairs); i += 2 {
		f, cells := column(pairs[i].(string), pairs[i+1])
		m.fields, m.cells = append(m.fields, f), append(m.cells, cells)
	}
	return m
}

func read(f File, opt tables.ReadOptions) (*Source, error) {
	return NewSource(context.Background(), "fake", "f", f, opt)
}

// text has the cells of a table by column, its name and kind first.
func text(t *testing.T, src tables.Source) [][]string {
	t.Helper()
	table, err := tables.Load(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	at := map[tables.Kind]int{}
	for _, c := range table.Columns() {
		line := []string{c.Name + " " + c.Kind.String()}
		for b := range table.Batches(t.Context()) {
			for r := range b.Rows {
				if c.Kind == tables.Text {
					line = append(line, b.Text[at[c.Kind]][r])
				} else {
					line = append(line, strings.Replace(fmt.Sprint(b.Num.At(r, at[c.Kind])), "NaN", "", 1))
				}
			}
		}
		at[c.Kind]++
		all = append(all, line)
	}
	return all
}

func TestOptions(t *testing.T) {
	f := fileOf(
		"id", []int64{9007199254740993, 1, 2},
		"x", []float64{1, -99, math.NaN()},
		"n", []string{"1", " 2.5", ""},
		"d", []string{"2024-03-01", "", "1970-01-02"},
		"s", []string{"a", "?", "b"})
	for _, c := range []struct {
		name string
		opt  tables.ReadOptions
		want [][]string
	}{
		{"as they are", tables.ReadOptions{}, [][]string{
			{"id text", "9007199254740993", "1", "2"}, {"x numeric", "1", "-99", ""}, {"n text", "1", " 2.5", ""}, {"d text", "2024-03-01", "", "1970-01-02"}, {"s text", "a", "?", "b"}}},
		{"set", tables.ReadOptions{Numbers: []string{"n", "id"}, Text: []string{"x"}, NA: []string{"s=?", "x=-99.0"}, Dates: []string{"d"}, Rename: map[string]string{"s": "z"}}, [][]string{
			{"id numeric", "9.007199254740992e+15", "1", "2"}, {"x text", "1", "", ""}, {"n numeric", "1", "2.5", ""},
			{"d year numeric", "2024", "", "1970"}, {"d month numeric", "3", "", "1"}, {"d weekday numeric", "5", "", "5"}, {"d days numeric", "19783", "", "1"}, {"s text", "a", "?", "b"}}},
		{"what matters", tables.ReadOptions{Only: []tables.Column{{Name: "x", Kind: tables.Numeric}, {Name: "n", Kind: tables.Numeric}}}, [][]string{
			{"id text", "9007199254740993", "1", "2"}, {"x numeric", "1", "-99", ""}, {"n numeric", "1", "2.5", ""}, {"d text", "2024-03-01", "", "1970-01-02"}, {"s text", "a", "?", "b"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, err := read(f, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if c.opt.Rename != nil {
				c.want[len(c.want)-1] = []string{"z text", "a", "?", "b"}
			}
			if diff := cmp.Diff(c.want, text(t, src)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A block may end anywhere in a batch.
func TestBlocksAndBatches(t *testing.T) {
	numbers, words := make([]float64, 3000), make([]string, 3000)
	for i := range numbers {
		numbers[i], words[i] = float64(i), fmt.Sprint("w", i)
	}
	var want [][]string
	for _, block := range []int{1, 7, 1023, 1024, 1025, 3000} {
		f := fileOf("x", numbers, "s", words)
		f.block = block
		src, err := read(f, tables.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := text(t, src)
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got[0]) != 3001 || got[1][3000] != "w2999" {
			t.Errorf("blocks of %d: %s", block, diff)
		}
		n := 0
		for range src.Batches(t.Context()) { // a caller that has seen enough
			if n++; n == 1 {
				break
			}
		}
	}
}

func TestRefused(t *testing.T) {
	nested := fileOf("x", []float64{1, 2}, "list", []float64{0, 0})
	nested.fields[1].Refused = "is a list"
	mixed := fileOf("x", []float64{1, 2, 3, 4}, "m", []string{"1", "2", "3", "many"})
	mixed.fields[1].Mixed = "has numbers and text"
	for _, c := range []struct {
		name string
		file memory
		opt  tables.ReadOptions
		want []string // nothing: it is read
	}{
		{"infinite", fileOf("x", []float64{1, 2, math.Inf(-1)}), tables.ReadOptions{}, []string{"f:3: column \"x\": -Inf is not finite"}},
		{"too large", fileOf("x", []float64{1, 1e200}), tables.ReadOptions{}, []string{"f:2: column \"x\": 1e+200 is too large"}},
		{"too large and missing", fileOf("x", []float64{1, 1e200}), tables.ReadOptions{NA: []string{"1e200"}}, nil},
		{"no rows", fileOf("x", []float64{}), tables.ReadOptions{}, []string{"f: no rows"}},
		{"two of one name", fileOf("x", []float64{1}, "x ", []float64{1}), tables.ReadOptions{}, []string{"f: ", `"x"`}},
		{"a name for two", fileOf("x", []float64{1}, "u", []float64{1}), tables.ReadOptions{Rename: map[string]string{"u": "x"}}, []string{"f: Options.Rename", `"x"`}},
		{"nested", nested, tables.ReadOptions{}, []string{"f: column \"list\" is a list; leave it unused: Options.Ignore"}},
		{"nested and ignored", nested, tables.ReadOptions{Ignore: []string{"li*"}}, nil},
		{"nested and of no account", nested, tables.ReadOptions{Only: []tables.Column{{Name: "x"}}}, nil},
		{"mixed", mixed, tables.ReadOptions{}, []string{`f:4: column "m": "many" is not a number`}},
		{"mixed and text", mixed, tables.ReadOptions{Text: []string{"m"}}, nil},
		{"mixed and lenient", mixed, tables.ReadOptions{Lenient: true}, nil},
		{"no date", fileOf("d", []string{"2024-03-01", "soon"}), tables.ReadOptions{Dates: []string{"d"}}, []string{`f:2: column "d": "soon" is not a date`}},
		{"an open order", fileOf("d", []string{"01/02/2024"}), tables.ReadOptions{Dates: []string{"d"}}, []string{`f:1: column "d"`, "may be day/month"}},
		{"a number that is none", fileOf("n", []string{"1", "one"}), tables.ReadOptions{Numbers: []string{"n"}}, []string{`f:2: column "n": "one" is not a number`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, err := read(c.file, c.opt)
			if c.want != nil {
				tabletest.WantError(t, err, "fake", c.want...)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text(t, src)
		})
	}
}

// A file that another pass finds changed is an error.
func TestChanged(t *testing.T) {
	numbers := []float64{1, 2, 3}
	f := fileOf("x", numbers)
	src, err := read(f, tables.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range [][]float64{{1, 2}, {1, 2, 3, 4}} {
		f.cells[0] = cells
		_, err := tables.Load(t.Context(), src)
		tabletest.WantError(t, err, "fake", "f: the file changed while it was read")
	}
}

// claims is a file of rows that take no bytes.
type claims struct{ memory }

func (claims) Blocks(context.Context, []Want) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		for yield(Block{Rows: 1 << 22}, nil) {
		}
	}
}

// A file of more cells than its bytes can stand for is an error, whatever the number of columns that are read.
func TestLimited(t *testing.T) {
	for columns, want := range map[int]int64{0: 1<<24 + 1<<22, 1: 1<<24 + 1<<22, 4: 1<<22 + 1<<22} {
		rows := int64(0)
		for b, err := range (limited{claims{}, 100, "fake: f"}).Blocks(t.Context(), make([]Want, columns)) {
			rows += int64(b.Rows)
			if err != nil {
				if err.Error() != "fake: f: the file claims more rows than its 100 bytes can stand for" {
					t.Errorf("the error is %v", err)
				}
				rows += 1 << 22
			}
		}
		if rows != want {
			t.Errorf("%d columns: refused at row %d, want %d", columns, rows, want)
		}
	}
}

func TestRowsAtATime(t *testing.T) {
	for columns, want := range map[int]int{0: BlockRows, 256: BlockRows, 1 << 19: 2, 1 << 30: 1} {
		if got := RowsAtATime(columns); got != want {
			t.Errorf("%d rows of %d columns, want %d", got, columns, want)
		}
	}
}
