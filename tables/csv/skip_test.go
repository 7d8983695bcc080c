package csv

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mediant/internal/input"
	"mediant/internal/tabletest"
	"mediant/tables"
	"mediant/tables/notes"
)

// A skipped file is one with what is no row, and what is left of it.
type skipped struct {
	name, content string
	opt           Options
	same          string       // the file without what is no row
	want          []notes.Skip // without the name of the file and the text
}

var skippedFiles = []skipped{
	// alphagov/notifications-utils PR #14, firefly-iii/firefly-iii#691
	{"rows of commas alone", "x,u\n1,2\n3,4\n,\n,\n,\n", Options{}, "x,u\n1,2\n3,4\n", []notes.Skip{{Reason: notes.EmptyRows, Line: 4, Lines: 3}}},
	{"rows of commas between", "x,u\n,\n1,2\n , \n3,4\n", Options{}, "x,u\n1,2\n3,4\n", []notes.Skip{{Reason: notes.EmptyRows, Line: 2, Lines: 2}}},
	{"rows of markers", "x,u\n1,2\nNA,\n3,4\nnull,NaN\n", Options{}, "x,u\n1,2\n3,4\n", []notes.Skip{{Reason: notes.EmptyRows, Line: 3, Lines: 2}}},
	{"empty rows with text", "x,l\n1,a\n,\"\"\nNA,\n3,b\n", Options{}, "x,l\n1,a\n3,b\n", []notes.Skip{{Reason: notes.EmptyRows, Line: 3, Lines: 2}}},
	{"a marker that is text", "x,l\n1,NA\n,\nNA,NA\n3,b\n", Options{}, "x,l\n1,NA\n,NA\n3,b\n", []notes.Skip{{Reason: notes.EmptyRows, Line: 3, Lines: 1}}},
	{"empty rows with a delimiter at line ends", "x;u;\n1;2;\n;;\n", Options{Comma: ';'}, "x,u\n1,2\n", []notes.Skip{{Reason: notes.EmptyRows, Line: 3, Lines: 1}}},
	{"empty rows of more lines", "x,l\n1,\"a\nb\"\n\" \n\",\n2,c\n", Options{}, "x,l\n1,\"a\nb\"\n2,c\n", []notes.Skip{{Reason: notes.EmptyRows, Line: 4, Lines: 1}}},

	{"header between", "x,u\n1,2\nx,u\n3,4\n", Options{}, "x,u\n1,2\n3,4\n", []notes.Skip{{Reason: notes.RepeatedHeader, Line: 3, Lines: 1}}},
	{"header with spaces", "x, u\n1,2\n x,u \n3,4\n", Options{}, "x,u\n1,2\n3,4\n", []notes.Skip{{Reason: notes.RepeatedHeader, Line: 3, Lines: 1}}},
	{"header of three files", "x,l\n1,a\nx,l\n3,b\nx,l\n4,a\n", Options{}, "x,l\n1,a\n3,b\n4,a\n", []notes.Skip{{Reason: notes.RepeatedHeader, Line: 3, Lines: 2}}},
	{"header at once and at the end", "l,m\nl,m\na,b\nb,c\nl,m\n", Options{}, "l,m\na,b\nb,c\n", []notes.Skip{{Reason: notes.RepeatedHeader, Line: 2, Lines: 2}}},
	{"header of years", "region,2021\na,2\nregion,2021\nb,4\n", Options{}, "region,2021\na,2\nb,4\n", []notes.Skip{{Reason: notes.RepeatedHeader, Line: 3, Lines: 1}}},
	{"a row of the numbers that the columns are called", "0,1\n1,1\n0,1\n0,0\n", Options{}, "0,1\n1,1\n0,1\n0,0\n", nil},

	{"units in brackets", "h,w\n(cm),(kg)\n1,2\n3,4\n", Options{}, "h,w\n1,2\n3,4\n", []notes.Skip{{Reason: notes.UnitRow, Line: 2, Lines: 1}}},
	{"units as words", "t,v,l\nyears,km/h,\n1,2,a\n3,4,b\n5,6,a\n", Options{}, "t,v,l\n1,2,a\n3,4,b\n5,6,a\n", []notes.Skip{{Reason: notes.UnitRow, Line: 2, Lines: 1}}},
	{"one unit", "a,b\n%,\n1,2\n3,4\n5,6\n", Options{}, "a,b\n1,2\n3,4\n5,6\n", []notes.Skip{{Reason: notes.UnitRow, Line: 2, Lines: 1}}},
	{"units with a dash", "a,b\n[-],mg/dl\n1,2\n3,4\n5,6\n", Options{}, "a,b\n1,2\n3,4\n5,6\n", []notes.Skip{{Reason: notes.UnitRow, Line: 2, Lines: 1}}},
	{"units below an empty row", "a,b\n,\n€,in cm\n1,2\n3,4\n5,6\n", Options{}, "a,b\n1,2\n3,4\n5,6\n", []notes.Skip{{Reason: notes.EmptyRows, Line: 2, Lines: 1}, {Reason: notes.UnitRow, Line: 3, Lines: 1}}},
	{"units where kinds are set", "x,u,y\nm²,(s),\n1,2,3\n3,4,5\n", Options{Only: []tables.Column{{Name: "x"}, {Name: "u"}}}, "x,u,y\n1,2,3\n3,4,5\n", []notes.Skip{{Reason: notes.UnitRow, Line: 2, Lines: 1}}},

	{"total in a column of numbers", "id,y\n1,2\n2,4\n3,5\nTotal,11\n", Options{}, "id,y\n1,2\n2,4\n3,5\n", []notes.Skip{{Reason: notes.TotalRow, Line: 5, Lines: 1}}},
	{"total of text", "l,y,z\na,2,.5\nb,4,.25\nb,5,.5\nSum:,11,1.3\n", Options{}, "l,y,z\na,2,.5\nb,4,.25\nb,5,.5\n", []notes.Skip{{Reason: notes.TotalRow, Line: 5, Lines: 1}}},
	{"means of text", "l;y;z\na;2;1\nb;4;2\nb;5;\nMittelwert;3,67;1,5\n", Options{Decimal: ','}, "l,y,z\na,2,1\nb,4,2\nb,5,\n", []notes.Skip{{Reason: notes.TotalRow, Line: 5, Lines: 1}}},
	{"a level called total that occurs twice", "l,y\na,2\nTotal,4\nTotal,6\n", Options{}, "l,y\na,2\nTotal,4\nTotal,6\n", nil},
	{"a level called total in another row", "l,y\nTotal,2\na,4\nTotal,6\n", Options{}, "l,y\nTotal,2\na,4\nTotal,6\n", nil},
	{"sums, means and others", "l,y\na,2\nb,4\nb,6\nTOTAL,12\nMean,4.0\nSD,2\nn = 3,\n", Options{}, "l,y\na,2\nb,4\nb,6\n",
		[]notes.Skip{{Reason: notes.TotalRow, Line: 5, Lines: 1}, {Reason: notes.TotalRow, Line: 6, Lines: 1}, {Reason: notes.TotalRow, Line: 7, Lines: 1}, {Reason: notes.NoteRow, Line: 8, Lines: 1}}},
	{"sum and mean in one row", "l,n,share\na,20,.25\nb,40,.5\nc,40,.75\nTotal,100,.50\n", Options{}, "l,n,share\na,20,.25\nb,40,.5\nc,40,.75\n", []notes.Skip{{Reason: notes.TotalRow, Line: 5, Lines: 1}}},
	{"a level called total that agrees by chance", "l,y\na,1\nb,2\nc,3\nTotal,2\n", Options{}, "l,y\na,1\nb,2\nc,3\nTotal,2\n", nil},
	{"a level called total where all are equal", "l,y,z\na,1,0\nb,1,0\nTotal,1,0\n", Options{}, "l,y,z\na,1,0\nb,1,0\nTotal,1,0\n", nil},
	{"total in the last column", "x,y,l\n1.5,2,a\n2,3,b\n4,5,a\n7.5,10,Total\n", Options{}, "x,y,l\n1.5,2,a\n2,3,b\n4,5,a\n", []notes.Skip{{Reason: notes.TotalRow, Line: 5, Lines: 1}}},
	{"mean between", "x,l,y\n1.5,a,2\n2,b,3\n4.1,a,5.5\n2.53,mean,3.5\n", Options{}, "x,l,y\n1.5,a,2\n2,b,3\n4.1,a,5.5\n", []notes.Skip{{Reason: notes.TotalRow, Line: 5, Lines: 1}}},
	{"total alone in the last column", "x,l\n1,a\n2,b\n,Total\n", Options{}, "x,l\n1,a\n2,b\n", []notes.Skip{{Reason: notes.TotalRow, Line: 4, Lines: 1}}},
	{"a level called mean in the last column", "x,l\n1,a\n2,b\n7,mean\n", Options{}, "x,l\n1,a\n2,b\n7,mean\n", nil},
	{"total alone", "l,y\na,2\nb,4\nSumme,\n", Options{}, "l,y\na,2\nb,4\n", []notes.Skip{{Reason: notes.TotalRow, Line: 4, Lines: 1}}},
	{"total below an empty row", "l,y\na,2\nb,4\n,\nTotal,6\n,\n", Options{}, "l,y\na,2\nb,4\n", []notes.Skip{{Reason: notes.EmptyRows, Line: 4, Lines: 2}, {Reason: notes.TotalRow, Line: 5, Lines: 1}}},
	{"total where kinds are set", "id,x\n1,2\n2,4\nTotal,6\n", Options{Only: []tables.Column{{Name: "x"}}}, "id,x\n1,2\n2,4\n", []notes.Skip{{Reason: notes.TotalRow, Line: 4, Lines: 1}}},
	{"a level called total", "l,y\na,2\nb,4\nTotal,7\n", Options{}, "l,y\na,2\nb,4\nTotal,7\n", nil},
	{"totals of groups", "l,y\na,2\nb,4\nTotal,6\na,3\nb,5\nTotal,8\n", Options{}, "l,y\na,2\nb,4\na,3\nb,5\n", []notes.Skip{{Reason: notes.SubtotalRows, Line: 4, Lines: 2}}},
	{"subtotals and a grand total", "l,y\na,2\nb,4\nSubtotal,6\na,3\nb,5\nSubtotal,8\nTotal,14\n", Options{}, "l,y\na,2\nb,4\na,3\nb,5\n",
		[]notes.Skip{{Reason: notes.SubtotalRows, Line: 4, Lines: 2}, {Reason: notes.TotalRow, Line: 8, Lines: 1}}},
	{"subtotals and a running total", "l,y\na,2\nb,4\nSubtotal,6\nTotal,6\na,3\nb,5\nSubtotal,8\nTotal,14\na,1\n", Options{}, "l,y\na,2\nb,4\na,3\nb,5\na,1\n",
		[]notes.Skip{{Reason: notes.SubtotalRows, Line: 4, Lines: 4}}},
	{"subtotals of sites, with sums and means", "site,u,y\nA,2,1.5\nA,4,2.5\nA Total,3,4\nB,3,5\nB,5,2\nB Total,4,7\n", Options{}, "site,u,y\nA,2,1.5\nA,4,2.5\nB,3,5\nB,5,2\n",
		[]notes.Skip{{Reason: notes.SubtotalRows, Line: 4, Lines: 2}}},
	{"subtotals beside their site", "site,l,y\nA,a,1.5\nA,b,2.5\nA,Total,4\nB,a,5\nB,b,2\nB,Total,7\nC,a,9\n", Options{}, "site,l,y\nA,a,1.5\nA,b,2.5\nB,a,5\nB,b,2\nC,a,9\n",
		[]notes.Skip{{Reason: notes.SubtotalRows, Line: 4, Lines: 2}}},
	{"subtotals in a column of numbers", "u,y\n1,2\n2,4\nSubtotal,6\n3,3\n4,5\nSubtotal,8\n5,1\n", Options{}, "u,y\n1,2\n2,4\n3,3\n4,5\n5,1\n", []notes.Skip{{Reason: notes.SubtotalRows, Line: 4, Lines: 2}}},
	{"one total between two parts", "l,y\na,2\nb,4\nTotal,6\na,3\nb,5\n", Options{}, "l,y\na,2\nb,4\na,3\nb,5\n", []notes.Skip{{Reason: notes.SubtotalRows, Line: 4, Lines: 1}}},
	{"means of groups", "l,y\na,2\nb,4.5\nMean,3.25\na,3\nb,6\nMean,4.5\na,1\n", Options{}, "l,y\na,2\nb,4.5\na,3\nb,6\na,1\n", []notes.Skip{{Reason: notes.SubtotalRows, Line: 4, Lines: 2}}},
	{"sums without a word", "l,y\n" + strings.Repeat(strings.Repeat("a,2\nb,4\n", 12)+",72\n", 3), Options{}, "l,y\n" + strings.Repeat("a,2\nb,4\n", 36), []notes.Skip{{Reason: notes.SubtotalRows, Line: 26, Lines: 3}}},
	{"means without a word", "l,y\n" + strings.Repeat(strings.Repeat("a,2\nb,4\n", 12)+",3\n", 3), Options{}, "l,y\n" + strings.Repeat(strings.Repeat("a,2\nb,4\n", 12)+",3\n", 3), nil},
	{"a level called total among others of other numbers", "l,y\na,2\nb,4\nTotal,6\na,3\nTotal,5\nb,5\n", Options{}, "l,y\na,2\nb,4\nTotal,6\na,3\nTotal,5\nb,5\n", nil},
	{"kept sums", "l,y\na,2\nb,4\nTotal,6\na,3\nb,5\nTotal,8\n", Options{KeepRows: true}, "l,y\na,2\nb,4\nTotal,6\na,3\nb,5\nTotal,8\n", nil},
	{"many totals", "l,y\n" + strings.Repeat("Total,1\n", 2*maxTail), Options{}, "l,y\n" + strings.Repeat("Total,1\n", 2*maxTail), nil},

	{"note of one cell", "x,u\n1,2\n3,4\nSource: Destatis\n", Options{}, "x,u\n1,2\n3,4\n", []notes.Skip{{Reason: notes.NoteRow, Line: 4, Lines: 1}}},
	{"notes with commas", "x,u,v\n1,2,3\n3,4,5\n,,\nQuelle: Destatis,,\nn=200,,\n", Options{}, "x,u,v\n1,2,3\n3,4,5\n",
		[]notes.Skip{{Reason: notes.EmptyRows, Line: 4, Lines: 1}, {Reason: notes.NoteRow, Line: 5, Lines: 1}, {Reason: notes.NoteRow, Line: 6, Lines: 1}}},
	{"note below text", "l,u\na,2\nb,4\nNote: * p < 5 %,\n", Options{}, "l,u\na,2\nb,4\n", []notes.Skip{{Reason: notes.NoteRow, Line: 4, Lines: 1}}},
	{"star", "x,u\n1,2\n3,4\n* preliminary\n", Options{}, "x,u\n1,2\n3,4\n", []notes.Skip{{Reason: notes.NoteRow, Line: 4, Lines: 1}}},
	{"copyright", "x,u\n1,2\n3,4\n© OECD\n", Options{}, "x,u\n1,2\n3,4\n", []notes.Skip{{Reason: notes.NoteRow, Line: 4, Lines: 1}}},

	{"separator", "sep=;\nx;u\n1;2\n", Options{}, "x,u\n1,2\n", []notes.Skip{{Reason: notes.SeparatorLine, Line: 1, Lines: 1}}},
	{"separator in quotes", "\ufeff\"SEP=|\"\r\nx|u\r\n1|2\r\n", Options{}, "x,u\n1,2\n", []notes.Skip{{Reason: notes.SeparatorLine, Line: 1, Lines: 1}}},
	{"separator of tabs", "sep=\t\nx\tu\n1\t2\n", Options{}, "x,u\n1,2\n", []notes.Skip{{Reason: notes.SeparatorLine, Line: 1, Lines: 1}}},
	{"separator against the options", "sep=,\nx;u\n1;2\n", Options{Comma: ';'}, "x,u\n1,2\n", []notes.Skip{{Reason: notes.SeparatorLine, Line: 1, Lines: 1}}},
	{"separator and decimal comma", "sep=|\nx|u\n1|2,5\n", Options{Decimal: ','}, "x,u\n1,2.5\n", []notes.Skip{{Reason: notes.SeparatorLine, Line: 1, Lines: 1}}},
	{"a name that begins like one", "sep=;b,u\n1,2\n", Options{}, "sep=;b,u\n1,2\n", nil},

	{"comment above", "# made on Monday\nx,u\n1,2\n", Options{}, "x,u\n1,2\n", []notes.Skip{{Reason: notes.CommentLines, Line: 1, Lines: 1}}},
	{"comments with quotes and blank lines", "# \"x\" in cm, u in kg, all of 2024\n\n#\nx,u\n1,2\n", Options{}, "x,u\n1,2\n", []notes.Skip{{Reason: notes.CommentLines, Line: 1, Lines: 2}}},
	{"comment with as many cells", "# x in cm, u in kg\nx,u\n1,2\n", Options{}, "x,u\n1,2\n", []notes.Skip{{Reason: notes.CommentLines, Line: 1, Lines: 1}}},
	{"a header with #", "#x,u\n1,2\n", Options{}, "\"#x\",u\n1,2\n", nil},
	{"a header with # below comments", "##a\n##b\n#x,u\n1,2\n", Options{}, "\"#x\",u\n1,2\n", []notes.Skip{{Reason: notes.CommentLines, Line: 1, Lines: 2}}},
	{"a header with # of text", "#l,m\na,b\nb,c\n", Options{}, "\"#l\",m\na,b\nb,c\n", nil},
	{"comment below separator", "sep=;\n# a\nx;u\n1;2\n", Options{}, "x,u\n1,2\n", []notes.Skip{{Reason: notes.SeparatorLine, Line: 1, Lines: 1}, {Reason: notes.CommentLines, Line: 2, Lines: 1}}},
	{"comments between", "x,u,v\n1,2,3\n# site B\n3,4,5\n# a,b\n", Options{}, "x,u,v\n1,2,3\n3,4,5\n", []notes.Skip{{Reason: notes.CommentLines, Line: 3, Lines: 2}}},
	{"a level with #", "l,u\n#1,2\n#2,4\n", Options{}, "l,u\n#1,2\n#2,4\n", nil},
}

