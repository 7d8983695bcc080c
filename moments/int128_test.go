package moments

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func (a int128) big() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(a.hi), 64)
	return n.Add(n, new(big.Int).SetUint64(a.lo))
}

// TestInt128 compares conversions and sums with math/big.
func TestInt128(t *testing.T) {
	number := rapid.Custom(func(t *rapid.T) float64 {
		v := math.Ldexp(rapid.Float64Range(-1, 1).Draw(t, "fraction"), rapid.IntRange(-140, 140).Draw(t, "exponent"))
		return rapid.SampledFrom([]float64{v, math.Trunc(v), math.Trunc(v) + .5, 1, -1, 0, math.Inf(1), math.NaN(), 0x1p127, -0x1p127, math.Nextafter(0x1p127, 0)}).Draw(t, "of")
	})
	whole := rapid.Custom(func(t *rapid.T) int128 {
		shift := rapid.IntRange(0, 127).Draw(t, "bits")
		n := int128{rapid.Int64().Draw(t, "hi"), rapid.Uint64().Draw(t, "lo")}
		if shift >= 64 {
			return int128{n.hi >> 63, uint64(n.hi >> (shift - 64))}
		}
		return int128{n.hi >> shift, n.lo}
	})
	rapid.Check(t, func(t *rapid.T) {
		v, shift := number.Draw(t, "v"), rapid.IntRange(-80, 80).Draw(t, "shift")
		got, ok := toInt128(v, shift)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			if ok {
				t.Fatalf("%g is taken", v)
			}
			return
		}
		exact := new(big.Float).SetMantExp(new(big.Float).SetPrec(300).SetFloat64(v), shift)
		half := big.NewFloat(math.Copysign(.5, v))
		want, _ := new(big.Float).SetPrec(300).Add(exact, half).Int(nil)
		if fits := exact.MantExp(nil) <= 127 || v == 0; ok != fits || ok && got.big().Cmp(want) != 0 {
			t.Fatalf("%g · 2^%d is %v (%v), want %v (%v)", v, shift, got.big(), ok, want, fits)
		}
		a, b := whole.Draw(t, "a"), whole.Draw(t, "b")
		sum, ok := a.plus(b)
		all := new(big.Int).Add(a.big(), b.big())
		limit := new(big.Int).Lsh(big.NewInt(1), 127)
		fits := all.Cmp(limit) < 0 && all.Cmp(new(big.Int).Neg(limit)) >= 0
		if ok != fits || ok && sum.big().Cmp(all) != 0 {
			t.Fatalf("%v + %v is %v (%v), want %v (%v)", a.big(), b.big(), sum.big(), ok, all, fits)
		}
		near, _ := new(big.Float).SetMantExp(new(big.Float).SetPrec(128).SetInt(a.big()), -shift).Float64()
		if back := a.float(shift); back != near {
			t.Fatalf("%v · 2^-%d is %g, want %g", a.big(), shift, back, near)
		}
	})
}

// TestInt128Times compares with math/big.
func TestInt128Times(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shift := rapid.IntRange(0, 127).Draw(t, "bits")
		n := int128{rapid.Int64().Draw(t, "hi"), rapid.Uint64().Draw(t, "lo")}
		if n.hi >>= min(shift, 63); shift >= 64 {
			n.lo >>= shift - 64
		}
		factor := math.Ldexp(rapid.Float64Range(.5, 1).Draw(t, "fraction"), -rapid.SampledFrom([]int{0, 0, 1, 5, 63, 64, 65, 120, 140, 1000}).Draw(t, "exponent"))
		exact := new(big.Rat).Mul(new(big.Rat).SetInt(n.big()), new(big.Rat).SetFloat64(factor))
		d := new(big.Rat).Sub(new(big.Rat).SetInt(n.times(factor).big()), exact)
		if half := big.NewRat(1, 2); d.Abs(d).Cmp(half) > 0 {
			t.Fatalf("%v times %g is off by %v", n.big(), factor, d)
		}
	})
}
