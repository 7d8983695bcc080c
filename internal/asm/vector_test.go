package asm

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// The functions under one roof: in place, two results for Sincos.
type function struct {
	name  string
	do    func(x []float64, scale float64) [][]float64
	exact func(x *big.Float) []*big.Float
	// range of arguments to draw from
	limit float64
}

var functions = []function{
	{"exp", func(x []float64, scale float64) [][]float64 {
		y := slices.Clone(x)
		Exp(y, scale)
		return [][]float64{y}
	}, func(x *big.Float) []*big.Float { return []*big.Float{bigExp(x)} }, 746},
	{"sincos", func(x []float64, scale float64) [][]float64 {
		s, c := make([]float64, len(x)), make([]float64, len(x))
		Sincos(s, c, x, scale)
		return [][]float64{s, c}
	}, func(x *big.Float) []*big.Float { s, c := bigSincos(x); return []*big.Float{s, c} }, 1.6e9},
	{"cos", func(x []float64, scale float64) [][]float64 {
		y := slices.Clone(x)
		Cos(y, scale)
		return [][]float64{y}
	}, func(x *big.Float) []*big.Float { _, c := bigSincos(x); return []*big.Float{c} }, 1.6e9},
}

// bits is the precision of references: 53 beyond the 60 that reduction can cancel, and room.
const bits = 400

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }

// bigExp is exp(x) by its series at x/2^20, squared 20 times.
func bigExp(x *big.Float) *big.Float {
	const halvings = 20
	y := new(big.Float).SetMantExp(x, -halvings)
	sum, term := newBig(1), newBig(1)
	for i := 1; i < 60; i++ {
		term.Mul(term, y)
		term.Quo(term, newBig(float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigPi is Machin's 16 atan(1/5) - 4 atan(1/239).
var bigPi = func() *big.Float {
	atan := func(n float64) *big.Float {
		power, sum := new(big.Float).Quo(newBig(1), newBig(n)), newBig(0)
		for i := 1; i < 400; i += 2 {
			term := new(big.Float).Quo(power, newBig(float64(i)))
			if i%4 == 3 {
				term.Neg(term)
			}
			sum.Add(sum, term)
			power.Quo(power, newBig(n*n))
		}
		return sum
	}
	a, b := atan(5), atan(239)
	a.Mul(a, newBig(16))
	return a.Sub(a, b.Mul(b, newBig(4)))
}()

// bigSincos is sin x and cos x by their series at the remainder of x by 2 pi.
func bigSincos(x *big.Float) (sin, cos *big.Float) {
	circle := new(big.Float).Mul(bigPi, newBig(2))
	turns, _ := new(big.Float).Quo(x, circle).Int(nil)
	r := new(big.Float).SetPrec(bits).SetInt(turns)
	r.Sub(x, r.Mul(r, circle))
	sin, cos, term := newBig(0), newBig(1), newBig(1)
	for i := 1; i < 120; i++ {
		term.Mul(term, r)
		term.Quo(term, newBig(float64(i)))
		sum := cos
		if i%2 == 1 {
			sum = sin
		}
		if i%4 < 2 {
			sum.Add(sum, term)
		} else {
			sum.Sub(sum, term)
		}
	}
	return sin, cos
}

// ulps is the error of got in units of the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	if math.IsInf(w, 0) || math.IsInf(got, 0) {
		if got == w {
			return 0
		}
		return math.Inf(1)
	}
	_, e := math.Frexp(w)
	unit := math.Ldexp(1, max(e-53, -1074))
	d := new(big.Float).Sub(newBig(got), want)
	d.Quo(d, newBig(unit))
	f, _ := d.Float64()
	return math.Abs(f)
}

// arguments are draws of f's range in all magnitudes, and the neighbours of hard cases.
func (f function) arguments(rnd *rand.Rand, n int) []float64 {
	var x []float64
	for range n {
		x = append(x, f.limit*(2*rnd.Float64()-1), math.Ldexp(2*rnd.Float64()-1, rnd.IntN(40)-30))
	}
	x = slices.DeleteFunc(x, func(v float64) bool { return math.Abs(v) > f.limit })
	around := func(v float64) {
		for range 3 {
			x = append(x, v, -v)
			v = math.Nextafter(v, math.Inf(1))
		}
	}
	if f.name == "exp" {
		for k := 1.0; k < 2000; k += 17 {
			around(k * math.Ln2 / 2) // where reduction changes its mind
		}
		for _, v := range []float64{709.78, 709.782712893384, 708.39, 708.4, 744.44, 745.13, 720.5} {
			around(v)
		}
		return x
	}
	for k := 1.0; k < 6e8; k = math.Floor(1.3*k) + 1 {
		around(k * math.Pi / 2) // near zeros
		around(k*math.Pi/2 + math.Pi/4)
	}
	for _, v := range nearQuarterTurns(f.limit) {
		around(v)
	}
	return x
}

// nearQuarterTurns returns the float64s of 1 to limit that are nearest to multiples of pi/2: for each
// power of two u the numerators m, below 2^53, of the convergents m/k of (pi/2)/u, times u.
func nearQuarterTurns(limit float64) []float64 {
	var near []float64
	for e := -52; e <= -23; e++ {
		ratio := new(big.Float).SetMantExp(bigPi, -e-1)
		m0, m1, rest := big.NewInt(0), big.NewInt(1), ratio
		for m1.BitLen() <= 53 {
			if m1.BitLen() > 1 {
				m, _ := new(big.Float).SetInt(m1).Float64()
				if v := math.Ldexp(m, e); v >= 1 && v <= limit {
					near = append(near, v)
				}
			}
			whole, _ := rest.Int(nil)
			m0, m1 = m1, new(big.Int).Add(m0, whole.Mul(whole, m1))
			whole, _ = rest.Int(nil)
			rest = new(big.Float).Sub(rest, new(big.Float).SetPrec(bits).SetInt(whole))
			rest.Quo(newBig(1), rest)
		}
	}
	return near
}

func TestFunctionsAreWithinTwoUnits(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 300
	}
	for _, f := range functions {
		x := f.arguments(rand.New(rand.NewPCG(1, 2)), n)
		got := f.do(x, 1)
		worst, where := 0.0, 0.0
		for i, v := range x {
			for j, want := range f.exact(newBig(v)) {
				if u := ulps(got[j][i], want); !(u <= worst) {
					worst, where = u, v
				}
			}
		}
		t.Logf("%s: at most %.3f units off, at %v", f.name, worst, where)
		if !(worst <= 2) {
			t.Errorf("%s(%v) is %g units off", f.name, where, worst)
		}
	}
}

func TestFunctionsAreThePortableTwins(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 5e-324, -1e-310, 1e9, -1e9, 1.6e9,
		math.Nextafter(1e9, 2e9), 2e9, 709.8, 710, 711, -745.2, -746, -747, 1e-20}
	// Where elements leave the range that needs no more care.
	for _, edge := range []float64{1023.5 * math.Ln2, -1024.5 * math.Ln2, (0x1p30 - 0.5) * math.Pi / 2, -(0x1p30 + 0.5) * math.Pi / 2} {
		special = append(special, math.Nextafter(edge, math.Inf(-1)), edge, math.Nextafter(edge, math.Inf(1)))
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, f := range functions {
		for _, scale := range []float64{1, -0.37} {
			for n := range 1001 {
				x := make([]float64, n)
				for i := range x {
					x[i] = f.limit * (2*rnd.Float64() - 1)
					if n%2 == 0 && rnd.IntN(50) == 0 || n%4 == 1 && i == n/2 { // the only one, or many
						x[i] = special[rnd.IntN(len(special))]
					}
				}
				var want [][]float64
				at(Portable, func() { want = f.do(x, scale) })
				for _, l := range Levels()[1:] {
					at(l, func() {
						for i, got := range f.do(x, scale) {
							sameBits(t, fmt.Sprintf("%v: %s, length %d, scale %g, result %d", l, f.name, n, scale, i), got, want[i])
						}
					})
				}
			}
		}
	}
}

func TestFunctionsKeepToTheirSlice(t *testing.T) {
	for _, l := range Levels() {
		at(l, func() {
			for n := range 200 {
				for offset := range 9 {
					buffer := make([]float64, 250)
					for i := range buffer {
						buffer[i] = canary
					}
					x := buffer[offset : offset+n]
					clear(x)
					Exp(x, 1)
					Cos(x, 1)
					sines := make([]float64, n)
					Sincos(sines, x, x, 1)
					for i, v := range buffer {
						if (i < offset || i >= offset+n) && v != canary {
							t.Fatalf("%v: length %d at %d: element %d was overwritten", l, n, offset, i)
						}
					}
				}
			}
		})
	}
}

// Assembly that took every argument for one out of range would pass all other tests.
func TestAnglesInRangeAreDoneInAssembly(t *testing.T) {
	for _, l := range Levels()[1:] {
		x, cos := make([]float64, group), make([]float64, group)
		x[0], x[1] = 1e9, -1e9
		at(l, func() {
			if n, m := sincosGroups(x, cos, x, 1), cosGroups(cos, 1); n != group || m != group {
				t.Errorf("%v: %d and %d of %d angles", l, n, m, group)
			}
		})
	}
}

func TestChunksDoNotShow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	x := normals(rnd, 3*chunk+77)
	x[chunk+5] = 1e12 // out of range for Sincos
	for _, f := range functions {
		all := f.do(x, 1)
		for i, got := range f.do(x[chunk-33:], 1) {
			sameBits(t, f.name, got, all[i][chunk-33:])
		}
	}
}

