package search

import (
	"gonum.org/v1/gonum/mat"

	"mediant/problem"
	"mediant/risk"
	"mediant/solvers"
)

// mostFreedom is the largest share of the rows that degrees of freedom are said to be: beyond it the error on other rows is that of an interpolation, which no longer
// follows from them.
const mostFreedom = .9

// countFreedom sets the degrees of freedom of f and h a row in an assessment of 2Step-RR or Joint-RR, if memory allows. They cost 2p³ + 2q³ flops.
func (c *Choice) countFreedom(a *risk.Assessment) {
	t, ok := tunedOf(c.Method)
	if !ok || c.Problem.Footprint().Within(freedomBytes, "") != nil {
		return
	}
	var left, right mat.SymDense
	intercept := !c.Problem.Setup().NoIntercept
	c.Problem.XU().LeftTo(&left, intercept)
	c.Problem.UY().LeftTo(&right, intercept)
	fitted := 1 - 1/float64(a.Risk.Folds) // the share of the rows
	a.Risk.FreedomF = min(solvers.Freedom(&left, t.params.LambdaF)/(fitted*a.Risk.Rows.XU), mostFreedom)
	a.Risk.FreedomH = min(solvers.Freedom(&right, t.params.LambdaH)/(fitted*a.Risk.Rows.UY), mostFreedom)
}

// freedomBytes is the memory for countFreedom: the covariance of each side, its factor and a solution.
func freedomBytes(f problem.Footprint) float64 {
	p, q := f.P(), f.Q()
	return f.Base() + f.Sums() + 16*(p*p+q*q) + solvers.FactorBytes(p) + solvers.FactorBytes(q)
}
