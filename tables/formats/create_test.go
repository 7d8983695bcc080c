package formats

import (
	"bytes"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/internal/outfile"
	"mediant/tables"
	"mediant/tables/csv"
)

// endings are those of all files that tables can be written to.
var endings = []string{".csv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".npy"}

func write(t *testing.T, path string, src tables.Source) {
	t.Helper()
	err := outfile.Write(path, func(w io.Writer) error {
		writer, err := NewWriter(path, w, src.Columns())
		if err != nil {
			return err
		}
		return tables.Copy(t.Context(), writer, src)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What is written in a format is read back: numbers to the bit, text to the byte, columns in their order.
func TestWriteThenOpen(t *testing.T) {
	t.Chdir(t.TempDir())
	cell := rapid.OneOf(rapid.StringMatching(`[ -~\t;,"ü€😀]{0,6}`), rapid.SampledFrom([]string{"", "NA", "1", "01", "null", "\ufeffx", "a\nb", "</script>"}))
	number := rapid.OneOf(rapid.Float64Range(-1e154, 1e154), rapid.Float64Range(-10, 10), rapid.SampledFrom([]float64{0, math.NaN(), 5e-324, 1e15, 1 << 53}))
	rapid.Check(t, func(rt *rapid.T) {
		ending := rapid.SampledFrom(endings).Draw(rt, "ending")
		rows := rapid.IntRange(1, 5).Draw(rt, "rows")
		if rapid.IntRange(0, 20).Draw(rt, "many") == 0 {
			rows += 5 * tables.BlockRows
		}
		opt := Options{Options: csv.Options{KeepRows: true}}
		var data []tables.ColumnData
		for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z"ü. ]{0,4}[a-z]`), 1, 4, tables.CanonicalName).Draw(rt, "names") {
			name = tables.CanonicalName(name)
			if ending != ".npy" && rapid.Bool().Draw(rt, "text") {
				some := rapid.SliceOfN(cell, 1, 5).Draw(rt, "cells")
				data = append(data, tables.Strings(name, slices.Repeat(some, rows)[:rows]))
				opt.Text = append(opt.Text, name)
				continue
			}
			some := rapid.SliceOfN(number, 1, 5).Draw(rt, "numbers")
			data = append(data, tables.Numbers(name, slices.Repeat(some, rows)[:rows]))
			opt.Numbers = append(opt.Numbers, name)
		}
		table, err := tables.FromColumns(data...)
		if err != nil {
			rt.Fatal(err)
		}
		if ending == ".npy" { // columns are named after the file
			opt.Numbers = nil
		}
		write(t, "f"+ending, table)
		got, err := Open(t.Context(), "f"+ending, opt)
		if err != nil {
			rt.Fatal(err)
		}
		defer got.Close()
		if ending != ".npy" {
			if diff := cmp.Diff(table.Columns(), got.Source.Columns()); diff != "" {
				rt.Error(diff)
			}
		}
		if diff := cmp.Diff(batches(t, table), batches(t, got.Source), cmpopts.EquateNaNs()); diff != "" {
			rt.Error(diff)
		}
	})
}

// contents are the cells of a batch.
type contents struct {
	Numbers []float64
	Text    [][]string
}

// batches are the contents of all batches.
func batches(t *testing.T, src tables.Source) (all []contents) {
	t.Helper()
	for b, err := range tables.NewGuard("", src).Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		var c contents
		if b.Num != nil {
			c.Numbers = mat.DenseCopyOf(b.Num).RawMatrix().Data
		}
		for _, column := range b.Text {
			own := make([]string, len(column))
			for i, cell := range column {
				own[i] = strings.Clone(cell)
			}
			c.Text = append(c.Text, own)
		}
		all = append(all, c)
	}
	return all
}

// Every writer refuses what its files cannot hold, by column.
func TestWritersRefuse(t *testing.T) {
	numbers := []tables.Column{{Name: "a", Kind: tables.Numeric}, {Name: "b", Kind: tables.Numeric}}
	for _, ending := range endings {
		var file bytes.Buffer
		if _, err := NewWriter("f"+ending, &file, []tables.Column{{Name: "a"}, {Name: "a"}}); err == nil || !strings.Contains(err.Error(), `"a"`) {
			t.Errorf("%s: two columns of one name: %v", ending, err)
		}
		w, err := NewWriter("f"+ending, &file, numbers)
		if err != nil {
			t.Fatal(err)
		}
		err = w.Write(tables.Batch{Rows: 2, Num: mat.NewDense(2, 2, []float64{1, 2, 3, math.Inf(1)})})
		if err == nil || !strings.Contains(err.Error(), `column "b": row 1 (from 0) is +Inf`) {
			t.Errorf("%s: an infinite number: %v", ending, err)
		}
	}
	if _, err := NewWriter("f.npy", &bytes.Buffer{}, []tables.Column{{Name: "t", Kind: tables.Text}}); err == nil || !strings.Contains(err.Error(), `column "t" is text`) {
		t.Errorf("text in a matrix: %v", err)
	}
}

// A format is found by content, whatever the file is called, and from what can be read once only.
func TestContentTells(t *testing.T) {
	t.Chdir(t.TempDir())
	table, err := tables.FromColumns(tables.Numbers("x", []float64{1, 2, 3}), tables.Numbers("u", []float64{0, 1, 0.5}))
	if err != nil {
		t.Fatal(err)
	}
	for _, ending := range endings {
		write(t, "f"+ending, table)
		for _, other := range []string{"g", "g.csv", "g.parquet"} {
			if err := os.Rename("f"+ending, other); err != nil {
				t.Fatal(err)
			}
			if ending == ".csv" && other == "g.parquet" { // CSV is what no other format is
				continue
			}
			got, err := Open(t.Context(), other, Options{})
			if err != nil {
				t.Errorf("%s as %s: %v", ending, other, err)
				continue
			}
			if diff := cmp.Diff(batches(t, table), batches(t, got.Source)); diff != "" {
				t.Errorf("%s as %s: %s", ending, other, diff)
			}
			if err := got.Close(); err != nil {
				t.Error(err)
			}
			if err := os.Rename(other, "f"+ending); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A path that would be read as another format than is written to it is refused.
func TestCheckEnding(t *testing.T) {
	for path, want := range map[string]string{
		"p.csv": "", "p": "", "p.txt": "", "p.PARQUET": "", "p.arrow": "", "p.npy": "", "p.ndjson": "",
		"p.npz": "written as .npz", "p.pq": "written as .pq", "p.arrows": "written as .arrows", "p.svm": "written as .svm", "p.csv.gz": "written as .gz", "p.jsonl.ZST": "written as .zst",
	} {
		if err := CheckEnding(path); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
