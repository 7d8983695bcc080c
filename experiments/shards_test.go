package experiments

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"mediant/tables"
)

// TestShards: the parts of both tables have all rows, each pass the same ones, no part those of another; and Y given U has the mean |U|² and the variance of its noise.
func TestShards(t *testing.T) {
	s := Shards{Rows: 5000, Parts: 3, Seed: 2}
	rows, firsts := 0, map[float64]bool{}
	var noise []float64
	for part := range s.Parts {
		x, err := tables.Load(t.Context(), s.XU(part))
		if err != nil {
			t.Fatal(err)
		}
		again, err := tables.Load(t.Context(), s.XU(part))
		if err != nil {
			t.Fatal(err)
		}
		y, err := tables.Load(t.Context(), s.UY(part))
		if err != nil {
			t.Fatal(err)
		}
		rows += x.Rows()
		for b := range x.Batches(t.Context()) {
			firsts[b.Num.At(0, 0)] = true
			for a := range again.Batches(t.Context()) {
				if a.Start == b.Start && a.Num.At(0, 0) != b.Num.At(0, 0) {
					t.Error("another pass has other rows")
				}
			}
		}
		for b := range y.Batches(t.Context()) {
			firsts[b.Num.At(0, 0)] = true
			for i := range b.Rows {
				e := b.Num.At(i, shardU)
				for j := range shardU {
					e -= b.Num.At(i, j) * b.Num.At(i, j)
				}
				noise = append(noise, e)
			}
		}
	}
	if rows != s.Rows || len(noise) != s.Rows {
		t.Errorf("%d rows of X and U, %d of U and Y, want %d", rows, len(noise), s.Rows)
	}
	if len(firsts) < 10 {
		t.Errorf("%d batches differ in their first row, want at least 10", len(firsts))
	}
	// Four standard errors of the mean and of the variance of 5,000 normal numbers of variance 0.1.
	if mean, variance := stat.MeanVariance(noise, nil); math.Abs(mean) > 4*math.Sqrt(.1/5000) || math.Abs(variance-.1) > 4*.1*math.Sqrt(2./5000) {
		t.Errorf("Y less |U|² has mean %g and variance %g", mean, variance)
	}
	for _, bad := range []Shards{{Rows: 0, Parts: 1}, {Rows: 5, Parts: 0}, {Rows: 5, Parts: 6}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
