package csv

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mediant/internal/literal"
	"mediant/internal/tabletest"
	"mediant/tables"
	"mediant/tables/notes"
)

// TestNA: cells that a marker names are missing wherever they stand, and count for nothing in the kind of a column.
func TestNA(t *testing.T) {
	type numbers = map[string][]float64
	type text = map[string][]string
	for _, tt := range []struct {
		name, content string
		opt           Options
		numbers       numbers
		text          text
	}{
		{"point", "x,l\n1,a\n.,.\n 2 , . \n", Options{NA: []string{"."}}, numbers{"x": {1, 2}}, text{"l": {"a", ""}}},
		{"kept rows", "x,l\n1,a\n.,.\n", Options{NA: []string{"."}, KeepRows: true}, numbers{"x": {1, nan}}, text{"l": {"a", ""}}},
		{"number", "x,y\n-99,1\n-99.0,2\n-9.9e1,3\n-98,-99\n", Options{NA: []string{"-99"}}, numbers{"x": {nan, nan, nan, -98}, "y": {1, 2, 3, nan}}, nil},
		{"number in text", "x,l\n1,-99\n2,a\n3,-99.00\n", Options{NA: []string{"-99"}}, numbers{"x": {1, 2, 3}}, text{"l": {"", "a", ""}}},
		{"several", "x,y\n?,1\nNone,2\n#N/A,3\n4,<NA>\n", Options{NA: []string{"?", "None", "#N/A", "<NA>"}}, numbers{"x": {nan, nan, nan, 4}, "y": {1, 2, 3, nan}}, nil},
		{"of one column", "x,y\n-9,-9\n1,2\n", Options{NA: []string{"x=-9"}}, numbers{"x": {nan, 1}, "y": {-9, 2}}, nil},
		{"of a glob", "x1,x2,y\n0,0,0\n1,2,3\n", Options{NA: []string{"x*=0", "none=0"}}, numbers{"x1": {nan, 1}, "x2": {nan, 2}, "y": {0, 3}}, nil},
		{"of a column with =", "a=b,y\n7,7\n1,2\n", Options{NA: []string{"a=b=7"}}, numbers{"a=b": {nan, 1}, "y": {7, 2}}, nil},
		{"with =", "l,y\n=,7\na,2\n", Options{NA: []string{"="}}, numbers{"y": {7, 2}}, text{"l": {"", "a"}}},
		{"decimal comma", "x;y\n-9,5;1\n2,5;-9,50\n", Options{Decimal: ',', NA: []string{"-9,5"}}, numbers{"x": {nan, 2.5}, "y": {1, nan}}, nil},
		{"point for a decimal comma", "x;y\n-9,5;1\n2,5;-9,50\n", Options{Decimal: ',', NA: []string{"-9.5"}}, numbers{"x": {nan, 2.5}, "y": {1, nan}}, nil},
		{"all missing", "x,y\n.,1\n.,2\n", Options{NA: []string{"."}}, numbers{"x": {nan, nan}, "y": {1, 2}}, nil},
		{"a word of text", "l,y\nNA,1\na,2\n", Options{NA: []string{"NA"}}, numbers{"y": {1, 2}}, text{"l": {"", "a"}}},
		{"where kinds are set", "x,l,z\n.,.,.\n1,a,b\n2,.,.\n", Options{NA: []string{"."}, Only: []tables.Column{{Name: "x"}, {Name: "l", Kind: tables.Text}}}, numbers{"x": {1, 2}}, text{"l": {"a", ""}, "z": {"b", ""}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tabletest.WantTable(t, mustOpen(t, tt.content, tt.opt), tt.numbers, tt.text)
		})
	}
	c := mustOpen(t, "x,y\n1,2\n.,.\n.,NA\n3,4\n", Options{NA: []string{"."}})
	if got := c.Facts().Skips; len(got) != 1 || got[0].Lines != 2 || got[0].Reason != notes.EmptyRows {
		t.Errorf("skips %v, want two empty rows", got)
	}
	_, err := open(t, "x\n1\n", Options{NA: []string{"[x=1"}})
	wantError(t, err, `malformed pattern "[x"`)
}

