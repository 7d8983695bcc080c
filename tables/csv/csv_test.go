package csv

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mediant/internal/tabletest"
	"mediant/tables"
)

// open opens content as a file. It does so once more record by record, which must make no difference.
func open(t testing.TB, content string, opt Options) (*File, error) {
	t.Helper()
	path := tabletest.WriteFile(t, "f.csv", content)
	c, err := Open(context.Background(), path, opt)
	if opt.ReaderBuffer == 0 && len(content) < chunkBytes/4 {
		opt.ReaderBuffer = 1
		again, againErr := Open(context.Background(), path, opt)
		if fmt.Sprint(err) != fmt.Sprint(againErr) {
			t.Errorf("error %v, and %v record by record", err, againErr)
		} else if err == nil {
			wantSame(t, c, again)
		}
	}
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return c, err
}

func mustOpen(t testing.TB, content string, opt Options) *File {
	t.Helper()
	c, err := open(t, content, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var nan = math.NaN()

func TestCSV(t *testing.T) {
	type numbers = map[string][]float64
	type text = map[string][]string
	for _, tt := range []struct {
		name, content string
		opt           Options
		numbers       numbers
		text          text
	}{
		{"plain", "x,l\n1,a\n2.5,b\n", Options{}, numbers{"x": {1, 2.5}}, text{"l": {"a", "b"}}},
		{"no newline at the end", "x\n1\n2", Options{}, numbers{"x": {1, 2}}, nil},
		// gocarina/gocsv#63, golang/go#9588: BOM and CR LF, the first column could not be found
		{"bom and crlf", "\ufeffx1,u1\r\n1,2\r\n2,1\r\n", Options{}, numbers{"x1": {1, 2}, "u1": {2, 1}}, nil},
		{"bom and quoted name", "\ufeff\"x,1\"\n1\n", Options{}, numbers{"x,1": {1}}, nil},
		{"quoted", "a,\"b \"\"c\"\"\"\n\"1\",\"x,\ny\"\n", Options{}, numbers{"a": {1}}, text{`b "c"`: {"x,\ny"}}},
		{"spaces", " a , l \n 1 , x \n", Options{}, numbers{"a": {1}}, text{"l": {" x "}}},
		{"blank lines", "\na,b\n\n1,2\n\n\n3,4\n\n", Options{}, numbers{"a": {1, 3}, "b": {2, 4}}, nil},
		{"blank lines around one column", "\na\n1\n2\n\n", Options{}, numbers{"a": {1, 2}}, nil},
		{"missing in one column", "a\n1\n\"\"\n2\n", Options{}, numbers{"a": {1, nan, 2}}, nil},
		{"missing", "a,l\nNA,NA\nN/A,x\nNaN,\nnan,y\nnull,\nNULL,null\n,\n1,\n", Options{KeepRows: true},
			numbers{"a": {nan, nan, nan, nan, nan, nan, nan, 1}},
			text{"l": {"NA", "x", "", "y", "", "null", "", ""}}},
		{"rows without any value", "a,l\nNA,NA\nN/A,x\nNaN,\nnan,y\nnull,\nNULL,null\n,\n1,\n", Options{},
			numbers{"a": {nan, nan, nan, nan, 1}},
			text{"l": {"NA", "x", "y", "null", ""}}},
		{"row names", ",b\n1,2\n2,4\n", Options{}, numbers{RowNames: {1, 2}, "b": {2, 4}}, nil},
		{"all missing", "a,b\n,1\nNA,2\n", Options{}, numbers{"a": {nan, nan}, "b": {1, 2}}, nil},
		{"tab", "a\tb,c\n1\tx\n", Options{Comma: '\t'}, numbers{"a": {1}}, text{"b,c": {"x"}}},
		// dotnet/machinelearning#2263, pandas-dev/pandas#14124: 1,5 became 15, and the delimiter at
		// line ends shifted the columns
		{"decimal comma", "x1;x2;u;\r\n1,5;2,25;0,5;\r\n-0,75;10;1,25;\r\n", Options{Comma: ';', Decimal: ','},
			numbers{"x1": {1.5, -0.75}, "x2": {2.25, 10}, "u": {0.5, 1.25}}, nil},
		{"decimal commas between commas", "x1,x2\n1,2\n\"1,5\",\",5\"\n", Options{Comma: ',', Decimal: ','}, numbers{"x1": {1, 1.5}, "x2": {2, 0.5}}, nil},
		{"delimiter by quotes", "# made on Monday\nx1,x2\n1,2\n\"1,5\",\" ,5\"\n", Options{Decimal: ','}, numbers{"x1": {1, 1.5}, "x2": {2, 0.5}}, nil},
		{"delimiter by the header", "x1;\"x2,kg\"\n\"1,5\";\"2,5\"\n", Options{Decimal: ','}, numbers{"x1": {1.5}, "x2,kg": {2.5}}, nil},
		{"delimiter by the first line", "sep=,\nx1,x2\n\"1,5\",2\n", Options{Decimal: ','}, numbers{"x1": {1.5}, "x2": {2}}, nil},
		{"days with decimal commas", "d;x\n45352,5;1\n", Options{Decimal: ',', Dates: []string{"d=excel"}}, numbers{"d year": {2024}, "d month": {3}, "d weekday": {5}, "d days": {19783.5}, "x": {1}}, nil},
		{"decimal comma alone", "x1;x2\n1,5;,5\n", Options{Decimal: ','}, numbers{"x1": {1.5}, "x2": {0.5}}, nil},
		{"trailing delimiter", "a,b,\n1,x, \n2,y,\n", Options{}, numbers{"a": {1, 2}}, text{"b": {"x", "y"}}},
		{"text asked for", "a1,a2,b\n1,01,1\n2,1,2\n", Options{Text: []string{"a*", "nosuch", "z*"}},
			numbers{"b": {1, 2}}, text{"a1": {"1", "2"}, "a2": {"01", "1"}}},
		{"text by exact name", "a*,ab\n1,2\n", Options{Text: []string{"a*"}}, numbers{"ab": {2}}, text{"a*": {"1"}}},
		{"numbers asked for", "id\n1234567890123450001\n", Options{Numbers: []string{"id"}},
			numbers{"id": {1234567890123450001}}, nil},
		{"codes", "d,e,h\n2024-01-01,1d3,0x10\n2024-01-02,1d4,0x11\n", Options{}, nil,
			text{"d": {"2024-01-01", "2024-01-02"}, "e": {"1d3", "1d4"}, "h": {"0x10", "0x11"}}},
		{"half words", "l\n1\nlow\n2a\nhigh\n", Options{}, nil, text{"l": {"1", "low", "2a", "high"}}},
		{"huge among words", "l\n12e400\nabc\n", Options{}, nil, text{"l": {"12e400", "abc"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tabletest.WantTable(t, mustOpen(t, tt.content, tt.opt), tt.numbers, tt.text)
			tabletest.WantTable(t, mustOpen(t, tabletest.Gzipped(t, tt.content), tt.opt), tt.numbers, tt.text)
		})
	}
}

func TestCSVRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		opt           Options
		want          []string
	}{
		// pingcap/tidb#68064
		{"empty", "", Options{}, []string{"f.csv: no rows"}},
		{"only a mark", "\ufeff", Options{}, []string{"f.csv: no rows"}},
		{"only newlines", "\n\n", Options{}, []string{"f.csv: no rows"}},
		{"header only", "x,u\n", Options{}, []string{"f.csv: no rows"}},
		{"empty gzip", tabletest.Gzipped(t, ""), Options{}, []string{"f.csv: no rows"}},
		// pandas-dev/pandas#7160: the later column overwrote the earlier
		{"duplicate name", "x1,u,x1\n1,2,9\n", Options{}, []string{"f.csv:1:", `"x1"`, "columns 1 and 3"}},
		{"duplicate after trimming", "a, a\n1,2\n", Options{}, []string{`"a"`}},
		{"empty name", "a,,b\n1,2,3\n", Options{}, []string{"f.csv:1: column 2 has no name; name it in the header, or, if line 1 is a title"}},
		{"empty names at the end", "a,b,,\n1,2,,\n", Options{}, []string{"f.csv:1: column 3 has no name", "delimiters at the end of each line"}},
		{"two empty names", "a,,\n1,,\n", Options{}, []string{"f.csv:1: column 2 has no name"}},
		{"no name at all", "\"\"\n1\n", Options{}, []string{"f.csv:1: column 1 has no name"}},
		{"nameless but filled", "a,\n1,\n2,3\n", Options{}, []string{"f.csv:3:", `"3"`, "no name"}},
		{"ragged", "a,b\n1,2\n\"3\n\",4\n5\n", Options{}, []string{"f.csv:5: 1 cells, want 2"}},
		{"ragged where rows begin so too", "a,b\nx,2\n#x,3\n# note\ny,5\n", Options{}, []string{"f.csv:4: 1 cells, want 2"}},
		{"ragged with trailing", "a,b,\n1,2\n", Options{}, []string{"f.csv:2: 2 cells, want 3"}},
		{"trailing in rows only", "a,b\n1,2,\n", Options{}, []string{"f.csv:2: 3 cells, want 2"}},
		{"quote in cell", "a,b\n1,x\"y\n", Options{}, []string{"f.csv:2:", "quote"}},
		{"open quote", "a,b\n1,\"x\n", Options{}, []string{"f.csv:", "quote"}},
		{"semicolons", "x1;x2;u;\r\n1,5;2,25;0,5;\r\n", Options{}, []string{"f.csv:1:", `"x1;x2;u;"`, "decimal commas, which csv.Options.Decimal , reads"}},
		{"quoted semicolons and commas", "\"x1\";\"x2\",\"x3\"\n1;2,3\n", Options{}, []string{"f.csv:1:", "delimiter"}},
		{"uneven tabs", "a\tb\n1\t2\n1\n", Options{}, []string{`'\t'`, "csv.Options.Comma"}},
		{"tabs and bars", "a\tb|c\n1\t2|3\n", Options{}, []string{`'\t'`, "csv.Options.Comma"}},
		{"commas", "a,b\n1,2\n", Options{Comma: ';'}, []string{"','", "csv.Options.Comma"}},
		{"blank line in one column", "a\n1\n\n2\n", Options{}, []string{"f.csv:3: blank line"}},
		{"blank line below the header", "\"a\nb\"\n\n2\n", Options{}, []string{"f.csv:3: blank line"}},
		{"CR at line ends", "a,b\r1,2\r3,4\r", Options{}, []string{"f.csv:1:", "line ends"}},
		{"UTF-16", "\xff\xfea\x00\n\x00", Options{}, []string{"f.csv: the file is UTF-16"}},
		{"UTF-16, other order", "\xfe\xff\x00a\x00\n", Options{}, []string{"f.csv: the file is UTF-16"}},
		{"zeros", "a\x00,b\n1,2\n", Options{}, []string{"f.csv:1:", "UTF-8"}},
		{"Latin-1 name", "stra\xdfe\n1\n", Options{}, []string{"f.csv:1:", "UTF-8"}},
		{"Latin-1 cell", "a,b\n1,x\n2,stra\xdfe\n", Options{}, []string{"f.csv:3:", `column "b"`, `stra\xdfe`, "UTF-8"}},
		{"Latin-1 cell of text", "a,b\n1,\xdf\n", Options{Text: []string{"b"}}, []string{"f.csv:2:", `"b"`, "UTF-8"}},
		{"line after newlines in cells", "t,x\n\"a\nb\nc\",1\nd,2\ne,1_0\n", Options{}, []string{"f.csv:6:", `column "x"`, `"1_0"`}},
		{"line of the cell, not of the row", "x,t,z\n1,d,1\n2,\"a\nb\",1_0\n", Options{}, []string{"f.csv:4:", `column "z"`}},
		{"first of two lines", "x,y\n1,2\n1,b\na,2\n3,4\n", Options{}, []string{"f.csv:3:", `"y"`, `"b"`}},
		{"few words", "x\n1\n2\nabc\n", Options{}, []string{`f.csv:4: column "x": "abc" is not a number`, `Options.Text "x"`}},
		{"words where numbers are asked for", "x\na\nb\n", Options{Numbers: []string{"x"}}, []string{"f.csv:2:", `"a" is not a number`}},
		{"decimal commas in quotes", "x\n\"1,5\"\n2\n", Options{}, []string{"f.csv:2:", `"1,5"`, "Options.Decimal"}},
		{"decimal point among commas", "x\n1.5\n2\n", Options{Decimal: ','}, []string{"f.csv:2:", `"1.5" is not a number`}},
		{"thousands", "x\n\"1.234,5\"\n2\n", Options{Decimal: ','}, []string{"f.csv:2:", `"1.234,5" is not a number`}},
		{"square overflows", "x,y\n1,1e308\n2,2e308\n", Options{}, []string{"f.csv:2:", `column "y"`, `"1e308"`, "square"}},
		{"square of many digits", "x\n" + strings.Repeat("9", 155) + "\n", Options{Numbers: []string{"x"}}, []string{"f.csv:2:", `column "x"`, "square"}},
		{"huge before a word", "x\n1\n1e308\n2\nabc\n", Options{}, []string{"f.csv:3:", `"1e308"`, "square"}},
		{"word before huge", "x\n1\nabc\n2\n1e308\n", Options{}, []string{"f.csv:3:", `"abc" is not a number`}},
		{"ids with a word", "x\n9007199254740993\n1\n2\nabc\n", Options{}, []string{"f.csv:5:", `"abc" is not a number`}},
		{"long cell", "x\n1\n2\n1" + strings.Repeat("ä", 1000) + "\n", Options{}, []string{"f.csv:4:", "ä\"..."}},
		{"both kinds", "x\n1\n", Options{Text: []string{"x"}, Numbers: []string{"*"}}, []string{`column "x"`, "both"}},
		{"malformed pattern", "x\n1\n", Options{Text: []string{"[a"}}, []string{`malformed pattern "[a"`}},
		{"malformed pattern of numbers", "x\n1\n", Options{Numbers: []string{"[a"}}, []string{`malformed pattern "[a"`}},
		{"decimal mark", "x\n1\n", Options{Decimal: ';'}, []string{"decimal mark", "';'"}},
		{"commas of both kinds", "x,u\n\"1,5\",2\n1,5,2\n", Options{Comma: ',', Decimal: ','}, []string{"f.csv:3:", "3 cells, want 2", "in quotes"}},
		{"commas and no decimals", "x,u\n1,2\n", Options{Decimal: ','}, []string{"f.csv:1:", "single column", "','"}},
		{"delimiter", "x\n1\n", Options{Comma: '"'}, []string{"cannot be a delimiter"}},
		{"delimiter of no text", "x\n1\n", Options{Comma: 0xd800}, []string{"cannot be a delimiter"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := open(t, tt.content, tt.opt)
			wantError(t, err, tt.want...)
			if len(err.Error()) > 400 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

// The spellings of nao1215/filesql#477 and interline-io/transitland-lib#395, whose readers took
// whatever strconv.ParseFloat accepts.
func TestCSVNumberSpellings(t *testing.T) {
	for _, tt := range []struct {
		token string
		want  float64
	}{{"1e3", 1000}, {"+2", 2}, {".5", 0.5}, {"1.", 1}, {" 3 ", 3}, {"-0", 0}, {"NaN", nan}, {"", nan}} {
		tabletest.WantTable(t, mustOpen(t, fmt.Sprintf("x,u\n%q,1\n2,2\n", tt.token), Options{}),
			map[string][]float64{"x": {tt.want, 2}, "u": {1, 2}}, nil)
	}
	for _, token := range []string{"1_000", "0x1p4", "Inf", "1e400", "1d3"} {
		_, err := open(t, fmt.Sprintf("x,u\n%q,1\n2,2\n", token), Options{})
		wantError(t, err, "f.csv:2:", `column "x"`, fmt.Sprintf("%q", token))
	}
}

// pandas-dev/pandas#48170: ids above 2^53 were rounded until several rows had one id;
// tidyverse/readr#976: a column that turns fractional late failed.
func TestCSVBigIDsAndLateFractions(t *testing.T) {
	const first, n = 1234567890123450000, 5000
	var b strings.Builder
	b.WriteString("id,x\n")
	for i := range n - 1 {
		fmt.Fprintf(&b, "%d,%d\n", first+i, i%3)
	}
	fmt.Fprintf(&b, "%d,0.5\n", first+n-1)
	c := mustOpen(t, b.String(), Options{})
	if c.Rows() != n {
		t.Errorf("%d rows, want %d", c.Rows(), n)
	}
	got := tabletest.ReadAll(t, c)
	ids := map[string]bool{}
	for _, id := range got.Text["id"] {
		ids[id] = true
	}
	if last := fmt.Sprint(first + n - 1); len(ids) != n || !ids[last] {
		t.Errorf("%d distinct ids, %s among them: %v, want %d", len(ids), last, ids[last], n)
	}
	if x := got.Numbers["x"]; len(x) != n || x[n-1] != 0.5 || x[n-2] != (n-2)%3 {
		t.Errorf("%d values of x ending in %v", len(x), x[max(0, len(x)-2):])
	}
}

// pingcap/tidb#68064: a compressed file cut in the middle was read as a short table.
func TestCSVGzip(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,u\n")
	for i := range 400 {
		fmt.Fprintf(&b, "%d,%d\n", i, i%97)
	}
	whole := tabletest.Gzipped(t, b.String())
	if c := mustOpen(t, whole, Options{}); c.Rows() != 400 {
		t.Errorf("%d rows, want 400", c.Rows())
	}
	half := strings.Index(b.String(), "200,")
	members := tabletest.Gzipped(t, b.String()[:half]) + tabletest.Gzipped(t, b.String()[half:])
	if c := mustOpen(t, members, Options{}); c.Rows() != 400 {
		t.Errorf("%d rows of two members, want 400", c.Rows())
	}
	flipped := []byte(whole)
	flipped[len(flipped)-6] ^= 1
	for name, content := range map[string]string{
		"half":        whole[:len(whole)/2],
		"no checksum": whole[:len(whole)-8],
		"one byte":    whole[:len(whole)-1],
		"header":      whole[:5],
		"checksum":    string(flipped),
		"tail":        whole + "junk",
	} {
		_, err := open(t, content, Options{})
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		wantError(t, err, "f.csv: ", "cut or damaged")
	}
}

func TestCSVCannotOpen(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(context.Background(), filepath.Join(dir, "nosuch.csv"), Options{})
	wantError(t, err, "nosuch.csv", "no such file")
	_, err = Open(context.Background(), dir, Options{})
	wantError(t, err, dir, "is a directory")
}

func TestCSVClosesWhatItRefuses(t *testing.T) {
	files := func() int {
		open, err := os.ReadDir("/dev/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(open)
	}
	path := tabletest.WriteFile(t, "f.csv", "a\n")
	before := files()
	for range 20 {
		if _, err := Open(context.Background(), path, Options{}); err == nil {
			t.Fatal("no error")
		}
	}
	if after := files(); after > before+10 { // some slack for the runtime and other tests
		t.Errorf("%d files open, %d before", after, before)
	}
}

func TestOnlyLooksAtTheColumnsThatMatter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.csv")
	if err := os.WriteFile(path, []byte("id,x,code\n1_000,1.5,7\n2,2.5,x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if c, err := Open(context.Background(), path, Options{}); err == nil {
		c.Close()
		t.Error("the id 1_000 was accepted")
	}
	c, err := Open(context.Background(), path, Options{Only: []tables.Column{{Name: "x"}, {Name: "code", Kind: tables.Text}, {Name: "absent"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	want := []tables.Column{{Name: "id", Kind: tables.Text}, {Name: "x"}, {Name: "code", Kind: tables.Text}}
	if got := c.Columns(); !slices.Equal(got, want) {
		t.Errorf("columns %v, want %v", got, want)
	}
	if c, err := Open(context.Background(), path, Options{Only: []tables.Column{{Name: "code"}}}); err == nil {
		c.Close()
		t.Error(`the cell "x" was accepted as a number`)
	}
}

// wantError checks that the error is one line of this package with all the parts.
func wantError(t tabletest.T, err error, parts ...string) {
	t.Helper()
	tabletest.WantError(t, err, "csv", parts...)
}

// TestDelimiterIsFound: the only delimiter besides the comma that cuts all of the first records evenly is the delimiter, even where the last record that was
// looked at is cut.
func TestDelimiterIsFound(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       rune
	}{
		{"semicolons", "a;b;c\n1;2;x\n3;4;\"y;z\"\n", ';'},
		{"tabs in a long file", "a\tb\n" + strings.Repeat("1.5\t22\n", 30000), '\t'},
		{"bars below a comment", "# made today\na|b\n1|2\n", '|'},
		{"commas and semicolons in cells", "a,b\n1;2,3;4\n", ','},
		{"one column", "a\n1\n2\n", ','},
		{"only a header", "a;b\n", ';'},
		{"uneven after a hundred", "a;b\n" + strings.Repeat("1;2\n", 200) + "3\n", ';'},
		{"decimal commas", "a;b\n1,5;2\n", ','},
	} {
		if got, _ := delimiterOf([]byte(c.text[:min(len(c.text), 65536)]), len(c.text) > 65536); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
