package solvers

import "gonum.org/v1/gonum/mat"

// Freedom returns the degrees of freedom of a ridge regression on columns with the covariance m, p×p,
//
//	tr m (m + lambda I)⁻¹
//
// without that of an intercept (Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, section 3.4.1). It costs 7/3 p³ flops and panics as NewFactor does.
func Freedom(m *mat.SymDense, lambda float64) float64 {
	var solved mat.Dense
	NewFactor(m, lambda).SolveTo(&solved, mat.DenseCopyOf(m))
	return mat.Trace(&solved)
}
