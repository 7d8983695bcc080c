package solvers

// FactorBytes is the largest size in bytes of a Factor of order n, reached in the eigendecomposition of a singular matrix.
func FactorBytes(n float64) float64 { return 8 * 2 * n * n }

// RidgeBytes is the size in bytes that RidgePath needs beside the CoMoments for p columns, k outputs and so many penalties:
// a factor and the coefficients.
func RidgeBytes(p, k, lambdas float64) float64 {
	return FactorBytes(p) + 8*lambdas*p*k
}

// SystemBytes is the size in bytes of a System with p features of X, q of U and k outputs, when it solves with w < 1: the
// normalised sums, both factors, the Schur complement and a product on the way to it, and the solution.
func SystemBytes(p, q, k float64) float64 {
	sums := p*p + p*q + 2*q*q + q*k
	schur := q*q + p*q
	return 8*(sums+schur+2*(p+q)*k) + FactorBytes(p) + FactorBytes(q)
}

// InfluenceBytes is the size in bytes that an Influence adds to its System, for factors and two products, with the five
// matrices of the larger order that Covariance holds for a moment.
func InfluenceBytes(p, q float64) float64 {
	n := max(p, q) + 1
	return FactorBytes(q) + 8*(2*p*q+q*q+5*n*n)
}
