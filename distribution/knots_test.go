package distribution

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"mediant/risk"
)

func weigh(values ...float64) []weightedValue {
	var out []weightedValue
	for _, v := range values {
		out = append(out, weightedValue{v, 1})
	}
	return out
}

func TestKnots(t *testing.T) {
	many := make([]float64, 100)
	for i := range many {
		many[i] = float64(100 - i)
	}
	for name, c := range map[string]struct {
		values []weightedValue
		count  int
		want   Knots
	}{
		"two values":     {weigh(1, 0, 1), 50, Knots{0, []float64{0, 1}, true}},
		"five quantiles": {weigh(many...), 5, Knots{1, []float64{10, 30, 50, 70, 90, 100}, false}},
		"a mass at the least": {append(weigh(many...), weightedValue{0, 100}), 5,
			Knots{0, []float64{0, 40, 80, 100}, false}}, // levels .1, .3, .5, .7, .9 of 200
		"weights": {[]weightedValue{{3, 0}, {1, 1}, {2, 3}, {9, 0}}, 50, Knots{1, []float64{1, 2}, true}},
	} {
		got, err := newKnots(c.values, c.count)
		if err != nil || got.Min != c.want.Min || got.Discrete != c.want.Discrete || !slices.Equal(got.Thresholds, c.want.Thresholds) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		}
	}
	if _, err := newKnots(weigh(2, 2), 5); err == nil {
		t.Error("one value has knots")
	}
}

// TestQuantiles: worked examples, and what the indicators of the ends of an interval sum to.
func TestQuantiles(t *testing.T) {
	line := Knots{0, []float64{1, 2, 4}, false}
	cdf := []float64{.2, .6, 1}
	for p, want := range map[float64]float64{.1: .5, .2: 1, .4: 1.5, .8: 3} {
		if got := line.quantile(cdf, p).value; math.Abs(got-want) > 1e-15 {
			t.Errorf("the quantile at %g is %g, want %g", p, got, want)
		}
	}
	steps := Knots{0, []float64{0, 1, 5}, true}
	for p, want := range map[float64]float64{.1: 0, .2: 0, .3: 1, .6: 1, .7: 5} {
		if got := steps.quantile(cdf, p).value; got != want {
			t.Errorf("the quantile of steps at %g is %g, want %g", p, got, want)
		}
	}
	if m := line.mean(cdf); math.Abs(m-(.2*.5+.4*1.5+.4*3)) > 1e-15 {
		t.Errorf("the mean is %g", m)
	}
	if m := steps.mean(cdf); math.Abs(m-(.4*1+.4*5)) > 1e-15 {
		t.Errorf("the mean of steps is %g", m)
	}
	for _, c := range []struct {
		k      Knots
		lo, hi float64
		want   float64
	}{
		{line, .1, .8, .7}, {steps, .1, .3, .6}, {steps, .3, .7, .8},
		{Knots{1, []float64{1, 2, 4}, false}, .1, .8, .8}, // .2 at 1, the least, which is in the interval
	} {
		w := make([]float64, 3)
		c.k.quantile(cdf, c.hi).addUpTo(w, 1)
		c.k.addBelow(c.k.quantile(cdf, c.lo), w, -1)
		if got := floats.Dot(w, cdf); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%+v from %g to %g has probability %g, want %g", c.k, c.lo, c.hi, got, c.want)
		}
	}
}

func drawKnots(t *rapid.T) (Knots, []float64) {
	n := rapid.IntRange(2, 9).Draw(t, "n")
	gap := rapid.Float64Range(.01, 3)
	k := Knots{Min: rapid.Float64Range(-5, 5).Draw(t, "least"), Discrete: rapid.Bool().Draw(t, "discrete")}
	at := k.Min
	for i := range n {
		if i > 0 || !k.Discrete && rapid.Bool().Draw(t, "no mass at the least") {
			at += gap.Draw(t, "gap")
		}
		k.Thresholds = append(k.Thresholds, at)
	}
	cdf := rapid.SliceOfN(rapid.Float64Range(-.5, 1.5), n, n).Draw(t, "cdf")
	k.rearrange(cdf)
	return k, cdf
}

