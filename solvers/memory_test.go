package solvers_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/slow"
	"mediant/moments"
	"mediant/solvers"
)

// allocated is what do allocates, garbage included, where no factor is left whose memory could be used again.
func allocated(do func()) float64 {
	solvers.ForgetFactors()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// TestBytes: estimates are what is allocated, within a few per cent, where each matrix is allocated once.
func TestBytes(t *testing.T) {
	slow.Only(t)
	const n, p, q, k = 150, 320, 60, 3 // fewer rows than columns: matrices are singular, and eigenvalues are needed
	rnd := rand.New(rand.NewPCG(1, 2))
	normal := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(int, int, float64) float64 { return rnd.NormFloat64() }, m)
		return m
	}
	var xu, uy moments.CoMoments
	xu.Add(normal(n, p), normal(n, q), nil)
	uy.Add(normal(n, q), normal(n, k), nil)
	for _, c := range []struct {
		what     string
		estimate float64
		do       func()
		atLeast  float64 // share of the estimate that is allocated
	}{
		{"a pair", moments.Bytes(p, q), func() {
			if _, err := moments.Sum(&xu); err != nil {
				t.Fatal(err)
			}
		}, .98},
		{"a ridge path", solvers.RidgeBytes(p, q, 1), func() {
			if _, err := solvers.RidgePath(t.Context(), &xu, []float64{0}, true); err != nil {
				t.Fatal(err)
			}
		}, .9},
		{"a system", solvers.SystemBytes(p, q, k), func() {
			s, err := solvers.NewSystem(&xu, &uy, true)
			if err != nil {
				t.Fatal(err)
			}
			s.Coefficients(solvers.Params{W: .5, LambdaF: 1, LambdaH: 1}) // by Cholesky: one matrix each for both
		}, .6},
	} {
		c.do() // packing buffers are kept
		got := allocated(c.do)
		for range 3 { // unless a goroutine packs that has not before
			got = min(got, allocated(c.do))
		}
		if got > 1.35*c.estimate || got < c.atLeast*c.estimate {
			t.Errorf("%s: %.0f bytes, estimated %.0f", c.what, got, c.estimate)
		}
	}
}
