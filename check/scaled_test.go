package check

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// TestScaledApart: a column that each table scaled by its own rows is reported, and ones that have such values by nature are not.
func TestScaledApart(t *testing.T) {
	const n, m = 603, 901
	standard := func(mean, sd, step float64) func([]float64) []float64 {
		return func(v []float64) []float64 {
			at, sum := mean64(v)
			out := make([]float64, len(v))
			for i := range v {
				out[i] = mean + sd*(v[i]-at)/math.Sqrt(sum/float64(len(v)-1))
				if step > 0 {
					out[i] = step * math.Round(out[i]/step)
				}
			}
			return out
		}
	}
	ranks := func(of func(rank, n int) float64) func([]float64) []float64 {
		return func(v []float64) []float64 {
			order, out := make([]int, len(v)), make([]float64, len(v))
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(i, j int) int { return cmp.Compare(v[i], v[j]) })
			for k, i := range order {
				out[i] = of(k, len(v))
			}
			return out
		}
	}
	each := func(of func(v float64) float64) func([]float64) []float64 {
		return func(v []float64) []float64 {
			out := make([]float64, len(v))
			for i := range v {
				out[i] = of(v[i])
			}
			return out
		}
	}
	quantiles := func(k int) func([]float64) []float64 {
		return ranks(func(r, n int) float64 { return float64(1 + r*k/n) })
	}
	stretch := func(v []float64) []float64 {
		out := make([]float64, len(v))
		for i := range v {
			out[i] = (v[i] - slices.Min(v)) / (slices.Max(v) - slices.Min(v))
		}
		return out
	}
	together := func(v []float64) []float64 { return each(func(v float64) float64 { return v - .001 })(v) }
	uniform := func(v float64) float64 { return math.Round(1e4*math.Erfc(-v/math.Sqrt2)/2) / 1e4 }
	for _, c := range []struct {
		what  string
		scale func([]float64) []float64
		want  string
	}{
		{"z", standard(0, 1, 0), "warning scaled-apart u"},
		{"z of four decimals", standard(0, 1, 1e-4), "warning scaled-apart u"},
		{"IQ", standard(100, 15, 1), "warning scaled-apart u"},
		{"T", standard(50, 10, .1), "warning scaled-apart u"},
		{"percentiles", ranks(func(r, n int) float64 { return (float64(r) + .5) / float64(n) }), "warning scaled-apart u"},
		{"per cent", ranks(func(r, n int) float64 { return 100 * float64(r) / float64(n-1) }), "warning scaled-apart u"},
		{"quarters", quantiles(4), "warning scaled-apart u"},
		{"fifths", quantiles(5), "warning scaled-apart u"},
		{"tenths", quantiles(10), "warning scaled-apart u"},
		{"range", stretch, "warning scaled-apart u"},
		{"standard normal", together, ""},
		{"uniform", each(uniform), ""},
		{"capped shares", each(func(v float64) float64 { return min(1, max(0, .5+v/3)) }), ""},
		{"scores from 0 to 100", each(func(v float64) float64 { return min(100, max(0, math.Round(50+20*v))) }), ""},
		{"codes", each(func(v float64) float64 { return 1 + math.Floor(5*uniform(v)*.9999) }), ""},
	} {
		rnd := rand.New(rand.NewPCG(3, 4))
		draw := func(n int) []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = rnd.NormFloat64()
			}
			return v
		}
		normal := func(int) float64 { return rnd.NormFloat64() }
		x, y := c.scale(draw(n)), c.scale(draw(m))
		xu := table(t, numbers("x", n, normal), numbers("u", n, func(i int) float64 { return x[i] }))
		uy := table(t, numbers("u", m, func(i int) float64 { return y[i] }), numbers("y", m, normal))
		all := slices.DeleteFunc(found(t, xu, uy, Options{}), func(s string) bool { return s == "note censored u" })
		if want := slices.DeleteFunc([]string{c.want}, func(s string) bool { return s == "" }); !slices.Equal(all, want) {
			t.Errorf("%s: %q, want %q", c.what, all, want)
		}
		same := table(t, numbers("u", n, func(i int) float64 { return x[i] }), numbers("y", n, normal))
		if all := found(t, xu, same, Options{}); slices.Contains(all, "warning scaled-apart u") {
			t.Errorf("%s of the same rows: %q", c.what, all)
		}
	}
	// A design has four values equally often.
	xu := table(t, numbers("x", 400, func(int) float64 { return rand.New(rand.NewPCG(1, 1)).Float64() }), numbers("u", 400, func(i int) float64 { return float64(i % 4) }))
	uy := table(t, numbers("u", 600, func(i int) float64 { return float64(i % 4) }), numbers("y", 600, func(i int) float64 { return float64(i * i % 101) }))
	if all := found(t, xu, uy, Options{}); slices.Contains(all, "warning scaled-apart u") || !slices.Contains(all, "note scaled-apart u") {
		t.Errorf("a design: %q", all)
	}
}

// mean64 is the mean and the sum of squares about it.
func mean64(v []float64) (at, sum float64) {
	at = stat.Mean(v, nil)
	for _, x := range v {
		sum += (x - at) * (x - at)
	}
	return at, sum
}