// TestSkips: what is no row is left out in every pass and counted, and all else is read as without it, each row where it
// stands.
func TestSkips(t *testing.T) {
	for _, tt := range skippedFiles {
		t.Run(tt.name, func(t *testing.T) {
			for _, content := range []string{tt.content, tabletest.Gzipped(t, tt.content), strings.TrimSuffix(tt.content, "\n")} {
				c := mustOpen(t, content, tt.opt)
				plain := Options{Only: tt.opt.Only, KeepRows: true}
				if d := cmp.Diff(tabletest.ReadAll(t, mustOpen(t, tt.same, plain)), tabletest.ReadAll(t, c), cmpopts.EquateNaNs()); d != "" {
					t.Errorf("(-without +with)\n%s", d)
				}
				var got []notes.Skip
				for _, s := range c.Facts().Skips {
					if !strings.HasPrefix(s.String(), fmt.Sprintf("%s:%d: ", s.File, s.Line)) || strings.Contains(s.String(), "%!") {
						t.Errorf("%q says nothing of line %d", s, s.Line)
					}
					s.File, s.Text = "", ""
					got = append(got, s)
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("skips (-want +got)\n%s", d)
				}
			}
		})
	}
}

// TestSkippedRowsHaveRightPlaces: rows are where they stand in the file, whatever was left out above them.
func TestSkippedRowsHaveRightPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		line := 1
		put := func(s string) { text.WriteString(s + "\n"); line += 1 + strings.Count(s, "\n") }
		if rapid.Bool().Draw(t, "separator") {
			put("sep=,")
		}
		for range rapid.IntRange(0, 2).Draw(t, "comments") {
			put("# a")
		}
		put("a,b,c")
		units := rapid.Bool().Draw(t, "units")
		if units {
			put("kg,,")
		}
		var lines []int
		skips := 0
		for range rapid.IntRange(2, 9).Draw(t, "rows") {
			for range rapid.IntRange(0, 2).Draw(t, "skips") {
				put(rapid.SampledFrom([]string{",,", "a,b,c", "# x", " ,,\"\n\""}).Draw(t, "skip"))
				skips++
			}
			lines = append(lines, line)
			put(rapid.SampledFrom([]string{"1,x,2", "2,\"y\nz\",3", "0,Total,1"}).Draw(t, "row"))
		}
		for range rapid.IntRange(0, 2).Draw(t, "notes") {
			put("Note: b")
		}
		c, err := newFile(context.Background(), input.File{Name: "f.csv", File: strings.NewReader(text.String()), Size: int64(text.Len())}, Options{Text: []string{"b"}})
		if err != nil {
			t.Fatalf("%v in %q", err, text.String())
		}
		loaded, err := tables.Load(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		if loaded.Rows() != len(lines) {
			t.Fatalf("%d rows, want %d, of %q", loaded.Rows(), len(lines), text.String())
		}
		weighed, err := tables.Weigh(context.Background(), c, "c")
		if err != nil {
			t.Fatal(err)
		}
		for _, src := range []tables.Source{c, loaded, tables.NewGuard("", c), weighed} {
			for i, want := range lines {
				if got := tables.FactsOf(src).Where(i); got != fmt.Sprintf("f.csv:%d", want) {
					t.Fatalf("row %d of %T is at %s, want %d, in %q", i, src, got, want, text.String())
				}
			}
			if d := cmp.Diff(c.Facts().Skips, tables.FactsOf(src).Skips); d != "" {
				t.Fatalf("%T: skips (-csv +source)\n%s", src, d)
			}
		}
		if units != slices.ContainsFunc(c.Facts().Skips, func(s notes.Skip) bool { return s.Reason == notes.UnitRow }) {
			t.Fatalf("units %v, skips %v", units, c.Facts().Skips)
		}
	})
}