// TestMarkersAreNamed: what often marks missing values is refused in a column of numbers, however often it occurs, with what
// to do about it, and not taken as text.
func TestMarkersAreNamed(t *testing.T) {
	for _, marker := range []string{".", "..", "-", "--", "—", "?", "#N/A", "#VALUE!", "#DIV/0!", "<NA>", "None", "none", "n/a", "N.A.", "(null)", "missing", "Unknown", "k.A.", `\N`, "not available"} {
		for _, times := range []int{1, 9} {
			content := fmt.Sprintf("x,y\n1,2\n1.5,3\n%s7,8\n", strings.Repeat(fmt.Sprintf("%s ,5\n", marker), times))
			_, err := open(t, content, Options{})
			wantError(t, err, "f.csv:4:", `column "x"`, fmt.Sprintf("is not a number; if it marks missing values: Options.NA %q", marker))
			_, err = open(t, content, Options{Only: []tables.Column{{Name: "x"}}})
			wantError(t, err, "f.csv:4:", fmt.Sprintf("Options.NA %q", marker))
			c := mustOpen(t, content, Options{NA: []string{marker}})
			if want := (tables.Column{Name: "x"}); c.Columns()[0] != want || c.Rows() != times+3 {
				t.Errorf("%s: column %v, %d rows", marker, c.Columns()[0], c.Rows())
			}
		}
		c := mustOpen(t, "l,y\na,1\n"+marker+",2\nb,3\n", Options{})
		if got := c.Columns()[0].Kind; got != tables.Text {
			t.Errorf("%s among words is %v", marker, got)
		}
	}
	for _, cell := range []string{"", "x", "1", "none of them", "no", "unknowns", "#", "a.", "miss", "é", strings.Repeat("?", 30)} {
		if literal.UnusualMarker(cell) {
			t.Errorf("%q is a marker", cell)
		}
	}
}

// TestNumbersInOtherSpellings: a column of numbers with some that people write otherwise is refused, however many they are, and the
// message says how to write them.
func TestNumbersInOtherSpellings(t *testing.T) {
	for cell, want := range map[string]string{
		"−0.931": "-0.931", "–3": "-3", "0.931-": "-0.931", "'0.5": "0.5", "’12’": "12", "“7”": "7", "(3.5)": "-3.5", "0.05*": "0.05", "12†": "12", "1.5D+03": "1.5E+03", "2d2": "2E2",
	} {
		for _, times := range []int{1, 9} {
			_, err := open(t, fmt.Sprintf("x,y\n1,2\n2,3\n%s5,6\n", strings.Repeat(fmt.Sprintf("%s,4\n", cell), times)), Options{})
			wantError(t, err, "f.csv:4:", `column "x"`, "is not a number; if it is a number, write "+want)
		}
	}
	for _, cell := range []string{"<0.5", ">65", "~3", "≈ 2"} {
		_, err := open(t, fmt.Sprintf("x,y\n1,2\n2,3\n%s5,6\n", strings.Repeat(cell+",4\n", 9)), Options{})
		wantError(t, err, "f.csv:4:", `column "x"`, "is not a number", `Options.Text "x"`)
	}
	c := mustOpen(t, "a,b,c,y\n<18,'s,>50K,1\n18-25,(b),<=50K,2\n>65,−,>50K,3\n", Options{})
	if want := tabletest.Columns("a:text b:text c:text y"); !slices.Equal(c.Columns(), want) {
		t.Errorf("columns %v, want %v", c.Columns(), want)
	}
}

// TestAliases: a name is another one's where the file has not the other.
func TestAliases(t *testing.T) {
	swapped := mustOpen(t, "Age,age,b\n1,2,3\n", Options{Aliases: map[string]string{"Age": "age", "age": "Age"}})
	if names := tables.ColumnNames(swapped.Columns()); !slices.Equal(names, []string{"age", "Age", "b"}) {
		t.Errorf("%q, want the two names in each other's place, as in training", names)
	}
	for _, c := range []struct {
		header  string
		rename  map[string]string
		columns string
	}{
		{"Age,b", nil, "age b"},
		{"Age,age", nil, "Age age"},
		{"age,b", nil, "age b"},
		{"Age,b", map[string]string{"b": "age"}, "Age age"},
		{"Age,b", map[string]string{"Age": "z"}, "z b"},
		{"Age,b", map[string]string{"other": "age"}, "age b"},
	} {
		got := mustOpen(t, c.header+"\n1,2\n", Options{Aliases: map[string]string{"Age": "age"}, Rename: c.rename})
		if names := tables.ColumnNames(got.Columns()); !slices.Equal(names, strings.Fields(c.columns)) {
			t.Errorf("%s with %v: %q, want %s", c.header, c.rename, names, c.columns)
		}
	}
}

