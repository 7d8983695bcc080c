package theory

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// docs/theory.md, 19: the second step of 2Step-RR with rows weighed by 1/v(x), v(x) = Var(hhat(U)|X = x). Given S_Y and the X of S_X,
// hhat(U_i) = g(X_i) + noise of variance v(X_i), g = E[hhat(U)|X]. If g = phi'gamma, every choice of weights has the mean gamma, and by
// Gauss, Markov and Aitken 1/v has the least variance. So the weights are best for the variance given hhat; the rest of the error, g - f*, is
// the same for all weights. If g is not in the class, not even where f* is, that rest depends on the weights and may grow.
//
// Measured on random designs by exact matrices, and on an example of the last sentence.

// A precision holds the formulas.
type precision struct {
	weight func(v float64) float64
	mean   float64 // of the coefficients, by gamma
	// example is the squared error of f in the example, from the weights' share on x = 1 (the other share is on x = -1), the variance of
	// hhat's own error and the noise of both halves of n rows.
	example func(share, ofH, noise1, noise2 float64, n int) float64
}

var rightPrecision = precision{
	weight: func(v float64) float64 { return 1 / v },
	mean:   1,
	example: func(share, ofH, noise1, noise2 float64, n int) float64 {
		half := float64(n) / 2
		return squared(2*share-1)*ofH + squared(share)*noise1/half + squared(1-share)*noise2/half
	},
}

func (k precision) claim() Claim {
	return Claim{
		Name:      "Weights by precision are best given hhat",
		Reference: "docs/theory.md, 19",
		Statement: "Given S_Y, weights by precision give f the least variance and leave its mean as it is, if the class of f has the regression of the fitted h on X. Where it has f* alone, they may make the whole error larger.",
		Formulas: []string{
			`\omega(X) = \frac{1}{\operatorname{Var}(\hat{h}(U)|X)},\quad E[\hat{f}|S_Y] = E[\hat{h}(U)|X]`,
		},
		Assumptions: "Given S_Y; rows of S_X independent; the variance is known.",
		Method:      "Covariances of weighted least squares on random designs, exactly; an example with constants f, X = ±1 and hhat - h* = e·k(U), E[k|X] = X.",
		Run:         k.run,
	}
}

type precisionTallies struct{ least, mean, total, example tally }

func (k precision) run(ctx context.Context, o Options) (Result, error) {
	var t precisionTallies
	for i := range o.distributionCount() / 4 {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		k.onDesign(&t, newSampler(o, "precision", i))
	}
	k.onExample(&t)
	return Result{Checks: t.checks()}, nil
}

func (t *precisionTallies) checks() []Check {
	return []Check{
		t.least.within("variance of f(x) with 1/v <= variance with other weights", conditioned),
		t.mean.within("mean of the coefficients = gamma, whatever the weights, where E[hhat|X] = phi'gamma", conditioned),
		t.example.identity("example: formula of the squared error = the sum over rows"),
		t.total.inequality("example: squared error with equal weights <= 2/3 of that with 1/v, E[hhat|X] not in the class"),
	}
}

// weighted returns (Phi'W Phi)⁻¹ Phi'W, which makes coefficients of targets.
func weightedLeastSquares(phi *mat.Dense, w []float64) *mat.Dense {
	n, _ := phi.Dims()
	scaled := mat.DenseCopyOf(phi)
	for i := range n {
		for j, v := range phi.RawRowView(i) {
			scaled.Set(i, j, w[i]*v)
		}
	}
	return solve(product(phi.T(), scaled), scaled.T())
}

// varianceAt is the variance of the coefficients along x under independent noise of variances v.
func varianceAt(x []float64, coefficients *mat.Dense, v []float64) float64 {
	sum := 0.0
	for i, noise := range v {
		c := 0.0
		for j, a := range x {
			c += a * coefficients.At(j, i)
		}
		sum += c * c * noise
	}
	return sum
}

func (k precision) onDesign(t *precisionTallies, s sampler) {
	p := s.integer(1, 4)
	n := s.integer(p+6, p+30)
	phi, gamma, x := s.dense(n, p), s.dense(p, 1), s.values(p)
	v, best, other := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range v {
		v[i] = s.between(.1, 5)
		best[i], other[i] = k.weight(v[i]), s.between(.1, 5)
	}
	if least, largest := extremes(meanProduct(phi, phi)); least < 1e-3*largest { // too near singular to tell
		return
	}
	atBest := weightedLeastSquares(phi, best)
	want := mat.DenseCopyOf(gamma)
	want.Scale(k.mean, want)
	least := varianceAt(x, atBest, v)
	for _, w := range [][]float64{other, constantWeights(n)} {
		c := weightedLeastSquares(phi, w)
		t.least.below(least, varianceAt(x, c, v), varianceAt(x, c, v))
		t.mean.equalMatrix(product(c, phi, gamma), want, norm(gamma))
	}
	t.mean.equalMatrix(product(atBest, phi, gamma), want, norm(gamma))
}

func constantWeights(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// onExample is f = constant, X = 1 and -1 in n/2 rows each with noise of variances 1 and 9, f* = 0, and hhat - h* = e k(U) with
// E[k|X] = X and E e² = 0.1.
func (k precision) onExample(t *precisionTallies) {
	const n, ofH = 100, .1
	noise := [2]float64{1, 9}
	errorOf := func(weight func(v float64) float64) float64 {
		phi, w, v := mat.NewDense(n, 1, nil), make([]float64, n), make([]float64, n)
		mean := 0.0
		for i := range n {
			phi.Set(i, 0, 1)
			v[i] = noise[i%2]
			w[i] = weight(v[i])
		}
		c := weightedLeastSquares(phi, w)
		for i := range n {
			mean += c.At(0, i) * float64(1-2*(i%2))
		}
		rows := squared(mean)*ofH + varianceAt([]float64{1}, c, v)
		share := weight(noise[0]) / (weight(noise[0]) + weight(noise[1]))
		t.example.equal(rows, k.example(share, ofH, noise[0], noise[1], n), 1)
		return rows
	}
	equal := errorOf(func(float64) float64 { return 1 })
	t.total.below(equal, errorOf(k.weight)*2/3, 1)
}
