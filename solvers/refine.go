package solvers

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// Residuals are weighted means over rows a with the residuals e = b - Coef'a - Intercept of a Linear.
type Residuals struct {
	Cross *mat.Dense // of a e', p×k
	Mean  []float64  // of e, k long
}

// RefineWith is a step of iterative refinement of l, ridge regression solved by f from sums m that are not exact, with the residuals r of l, which are: it adds the solution of
//
//	(A + lambda I) d = mean (a - ā) (e - ē)' - lambda Coef
//
// to the coefficients [Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapter 12]. For each output moved is sqrt(d'(A + lambda I) d), at least the root mean square over the rows by
// which the predictions move. The means of m are taken as exact. It costs 2p²k flops.
func RefineWith(f *Factor, m *moments.CoMoments, lambda float64, intercept bool, l *Linear, r Residuals) (refined *Linear, moved []float64) {
	p, k := l.Coef.Dims()
	var gradient, d mat.Dense
	gradient.CloneFrom(r.Cross)
	if intercept {
		mean := m.MeanA()
		for i := range p {
			floats.AddScaled(gradient.RawRowView(i), -mean[i], r.Mean)
		}
	}
	for i := range p {
		floats.AddScaled(gradient.RawRowView(i), -lambda, l.Coef.RawRowView(i))
	}
	f.SolveTo(&d, &gradient)
	refined = &Linear{Coef: new(mat.Dense), Intercept: make([]float64, k), Cond: l.Cond, Rank: l.Rank}
	refined.Coef.Add(l.Coef, &d)
	moved = make([]float64, k)
	for i := range p {
		for j, g := range gradient.RawRowView(i) {
			moved[j] += g * d.At(i, j)
		}
	}
	for j, v := range moved {
		moved[j] = math.Sqrt(max(0, v)) // of rounding alone it may be below 0
	}
	if intercept {
		floats.AddTo(refined.Intercept, l.Intercept, r.Mean)
		for i, mean := range m.MeanA() {
			floats.AddScaled(refined.Intercept, -mean, d.RawRowView(i))
		}
	}
	return refined, moved
}
