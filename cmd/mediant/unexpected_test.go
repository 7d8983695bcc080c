package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mediant/check"
	"mediant/internal/draw"
	"mediant/risk"
	"mediant/rr"
)

// TestEvaluateUnexpected: an error in coupled rows that the estimate of the fit does not explain is a warning with both numbers, one that it explains is none.
func TestEvaluateUnexpected(t *testing.T) {
	inFolder(t)
	rnd := draw.Rand(8, "unexpected", 0)
	var xu, uy strings.Builder
	fmt.Fprintln(&xu, "x,u")
	fmt.Fprintln(&uy, "u,y")
	pair := func() (x, u, y float64) {
		x = rnd.NormFloat64()
		u = x + .3*rnd.NormFloat64()
		return x, u, 2*u + .3*rnd.NormFloat64()
	}
	for range 300 {
		x, u, _ := pair()
		fmt.Fprintf(&xu, "%v,%v\n", x, u)
		_, u, y := pair()
		fmt.Fprintf(&uy, "%v,%v\n", u, y)
	}
	write(t, "xu.csv", xu.String())
	write(t, "uy.csv", uy.String())
	fitLinear(t)
	var xs, ys []float64
	for range 200 {
		x, _, y := pair()
		xs, ys = append(xs, x), append(ys, y)
	}
	for name, c := range map[string]struct {
		spoil func(y []float64)
		warns bool
	}{
		"as they are":      {func([]float64) {}, false},
		"one row too low":  {func(y []float64) { copy(y[1:], slices.Clone(y)) }, true},
		"sorted by itself": {slices.Sort[[]float64], true},
		"shuffled":         {func(y []float64) { rnd.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] }) }, true},
		"of the model": {func(y []float64) {
			for i := range y {
				y[i] = 2 * xs[i]
			}
		}, true},
	} {
		y := slices.Clone(ys)
		c.spoil(y)
		var xy strings.Builder
		fmt.Fprintln(&xy, "x,y")
		for i, v := range y {
			fmt.Fprintf(&xy, "%v,%v\n", xs[i], v)
		}
		write(t, "xy.csv", xy.String())
		got := invoke(words("evaluate m.mediant --xy xy.csv")...)
		warned := strings.Contains(got.stderr, "warning: the MSE is ") && strings.Contains(got.stderr, "what the fit estimated: ")
		if got.status != statusDone || warned != c.warns {
			t.Errorf("%s: %+v", name, got)
		}
		if !c.warns {
			continue
		}
		if got := invoke(words("evaluate m.mediant --xy xy.csv --accept later-error")...); !strings.Contains(got.stderr, "note: the MSE is ") {
			t.Errorf("%s, accepted: %+v", name, got)
		}
		if got := invoke(words("evaluate m.mediant --xy xy.csv --strict")...); got.status != statusData || !strings.Contains(got.stderr, "later-error") {
			t.Errorf("%s, strict: %+v", name, got)
		}
	}
}

// TestUnexpectedError: of classes it is the share of those that are wrong; few rows, and estimates that there are not, say nothing.
func TestUnexpectedError(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	estimated := func(mse, half float64, accuracy *risk.Interval) *risk.Assessment {
		a := &risk.Assessment{Accuracy: accuracy}
		a.Risk.MSE, a.Risk.Known, a.Risk.Hi = mse, &mse, mse+half
		return a
	}
	share := &risk.Interval{Value: .9, Lo: .88, Hi: .92}
	unknown := estimated(1, .1, nil)
	unknown.Risk.Known = nil
	for name, c := range map[string]struct {
		a     *risk.Assessment
		score rr.Score
		want  string // "" for none
	}{
		"larger":            {estimated(2, .2, nil), rr.Score{Rows: 100, MSE: 4, SE: number(.2)}, "the MSE is 4, 2 times what the fit estimated: 2 (95 % interval 1.8 to 2.2)"},
		"smaller":           {estimated(2, .2, nil), rr.Score{Rows: 100, MSE: 1, SE: number(.05)}, "the MSE is 1, 0.5 times what the fit estimated: 2 (95 % interval 1.8 to 2.2)"},
		"by little":         {estimated(2, .02, nil), rr.Score{Rows: 100, MSE: 2.9, SE: number(.01)}, ""},
		"uncertain fit":     {estimated(2, 1, nil), rr.Score{Rows: 100, MSE: 4, SE: number(.01)}, ""},
		"uncertain rows":    {estimated(2, .01, nil), rr.Score{Rows: 100, MSE: 4, SE: number(.5)}, ""},
		"few rows":          {estimated(2, .2, nil), rr.Score{Rows: leastCoupled - 1, MSE: 4, SE: number(.2)}, ""},
		"no assessment":     {nil, rr.Score{Rows: 100, MSE: 4, SE: number(.2)}, ""},
		"no estimate":       {unknown, rr.Score{Rows: 100, MSE: 4, SE: number(.2)}, ""},
		"classes":           {estimated(2, .2, share), rr.Score{Rows: 100, MSE: 2, SE: number(.2), Accuracy: number(.6)}, "the share of rows whose class is wrong is 0.4, 4 times what the fit estimated: 0.1 (95 % interval 0.08 to 0.12)"},
		"classes as was":    {estimated(2, .2, share), rr.Score{Rows: 100, MSE: 9, SE: number(.2), Accuracy: number(.87)}, ""},
		"few without fault": {estimated(2, .2, share), rr.Score{Rows: 25, MSE: 2, SE: number(.2), Accuracy: number(1)}, ""},
	} {
		f := unexpectedError(c.a, c.score)
		if (f != nil) != (c.want != "") || f != nil && (f.What != c.want || f.Code != check.LaterError) {
			t.Errorf("%s: %+v, want %q", name, f, c.want)
		}
	}
}
