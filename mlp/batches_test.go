package mlp

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestEveryRowIsDealtOnceAnEpoch(t *testing.T) {
	for _, c := range []struct{ rows, size, steps int }{{10, 3, 4}, {9, 3, 3}, {2, 32, 1}, {1, 1, 1}} {
		b := newBatches(c.rows, c.size, 1, "test")
		if b.steps() != c.steps {
			t.Errorf("%d rows by %d: %d steps, want %d", c.rows, c.size, b.steps(), c.steps)
		}
		for range 3 {
			var seen []int
			for range c.steps {
				seen = append(seen, b.deal()...)
			}
			slices.Sort(seen)
			if !slices.Equal(seen, sequence(c.rows)) {
				t.Errorf("%d rows by %d: dealt %v", c.rows, c.size, seen)
			}
		}
	}
}

func TestSharesAverageToTheWeightedMean(t *testing.T) {
	x := mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4})
	weights := []float64{1, 0, 2, 1, 4}
	d := newTable(x, x, weights, 5, 1, "test")
	left, right, shares := d.deal()
	sum := 0.0
	for i, s := range shares {
		if left.At(i, 0) != right.At(i, 0) || s != weights[int(left.At(i, 0))]/8 {
			t.Errorf("row %g has share %g", left.At(i, 0), s)
		}
		sum += s
	}
	if math.Abs(sum-1) > 1e-15 {
		t.Errorf("shares sum to %g", sum)
	}
}
