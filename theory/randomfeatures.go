package theory

import (
	"context"
	"math"
)

// A featureFormula is what is claimed of feature maps. k1 and k2 are kernel values at a
// distance and at twice that.
type featureFormula struct {
	variance  func(k1, k2 float64, size int) float64 // of phi(x)'phi(y), independent frequencies
	meanAbs   float64                                // E|Z| of a standard normal Z
	exponent  float64                                // of the mean absolute error in the number of features
	together  func(d int, t float64) float64         // E cos cos' of two orthogonal frequencies, t = |delta|²/(2b²)
	pivot     func(eigenvalues []float64)            // one random pivot, in place
	pivotsFor func(r int, eps, eta float64) float64  // for trace error (1+eps) times the best of rank r
	tail      func(eigenvalues []float64, r int) float64
}

func featureConstants() featureFormula {
	return featureFormula{
		variance:  func(k1, k2 float64, size int) float64 { return (1 + k2 - 2*k1*k1) / float64(size) },
		meanAbs:   math.Sqrt(2 / math.Pi),
		exponent:  -.5,
		together:  cosinesTogether,
		pivot:     expectedPivot,
		pivotsFor: pivotsFor,
		tail:      tailSum,
	}
}

// cosinesTogether is E cos(omega'delta) cos(omega”delta) for two orthogonal frequencies of the Gaussian
// kernel in d dimensions. Their sum and difference have the length of a Gaussian vector in 2d
// dimensions, over b, and a uniform direction in d. Averaging the Bessel series of such a direction
// over that length gives, by docs/theory.md, 13,
//
//	1F1(d; d/2; -t) = exp(-t) 1F1(-d/2; d/2; t)
//
// The second series is finite for even d. Its terms are at most exp(t) in sum; for t <= 8 rounding is
// below 1e-12.
func cosinesTogether(d int, t float64) float64 {
	m := float64(d) / 2
	sum, term := 1.0, 1.0
	for j := 0.0; j < 200 && term != 0; j++ {
		term *= (j - m) / (j + m) * t / (j + 1)
		sum += term
	}
	return math.Exp(-t) * sum
}

// randomFeatureClaims are the errors of the kernels that feature maps approximate.
func randomFeatureClaims() []Claim { return randomFeatureClaimsOf(featureConstants()) }

func randomFeatureClaimsOf(f featureFormula) []Claim {
	return []Claim{{
		Name:      "Random Fourier features: error and rate",
		Reference: "docs/theory.md, 7 and 13",
		Statement: "phi(x)'phi(y) has mean k(x-y) and variance [1 + k(2(x-y)) - 2 k(x-y)²]/D, and mean absolute error sqrt(2/pi) of " +
			"its root, so D^(-1/2), up to terms in 1/D.",
		Assumptions: "k is shift-invariant with k(0) = 1; frequencies are independent draws of its spectral distribution.",
		Method:      "Monte Carlo over maps made by package features: Gaussian, Laplacian and Matérn 3/2 kernels, three distances, slope in D.",
		Run:         func(ctx context.Context, o Options) (Result, error) { return runFourier(ctx, f, o) },
	}, {
		Name:      "Orthogonal features beat independent ones",
		Reference: "Yu et al., NIPS 2016; docs/theory.md, 13",
		Statement: "For the Gaussian kernel two orthogonal frequencies have E cos cos' = exp(-t) 1F1(-d/2; d/2; t), t = |x-y|²/(2b²), below the " +
			"k² of independent ones wherever 1F1 < exp(-t): for all t if d = 2, for |x-y| <= 2b in all dimensions checked, but not " +
			"everywhere: at d = 8 and |x-y| = 3b orthogonal features are 0.2 % worse.",
		Assumptions: "Gaussian kernel; directions are uniform orthonormal blocks, lengths independent.",
		Method:      "Mean squared errors of both maps by Monte Carlo against their exact variances, d from 2 to 16.",
		Run:         func(ctx context.Context, o Options) (Result, error) { return runOrthogonal(ctx, f, o) },
	}, {
		Name:      "Nyström error against the eigenvalue tail",
		Reference: "Chen, Epperly, Tropp and Webber, 2022; docs/theory.md, 13",
		Statement: "With r landmarks the trace of the error is at least the sum of all but the r largest eigenvalues. With k random pivots " +
			"its mean is at most the trace after k steps lambda <- lambda - lambda²/Σ lambda, with equality for k = 1, and at most (1+eps) times that " +
			"tail once k >= r/eps + r log(1/(eps eta)), eta = tail/trace.",
		Assumptions: "K is positive semidefinite.",
		Method:      "Landmarks by package features, eigenvalues by gonum; the expected first step by summation over all pivots; the number of pivots on the hardest spectra, r equal eigenvalues and a flat tail.",
		Run:         func(ctx context.Context, o Options) (Result, error) { return runNystrom(ctx, f, o) },
	}}
}
