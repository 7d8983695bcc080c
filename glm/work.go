package glm

import "mediant/losses"

// Work is an estimated number of floating-point operations, with the least and the most that are likely.
type Work struct{ Typical, Least, Most float64 }

// A fit by Newton took 5 to 8 passes for counts, each with a system of its own. The passes of one by Bound depend on how far the classes are separable, which is not known before: their bound by the condition number, 1/(4 lambda) for
// features of norm 1, is ten times as many as there are. For classes that overlap, and the penalties 1e-6 to 1e-2, there were 5 to 30, for images of digits 40 to 490 from 1e-3 to 1e-6, some 170 on average.
const newtonPasses = 8

var boundPasses = Work{Typical: 40, Least: 10, Most: 170}

// WorkOf estimates what a fit to n rows of p features and k outputs takes, by the solver that Auto is for the loss. Features are not part of it.
func WorkOf(loss losses.Canonical, n, p, k float64) Work {
	p++ // the intercept
	pass := 4 * n * p * k
	if _, classes := loss.(losses.Log); !classes {
		all := newtonPasses * (pass + k*(k+1)*n*p*p + p*p*p*k*k*k/3)
		return Work{all, all, all}
	}
	factor := 2*n*p*p + p*p*p/3
	of := func(passes float64) float64 { return factor + passes*(pass+2*p*p*k) }
	return Work{of(boundPasses.Typical), of(boundPasses.Least), of(boundPasses.Most)}
}