func TestSpecialValues(t *testing.T) {
	nan, inf, negative := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	for _, l := range Levels() {
		at(l, func() {
			x := []float64{0, negative, nan, inf, -inf, 1000, -1000, 710, -746}
			Exp(x, 1)
			sameBits(t, l.String()+" exp", x, []float64{1, 1, nan, inf, 0, inf, 0, inf, 0})
			x = []float64{0, negative, nan, inf, -inf}
			s, c := make([]float64, 5), make([]float64, 5)
			Sincos(s, c, x, 1)
			Cos(x, 1)
			sameBits(t, l.String()+" sin", s, []float64{0, negative, nan, nan, nan})
			sameBits(t, l.String()+" cos of Sincos", c, []float64{1, 1, nan, nan, nan})
			sameBits(t, l.String()+" cos", x, []float64{1, 1, nan, nan, nan})
		})
	}
}

func TestSincosMayOverwriteItsArgument(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	x := normals(rnd, 133)
	s, c := make([]float64, 133), make([]float64, 133)
	Sincos(s, c, x, 2)
	y := slices.Clone(x)
	c2 := make([]float64, 133)
	Sincos(y, c2, y, 2)
	sameBits(t, "sines over x", y, s)
	sameBits(t, "cosines", c2, c)
	y, s2 := slices.Clone(x), make([]float64, 133)
	Sincos(s2, y, y, 2)
	sameBits(t, "cosines over x", y, c)
	sameBits(t, "sines", s2, s)
	defer func() {
		if recover() == nil {
			t.Error("lengths that differ were accepted")
		}
	}()
	Sincos(s[1:], c, x, 1)
}
