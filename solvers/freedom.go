package solvers

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Freedom returns the degrees of freedom of a ridge regression on columns with the covariance m, p×p,
//
//	tr m (m + lambda I)⁻¹
//
// without that of an intercept (Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, section 3.4.1). It costs 4/3 p³ flops and panics as NewFactor does.
func Freedom(m *mat.SymDense, lambda float64) float64 {
	f := NewFactor(m, lambda)
	n := m.SymmetricDim()
	if f.Rank() < n {
		var solved mat.Dense
		f.SolveTo(&solved, mat.DenseCopyOf(m))
		return mat.Trace(&solved)
	}
	one := mat.NewDense(n, n, nil)
	for i := range n {
		one.Set(i, i, 1)
	}
	sum := 0. // tr (m + lambda I)⁻¹
	root := f.RootTimes(one)
	for i := range n {
		row := root.RawRowView(i)
		sum += floats.Dot(row, row)
	}
	return max(float64(n)-lambda*sum, 0)
}
