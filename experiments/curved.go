package experiments

import (
	"context"
	"fmt"
	"math"

	"mediant/baselines"
	"mediant/internal/bounds"
	"mediant/internal/draw"
	"mediant/problem"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// A Curved is a distribution that says when the naive chain is as good as 2Step-RR: X uniform on [-1, 1]^D,
// U_j = X_j³ + Spread·uniform[-1/2, 1/2], and Y = h(U) + N(0, Noise), h(u) = Σ u_j + Curve |u|². Noise is a variance.
// Conditional mean independence holds.
type Curved struct {
	D                    int
	Curve, Spread, Noise float64
}

// Gap returns E[h(U)|X] - h(E[U|X]) = Curve D Spread²/12, the same for every x (docs/theory.md, section 9.6): what the
// naive chain is too low by with any number of rows.
func (c Curved) Gap() float64 { return c.Curve * float64(c.D) * c.Spread * c.Spread / 12 }

// Regression returns E[Y|X = x] = Σ x_j³ + Curve Σ (x_j⁶ + Spread²/12).
func (c Curved) Regression(x []float64) float64 {
	sum := c.Gap()
	for _, v := range x {
		cube := v * v * v
		sum += cube + c.Curve*cube*cube
	}
	return sum
}

// XU draws n rows of (X, U), UY and XY independent rows of (U, Y) and of (X, Y).
func (c Curved) XU(n int, seed uint64) (tables.Source, error) {
	if err := bounds.First(c.Validate(), atLeast("the number of rows", n, 1)); err != nil {
		return nil, err
	}
	xs, us, _ := c.rows(n, seed, "xu")
	return sides(map[string][][]float64{"x": xs, "u": us})
}

// UY draws n rows of (U, Y).
func (c Curved) UY(n int, seed uint64) (tables.Source, error) {
	if err := bounds.First(c.Validate(), atLeast("the number of rows", n, 1)); err != nil {
		return nil, err
	}
	_, us, ys := c.rows(n, seed, "uy")
	return sides(map[string][][]float64{"u": us, "y": {ys}})
}

// XY draws n coupled rows of (X, Y).
func (c Curved) XY(n int, seed uint64) (tables.Source, error) {
	if err := bounds.First(c.Validate(), atLeast("the number of rows", n, 1)); err != nil {
		return nil, err
	}
	xs, _, ys := c.rows(n, seed, "xy")
	return sides(map[string][][]float64{"x": xs, "y": {ys}})
}

// rows draws columns of X, of U, and Y.
func (c Curved) rows(n int, seed uint64, name string) (xs, us [][]float64, ys []float64) {
	rnd := draw.Rand(seed, "experiments/curved/"+name, 0)
	xs, us, ys = make([][]float64, c.D), make([][]float64, c.D), make([]float64, n)
	for j := range c.D {
		xs[j], us[j] = make([]float64, n), make([]float64, n)
	}
	for i := range n {
		ys[i] = math.Sqrt(c.Noise) * rnd.NormFloat64()
		for j := range c.D {
			x := 2*rnd.Float64() - 1
			u := x*x*x + c.Spread*(rnd.Float64()-.5)
			xs[j][i], us[j][i] = x, u
			ys[i] += u + c.Curve*u*u
		}
	}
	return xs, us, ys
}

// A Payoff compares the naive chain with 2Step-RR over draws: the means of (f(X) - E[Y|X])² of both, and of their
// difference, naive less 2Step-RR, draw by draw.
type Payoff struct{ Naive, TwoStep, Difference Mean }

// Payoff fits both to n rows of each table. Features, bandwidths and penalties are what a search chooses for 2Step-RR.
// show is called before each draw.
func (c Curved) Payoff(ctx context.Context, n, draws int, seed uint64, show func(draw int)) (Payoff, error) {
	excess := [3][]float64{make([]float64, draws), make([]float64, draws), make([]float64, draws)}
	for i := range draws {
		show(i)
		one, err := c.compare(ctx, n, seed+uint64(i))
		if err != nil {
			return Payoff{}, err
		}
		excess[0][i], excess[1][i], excess[2][i] = one[0], one[1], one[0]-one[1]
	}
	return Payoff{meanOf(excess[0]), meanOf(excess[1]), meanOf(excess[2])}, nil
}

// compare returns the excess of the naive chain and of 2Step-RR on one draw.
func (c Curved) compare(ctx context.Context, n int, seed uint64) ([2]float64, error) {
	xu, err := c.XU(n, seed)
	if err != nil {
		return [2]float64{}, err
	}
	uy, err := c.UY(n, seed)
	if err != nil {
		return [2]float64{}, err
	}
	choice, err := search.Search{Setup: problem.Setup{Seed: seed}, W: rr.Value(1)}.Choose(ctx, xu, uy)
	if err != nil {
		return [2]float64{}, err
	}
	two, ok := choice.Method.(rr.TwoStep)
	if !ok {
		return [2]float64{}, fmt.Errorf("experiments: a search at w = 1 chose %T, want 2Step-RR", choice.Method)
	}
	var out [2]float64
	for i, solver := range []rr.Method{baselines.Naive{LambdaG: two.LambdaF, LambdaH: two.LambdaH}, two} {
		m, err := solver.Fit(ctx, choice.Problem)
		if err != nil {
			return out, err
		}
		if out[i], err = excessOf(m, c.D, c.Regression, excessRows, seed); err != nil {
			return out, err
		}
	}
	return out, nil
}
