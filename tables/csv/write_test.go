package csv

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/internal/names"
	"mediant/internal/outfile"
	"mediant/internal/tabletest"
	"mediant/tables"
)

func writeString(t tabletest.T, src tables.Source) string {
	var b bytes.Buffer
	if err := Write(context.Background(), &b, src); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWrite(t *testing.T) {
	table, err := tables.FromColumns(
		tables.Numbers("x", []float64{0.1, nan, 1e6, -1.5e-300}),
		tables.Strings("a,b", []string{"x", `say "a"`, "", " x"}),
		tables.Strings("c", []string{"1;2", "a\nb", "|", "x\t"}))
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
	m, err := tables.FromMatrix([]string{"b", "c"}, wide.Slice(0, 2, 1, 3))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := writeString(t, m), "b,c\n2,3\n5,6\n"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
	s, err := tables.Select(m.Columns(), tabletest.Columns("c"))
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
			rows += tables.BlockRows
		}
		heads := rapid.SliceOfNDistinct(name, 1, 4, tables.CanonicalName).Draw(t, "names")
		var data []tables.ColumnData
		opt := Options{KeepRows: true, ReaderBuffer: rapid.SampledFrom([]int{0, 1, 100}).Draw(t, "buffer")}
		for _, n := range heads {
			n = names.Canonical(n)
			if rapid.Bool().Draw(t, "text") {
				some := rapid.SliceOfN(cell, 1, 5).Draw(t, "cells")
				data = append(data, tables.Strings(n, slices.Repeat(some, rows)[:rows]))
				opt.Text = append(opt.Text, n)
			} else {
				some := rapid.SliceOfN(number, 1, 5).Draw(t, "numbers")
				data = append(data, tables.Numbers(n, slices.Repeat(some, rows)[:rows]))
				opt.Numbers = append(opt.Numbers, n)
			}
		}
		table, err := tables.FromColumns(data...)
		if err != nil {
			t.Fatal(err)
		}
		if err := outfile.Write(path, func(w io.Writer) error { return Write(context.Background(), w, table) }); err != nil {
			t.Fatal(err)
		}
		c, err := Open(context.Background(), path, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		got, err := tables.Load(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tabletest.ReadAll(t, table), tabletest.ReadAll(t, got), cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("(-written +read)\n%s", d)
		}
	})
}

func TestWriteRefuses(t *testing.T) {
	ctx := context.Background()
	_, err := NewWriter(io.Discard, tabletest.Columns("a a"))
	wantError(t, err, `"a"`)
	_, err = NewWriter(io.Discard, nil)
	wantError(t, err, "no columns")
	_, err = NewWriter(&badWriter{}, tabletest.Columns("a"))
	wantError(t, err, "full")
	w, err := NewWriter(io.Discard, tabletest.Columns("a b"))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(tables.Batch{Rows: 2, Num: mat.NewDense(2, 2, nil)}); err != nil {
		t.Fatal(err)
	}
	wantError(t, w.Write(tables.Batch{Rows: 1, Num: mat.NewDense(1, 2, []float64{1, math.Inf(1)})}), `column "b"`, "row 2", "+Inf")
	broken := errors.New("broken")
	if err := Write(ctx, io.Discard, failing{broken}); err != broken {
		t.Errorf("error %v, want %v", err, broken)
	}
	table, err := tables.FromColumns(tables.Numbers("a", []float64{1}))
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, Write(ctx, &badWriter{}, table), "full")
	wantError(t, Write(ctx, &badWriter{after: 1}, table), "full")
}

// badWriter fails after so many writes.
type badWriter struct{ after int }

func (w *badWriter) Write(p []byte) (int, error) {
	if w.after--; w.after >= 0 {
		return len(p), nil
	}
	return 0, errors.New("disk full")
}

// failing is a source that yields nothing but an error.
type failing struct{ err error }

func (failing) Columns() []tables.Column { return tabletest.Columns("a") }

func (f failing) Batches(context.Context) iter.Seq2[tables.Batch, error] {
	return func(yield func(tables.Batch, error) bool) { yield(tables.Batch{}, f.err) }
}
