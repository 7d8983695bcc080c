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

// countFreedom sets the degrees of freedom of f and h a row in an assessment of 2Step-RR or Joint-RR, the means over outputs, if memory allows. They cost 2p³ + 2q³ flops for each pair of penalties.
func (c *Choice) countFreedom(a *risk.Assessment) {
	units := tunedOf(c.Method)
	if units == nil || c.Problem.Footprint().Within(freedomBytes, "") != nil {
		return
	}
	var left, right mat.SymDense
	intercept := !c.Problem.Setup().NoIntercept
	c.Problem.XU().LeftTo(&left, intercept)
	c.Problem.UY().LeftTo(&right, intercept)
	fitted := 1 - 1/float64(a.Risk.Folds) // the share of the rows
	of := func(m *mat.SymDense, rows float64, lambda func(solvers.Params) float64) float64 {
		known, sum := make(map[float64]float64), 0.
		for _, t := range units {
			l := lambda(t.params)
			if _, ok := known[l]; !ok {
				known[l] = min(solvers.Freedom(m, l)/(fitted*rows), mostFreedom)
			}
			sum += known[l]
		}
		return sum / float64(len(units))
	}
	a.Risk.FreedomF = of(&left, a.Risk.Rows.XU, func(p solvers.Params) float64 { return p.LambdaF })
	a.Risk.FreedomH = of(&right, a.Risk.Rows.UY, func(p solvers.Params) float64 { return p.LambdaH })
}

// freedomBytes is the memory for countFreedom: the covariance of each side, its factor and a solution.
func freedomBytes(f problem.Footprint) float64 {
	p, q := f.P(), f.Q()
	return f.Base() + f.Sums() + 16*(p*p+q*q) + solvers.FactorBytes(p) + solvers.FactorBytes(q)
}
