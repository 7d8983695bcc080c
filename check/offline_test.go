package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// drawLine draws n rows of a column that goes with two columns u and v of U, and functions of these.
func drawLine(seed uint64, n int, column func(u, v float64, rnd *rand.Rand) float64) (x *mat.Dense, values []float64) {
	rnd := rand.New(rand.NewPCG(seed, 5))
	var u, v uColumn
	values = make([]float64, n)
	for i := range values {
		a, b := rnd.NormFloat64(), rnd.NormFloat64()
		u.numbers[1], v.numbers[1] = append(u.numbers[1], a), append(v.numbers[1], b)
		values[i] = column(a, b, rnd)
	}
	return beside([]*mat.Dense{u.functions(residualDegree), v.functions(residualDegree), u.themselves(), v.themselves()}), values
}

// lineSays is what is found of it.
func lineSays(x *mat.Dense, values []float64) string {
	says := func(of offConversion) string {
		if of.rows > 0 && !of.surely {
			return "note " + of.what
		}
		return of.what
	}
	if l := fitLine(x, values); l.splits(offMost) {
		if _, rows := l.constant(); rows > 0 {
			return "constant"
		}
		if of := l.conversion(); of.rows > 0 {
			return says(of)
		}
	}
	_, of := reflected(x, values)
	return says(of)
}

func goesWith(u, v float64, rnd *rand.Rand) float64 { return 50 + 12*u + 3*v + 2*rnd.NormFloat64() }

// exchanged rounds to multiples of a step and exchanges the last two digits.
func exchanged(step float64) func(v float64) float64 {
	return func(v float64) float64 {
		k := math.Round(v / step)
		last, before := math.Mod(k, 10), math.Mod(math.Floor(k/10), 10)
		return math.Round(k+9*(last-before)) * step
	}
}

// TestOffTheLine: part of a column that is another by what U says of it is reported, with what it was taken by.
func TestOffTheLine(t *testing.T) {
	for name, c := range map[string]struct {
		share float64
		of    func(v float64) float64
		want  []string
	}{
		"miles":                    {.3, func(v float64) float64 { return v / 1.609344 }, []string{"divided by 1.6093"}},
		"pounds":                   {.1, func(v float64) float64 { return v * 2.2046 }, []string{"times 2.2046"}},
		"a lost point":             {.3, func(v float64) float64 { return 10 * v }, []string{"times 10"}},
		"reversed":                 {.3, func(v float64) float64 { return 100 - v }, nil},
		"the sign":                 {.2, func(v float64) float64 { return -v }, nil},
		"0 for missing":            {.12, func(v float64) float64 { return 0 }, []string{"constant"}},
		"reversed in half":         {.5, func(v float64) float64 { return 100 - v }, nil},
		"mostly reversed":          {.55, func(v float64) float64 { return 100 - v }, nil},
		"half taken from the ends": {.47, func(v float64) float64 { return 103 - v }, nil},
		"digits exchanged":         {.1, exchanged(1), []string{"with two digits exchanged"}},
		"in a third":               {.33, exchanged(1), []string{"with two digits exchanged"}},
		"of hundreds":              {.2, func(v float64) float64 { return 100 + exchanged(1)(v) - 100 }, []string{"with two digits exchanged"}},
		"with decimals":            {.2, func(v float64) float64 { return exchanged(1)(math.Floor(v)) + v - math.Floor(v) }, []string{"with two digits exchanged"}},
		"50 for missing":           {.15, func(v float64) float64 { return 50 }, []string{"constant"}},
	} {
		for seed := range uint64(10) {
			got := lineSays(drawLine(seed, 400, func(u, v float64, rnd *rand.Rand) float64 {
				y := goesWith(u, v, rnd)
				if rnd.Float64() < c.share {
					return c.of(y)
				}
				return y
			}))
			if c.want == nil && (!strings.Contains(got, "taken from")) || c.want != nil && !slices.Contains(c.want, got) {
				t.Errorf("%s, seed %d: %q", name, seed, got)
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
				if got := lineSays(drawLine(seed, n, column)); got != "" && !strings.HasPrefix(got, "note") {
					t.Errorf("%s, %d rows, seed %d: %s", name, n, seed, got)
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
