package features

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestBestSplit compares the gain with that of sums of squares over all thresholds, row by row.
func TestBestSplit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 2*leafRows + rnd.IntN(30)
		x, y, w := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil), make([]float64, n)
		for i := range n {
			x.Set(i, 0, math.Round(4*rnd.NormFloat64())) // with ties
			y.Set(i, 0, 3+rnd.NormFloat64())
			w[i] = rnd.Float64()
		}
		b := newBinned(x)
		g := newGrower(b, rnd)
		g.target(y, w, nil)
		rows := g.rows
		_, bin, gain := g.best(rows)

		squares := func(in func(v float64) bool) (sum float64, count int) {
			var weight, mean float64
			for _, i := range rows {
				if in(x.At(i, 0)) {
					count++
					weight, mean = weight+w[i], mean+w[i]*y.At(i, 0)
				}
			}
			for _, i := range rows {
				if in(x.At(i, 0)) {
					sum += w[i] * math.Pow(y.At(i, 0)-mean/weight, 2)
				}
			}
			return sum, count
		}
		all, _ := squares(func(float64) bool { return true })
		best, at := 0., 0.
		for _, threshold := range b.thresholds[0] {
			left, n := squares(func(v float64) bool { return v <= threshold })
			right, m := squares(func(v float64) bool { return v > threshold })
			if v := all - left - right; n >= leafRows && m >= leafRows && v > best {
				best, at = v, threshold
			}
		}
		if math.Abs(gain-best) > 1e-12*all || best > 0 && b.thresholds[0][bin] != at {
			t.Fatalf("the best split takes off %g, got %g", best, gain)
		}
	}
}

// TestGain is what a cell's mean takes off the sum of squares of the other rows, row by row.
func TestGain(t *testing.T) {
	y, w := []float64{1, 3, -2, 5}, []float64{1, 2, .5, 3}
	g := &grower{y: make([]float64, 4), w: w}
	for i := range y {
		g.y[i] = y[i] * w[i]
	}
	c := cell{rows: []int{0, 1, 1}, others: []int{2, 3}}
	const mean, instead = (1 + 6 + 6) / 5., .25
	want := 0.
	for _, i := range c.others {
		want += w[i] * (math.Pow(y[i]-instead, 2) - math.Pow(y[i]-mean, 2))
	}
	if got := g.gain(c, instead); math.Abs(got-want) > 1e-13 {
		t.Errorf("got %g, want %g", got, want)
	}
}

// TestBinsAreQuantiles: of many values no bin has more than twice its share of the rows, and every row is in the bin of its value.
func TestBinsAreQuantiles(t *testing.T) {
	const n = 3000
	rnd := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, math.Exp(3*rnd.NormFloat64()))
	}
	b := newBinned(x)
	count := make([]int, maxBins)
	for i := range n {
		bin := int(b.bins[0][i])
		count[bin]++
		if v := x.At(i, 0); bin > 0 && v <= b.thresholds[0][bin-1] || bin < len(b.thresholds[0]) && v > b.thresholds[0][bin] {
			t.Fatalf("%g is in bin %d", v, bin)
		}
	}
	for bin, c := range count {
		if c > 2*n/maxBins {
			t.Errorf("%d rows in bin %d", c, bin)
		}
	}
}
