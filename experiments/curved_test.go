package experiments

import (
	"context"
	"math"
	"testing"

	"mediant/internal/slow"
)

func TestCurvedRegressionIsTheMeanOfY(t *testing.T) {
	// Y less E[Y|X] has mean 0, alone and times x_1 or x_1²; its variance is Noise + D Var(v + Curve((a+v)² - a²)), v of
	// size Spread/2 and a of size 1 at most: below Noise + D (Spread/2 (1 + 3 Curve))² = 3.3 for the last distribution. Five
	// standard errors of 20,000 rows, exceeded by one of nine once in some 200,000.
	const n = 20000
	for _, c := range []Curved{{D: 2, Spread: 1, Noise: .1}, {D: 1, Curve: 2, Spread: .2, Noise: .01}, {D: 3, Curve: .3, Spread: 1, Noise: .1}} {
		xs, us, ys := c.rows(n, 1, "test")
		variance := c.Noise + float64(c.D)*math.Pow(c.Spread/2*(1+3*c.Curve), 2)
		var sums [3]float64
		x := make([]float64, c.D)
		for i := range n {
			h := 0.0
			for j := range x {
				x[j] = xs[j][i]
				h += us[j][i] + c.Curve*us[j][i]*us[j][i]
				if math.Abs(us[j][i]-x[j]*x[j]*x[j]) > c.Spread/2 {
					t.Fatalf("u = %g at x = %g", us[j][i], x[j])
				}
			}
			if math.Abs(ys[i]-h) > 6*math.Sqrt(c.Noise) { // once in 25,000 runs of 60,000 rows
				t.Fatalf("y = %g, h = %g", ys[i], h)
			}
			gap := ys[i] - c.Regression(x)
			for k, factor := range []float64{1, x[0], x[0] * x[0]} {
				sums[k] += gap * factor / n
			}
		}
		for k, sum := range sums {
			if most := 5 * math.Sqrt(variance/n); math.Abs(sum) > most {
				t.Errorf("%+v: y less its regression, times x_1^%d, has mean %g, want 0 within %g", c, k, sum, most)
			}
		}
	}
	// By hand: 0.3·3·1/12 and, at x = (1, 0, 0), 1 + 0.3 more.
	c := Curved{D: 3, Curve: .3, Spread: 1}
	if g, f := c.Gap(), c.Regression([]float64{1, 0, 0}); math.Abs(g-.075) > 1e-15 || math.Abs(f-1.375) > 1e-15 {
		t.Errorf("gap %g, regression %g, want 0.075 and 1.375", g, f)
	}
}

func TestNaivePaysForCurvatureOnly(t *testing.T) {
	slow.Only(t)
	// At Curve = 3, Spread = 1 naive is too low by 0.25 however many rows, an excess of 0.0625 and more; with a linear h
	// both have the error of 300 rows, some 0.1 (5 features or so)/300.
	var first Payoff
	for i, curve := range []float64{0, 3} {
		c := Curved{D: 1, Curve: curve, Spread: 1, Noise: .1}
		calls := 0
		p, err := c.Payoff(context.Background(), 300, 2, 1, func(int) { calls++ })
		if err != nil {
			t.Fatal(err)
		}
		if d := p.Naive.Value - p.TwoStep.Value - p.Difference.Value; calls != 2 || math.Abs(d) > 1e-15 {
			t.Errorf("%d calls, differences off by %g", calls, d)
		}
		if i == 0 {
			first = p
		} else if p.Difference.Value < .03 || math.Abs(first.Difference.Value) > .01 {
			t.Errorf("naive is worse by %g with a linear h and %g with a curved one", first.Difference.Value, p.Difference.Value)
		}
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Curved{D: 1, Spread: 1, Noise: .1}).Payoff(gone, 50, 2, 1, func(int) {}); err == nil {
		t.Error("a study that was called off has a result")
	}
}
