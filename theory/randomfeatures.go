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
		Statement: "The product of random Fourier features is unbiased for the kernel, with this variance; its mean absolute error falls as one over the root of the number of features.",
		Formulas: []string{
			`E\,\phi(x)'\phi(y) = k(x-y),\quad \operatorname{Var} = \frac{1 + k(2(x-y)) - 2k(x-y)^2}{D}`,
		},
		Assumptions: "k is shift-invariant with k(0) = 1; frequencies are independent draws of its spectral distribution.",
		Method:      "Monte Carlo over maps made by package features: Gaussian, Laplacian and Matérn 3/2 kernels, three distances, slope in D.",
		Run:         func(ctx context.Context, o Options) (Result, error) { return runFourier(ctx, f, o) },
	}, {
		Name:      "Orthogonal features beat independent ones",
		Reference: "Yu et al., NIPS 2016; docs/theory.md, 13",
		Statement: "Orthogonal frequencies of the Gaussian kernel have a smaller error than independent ones wherever their mean product of cosines is below that of independent ones: everywhere if d = 2, up to two bandwidths in all dimensions checked, but not everywhere: at d = 8 and three bandwidths they are 0.2 % worse.",
		Formulas: []string{
			`E\,\operatorname{cos}\,\operatorname{cos}' = e^{-t}\,{}_1F_1(-\frac{d}{2};\frac{d}{2};t),\quad t = \frac{|x-y|^2}{2b^2}`,
			`E\,\operatorname{cos}\,E\,\operatorname{cos}' = k^2 = e^{-2t}`,
		},
		Assumptions: "Gaussian kernel; directions are uniform orthonormal blocks, lengths independent.",
		Method:      "Mean squared errors of both maps by Monte Carlo against their exact variances, d from 2 to 16.",
		Run:         func(ctx context.Context, o Options) (Result, error) { return runOrthogonal(ctx, f, o) },
	}, {
		Name:      "Nyström error against the eigenvalue tail",
		Reference: "Chen, Epperly, Tropp and Webber, 2022; docs/theory.md, 13",
		Statement: "No r landmarks leave less than the sum of all but the r largest eigenvalues. Randomly pivoted Cholesky leaves in the mean at most what this recursion of the eigenvalues leaves, exactly so after one step, and nearly the least after few more.",
		Formulas: []string{
			`\lambda_i \to \lambda_i - \frac{\lambda_i^2}{\sum_j \lambda_j}`,
			`k \ge \frac{r}{\epsilon} + r\operatorname{log}\frac{1}{\epsilon\eta}:\quad E\,\text{trace} \le (1+\epsilon)\sum_{i>r}\lambda_i,\quad \eta = \frac{\sum_{i>r}\lambda_i}{\sum_i\lambda_i}`,
		},
		Assumptions: "K is positive semidefinite.",
		Method:      "Landmarks by package features, eigenvalues by gonum; the expected first step by summation over all pivots; the number of pivots on the hardest spectra, r equal eigenvalues and a flat tail.",
		Run:         func(ctx context.Context, o Options) (Result, error) { return runNystrom(ctx, f, o) },
	}}
}
