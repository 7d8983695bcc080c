package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestNarrow(t *testing.T) {
	dst, most := make([]float32, 3), []float64{1, 40, 5}
	x, centre := []float64{3, -7, math.NaN()}, []float64{1, 2, 0}
	Narrow(dst, x, centre, []float64{.5, 2, 1}, 3)
	if dst[0] != 3 || dst[1] != -54 || dst[2] == dst[2] {
		t.Errorf("narrowed to %v, want 3, -54 and NaN", dst)
	}
	Largest(most, x, centre, 3)
	sameBits(t, "largest", most, []float64{6, 40, 5})
	Largest(most, x, centre, 5)
	sameBits(t, "largest", most, []float64{10, 45, 5})
}

func TestNarrowIsThePortableTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(14, 2))
	for n := range 1001 {
		x, centre, scale, most := normals(rnd, n+1)[1:], normals(rnd, n+1)[1:], normals(rnd, n+1)[1:], normals(rnd, n+5)
		dst := singles(rnd, n+5, 0)
		for _, v := range []float64{math.NaN(), math.Inf(-1), 1e300, 1e-320, 1e-41} {
			if n > 0 {
				j := rnd.IntN(n)
				x[j], centre[j] = v, 0
			}
		}
		want32, wantMost := append([]float32(nil), dst...), append([]float64(nil), most...)
		narrowPortable(want32[3:3+n], x, centre, scale, 1.7)
		largestPortable(wantMost[3:3+n], x, centre, 1.7)
		for _, l := range Levels() {
			got32, gotMost := append([]float32(nil), dst...), append([]float64(nil), most...)
			at(l, func() {
				Narrow(got32[3:3+n], x, centre, scale, 1.7)
				Largest(gotMost[3:3+n], x, centre, 1.7)
			})
			sameBits(t, fmt.Sprintf("%v: %d float32s", l, n), widened(got32), widened(want32))
			sameBits(t, fmt.Sprintf("%v: largest of %d", l, n), gotMost, wantMost)
		}
	}
}

func TestShortOperandsOfNarrowPanic(t *testing.T) {
	x := func(n int) []float64 { return make([]float64, n) }
	for name, call := range map[string]func(){
		"dst":            func() { Narrow(make([]float32, 8), x(9), x(9), x(9), 1) },
		"centre":         func() { Narrow(make([]float32, 9), x(9), x(8), x(9), 1) },
		"scale":          func() { Narrow(make([]float32, 9), x(9), x(9), x(8), 1) },
		"most":           func() { Largest(x(8), x(9), x(9), 1) },
		"another centre": func() { Largest(x(9), x(9), x(8), 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("short %s was accepted", name)
				}
			}()
			call()
		}()
	}
}