// TestKeepRows: of rows that are predicted for none is left out.
func TestKeepRows(t *testing.T) {
	only := []tables.Column{{Name: "x"}, {Name: "l", Kind: tables.Text}}
	c := mustOpen(t, "# comment\nx,l\n,\nNA,\n1,x\n,Total\n", Options{Only: only, KeepRows: true})
	tabletest.WantTable(t, c, map[string][]float64{"x": {nan, nan, 1, nan}}, map[string][]string{"l": {"", "", "x", "Total"}})
	if got := c.Facts().Skips; len(got) != 1 || got[0].Reason != notes.CommentLines {
		t.Errorf("skips %v, want the comment alone", got)
	}
	for _, row := range []string{"x,l", "kg,", "Total,5"} {
		_, err := open(t, "x,l\n1,a\n"+row+"\n", Options{Only: only, KeepRows: true})
		wantError(t, err, "f.csv:3:", "is not a number")
	}
}

// TestNoRowsRefused: what may be a row is refused by its line, or read as one.
func TestNoRowsRefused(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		want          []string
	}{
		{"title", "Report of 2024\nx,u\n1,2\n", []string{"f.csv:2: 2 cells, want 1", "if line 2 is the header, remove what is above it"}},
		{"titles", "Report\nof 2024\n\nx,u\n1,2\n", []string{"f.csv:4: 2 cells", "if line 4 is the header, remove what is above it"}},
		{"title above names that are years", "Report\n2020,2021\n1,2\n", []string{"f.csv:2:", "if line 1 is a title above the header, remove it"}},
		{"title with commas", "Report,,\nx,u,v\n1,2,3\n", []string{"f.csv:1: column 2 has no name", "if line 1 is a title above the header, remove it"}},
		{"second header", "x,u\nfirst,second\n1,2\n3,4\n", []string{"f.csv:2:", `"first, second" are no numbers`, "second header"}},
		{"labels", "x,u,l\nheight,weight,label\n1,2,a\n3,4,b\n", []string{"f.csv:2:", "second header"}},
		{"units and a word", "x,u,l\ncm,kg,Anna\n1,2,Bob\n3,4,Eve\n", []string{"f.csv:2:", "row of units"}},
		{"note with commas", "x,u\n1,2\n3,4\nSource: a, b, c\n", []string{"f.csv:4: 3 cells"}},
		{"note without a word of ours", "x,u\n1,2\n3,4\nmade on Monday\n", []string{"f.csv:4: 1 cells", "if it is a note and no row, remove it"}},
		{"note between", "x,u\n1,2\nSource: a\n3,4\n", []string{"f.csv:3: 1 cells"}},
		{"total between", "x,u\n1,2\nTotal,2\n3,4\n4,5\n", []string{"f.csv:3:", `"Total" is not a number`}},
		{"a total that is no sum among those that are", "l,y\na,2\nb,4\nTotal,6\na,3\nb,5\nTotal,8\na,1\nb,8\nTotal,9\na,1\nb,1\nTotal,3\na,5\n",
			[]string{"f.csv:4:", `"total" hold sums or means of the rows above, this one and 2 more, but not the one on line 13`}},
		{"many notes", "x,u\n1,2\n" + strings.Repeat("Source: a\n", maxTail+1), []string{"f.csv:3: 1 cells"}},
		{"a cut row that begins with #", "x,u,v\n#1,2,3\n#2,3\n#3,4,5\n", []string{"f.csv:3: 2 cells, want 3"}},
		{"a cut first row that begins with #", "x,u,v\n#2,3\n#3,4,5\n", []string{"f.csv:2: 2 cells, want 3"}},
		{"comment or header", "# id,name\nAnna,Paris\nBob,Rome\n", []string{"f.csv:1:", "begins with #"}},
		{"header or units", "#x,u\ncm,kg\n1,2\n", []string{"f.csv:1:", "begins with #"}},
		{"rows below a comment", "# comment\n1,2\n3,4\n", []string{"f.csv:1:", "begins with #"}},
		{"comment and names with numbers", "# of 2024, all\nregion,2020\na,3\n", []string{"f.csv:1:", "begins with #"}},
		{"nothing but comments", "# a\n# b\n", []string{"f.csv: no rows"}},
		{"endless comments", strings.Repeat("# a\n", 20000), []string{"begin with #"}},
		{"empty rows alone", "x,u\n,\n,\n", []string{"f.csv: no rows"}},
		{"lines below comments and a separator", "sep=,\n# c\nx,u\n1,2\n1\n", []string{"f.csv:5: 1 cells"}},
		{"cells below comments", "# c\nx,u\n1,2\n3,4\n5,a\n", []string{"f.csv:5:", `"a" is not a number`}},
		{"quotes below comments", "# c\nx,u\n1,2\n1,a\"\n", []string{"f.csv:4:", `column "u"`, "quote"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opt := Options{}
			_, err := open(t, tt.content, opt)
			wantError(t, err, tt.want...)
		})
	}
}

// TestSkippedFileChanged: a pass over a file of which other records are no rows now says so.
func TestSkippedFileChanged(t *testing.T) {
	const was = "x,u\n1,2\n3,4\nTotal,6\n"
	for _, now := range []string{"x,u\n1,2\n3,4\nTotal,6\n, \n", "x,u\n1,2\n3,4\n,\n,\n, \n", "x,u\n,\n3,4\nTotal,6\n"} {
		content := []byte(was + strings.Repeat("\n", 10))
		c, err := newFile(context.Background(), input.File{Name: "f.csv", File: bytes.NewReader(content), Size: int64(len(content))}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		copy(content, now+strings.Repeat("\n", len(content)-len(now)))
		for _, err = range c.Batches(context.Background()) {
		}
		if err == nil {
			t.Errorf("%q read as %q: no error", now, was)
		}
	}
}
