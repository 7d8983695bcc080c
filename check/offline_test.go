package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// drawLine is the fit to n rows of a column that goes with two columns u and v of U.
func drawLine(seed uint64, n int, column func(u, v float64, rnd *rand.Rand) float64) *uLine {
	rnd := rand.New(rand.NewPCG(seed, 5))
	var u, v uColumn
	values := make([]float64, n)
	for i := range values {
		a, b := rnd.NormFloat64(), rnd.NormFloat64()
		u.numbers[1], v.numbers[1] = append(u.numbers[1], a), append(v.numbers[1], b)
		values[i] = column(a, b, rnd)
	}
	var x mat.Dense
	x.Augment(u.functions(residualDegree), v.functions(residualDegree))
	var both, all mat.Dense
	both.Augment(u.themselves(), v.themselves())
	all.Augment(&x, &both)
	return fitLine(&all, values)
}

// says is what is found of it.
func (l *uLine) says() string {
	if !l.splits() {
		return ""
	}
	if _, rows := l.constant(); rows > 0 {
		return "constant"
	}
	what, _, _, surely := l.conversion()
	if what != "" && !surely {
		return "note " + what
	}
	return what
}

func goesWith(u, v float64, rnd *rand.Rand) float64 { return 50 + 12*u + 3*v + 2*rnd.NormFloat64() }

// TestOffTheLine: part of a column that is another by what U says of it is reported, with what it was taken by.
func TestOffTheLine(t *testing.T) {
	for name, c := range map[string]struct {
		share float64
		of    func(v float64) float64
		want  []string
	}{
		"miles":          {.3, func(v float64) float64 { return v / 1.609344 }, []string{"divided by 1.6093"}},
		"pounds":         {.1, func(v float64) float64 { return v * 2.2046 }, []string{"times 2.2046"}},
		"a lost point":   {.3, func(v float64) float64 { return 10 * v }, []string{"times 10"}},
		"reversed":       {.3, func(v float64) float64 { return 100 - v }, nil},
		"the sign":       {.2, func(v float64) float64 { return -v }, nil},
		"0 for missing":  {.12, func(v float64) float64 { return 0 }, []string{"constant"}},
		"50 for missing": {.15, func(v float64) float64 { return 50 }, []string{"constant"}},
	} {
		for seed := range uint64(10) {
			l := drawLine(seed, 400, func(u, v float64, rnd *rand.Rand) float64 {
				y := goesWith(u, v, rnd)
				if rnd.Float64() < c.share {
					return c.of(y)
				}
				return y
			})
			got := l.says()
			if c.want == nil && (!strings.Contains(got, "taken from")) || c.want != nil && !slices.Contains(c.want, got) {
				t.Errorf("%s, seed %d: %q (%d rows off)", name, seed, got, len(l.off))
				break
			}
		}
	}
}

// TestOnTheLine: noise of any kind, hidden groups, amounts with zeros, counts and values that were cut are not reported.
func TestOnTheLine(t *testing.T) {
	for name, column := range map[string]func(u, v float64, rnd *rand.Rand) float64{
		"normal":        goesWith,
		"unrelated":     func(_, _ float64, rnd *rand.Rand) float64 { return rnd.NormFloat64() },
		"heavy noise":   func(u, v float64, rnd *rand.Rand) float64 { return 50 + 12*u + rnd.NormFloat64()/rnd.NormFloat64() },
		"skew noise":    func(u, v float64, rnd *rand.Rand) float64 { return 50 + 12*u + 4*rnd.ExpFloat64() },
		"skewer noise":  func(u, v float64, rnd *rand.Rand) float64 { return 50 + 12*u + math.Exp(2*rnd.NormFloat64()) },
		"by size":       func(u, v float64, rnd *rand.Rand) float64 { return math.Exp(u + .3*rnd.NormFloat64()) },
		"amounts":       func(u, v float64, rnd *rand.Rand) float64 { return math.Exp(u+v) * rnd.ExpFloat64() },
		"larger spread": func(u, v float64, rnd *rand.Rand) float64 { return 12*u + math.Exp(1.5*v)*rnd.NormFloat64() },
		"hidden step":   func(u, v float64, rnd *rand.Rand) float64 { return goesWith(u, v, rnd) + 25*float64(rnd.IntN(4)/3) },
		"hidden slope": func(u, v float64, rnd *rand.Rand) float64 {
			return 50 + 12*u*float64(1+rnd.IntN(4)/3) + 2*rnd.NormFloat64()
		},
		"unlike the rest": func(u, v float64, rnd *rand.Rand) float64 {
			if rnd.IntN(4) == 0 {
				return 50 + 12*rnd.NormFloat64()
			}
			return goesWith(u, v, rnd)
		},
		"counts":        func(u, v float64, rnd *rand.Rand) float64 { return math.Floor(math.Exp(1+u) * rnd.ExpFloat64()) },
		"many zeros":    func(u, v float64, rnd *rand.Rand) float64 { return max(0, goesWith(u, v, rnd)-50) },
		"cut":           func(u, v float64, rnd *rand.Rand) float64 { return min(55, goesWith(u, v, rnd)) },
		"a chessboard":  func(u, v float64, rnd *rand.Rand) float64 { return math.Copysign(10, u*v) + 12*u + rnd.NormFloat64() },
		"a curve":       func(u, v float64, rnd *rand.Rand) float64 { return math.Exp(2*u) + .1*rnd.NormFloat64() },
		"equal in half": func(u, v float64, rnd *rand.Rand) float64 { return 10*u + float64(rnd.IntN(2))*rnd.NormFloat64() },
	} {
		for n, seeds := range map[int]uint64{200: 12, 1000: 4} {
			for seed := range seeds {
				if l := drawLine(seed, n, column); l.says() != "" && !strings.HasPrefix(l.says(), "note") {
					t.Errorf("%s, %d rows, seed %d: %s (%d rows off)", name, n, seed, l.says(), len(l.off))
					break
				}
			}
		}
	}
}

// TestMixedXGivenU: part of X that is reversed is reported, in the first table.
func TestMixedXGivenU(t *testing.T) {
	const n = 400
	rnd := rand.New(rand.NewPCG(3, 7))
	u := make([]float64, n)
	for i := range u {
		u[i] = rnd.Float64()
	}
	for _, share := range []float64{0, .3} {
		x := func(i int) float64 {
			v := 10 + 80*u[i] + rnd.NormFloat64()
			if rnd.Float64() < share {
				return 100 - v
			}
			return v
		}
		xu := table(t, numbers("x", n, x), numbers("u", n, func(i int) float64 { return u[i] }))
		uy := table(t, numbers("u", n, func(int) float64 { return rnd.Float64() }), numbers("y", n, func(int) float64 { return rnd.NormFloat64() }))
		if got := found(t, xu, uy, Options{}); slices.Contains(got, "warning mixed-units x") != (share > 0) {
			t.Errorf("%g: %q", share, got)
		}
	}
}
