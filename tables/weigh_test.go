package tables_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/tables"
)

// A weighedTable is columns of all kinds and a weight for each row, which is also the last numeric column, "w".
type weighedTable struct {
	numbers []float64
	words   []string
	rows    []float64 // the value of each sparse row, in one place
	weights []float64
}

func drawWeighed(t *rapid.T, weight *rapid.Generator[float64]) weighedTable {
	n := rapid.SampledFrom([]int{1, 5, tables.BlockRows, 2*tables.BlockRows + 3}).Draw(t, "rows")
	var w weighedTable
	some := rapid.SliceOfN(weight, 7, 7).Draw(t, "weights")
	for i := range n {
		w.numbers = append(w.numbers, float64(i))
		w.words = append(w.words, fmt.Sprint(i%5))
		w.rows = append(w.rows, float64(i+1))
		w.weights = append(w.weights, some[(i*i+i/7)%7])
	}
	w.weights[n-1] = 2
	return w
}

// source is the table; parsed is true for one that is not in memory.
func (w weighedTable) source(t testing.TB, parsed bool) tables.Source {
	t.Helper()
	a, err := tables.FromColumns(tables.Numbers("n", w.numbers), tables.Strings("t", w.words), tables.Numbers("w", w.weights))
	if err != nil {
		t.Fatal(err)
	}
	var cells tables.SparseRows
	for _, row := range w.rows {
		if err := cells.Add([]int{int(row-1) % 4}, []float64{row}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := tables.FromColumns(tables.Vectors("s", cells))
	if err != nil {
		t.Fatal(err)
	}
	both, err := tables.HStack(a, s)
	if err != nil {
		t.Fatal(err)
	}
	if parsed {
		return both
	}
	table, err := tables.Load(context.Background(), both)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// written is the table with each row written as often as its weight says.
func (w weighedTable) written() weighedTable {
	var out weighedTable
	for i, v := range w.weights {
		for range int(v) {
			out.numbers, out.words, out.rows, out.weights = append(out.numbers, w.numbers[i]), append(out.words, w.words[i]), append(out.rows, w.rows[i]), append(out.weights, v)
		}
	}
	return out
}

// line is a row in words.
func line(b tables.Batch, i int) string {
	columns, values := b.Sparse[0].Row(i)
	return fmt.Sprint(b.Num.RawRowView(i), b.Text[0][i], columns, values)
}

func rowsOf(t testing.TB, src tables.Source, each func(b tables.Batch, i int, line string)) {
	t.Helper()
	start := 0
	for b, err := range src.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if b.Start != start || b.Rows > tables.BlockRows {
			t.Fatalf("a batch of %d rows begins at %d, want %d", b.Rows, b.Start, start)
		}
		start += b.Rows
		for i := range b.Rows {
			each(b, i, line(b, i))
		}
	}
}

// TestWeighIsCopies: each row comes once, with as many copies as its weight says, rows of weight 0 never; tables.Pick takes of it what
// it takes of the table with its rows written out; tables.Load keeps all of that.
func TestWeighIsCopies(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := drawWeighed(r, rapid.SampledFrom([]float64{0, 0, 1, 1, 3}))
		parsed := rapid.Bool().Draw(r, "parsed")
		src, err := tables.Weigh(context.Background(), w.source(t, parsed), "w")
		if err != nil {
			r.Fatal(err)
		}
		if rapid.Bool().Draw(r, "loaded") {
			if src, err = tables.Load(context.Background(), src); err != nil {
				r.Fatal(err)
			}
		}
		var want, got []string
		rowsOf(t, w.written().source(t, false), func(_ tables.Batch, _ int, line string) { want = append(want, line) })
		count := 0
		for b, err := range src.Batches(context.Background()) {
			if err != nil {
				r.Fatal(err)
			}
			count += b.Count()
		}
		rowsOf(t, src, func(b tables.Batch, i int, line string) {
			if b.Weights()[i] != float64(b.Copies(i)) || b.Frequencies()[i] != b.Weights()[i] || b.Num.At(i, 0) != float64(b.Number(i)) {
				r.Fatalf("row %d has weight %g and %d copies", b.Number(i), b.Weights()[i], b.Copies(i))
			}
			for range b.Copies(i) {
				got = append(got, line)
			}
		})
		if !slices.Equal(got, want) || count != len(want) {
			r.Fatalf("%d rows, counted %d, want %d", len(got), count, len(want))
		}
		var picks []int
		for i := range want {
			if i%3 != 1 {
				picks = append(picks, i)
			}
		}
		picked, err := tables.Pick(context.Background(), src, picks)
		if err != nil {
			r.Fatal(err)
		}
		at := 0
		rowsOf(t, picked, func(b tables.Batch, _ int, line string) {
			if b.Weights() != nil || line != want[picks[at]] {
				r.Fatalf("picked %q for row %d, %q", line, picks[at], want[picks[at]])
			}
			at++
		})
	})
}

