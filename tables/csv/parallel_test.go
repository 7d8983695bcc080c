package csv

import (
	"bufio"
	"context"
	stdcsv "encoding/csv"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mediant/internal/input"
	"mediant/internal/tabletest"
	"mediant/tables"
)

// TestRecordsAreThoseOfEncodingCSV: cells, lines and errors, wherever the text is cut into chunks.
func TestRecordsAreThoseOfEncodingCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sep := rapid.SampledFrom([]string{",", "§"}).Draw(t, "sep")
		parts := []string{`"`, `"`, `""`, `"` + sep, sep, sep, "\n", "\n", "\r\n", "\r", "a", "é", "12.5", " "}
		content := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 25).Draw(t, "content"), "")
		size := rapid.IntRange(1, 12).Draw(t, "size")
		fails := rapid.Bool().Draw(t, "reading fails")
		text := func(content string) io.Reader {
			if fails {
				return io.MultiReader(strings.NewReader(content), badReader{})
			}
			return strings.NewReader(content)
		}
		whole := content
		if fails { // what is wrong with a line that is cut says nothing
			whole = content[:strings.LastIndex(content, "\n")+1]
		}
		reader := stdcsv.NewReader(text(whole))
		reader.Comma, reader.FieldsPerRecord = []rune(sep)[0], -1
		cut := cutter{text: bufio.NewReader(text(content)), comma: []byte(sep), size: size, most: 1 << 20, line: 1}
		in := records{header: &header{sep: sep, decimal: '.', names: []string{"a", "b"}}}
		next := func() error {
			for {
				err := in.split()
				if err != io.EOF {
					return err
				}
				c, err := cut.next()
				if err != nil {
					return err
				}
				in.open(c)
			}
		}
		for {
			want, wantErr := reader.Read()
			err := next()
			var parse *stdcsv.ParseError
			if errors.As(wantErr, &parse) {
				if err != parse.Err || in.start != parse.StartLine {
					t.Fatalf("%q: %v on line %d, want %v on %d", content, err, in.start, parse.Err, parse.StartLine)
				}
				return
			}
			if wantErr != nil || err != nil {
				if fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Fatalf("%q: %v, want %v", content, err, wantErr)
				}
				return
			}
			if !slices.Equal(in.cells, want) {
				t.Fatalf("%q: %q, want %q", content, in.cells, want)
			}
			for i := range want {
				if line, _ := reader.FieldPos(i); in.line(i) != line {
					t.Fatalf("%q: %q is on line %d, want %d", content, want[i], in.line(i), line)
				}
			}
		}
	})
}

// wantSame compares a file with another that is closed.
func wantSame(t testing.TB, c, again *File) {
	t.Helper()
	defer again.Close()
	want, got := c.Facts(), again.Facts()
	for i := range want.Rows {
		if want.Place(i) != got.Place(i) {
			t.Errorf("row %d is at %s, and at %s record by record", i, want.Place(i), got.Place(i))
		}
	}
	want.Place, got.Place = nil, nil
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("record by record (-want +got):\n%s", d)
	}
	kept, parsed := tabletest.ReadAll(t, c), tabletest.ReadAll(t, c)
	if d := cmp.Diff(kept, parsed, cmpopts.EquateNaNs()); d != "" {
		t.Errorf("in the second pass (-first +second):\n%s", d)
	}
	if d := cmp.Diff(parsed, tabletest.ReadAll(t, again), cmpopts.EquateNaNs()); d != "" {
		t.Errorf("record by record (-want +got):\n%s", d)
	}
}

// drawFile draws a file of two or three columns with what files have besides rows.
func drawFile(t *rapid.T) string {
	end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
	columns := rapid.IntRange(1, 3).Draw(t, "columns")
	number := rapid.SampledFrom([]string{"1", "-2.5", "1e3", "0.1257302210933933", "12345678901234567", "3", "4", ".5", "7.", "-0"})
	other := rapid.SampledFrom([]string{"", "NA", " 8", "a", "Total", "n = 3", "\"9\"", "\"a,b\"", "\"a\nb\"", "\"a \"\"b\"", "#", "12/31/2024", "1/2/2024", "-99", "1e400", "\xff", "\"", "a\"b"})
	strange := rapid.IntRange(0, 30).Draw(t, "strange")
	var b strings.Builder
	b.WriteString("x,y,d"[:2*columns-1] + end)
	for range rapid.IntRange(0, 40).Draw(t, "rows") {
		kind := rapid.IntRange(0, 60).Draw(t, "kind")
		switch {
		case kind == 60 && strange > 0:
			b.WriteString(rapid.SampledFrom([]string{end, "# note" + end, "x,y,d" + end, ",," + end, "1,2,3,4" + end, "Source: none,," + end, "Total,6," + end}).Draw(t, "other"))
			continue
		}
		for j := range columns {
			if j > 0 {
				b.WriteString(",")
			}
			if rapid.IntRange(0, 99).Draw(t, "cell") < strange {
				b.WriteString(other.Draw(t, "other cell"))
			} else {
				b.WriteString(number.Draw(t, "number"))
			}
		}
		b.WriteString(end)
	}
	s := b.String()
	if rapid.Bool().Draw(t, "cut") {
		s = strings.TrimSuffix(s, end)
	}
	return s
}

// TestChunksDoNotMatter: what is read of a file, and what is said of it, is the same wherever it is cut into chunks, for any number of threads, compressed or not.
func TestChunksDoNotMatter(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		content := drawFile(t)
		opt := Options{KeepRows: rapid.IntRange(0, 4).Draw(t, "keep") == 0, Lenient: rapid.Bool().Draw(t, "lenient")}
		if rapid.Bool().Draw(t, "markers") {
			opt.NA = []string{"y=-99", "#"}
		}
		if rapid.Bool().Draw(t, "dates") {
			opt.Dates = []string{"d"}
		}
		type result struct {
			Table   tabletest.Table
			Again   tabletest.Table // in a pass that parses
			Columns []tables.Column
			Facts   tables.Facts
			Places  []string
			Error   string
		}
		read := func(text string, threads, buffer int) (r result) {
			runtime.GOMAXPROCS(threads)
			opt.ReaderBuffer = buffer
			c, err := newFile(context.Background(), input.File{Name: "f", File: strings.NewReader(text), Size: int64(len(text))}, opt)
			if err != nil {
				return result{Error: err.Error()}
			}
			r = result{Table: tabletest.ReadAll(outer, c), Columns: c.Columns(), Facts: c.Facts()}
			r.Again = tabletest.ReadAll(outer, c)
			for i := range c.Rows() {
				r.Places = append(r.Places, r.Facts.Where(i))
			}
			r.Facts.Place, r.Facts.TextBytes = nil, 0
			return r
		}
		want := read(content, 1, 0)
		if d := cmp.Diff(want.Table, want.Again, cmpopts.EquateNaNs()); d != "" {
			t.Fatalf("%q in the second pass (-first +second):\n%s", content, d)
		}
		size := rapid.IntRange(1, 40).Draw(t, "size")
		for _, got := range []result{read(content, 1, size), read(content, 3, size), read(content, 3, 0), read(tabletest.Gzipped(outer, content), 3, size)} {
			if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" {
				t.Fatalf("%q in chunks of %d (-want +got):\n%s", content, size, d)
			}
		}
	})
}
