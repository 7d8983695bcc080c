package spool

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/internal/tabletest"
	"mediant/tables"
	"mediant/tables/csv"
)

// TestCopyIsTheTable: columns, cells to the bit and what is known besides them.
func TestCopyIsTheTable(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SampledFrom([]int{1, 2, tables.BlockRows, tables.BlockRows + 1, 2*tables.BlockRows + 7}).Draw(t, "rows")
		var columns []tables.ColumnData
		for j := range rapid.IntRange(1, 4).Draw(t, "columns") {
			name := fmt.Sprint("c", j)
			seed := rapid.IntRange(0, 1000).Draw(t, "seed")
			if rapid.Bool().Draw(t, "text") {
				cells := make([]string, rows)
				for i := range cells {
					cells[i] = strings.Repeat("é\n", (i*seed+i/3)%5) + fmt.Sprint(i%(seed+1))
					if (i+seed)%7 == 0 {
						cells[i] = ""
					}
				}
				columns = append(columns, tables.Strings(name, cells))
				continue
			}
			numbers := make([]float64, rows)
			for i := range numbers {
				numbers[i] = math.Sin(float64(i * (seed + 1)))
				if (i+seed)%5 == 0 {
					numbers[i] = math.NaN()
				}
			}
			columns = append(columns, tables.Numbers(name, numbers))
		}
		src, err := tables.FromColumns(columns...)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Write(context.Background(), src)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		want := tabletest.ReadAll(outer, src)
		for range 2 {
			if d := cmp.Diff(want, tabletest.ReadAll(outer, c), cmpopts.EquateNaNs()); d != "" {
				t.Fatalf("(-want +got):\n%s", d)
			}
		}
		if c.Rows() != rows || !slices.Equal(c.Columns(), src.Columns()) {
			t.Fatalf("%d rows of %v, want %d of %v", c.Rows(), c.Columns(), rows, src.Columns())
		}
	})
}

// TestFactsStayWhenTheFileIsClosed: places of rows among them.
func TestFactsStayWhenTheFileIsClosed(t *testing.T) {
	path := tabletest.WriteFile(t, "f.csv", "a,b\n1,x\n\n\n2,y\n,\n")
	src, err := csv.Open(t.Context(), path, csv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Write(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(src.Close(), os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	if f := c.Facts(); f.Rows != 2 || !strings.HasSuffix(f.Where(1), "f.csv:5") || len(f.Skips) != 1 {
		t.Errorf("facts %+v", f)
	}
	tabletest.WantTable(t, c, map[string][]float64{"a": {1, 2}}, map[string][]string{"b": {"x", "y"}})
}

// TestNothingIsLeft: of a copy that is closed, or that could not be finished.
func TestNothingIsLeft(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	left := func() []os.DirEntry {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		return entries
	}
	src, err := tables.FromColumns(tables.Numbers("a", []float64{1, 2, 3}))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Write(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil || len(left()) > 0 {
		t.Errorf("%v, left behind: %v", err, left())
	}
	for _, err := range c.Batches(t.Context()) {
		tabletest.WantError(t, err, "spool", "closed")
	}
	if _, err := Write(t.Context(), broken{src}); err == nil || err.Error() != "broken" {
		t.Errorf("error %v, want that of the table", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Write(ctx, src); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if len(left()) > 0 {
		t.Errorf("left behind: %v", left())
	}
	t.Setenv("TMPDIR", folder+"/nosuch")
	_, err = Write(t.Context(), src)
	tabletest.WantError(t, err, "spool", "nosuch")
}

type broken struct{ tables.Source }

func (b broken) Batches(ctx context.Context) iter.Seq2[tables.Batch, error] {
	return func(yield func(tables.Batch, error) bool) { yield(tables.Batch{}, errors.New("broken")) }
}

// TestPassesEndEarly: with what the caller has, or with its context.
func TestPassesEndEarly(t *testing.T) {
	src, err := tables.FromMatrix([]string{"a"}, mat.NewDense(5*tables.BlockRows, 1, nil))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Write(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range c.Batches(t.Context()) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	batches := 0
	for _, err = range c.Batches(ctx) {
		batches++
		cancel()
	}
	if !errors.Is(err, context.Canceled) || batches != 2 {
		t.Errorf("%d batches and error %v, want 2 and that of the context", batches, err)
	}
}

func TestTablesThatCannotBeCopied(t *testing.T) {
	table, err := tables.FromColumns(tables.Numbers("a", []float64{1, 2, 3}), tables.Numbers("w", []float64{1, 2, 3}))
	if err != nil {
		t.Fatal(err)
	}
	weighted, err := tables.Weigh(t.Context(), table, "w")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Write(t.Context(), weighted)
	tabletest.WantError(t, err, "spool", "weights")
}
