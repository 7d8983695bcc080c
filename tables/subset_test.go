package tables_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediant/tables"
)

// stream is a source that is no Table.
type stream struct{ tables.Source }

// TestKeep: the rows of a table whose numbers are kept, with weights whose mean is 1 again.
func TestKeep(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := drawWeighed(r, rapid.SampledFrom([]float64{.5, 1, 1.5, 3}))
		src := w.source(t, rapid.Bool().Draw(r, "parsed"))
		weighed := rapid.Bool().Draw(r, "weighed")
		if weighed {
			var err error
			if src, err = tables.Weigh(context.Background(), src, "w"); err != nil {
				r.Fatal(err)
			}
		}
		every := rapid.IntRange(1, 4).Draw(r, "every")
		keep := func(row int) bool { return row%every == 0 }
		rows := (len(w.numbers) + every - 1) / every
		kept, err := tables.Keep(context.Background(), src, rows, keep)
		if err != nil {
			r.Fatal(err)
		}
		at, sum, count := 0, 0.0, 0.0
		rowsOf(t, kept, func(b tables.Batch, i int, line string) {
			if v := b.Num.At(i, 0); v != float64(at) || b.Number(i) != at {
				r.Fatalf("row %g, number %d, want %d: %s", v, b.Number(i), at, line)
			}
			if f := b.Factors(); f != nil {
				sum += f[i]
				count++
			}
			if weighed != (b.Weights() != nil) {
				r.Fatal("weights are lost")
			}
			at += every
		})
		if math.Abs(sum-count) > 1e-9*count || at < len(w.numbers) {
			r.Errorf("factors of %g for %g rows, up to row %d", sum, count, at)
		}
		if _, err := tables.Keep(context.Background(), stream{src}, rows+1, keep); err != nil {
			r.Fatal(err)
		}
		other, _ := tables.Keep(context.Background(), stream{src}, rows+1, keep)
		var last error
		for _, err := range other.Batches(context.Background()) {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), "did the table change") {
			r.Errorf("another number of rows: %v", last)
		}
	})
}
