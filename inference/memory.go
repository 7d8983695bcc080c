package inference

import (
	"mediant/moments"
	"mediant/problem"
	"mediant/solvers"
	"mediant/tables"
)

// errors is the memory for standard errors: sums and roots for each output, of two kinds where they are corrected, and rows.
func errors(f problem.Footprint, kind Covariance) float64 {
	p, q, k := f.P()+1, f.Q()+1, f.Outputs
	rows := tables.BlockRows / f.Folds()
	scores := moments.Bytes(p, 1) + moments.Bytes(q, 1) + 8*2*rows*(p+q) + 8*p*p
	if kind == Corrected {
		scores += moments.Bytes(p, 1) + moments.Bytes(q, 1) + 8*(3*q*q+p*p) + 8*2*rows*(p+q)
	}
	return solvers.InfluenceBytes(p, q) + 8*p*p + k*scores + 8*6*rows*(p+q)
}
