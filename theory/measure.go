package theory

import (
	"fmt"
	"math"
)

// exact is the tolerance of identities on finite distributions, relative to the size of their terms. A term is
// a sum of a few hundred compensated products of conditional means, each right to some ten eps, so that
// an identity of a few terms errs by less than 100 eps = 2e-14; 1e-12 leaves a factor of 50 for distributions
// whose conditional means come from small probabilities, and no wrong formula comes near it.
const exact = 1e-12

// allowed is the number of standard errors that a Monte Carlo check allows. A normal error exceeds 7
// once in 4e11 runs. Means of R squared errors are skewed; by Cramér's correction of Student's
// statistic that multiplies the odds by exp(skewness·7³/(3 sqrt R)), 2e3 for R = 600 and a skewness of
// 1.6, that of the squared errors of claim 4. There are fewer than ten such checks: below 1e-7 in all.
const allowed = 7

// atMost says got <= bound.
func atMost(statement string, got, bound float64) Check {
	return Check{Statement: statement, Got: finite(got), Bound: bound, Relation: "<=", Verdict: verdict(got <= bound)}
}

// above says got > bound.
func above(statement string, got, bound float64) Check {
	return Check{Statement: statement, Got: finite(got), Bound: bound, Relation: ">", Verdict: verdict(got > bound)}
}

// near says that got equals want but for allowed standard errors and an allowance.
func near(statement string, got, want, stdErr, allowance float64) Check {
	tol := allowed*stdErr + allowance
	return Check{
		Statement: statement, Got: finite(got), Bound: finite(want), StdErr: finite(stdErr),
		Relation: fmt.Sprintf("= ± %.2g", tol), Verdict: verdict(math.Abs(got-want) <= tol),
	}
}

func verdict(holds bool) Verdict {
	if holds {
		return Holds
	}
	return Fails
}

// finite replaces what JSON cannot hold, and no check that holds has, by the largest float.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 1) {
		return math.MaxFloat64
	}
	return max(v, -math.MaxFloat64)
}

// A tally is the worst of many comparisons, relative to the size of their terms. The zero value has
// seen none.
type tally struct {
	worst float64
	count int
}

// equal compares two sides of an identity.
func (t *tally) equal(a, b, size float64) { t.note(math.Abs(a-b), size) }

// equalAll compares numbers of order 1 one by one.
func (t *tally) equalAll(a, b []float64) {
	for i := range a {
		t.equal(a[i], b[i], 1)
	}
}

// below compares the two sides of a <= b.
func (t *tally) below(a, b, size float64) { t.note(a-b, size) }

func (t *tally) note(gap, size float64) {
	if gap != 0 {
		gap /= size
	}
	gap = finite(gap)
	if t.count == 0 || gap > t.worst {
		t.worst = gap
	}
	t.count++
}

// identity is the check that two sides are equal throughout.
func (t *tally) identity(statement string) Check {
	return t.within(statement, exact)
}

// inequality is the check that a <= b throughout; below 0, the worst says how close they came.
func (t *tally) inequality(statement string) Check {
	return t.within(statement, exact)
}

// within is the check that the worst is at most tol.
func (t *tally) within(statement string, tol float64) Check {
	c := atMost(fmt.Sprintf("%s (worst of %d)", statement, t.count), t.worst, tol)
	c.Deviation = true
	if t.count == 0 {
		c.Verdict = Fails
	}
	return c
}

// distributionCount is the number of random finite distributions of each kind that an exact check goes through.
func (o Options) distributionCount() int {
	if o.Quick {
		return 1000
	}
	return 20000
}
