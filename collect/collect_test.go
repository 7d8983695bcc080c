package collect_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediant/collect"
	"mediant/internal/settingstest"
)

func ExampleAdvise() {
	// A variance that comes to 4/5 from the 2000 rows of X and U.
	risk := collect.Variance{XU: 8e-4, UY: 2e-4}
	a, err := collect.Advise(collect.Rows{XU: 2000, UY: 1000}, risk, nil, collect.Costs{XU: 1, UY: 4, Budget: 3000})
	if err != nil {
		panic(err)
	}
	fmt.Println(a)
	// Output:
	// of the variance of the risk 80 % is from the rows of X and U, 20 % from those of U and Y
	// its standard error is 0.0316; with 1000 more rows of X and U 0.0271, of U and Y 0.03; with twice the rows 0.0245 and 0.03
	// a budget of 3000 at 1 a row of X and U and 4 a row of U and Y is best spent on 3000 and 0 rows: standard error 0.0228
	// all of this is at the present bias of f and h; more rows also lower that, and so the risk itself
}

// TestParts: doubling both tables halves what is in proportion to 1/n or 1/m, and quarters what is to 1/(nm).
func TestParts(t *testing.T) {
	v := collect.Variance{XU: 4, UY: 2, Both: 8}
	if got, want := v.With(2, 2), (collect.Variance{XU: 2, UY: 1, Both: 2}); got != want {
		t.Errorf("twice the rows: %v, want %v", got, want)
	}
	if got, want := v.With(2, 1), (collect.Variance{XU: 2, UY: 2, Both: 4}); got != want {
		t.Errorf("twice the rows of S_X: %v, want %v", got, want)
	}
	if got := v.SE(); got != math.Sqrt(14) {
		t.Errorf("standard error %g, want the root of 14", got)
	}
	if got := (collect.Variance{}).Shares(); got != (collect.Variance{}) {
		t.Errorf("shares of nothing are %v", got)
	}
}

// TestLessNoise: f with half as many degrees of freedom as rows has twice the error of none on other rows, and with twice the rows 4/3 of it; h with a fifth 5/4 and 10/9.
func TestLessNoise(t *testing.T) {
	v := collect.Variance{XU: 9, UY: 9, Both: 9, FreedomF: .5, FreedomH: .2}
	near := func(got, want collect.Variance) bool {
		return math.Abs(got.XU-want.XU) < 1e-14*want.XU && math.Abs(got.UY-want.UY) < 1e-14*want.UY && got.Both == want.Both && got.FreedomF == want.FreedomF && got.FreedomH == want.FreedomH
	}
	if got, want := v.With(2, 1), (collect.Variance{XU: 2, UY: 9, Both: 4.5, FreedomF: .25, FreedomH: .2}); !near(got, want) {
		t.Errorf("twice the rows of S_X: %+v, want %+v", got, want)
	}
	const h = 8. / 9 // (10/9)/(5/4)
	if got, want := v.With(1, 2), (collect.Variance{XU: 9 * h * h, UY: 4.5 * h, Both: 4.5, FreedomF: .5, FreedomH: .1}); !near(got, want) {
		t.Errorf("twice the rows of S_Y: %+v, want %+v", got, want)
	}
	if got, want := v.With(2, 1).With(2, 1), v.With(4, 1); !near(got, want) {
		t.Errorf("twice the rows twice: %+v, want %+v", got, want)
	}
}

// TestForecast: 100 and 400 rows, a variance of 4 + 2 + 8.
func TestForecast(t *testing.T) {
	v := collect.Variance{XU: 4, UY: 2, Both: 8}
	a, err := collect.Advise(collect.Rows{XU: 100, UY: 400}, v, &v, collect.Costs{Budget: 1})
	if err != nil {
		t.Fatal(err)
	}
	root := math.Sqrt
	for _, of := range []struct {
		name      string
		got, want float64
	}{
		{"SE", a.F.SE, root(14)},
		{"share", a.F.Shares.Both, 8. / 14},
		{"MoreXU", a.F.MoreXU, root(4./11 + 2 + 8./11)},
		{"MoreUY", a.F.MoreUY, root(4 + 2/3.5 + 8/3.5)},
		{"DoubleXU", a.F.DoubleXU, root(2 + 2 + 4)},
		{"DoubleUY", a.F.DoubleUY, root(4 + 1 + 4)},
	} {
		if math.Abs(of.got-of.want) > 1e-14*of.want {
			t.Errorf("%s is %g, want %g", of.name, of.got, of.want)
		}
	}
	if *a.F != a.Risk {
		t.Errorf("one variance, two forecasts: %+v and %+v", *a.F, a.Risk)
	}
}

