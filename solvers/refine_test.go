package solvers_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/fixture"
	"mediant/moments"
	"mediant/solvers"
)

// TestRefineReachesTheExactSolution: a step moves predictions by their distance to those of exact sums, but for its share that is left, and each step leaves at most the share that MixedContraction says.
func TestRefineReachesTheExactSolution(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 7))
	for _, intercept := range []bool{true, false} {
		const n, p, k, lambda = 600, 12, 2, 1e-3
		a, b := fixture.Gaussian(rnd, n, p, 5), fixture.Gaussian(rnd, n, k, 1)
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = float64(1 + i%3)
			b.Set(i, 0, b.At(i, 0)+a.At(i, 2)*a.At(i, 3))
		}
		exact, mixed := moments.NewCoMoments(moments.ID{}, moments.ID{}), moments.Mixed.NewCoMoments(moments.ID{}, moments.ID{})
		exact.Add(a, b, weights)
		mixed.Add(a, b, weights)
		want := fixture.Must[*solvers.Linear](t)(solvers.Ridge(exact, lambda, intercept))
		var left mat.SymDense
		mixed.LeftTo(&left, intercept)
		f := solvers.NewFactor(&left, lambda)
		l := solvers.RidgeWith(f, mixed, intercept)
		share, _ := mixed.MixedContraction(lambda)
		before := distances(a, weights, l, want)
		for step := range 3 {
			next, moved := solvers.RefineWith(f, mixed, lambda, intercept, l, residualsOf(a, b, weights, l))
			l = next
			after := distances(a, weights, l, want)
			for j := range k {
				floor := 1e-13 * math.Sqrt(float64(n)) // rounding in float64
				if step == 0 && !(before[j] > 100*floor) {
					t.Fatalf("output %d: sums in mixed arithmetic are off by %g only", j, before[j])
				}
				if after[j] > share/(1-share)*moved[j]+floor {
					t.Errorf("intercept %v, output %d, step %d: off by %g, before by %g, moved by %g, share %g", intercept, j, step, after[j], before[j], moved[j], share)
				}
				if before[j] > moved[j]*(1+share)+floor {
					t.Errorf("intercept %v, output %d, step %d: moved by %g from a distance of %g", intercept, j, step, moved[j], before[j])
				}
			}
			before = after
		}
	}
}

// residualsOf are those of all rows.
func residualsOf(a, b *mat.Dense, weights []float64, l *solvers.Linear) solvers.Residuals {
	n, p := a.Dims()
	_, k := b.Dims()
	r := solvers.Residuals{Cross: mat.NewDense(p, k, nil), Mean: make([]float64, k)}
	total := 0.
	for i := range n {
		total += weights[i]
	}
	for i := range n {
		for j := range k {
			e := b.At(i, j) - l.Intercept[j] - mat.Dot(a.RowView(i), l.Coef.ColView(j))
			r.Mean[j] += weights[i] * e / total
			for c := range p {
				r.Cross.Set(c, j, r.Cross.At(c, j)+weights[i]*a.At(i, c)*e/total)
			}
		}
	}
	return r
}

// distances are root mean squares over the rows of differences of predictions less their means, which at fixed sums are those of coefficients.
func distances(a *mat.Dense, weights []float64, l, want *solvers.Linear) []float64 {
	n, p := a.Dims()
	_, k := l.Coef.Dims()
	out := make([]float64, k)
	var d mat.Dense
	d.Sub(l.Coef, want.Coef)
	for j := range k {
		total := 0.
		for i := range n {
			v := l.Intercept[j] - want.Intercept[j]
			for c := range p {
				v += a.At(i, c) * d.At(c, j)
			}
			out[j] += weights[i] * v * v
			total += weights[i]
		}
		out[j] = math.Sqrt(out[j] / total)
	}
	return out
}
