package tables

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func writeString(t rapidOrTest, src Source) string {
	var b bytes.Buffer
	if err := WriteCSV(context.Background(), &b, src); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type rapidOrTest interface{ Fatal(...any) }

func TestWriteCSV(t *testing.T) {
	table, err := FromColumns(
		Numbers("x", []float64{0.1, nan, 1e6, -1.5e-300}),
		Strings("a,b", []string{"x", `say "a"`, "", " x"}),
		Strings("c", []string{"1;2", "a\nb", "|", "x\t"}))
	if err != nil {
		t.Fatal(err)
	}
	want := "x,\"a,b\",c\n0.1,x,\"1;2\"\n,\"say \"\"a\"\"\",\"a\nb\"\n1e+06,,\"|\"\n-1.5e-300,\" x\",\"x\t\"\n"
	if got := writeString(t, table); got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

// A batch may be a view of a wider matrix.
func TestViewsOfWiderMatrices(t *testing.T) {
	wide := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	m, err := FromMatrix([]string{"b", "c"}, wide.Slice(0, 2, 1, 3))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := writeString(t, m), "b,c\n2,3\n5,6\n"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
	s, err := Select(m.Columns(), cols("c"))
	if err != nil {
		t.Fatal(err)
	}
	for b := range m.Batches(context.Background()) {
		c := make([]float64, 2)
		if s.NumericTo(c, b, 0); c[0] != 3 || c[1] != 6 {
			t.Errorf("column c is %v, want 3 and 6", c)
		}
	}
}

// What is written is read back: numbers to the bit, text to the byte.
func TestWriteThenRead(t *testing.T) {
	name := rapid.StringMatching(`\x{feff}?[a-z*\[;,|"\t\n ü.]{0,5}[a-z]`)
	cell := rapid.OneOf(rapid.StringMatching(`[ -~\n\r\t;,"ü]{0,6}`), rapid.SampledFrom([]string{
		"", "NA", "1", "01", "1e400", "\ufeffx", "\"", "\r", "Inf", " ", `\.`,
	})).Filter(func(s string) bool { return !strings.Contains(s, "\r\n") }) // the one thing encoding/csv changes
	number := rapid.OneOf(rapid.Float64Range(-1e154, 1e154), rapid.Float64Range(-10, 10),
		rapid.SampledFrom([]float64{0, nan, 5e-324, 1e15, 123456789012345680}))
	path := filepath.Join(t.TempDir(), "f.csv")
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 5).Draw(t, "rows")
		if rapid.IntRange(0, 20).Draw(t, "many") == 0 {
			rows += BlockRows
		}
		names := rapid.SliceOfNDistinct(name, 1, 4, CanonicalName).Draw(t, "names")
		var data []ColumnData
		opt := CSVOptions{KeepRows: true, ReaderBuffer: rapid.SampledFrom([]int{0, 1, 100}).Draw(t, "buffer")}
		for _, n := range names {
			n = CanonicalName(n)
			if rapid.Bool().Draw(t, "text") {
				some := rapid.SliceOfN(cell, 1, 5).Draw(t, "cells")
				data = append(data, Strings(n, slices.Repeat(some, rows)[:rows]))
				opt.Text = append(opt.Text, n)
			} else {
				some := rapid.SliceOfN(number, 1, 5).Draw(t, "numbers")
				data = append(data, Numbers(n, slices.Repeat(some, rows)[:rows]))
				opt.Numbers = append(opt.Numbers, n)
			}
		}
		table, err := FromColumns(data...)
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(path, func(w io.Writer) error { return WriteCSV(context.Background(), w, table) }); err != nil {
			t.Fatal(err)
		}
		c, err := OpenCSV(context.Background(), path, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		got, err := Load(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(table, got, cmp.AllowUnexported(Table{}, fileFacts{}, rowWeights{}), cmpopts.IgnoreFields(Table{}, "places"), cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("(-written +read)\n%s", d)
		}
	})
}

func TestWriteCSVRefuses(t *testing.T) {
	ctx := context.Background()
	_, err := NewCSVWriter(io.Discard, cols("a a"))
	wantError(t, err, `"a"`)
	_, err = NewCSVWriter(io.Discard, nil)
	wantError(t, err, "no columns")
	_, err = NewCSVWriter(&badWriter{}, cols("a"))
	wantError(t, err, "full")
	w, err := NewCSVWriter(io.Discard, cols("a b"))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(Batch{Rows: 2, Num: mat.NewDense(2, 2, nil)}); err != nil {
		t.Fatal(err)
	}
	wantError(t, w.Write(Batch{Rows: 1, Num: mat.NewDense(1, 2, []float64{1, math.Inf(1)})}), `column "b"`, "row 2", "+Inf")
	broken := errors.New("broken")
	if err := WriteCSV(ctx, io.Discard, failing{broken}); err != broken {
		t.Errorf("error %v, want %v", err, broken)
	}
	table, err := FromColumns(Numbers("a", []float64{1}))
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, WriteCSV(ctx, &badWriter{}, table), "full")
	wantError(t, WriteCSV(ctx, &badWriter{after: 1}, table), "full")
}

// badWriter fails after so many writes.
type badWriter struct{ after int }

func (w *badWriter) Write(p []byte) (int, error) {
	if w.after--; w.after >= 0 {
		return len(p), nil
	}
	return 0, errors.New("disk full")
}
