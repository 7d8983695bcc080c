package report

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"pgregory.net/rapid"
)

// axisOf has settled on values.
func axisOf(log bool, values ...float64) axis {
	a := newAxis(log)
	for _, v := range values {
		if a.holds(v) {
			a.add(a.position(v))
		}
	}
	a.settle()
	return a
}

func labels(ticks []plot.Tick) string {
	var out []string
	for _, t := range ticks {
		if t.Label != "" {
			out = append(out, t.Label)
		}
	}
	return strings.Join(out, " ")
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		log    bool
		values []float64
		want   string
	}{
		{false, nil, "0 0.2 0.4 0.6 0.8 1.0"},
		{false, []float64{0, 1}, "0 0.2 0.4 0.6 0.8 1.0"},
		{false, []float64{0.1, 12}, "0 2 4 6 8 10 12"},
		{false, []float64{95, 105}, "96 98 100 102 104"},
		{false, []float64{-3, 2}, "−3 −2 −1 0 1 2"},
		{false, []float64{-12, -1}, "−12 −10 −8 −6 −4 −2 0"},
		{false, []float64{0, 4e-5}, "0 1e−5 2e−5 3e−5 4e−5"},
		{false, []float64{2e6, 1e7}, "0 2e6 4e6 6e6 8e6 1e7"},
		{false, []float64{5, 5}, "4.6 4.8 5.0 5.2 5.4"},
		{false, []float64{0, 0}, "−0.4 −0.2 0 0.2 0.4"},
		{true, []float64{100, 12800}, "100 1000 10000"},
		{true, []float64{0.001, 1}, "0.001 0.01 0.1 1"},
		{true, []float64{1e-12, 1}, "1e−12 1e−10 1e−8 1e−6 1e−4 1e−2 1e0"},
		{true, []float64{2, 60}, "2 5 10 20 50"},
		{true, []float64{300, 300}, "100 1000"},
		{true, []float64{3, 4}, "3.0 3.2 3.4 3.6 3.8 4.0"},
	} {
		a := axisOf(c.log, c.values...)
		if got := labels(a.ticks(7)); strings.ReplaceAll(got, "e-", "e−") != c.want {
			t.Errorf("log %v, %v: ticks are %q, want %q", c.log, c.values, got, c.want)
		}
	}
}

// Whatever the values: positions are finite, all values lie inside, ticks ascend within the axis
// with different labels, and at least two of them say where one is.
func TestTicksOfAnyValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := rapid.Bool().Draw(t, "log")
		values := rapid.SliceOfN(rapid.Float64(), 1, 4).Draw(t, "values")
		a := axisOf(log, values...)
		length := a.max - a.min
		if !(length > 0) || math.IsInf(length, 0) {
			t.Fatalf("axis is %g to %g", a.min, a.max)
		}
		for _, v := range values {
			if p := a.position(v); a.holds(v) && (p < a.min || p > a.max) {
				t.Errorf("%g is outside %g to %g", v, a.min, a.max)
			}
		}
		seen, last := map[string]bool{}, math.Inf(-1)
		for _, tick := range a.ticks(7) {
			if tick.Value < a.min-1e-6*length || tick.Value > a.max+1e-6*length {
				t.Errorf("tick %g is outside %g to %g", tick.Value, a.min, a.max)
			}
			if tick.Label == "" {
				continue
			}
			if seen[tick.Label] || tick.Value <= last {
				t.Errorf("tick %q comes twice or late in %g to %g", tick.Label, a.min, a.max)
			}
			seen[tick.Label], last = true, tick.Value
		}
		if len(seen) < 2 || len(seen) > 8 {
			t.Errorf("%d labels on %g to %g: %v", len(seen), a.min, a.max, seen)
		}
	})
}

func TestNamesAlongAnAxis(t *testing.T) {
	a := newAxis(false)
	a.names = []string{"a", "", "c", "d", "e"}
	a.add(0, 4)
	a.settle()
	if got := labels(a.ticks(5)); got != "a · c d e" {
		t.Errorf("all fit: %q", got)
	}
	if got := labels(a.ticks(3)); got != "a c e" {
		t.Errorf("three fit: %q", got)
	}
}
