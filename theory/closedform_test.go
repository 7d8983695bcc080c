package theory

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/testdata"
)

func TestClosedFormOnRandomSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tallies closedFormTallies
		for range distributionsPerCheck {
			if err := rightClosedForm.onSample(&tallies, seedSampler(t)); err != nil {
				t.Fatal(err)
			}
		}
		wantTallies(t, tallies.checks())
	})
}

func TestClosedFormMutations(t *testing.T) {
	wantHolds(t, measured(t, rightClosedForm.claim()))
	const gradient, beta, solver = "gradient", "beta = solution", "package solvers"
	for name, m := range map[string]struct {
		change func(*closedForm)
		part   string
	}{
		"w and 1-w swapped":        {func(c *closedForm) { c.ratio = func(w float64) float64 { return w / (1 - w) } }, gradient},
		"1-w alone":                {func(c *closedForm) { c.ratio = func(w float64) float64 { return 1 - w } }, beta},
		"ratio squared":            {func(c *closedForm) { c.ratio = func(w float64) float64 { return squared((1 - w) / w) } }, solver},
		"Schur complement's sign":  {func(c *closedForm) { c.schurSign = 1 }, gradient},
		"no Schur complement":      {func(c *closedForm) { c.schurSign = 0 }, beta},
		"alpha's sign":             {func(c *closedForm) { c.alphaSign = -1 }, gradient},
		"alpha's sign, system":     {func(c *closedForm) { c.alphaSign = -1 }, "alpha = solution"},
		"Schur indefinite":         {func(c *closedForm) { c.schurSign = -2 }, "0 <= least eigenvalue"},
		"paper's lambdas swapped":  {func(c *closedForm) { c.paper = func(w, f, h float64) (float64, float64) { return f * (1 - w), h * w } }, gradient},
		"paper's lambdas divided":  {func(c *closedForm) { c.paper = func(w, f, h float64) (float64, float64) { return f / w, h / (1 - w) } }, solver},
		"eigenvalues' w swapped":   {func(c *closedForm) { c.least = func(w, f, h float64) float64 { return min(f/(1-w), h/w) } }, "least eigenvalue of the full"},
		"eigenvalues by the other": {func(c *closedForm) { c.least = func(w, f, h float64) float64 { return max(f/w, h/(1-w)) } }, "least eigenvalue of the full"},
		"order of the sum":         {func(c *closedForm) { c.order = func(p, q int) int { return p + q } }, "order of the largest"},
		"order of the smaller":     {func(c *closedForm) { c.order = func(p, q int) int { return min(p, q) } }, "order of the largest"},
	} {
		c := rightClosedForm
		m.change(&c)
		wantFails(t, name, measured(t, c.claim()), m.part)
	}
}

// weighted multiplies rows, centred by their weighted means if asked for, by the roots of n times their
// shares, after which plain means of products are weighted ones. It also returns the weighted mean.
func weighted(a *mat.Dense, weights []float64, centre bool) (rows *mat.Dense, mean []float64) {
	n, c := a.Dims()
	total := 0.0
	for i := range n {
		total += weightAt(weights, i)
	}
	rows, mean = mat.DenseCopyOf(a), make([]float64, c)
	for j := range c {
		for i := range n {
			mean[j] += weightAt(weights, i) / total * a.At(i, j)
		}
		for i := range n {
			v := a.At(i, j)
			if centre {
				v -= mean[j]
			}
			rows.Set(i, j, v*math.Sqrt(float64(n)*weightAt(weights, i)/total))
		}
	}
	return rows, mean
}

func weightAt(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// fitByFormula is the closed form with docs/theory.md's intercepts.
func fitByFormula(phi, psi, psi2, y *mat.Dense, wx, wy []float64, w, lambdaF, lambdaH float64, intercept bool) (alpha, beta *mat.Dense, a0, b0 []float64) {
	var s sample
	var phiX, psiX, psiY, mean []float64
	s.phi, phiX = weighted(phi, wx, intercept)
	s.psi, psiX = weighted(psi, wx, intercept)
	s.psi2, psiY = weighted(psi2, wy, intercept)
	s.y, mean = weighted(y, wy, intercept)
	m := s.moments()
	if w < 1 {
		alpha, beta, _ = rightClosedForm.solve(m, w, lambdaF, lambdaH)
	} else {
		beta = solve(plus(m.d, lambdaH, nil), m.e)
		alpha = solve(plus(m.a, lambdaF, nil), product(m.b, beta))
	}
	a0, b0 = make([]float64, len(mean)), make([]float64, len(mean))
	if !intercept {
		return alpha, beta, a0, b0
	}
	for k := range mean {
		a0[k], b0[k] = mean[k], mean[k]
		for j, v := range psiY {
			b0[k] -= beta.At(j, k) * v
			a0[k] += beta.At(j, k) * (psiX[j] - v)
		}
		for j, v := range phiX {
			a0[k] -= alpha.At(j, k) * v
		}
	}
	return alpha, beta, a0, b0
}

// Condition numbers of the golden systems are below 1e3: 1e-12 is 5 eps of that.
const goldenTolerance = 1e-12

func TestClosedFormAgainstGolden(t *testing.T) {
	g := testdata.ReadGolden(t)
	in := g.Input
	for _, fit := range g.Fit {
		var wx, wy []float64
		if fit.Weighted {
			wx, wy = in.WeightsXU, in.WeightsUY
		}
		lambdaF, lambdaH := fit.LambdaF, fit.LambdaH
		if fit.Penalty == "paper" {
			lambdaF, lambdaH = rightClosedForm.paper(fit.W, lambdaF, lambdaH)
		}
		alpha, beta, a0, b0 := fitByFormula(in.Phi.Dense(), in.Psi.Dense(), in.Psi2.Dense(), in.Y.Dense(), wx, wy, fit.W, lambdaF, lambdaH, fit.Intercept)
		var gap tally
		gap.equalMatrix(alpha, fit.Alpha.Dense(), 1)
		gap.equalMatrix(beta, fit.Beta.Dense(), 1)
		for k := range a0 {
			gap.equal(a0[k], fit.A0[k], 1)
			gap.equal(b0[k], fit.B0[k], 1)
		}
		gap.equalMatrix(predict(in.PhiQuery.Dense(), alpha, a0), fit.FQuery.Dense(), 1)
		if gap.worst > goldenTolerance {
			t.Errorf("%s w=%g intercept=%v weighted=%v: differs by %g", fit.Penalty, fit.W, fit.Intercept, fit.Weighted, gap.worst)
		}
	}
}