// TestDistributionFunctions: whatever was predicted, the distribution function does not decrease, stays within 0 and 1 and reaches 1; quantiles are within the range and do not decrease, and
// have the probability that was asked for, or more if Y is discrete.
func TestDistributionFunctions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, cdf := drawKnots(t)
		if !slices.IsSorted(cdf) || cdf[0] < 0 || cdf[len(cdf)-1] != 1 {
			t.Fatalf("rearranged to %v", cdf)
		}
		if err := k.Validate(); err != nil {
			t.Fatal(err)
		}
		before := k.Min
		for _, p := range []float64{.001, .1, .5, .77, .999} {
			q := k.quantile(cdf, p)
			if !(q.value >= before-1e-12) || q.value > k.Thresholds[len(cdf)-1]+1e-12 {
				t.Errorf("the quantile at %g is %g, after %g", p, q.value, before)
			}
			before = q.value
			w := make([]float64, len(cdf))
			q.addUpTo(w, 1)
			got := floats.Dot(w, cdf)
			mass := k.Discrete || q.value == k.Min
			if mass && got < p-1e-12 || !mass && math.Abs(got-p) > 1e-9 {
				t.Errorf("P(Y <= quantile at %g) is %g", p, got)
			}
		}
	})
}

// TestScaleIsCRPS: the squared error of the outputs is the integral of the squared difference to a step, exactly for steps at knots, and by the trapezoidal rule else.
func TestScaleIsCRPS(t *testing.T) {
	cdf := []float64{.2, .6, 1}
	for name, c := range map[string]struct {
		k    Knots
		want float64
	}{
		"discrete":  {Knots{0, []float64{0, 1, 5}, true}, .2*.2*1 + .4*.4*4},
		"trapezoid": {Knots{-1, []float64{0, 1, 5}, false}, .2*.2*1 + .4*.4*2.5},
	} {
		// Y = 1, the indicators of which are 0, 1, 1.
		sum := 0.
		for j, s := range c.k.outputs().Scale {
			gap := cdf[j]
			if j > 0 {
				gap--
			}
			sum += s * s * gap * gap
		}
		if math.Abs(sum-c.want) > 1e-15 {
			t.Errorf("%s: %g, want %g", name, sum, c.want)
		}
	}
}

// TestHats: they sum to 1, reproduce straight lines between the ends, and are constant beyond.
func TestHats(t *testing.T) {
	h := hats{-1, 0, 2}
	for v, want := range map[float64]float64{-1: -1, -.25: -.25, 1: 1, 2: 2, -9: -1, 7: 2} {
		row := make([]float64, 3)
		h.row(row, v)
		if floats.Sum(row) != 1 || math.Abs(floats.Dot(row, h)-want) > 1e-15 {
			t.Errorf("at %g they are %v", v, row)
		}
	}
}

// TestTune: between levels, before the first, beyond the last, and where estimates decrease.
func TestTune(t *testing.T) {
	a := &Assessment{}
	for _, l := range [][3]float64{{.5, .4, .02}, {.8, .7, .01}, {.85, .69, .01}, {.9, .9, .03}} {
		a.Levels = append(a.Levels, Level{l[0], risk.Interval{Value: l[1], SE: l[2], Lo: l[1] - 2*l[2], Hi: l[1] + 2*l[2]}})
	}
	for _, c := range []struct{ want, nominal, se float64 }{{.2, .25, .01}, {.55, .65, .015}, {.8, .875, .02}, {.95, .95, .015}} {
		nominal, cover := a.Tune(c.want)
		if math.Abs(nominal-c.nominal) > 1e-12 || math.Abs(cover.Value-c.want) > 1e-12 || math.Abs(cover.SE-c.se) > 1e-12 || !(cover.Lo < c.want && c.want < cover.Hi) {
			t.Errorf("%g: nominal %g, coverage %+v, want %g with standard error %g", c.want, nominal, cover, c.nominal, c.se)
		}
	}
}