// TestBestSplits: cases whose solution is derived on paper. Equal variances and prices of tables of equal size: half each. All to one table: the other one has no part in
// the variance, or is so large already that more of it is not worth its price. The budget default is 1,000 rows of each.
func TestBestSplits(t *testing.T) {
	for _, of := range []struct {
		name string
		v    collect.Variance
		n    collect.Rows
		c    collect.Costs
		want collect.Rows
	}{
		{"equal", collect.Variance{XU: 1, UY: 1}, collect.Rows{XU: 50, UY: 50}, collect.Costs{Budget: 100}, collect.Rows{XU: 50, UY: 50}},
		{"default budget", collect.Variance{XU: 1, UY: 1}, collect.Rows{XU: 50, UY: 50}, collect.Costs{UY: 1, XU: 1}, collect.Rows{XU: 1000, UY: 1000}},
		// n V is 400 and 100, so rows 2:1, of 300 in all.
		{"four to one", collect.Variance{XU: 4, UY: 1}, collect.Rows{XU: 100, UY: 100}, collect.Costs{Budget: 100}, collect.Rows{XU: 100, UY: 0}},
		{"four to one, more", collect.Variance{XU: 4, UY: 1}, collect.Rows{XU: 100, UY: 100}, collect.Costs{Budget: 400}, collect.Rows{XU: 300, UY: 100}},
		// (n, m) in proportion to sqrt(V n/c): 10 sqrt 1 to 10 sqrt(1/4), so 2:1, of which one pair costs 2 + 4.
		{"dear rows", collect.Variance{XU: 1, UY: 1}, collect.Rows{XU: 100, UY: 100}, collect.Costs{XU: 1, UY: 4, Budget: 700}, collect.Rows{XU: 300, UY: 100}},
		{"one table", collect.Variance{XU: 0, UY: 1}, collect.Rows{XU: 100, UY: 100}, collect.Costs{XU: 1, UY: 3, Budget: 100}, collect.Rows{XU: 0, UY: 33}},
		{"the other", collect.Variance{XU: 1}, collect.Rows{XU: 100, UY: 100}, collect.Costs{Budget: 100}, collect.Rows{XU: 100, UY: 0}},
		{"both alone", collect.Variance{Both: 1}, collect.Rows{XU: 100, UY: 300}, collect.Costs{Budget: 300}, collect.Rows{XU: 250, UY: 50}},
		{"nothing", collect.Variance{}, collect.Rows{XU: 100, UY: 100}, collect.Costs{Budget: 30}, collect.Rows{XU: 15, UY: 15}},
	} {
		a, err := collect.Advise(of.n, of.v, nil, of.c)
		if err != nil {
			t.Fatal(err)
		}
		if a.Risk.Best != of.want {
			t.Errorf("%s: %v, want %v", of.name, a.Risk.Best, of.want)
		}
	}
}

// TestBestIsBest compares the closed form, and the search where f and h get better, with every split of the budget, a hundredth at a time.
func TestBestIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.Float64Range(0, 2)
		v := collect.Variance{XU: part.Draw(t, "xu"), UY: part.Draw(t, "uy"), Both: part.Draw(t, "both")}
		if rapid.Bool().Draw(t, "noise") {
			v.FreedomF, v.FreedomH = part.Draw(t, "f")/2.3, part.Draw(t, "h")/2.3
		}
		many := rapid.Float64Range(10, 1e5)
		n := collect.Rows{XU: many.Draw(t, "n"), UY: many.Draw(t, "m")}
		c := collect.Costs{XU: rapid.Float64Range(.01, 10).Draw(t, "cost xu"), UY: rapid.Float64Range(.01, 10).Draw(t, "cost uy"), Budget: many.Draw(t, "budget")}
		a, err := collect.Advise(n, v, nil, c)
		if err != nil {
			t.Fatal(err)
		}
		if spent := a.Risk.Best.XU*c.XU + a.Risk.Best.UY*c.UY; spent > c.Budget*(1+1e-8) {
			t.Errorf("%g spent of %g", spent, c.Budget)
		}
		// Rounding down costs less than a row of each table: the standard error with the rows rounded up is the least.
		up := v.With(1+(a.Risk.Best.XU+1)/n.XU, 1+(a.Risk.Best.UY+1)/n.UY).SE()
		for i := range 101 {
			x := float64(i) / 100 * c.Budget
			if se := v.With(1+x/c.XU/n.XU, 1+(c.Budget-x)/c.UY/n.UY).SE(); se < up*(1-1e-12) {
				t.Errorf("%d %% for S_X has the standard error %g, the advice %g (%g)", i, se, a.Risk.BestSE, up)
			}
		}
	})
}

func TestCostsAreChecked(t *testing.T) {
	settingstest.Run(t, settingstest.Case[collect.Costs]{
		Good: collect.Costs{XU: 1, UY: 2, Budget: 1e4},
		Use: func(c collect.Costs) error {
			_, err := collect.Advise(collect.Rows{XU: 1, UY: 1}, collect.Variance{XU: 1}, nil, c)
			return err
		},
		Fields: map[string][]any{"XU": {1e101, 1e-101}},
	})
	for _, n := range []collect.Rows{{XU: 0, UY: 1}, {XU: 1, UY: 0}, {XU: math.NaN(), UY: 1}} {
		if _, err := collect.Advise(n, collect.Variance{}, nil, collect.Costs{}); err == nil {
			t.Errorf("rows %v: no error", n)
		}
	}
}

// TestSentences: each part of the variance and f are in the text.
func TestSentences(t *testing.T) {
	v := collect.Variance{XU: 3, UY: 3, Both: 4}
	a, err := collect.Advise(collect.Rows{XU: 1000, UY: 1000}, collect.Variance{XU: 1, UY: 3}, &v, collect.Costs{})
	if err != nil {
		t.Fatal(err)
	}
	a.LeftOut = "something is left out"
	for _, want := range []string{
		"of the variance of the risk 25 % is from the rows of X and U, 75 % from those of U and Y\n",
		"of the variance of f(x), the mean over the rows of X and U, 30 % is from the rows of X and U, 30 % from those of U and Y, 40 % from both together\n",
		"something is left out\n",
	} {
		if !strings.Contains(a.String(), want) {
			t.Errorf("%q is not in\n%s", want, a)
		}
	}
}