// TestWeighSamples: of weights that are not whole only the ratios count: they have mean 1, their copies, of which sums are
// those of the weights to the nearest, are as many as the rows, and each row is one observation.
func TestWeighSamples(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		most := rapid.SampledFrom([]float64{1e-300, 1e-9, .1, 1.5, 30.3}).Draw(r, "most")
		w := drawWeighed(r, rapid.Float64Range(0, most))
		w.weights[0], w.weights[len(w.weights)-1] = most/3, most
		src, err := tables.Weigh(context.Background(), w.source(t, true), "w")
		if err != nil {
			r.Fatal(err)
		}
		sum, rows, copies := 0.0, 0, 0
		scale := math.NaN()
		rowsOf(t, src, func(b tables.Batch, i int, _ string) {
			if b.Frequencies() != nil {
				r.Fatal("sampling weights are frequencies")
			}
			if math.IsNaN(scale) {
				scale = b.Weights()[i] / w.weights[b.Number(i)]
			}
			sum += b.Weights()[i]
			rows++
			copies += b.Copies(i)
			if own := scale * w.weights[b.Number(i)]; math.Abs(b.Weights()[i]-own) > 1e-12*own || math.Abs(float64(copies)-sum) > .5+1e-9*sum {
				r.Fatalf("row %d has weight %g for %g, sums are %g and %d", b.Number(i), b.Weights()[i], own, sum, copies)
			}
		})
		if copies != rows || math.Abs(sum-float64(rows)) > 1e-9*sum {
			r.Fatalf("%d copies and weights of %g in %d rows", copies, sum, rows)
		}
	})
}

func TestWeighRefuses(t *testing.T) {
	for _, tt := range []struct {
		weights []float64
		name    string
		want    string
	}{
		{[]float64{1, -1}, "w", `tables: row 2: weight "w" is -1`},
		{[]float64{1, math.NaN()}, "w", `tables: row 2: weight "w" is missing`},
		{[]float64{0, 0}, "w", `the weight "w" is 0 in every row`},
		{[]float64{1, 1}, "v", `no column "v"`},
		{[]float64{1, 1}, "t", `column "t" is text`},
		{[]float64{1e16, 1}, "w", "more than can be counted"},
		{[]float64{1e154, 1e154}, "w", "more than can be counted"},
		{[]float64{.5, 1e17}, "w", "more than can be counted"},
	} {
		src, err := tables.FromColumns(tables.Numbers("w", tt.weights), tables.Strings("t", []string{"a", "b"}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = tables.Weigh(context.Background(), src, tt.name)
		wantError(t, err, tt.want)
	}
	src, err := tables.FromColumns(tables.Numbers("w", []float64{1, 0}))
	if err != nil {
		t.Fatal(err)
	}
	if same, err := tables.Weigh(context.Background(), src, ""); same != tables.Source(src) || err != nil {
		t.Errorf("without weights: %v, %v, want the table itself", same, err)
	}
	w, err := tables.Weigh(context.Background(), &fading{src, 0}, "w")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range w.Batches(context.Background()) {
		wantError(t, err, "did the table change?")
	}
}

// fading has no weights above 0 after the first pass.
type fading struct {
	tables.Source
	passes int
}

func (f *fading) Batches(ctx context.Context) iter.Seq2[tables.Batch, error] {
	f.passes++
	return func(yield func(tables.Batch, error) bool) {
		for b, err := range f.Source.Batches(ctx) {
			if f.passes > 1 {
				b.Num = mat.NewDense(b.Rows, 1, nil)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// TestWeightsBesideOthers: rows side by side have the weights of the table that has them, whichever it is; those of two are refused.
func TestWeightsBesideOthers(t *testing.T) {
	ctx := context.Background()
	table := func(name string) *tables.Table {
		src, err := tables.FromColumns(tables.Numbers(name, []float64{1, 2, 3}), tables.Numbers("weight of "+name, []float64{2, 1, 3}))
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	weighed, err := tables.Weigh(ctx, table("a"), "weight of a")
	if err != nil {
		t.Fatal(err)
	}
	plain := table("b")
	for _, pair := range [][2]tables.Source{{weighed, plain}, {plain, weighed}, {plain, tables.NewGuard("guarded", weighed)}} {
		both, err := tables.HStack(pair[0], pair[1])
		if err != nil {
			t.Fatal(err)
		}
		if !tables.FactsOf(both).Weighted {
			t.Error("not weighed")
		}
		loaded, err := tables.Load(ctx, both)
		if err != nil {
			t.Fatal(err)
		}
		for _, src := range []tables.Source{both, loaded} {
			for b, err := range src.Batches(ctx) {
				if err != nil || b.Count() != 6 || b.Copies(2) != 3 {
					t.Errorf("%d rows, %v, want 6", b.Count(), err)
				}
			}
		}
	}
	other, err := tables.Weigh(ctx, plain, "weight of b")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tables.HStack(weighed, other); err == nil || !strings.Contains(err.Error(), "both tables have weights") {
		t.Errorf("weights of two: %v", err)
	}
	if tables.FactsOf(plain).Weighted {
		t.Error("a table without weights is weighed")
	}
}

// TestPickKeepsSamplingWeights: a row with a sampling weight is one row, however often it is picked, so that its copies are never in two folds.
func TestPickKeepsSamplingWeights(t *testing.T) {
	src, err := tables.FromColumns(tables.Numbers("x", []float64{1, 2, 3, 4}), tables.Numbers("w", []float64{.1, 3.2, .5, .2}))
	if err != nil {
		t.Fatal(err)
	}
	weighed, err := tables.Weigh(context.Background(), src, "w")
	if err != nil {
		t.Fatal(err)
	}
	picked, err := tables.Pick(context.Background(), weighed, []int{0, 2, 3}) // of 4 copies, the first 3 of x = 2
	if err != nil {
		t.Fatal(err)
	}
	for b, err := range picked.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if b.Frequencies() != nil || b.Count() != 3 || b.Rows != 2 || b.Num.At(0, 0) != 2 || b.Weights()[0] != 2 || b.Weights()[1] != 1 {
			t.Errorf("%d rows that stand for %d, weights %v, want 2, 3 and 2, 1", b.Rows, b.Count(), b.Weights())
		}
	}
}
