package weighted

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"mediant/moments"
)

// drawSpread draws n rows of two columns, far from 0, and their weights.
func drawSpread(t *rapid.T) (rows [][]float64, w []float64) {
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	n := rapid.IntRange(2, 40).Draw(t, "n")
	rows, w = make([][]float64, n), make([]float64, n)
	for i := range rows {
		rows[i] = []float64{100 + rnd.NormFloat64(), rnd.NormFloat64()}
		rows[i][1] += rows[i][0]
		w[i] = .5 + rnd.Float64()
	}
	return rows, w
}

func spreadOf(rows [][]float64, w []float64) *Means {
	s := New(2)
	for i, r := range rows {
		s.Add(moments.Weights{Factor: w}, i, r...)
	}
	return s
}

// Values are of size 100 and variances of size 1/n: eps·100²·n is 1e-10 at most.
const spreadTol = 1e-10

func TestSpreadIsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, w := drawSpread(t)
		s := spreadOf(rows, w)
		values := make([]float64, len(rows))
		for i, r := range rows {
			values[i] = 3*r[0] - 2*r[1]
		}
		n, total, mean := float64(len(rows)), floats.Sum(w), stat.Mean(values, w)
		want := 0.0
		for i, v := range values {
			want += w[i] * w[i] * (v - mean) * (v - mean)
		}
		want *= n / (n - 1) / (total * total)
		if d := math.Abs(s.Variance(3, -2) - want); d > spreadTol {
			t.Errorf("variance is off by %g", d)
		}
		cov := s.Covariance()
		if d := math.Abs(9*cov.At(0, 0) - 12*cov.At(0, 1) + 4*cov.At(1, 1) - want); d > spreadTol {
			t.Errorf("covariance is off by %g", d)
		}
		if d := math.Abs(3*s.Mean[0] - 2*s.Mean[1] - mean); d > spreadTol {
			t.Errorf("mean is off by %g", d)
		}
	})
}

// Equal weights, whatever they are, give the textbook s²/n.
func TestSpreadOfEqualWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, w := drawSpread(t)
		for i := range w {
			w[i] = 7
		}
		first := make([]float64, len(rows))
		for i, r := range rows {
			first[i] = r[0]
		}
		want := stat.Variance(first, nil) / float64(len(rows))
		if d := math.Abs(spreadOf(rows, w).Variance(1, 0) - want); d > spreadTol {
			t.Errorf("variance is off by %g", d)
		}
	})
}

// All rows twice halve the variance, but for N-1, and rows of weight 0 or in another order change
// nothing.
func TestSpreadInvariances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, w := drawSpread(t)
		n := float64(len(rows))
		once := spreadOf(rows, w).Variance(1, 1)
		twice := spreadOf(append(rows, rows...), append(w, w...)).Variance(1, 1)
		if d := math.Abs(twice*(2*n-1)/(n-1) - once); d > spreadTol {
			t.Errorf("twice is off by %g", d)
		}
		other := New(2)
		for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(len(rows)) {
			other.Add(moments.Weights{Factor: make([]float64, len(rows))}, i, 1e6, 1e6)
			other.Add(moments.Weights{Factor: w}, i, rows[i]...)
		}
		if d := math.Abs(other.Variance(1, 1) - once); d > spreadTol {
			t.Errorf("another order is off by %g", d)
		}
	})
	// A row of frequency k is k rows.
	rapid.Check(t, func(t *rapid.T) {
		rows, w := drawSpread(t)
		var many [][]float64
		var factors []float64
		frequency := make([]float64, len(rows))
		for i, r := range rows {
			frequency[i] = float64(1 + i%3)
			for range 1 + i%3 {
				many, factors = append(many, r), append(factors, w[i])
			}
		}
		once := New(2)
		for i, r := range rows {
			once.Add(moments.Weights{Frequency: frequency, Factor: w}, i, r...)
		}
		if d := math.Abs(spreadOf(many, factors).Variance(1, 1) - once.Variance(1, 1)); d > spreadTol {
			t.Errorf("frequencies are off by %g", d)
		}
	})
	if v := spreadOf([][]float64{{1, 2}}, []float64{1}).Variance(1, 0); !math.IsNaN(v) {
		t.Errorf("the variance of one row is %g", v)
	}
}