// TestLenient: columns that would be refused are text, and all else is as it was.
func TestLenient(t *testing.T) {
	for _, tt := range []struct {
		content string
		opt     Options
		want    string
	}{
		{"x,y,l\n1,2,a\n.,3,b\n4,5,c\n", Options{}, "x:text y l:text"},
		{"x,y\n1,18 %\n2,3\n4,5\n", Options{}, "x y:text"},
		{"x,y\n1,1e308\n2,3\n4,5\n", Options{}, "x y:text"},
		{"x,y\na,1\nb,3\n4,5\n", Options{Numbers: []string{"x"}}, "x:text y"},
		{"x,y\n1,.\n2,3\n4,5\n", Options{NA: []string{"."}}, "x y"},
		{"x,d\n1,2024-01-01\n2,soon\n", Options{Dates: []string{"d"}}, "x d:text"},
		{"x,d\n1,01/02/2024\n2,03/02/2024\n", Options{Dates: []string{"d"}}, "x d:text"},
		{"x,y\n1,2\n2,3\n", Options{Text: []string{"y"}}, "x y:text"},
	} {
		opt := tt.opt
		opt.Lenient = true
		got := tabletest.ReadAll(t, mustOpen(t, tt.content, opt))
		if want := tabletest.Columns(tt.want); !slices.Equal(got.Columns, want) {
			t.Errorf("%q: columns %v, want %v", tt.content, got.Columns, want)
		}
		for _, m := range mustOpen(t, tt.content, opt).Facts().Mixed {
			_, err := open(t, tt.content, tt.opt)
			wantError(t, err, fmt.Sprintf(":%d: column %q: %q %s", m.Line, m.Column, m.Cell, m.Why), m.Remedy)
			if m.Why == "" || strings.Contains(m.Why, ";") || !strings.HasSuffix(m.File, "f.csv") {
				t.Errorf("%+v", m)
			}
		}
		for name, cells := range got.Text {
			if len(cells) < 2 || cells[0] == "" {
				t.Errorf("%q: column %q has %q", tt.content, name, cells)
			}
		}
	}
	for _, content := range []string{"x,y\n1,2\n3\n", "x,y\n1,\xff\n", "x,x\n1,2\n", "x,y\n1,\xff\n2,3\n3,4\n"} {
		_, err := open(t, content, Options{Lenient: true})
		wantError(t, err, "f.csv:")
	}
}

func TestMixedColumns(t *testing.T) {
	c := mustOpen(t, "x,l,y,z\n1,a,1,5\n.,b,2,6\n4,c,3 kg,7\n.,d,?,8\n,e,abc,9\n7,f,8,1\n", Options{Lenient: true})
	want := []notes.MixedColumn{
		{File: c.in.Name, Column: "x", Line: 3, Cell: ".", Why: "is not a number", Remedy: `if it marks missing values: Options.NA "."`, Cells: 2, Of: 5},
		{File: c.in.Name, Column: "y", Line: 4, Cell: "3 kg", Why: "is not a number", Remedy: `it is a number with the unit "kg": write 3 in the cell, and so in all of the column`, Cells: 3, Of: 6},
	}
	loaded, err := tables.Load(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []tables.Source{c, loaded, tables.NewGuard("", c)} {
		if d := cmp.Diff(want, tables.FactsOf(src).Mixed); d != "" {
			t.Errorf("%T (-want +got)\n%s", src, d)
		}
	}
	if got := mustOpen(t, "x,l\n1,a\n2,b\n", Options{Lenient: true}).Facts().Mixed; got != nil {
		t.Errorf("mixed columns %v of none", got)
	}
}

// TestNumbersWithin: a cell that is a number but for its unit or its marks is refused with the number to write.
func TestNumbersWithin(t *testing.T) {
	for cell, want := range map[string]string{"18.5 %": `the unit "%": write 18.5`, "$3": `the unit "$": write 3`, "1 299": "marks of thousands: write 1299", "1,299.5": "write 1299.5", "1,500": "--decimal", "12kg": `"kg"`} {
		_, err := open(t, fmt.Sprintf("x,y\n1,2\n2,3\n%q,4\n5,6\n", cell), Options{})
		wantError(t, err, "f.csv:4:", `column "x"`, strings.ReplaceAll(want, "--decimal", "Options.Decimal"))
	}
}
