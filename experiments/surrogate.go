package experiments

import (
	"mediant/internal/bounds"
	"mediant/internal/draw"
	"mediant/tables"
)

// A Surrogate is the distribution of a randomised study, T ~ Bernoulli(Share) and U ~ N(T (0.5, 0.3), I), and of a
// cohort in which U is spread otherwise, U ~ N((0.2, 0), diag(1.3², 1.2²)), and Y = Level + U1 + U2² + N(0, 1).
// The effect of T on Y is Effect, whatever Level is.
type Surrogate struct{ Share, Level float64 }

// Effect is E[U1 + U2²|T=1] - E[U1 + U2²|T=0].
const Effect = .5 + .3*.3

// XU draws n rows of treatment "t" and U.
func (s Surrogate) XU(n int, seed uint64) (tables.Source, error) {
	if err := bounds.First(s.Validate(), atLeast("the number of rows", n, 1)); err != nil {
		return nil, err
	}
	rnd := draw.Rand(seed, "experiments/surrogate/xu", 0)
	t, u1, u2 := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		if rnd.Float64() < s.Share {
			t[i] = 1
		}
		u1[i], u2[i] = .5*t[i]+rnd.NormFloat64(), .3*t[i]+rnd.NormFloat64()
	}
	return tables.FromColumns(tables.Numbers("t", t), tables.Numbers("u1", u1), tables.Numbers("u2", u2))
}

// UY draws n rows of U and Y.
func (s Surrogate) UY(n int, seed uint64) (tables.Source, error) {
	if err := bounds.First(s.Validate(), atLeast("the number of rows", n, 1)); err != nil {
		return nil, err
	}
	rnd := draw.Rand(seed, "experiments/surrogate/uy", 0)
	u1, u2, y := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		u1[i], u2[i] = .2+1.3*rnd.NormFloat64(), 1.2*rnd.NormFloat64()
		y[i] = s.Level + u1[i] + u2[i]*u2[i] + rnd.NormFloat64()
	}
	return tables.FromColumns(tables.Numbers("u1", u1), tables.Numbers("u2", u2), tables.Numbers("y", y))
}
