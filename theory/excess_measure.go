package theory

import (
	"fmt"
	"math"

	"mediant/report"
)

// sigmas is the number of standard errors that a Monte Carlo check allows: a normal variable is
// farther from its mean in 5.7e-7 of all cases.
const sigmas = 5

// exactly is the tolerance of sums of a few thousand products of order 1: each rounds by 1.1e-16 and
// errors add up to less than a thousand of them.
const exactly = 1e-12

// A gauge collects the checks of a claim under one reference.
type gauge struct {
	reference string
	checks    []Check
}

// add appends a check that holds if ok; a NaN in ok's comparison is false and so fails.
func (g *gauge) add(name, statement string, got, bound float64, relation string, se float64, ok bool) {
	verdict := Fails
	if ok {
		verdict = Holds
	}
	g.checks = append(g.checks, Check{
		Name: name, Reference: g.reference, Statement: statement,
		Got: got, Bound: bound, Relation: relation, StdErr: se, Verdict: verdict,
	})
}

// atMost checks got <= bound, up to sigmas standard errors of got.
func (g *gauge) atMost(name, statement string, got, bound, se float64) {
	g.add(name, statement, got, bound, "<=", se, got-sigmas*se <= bound)
}

// atLeast checks got >= bound, up to sigmas standard errors of got.
func (g *gauge) atLeast(name, statement string, got, bound, se float64) {
	g.add(name, statement, got, bound, ">=", se, got+sigmas*se >= bound)
}

// near checks |got - want| <= tol + sigmas standard errors of got; tol is the part that is not chance.
func (g *gauge) near(name, statement string, got, want, se, tol float64) {
	allowed := tol + sigmas*se
	g.add(name, statement, got, want, fmt.Sprintf("= within %.2g", allowed), se, math.Abs(got-want) <= allowed)
	g.checks[len(g.checks)-1].Deviation = want == 0 && se == 0
}

// A tallied is a mean and its standard error, by Welford's recurrence.
type tallied struct{ n, mean, squares float64 }

func (t *tallied) add(v float64) {
	t.n++
	d := v - t.mean
	t.mean += d / t.n
	t.squares += d * (v - t.mean)
}

func (t *tallied) se() float64 { return math.Sqrt(t.squares / (t.n - 1) / t.n) }

// A slope is a least-squares line through points of known standard errors on log-log axes.
type slope struct{ exponent, se float64 }

// logSlope fits log y = c + exponent log x; se are standard errors of y, 0 for exact values. The
// standard error of the exponent follows from those, to first order.
func logSlope(x, y, se []float64) slope {
	var mean float64
	for _, v := range x {
		mean += math.Log(v) / float64(len(x))
	}
	var sxx float64
	for _, v := range x {
		sxx += square(math.Log(v) - mean)
	}
	var s slope
	for i, v := range x {
		c := (math.Log(v) - mean) / sxx
		s.exponent += c * math.Log(y[i])
		s.se += square(c * se[i] / y[i])
	}
	s.se = math.Sqrt(s.se)
	return s
}

func square(v float64) float64 { return v * v }

// number and words are cells of a table.
func number(v float64) report.Cell { return report.Cell{Value: &v} }
func words(s string) report.Cell   { return report.Cell{Text: s} }

// numbers is a row of number cells.
func numbers(vs ...float64) []report.Cell {
	row := make([]report.Cell, len(vs))
	for i, v := range vs {
		row[i] = number(v)
	}
	return row
}
