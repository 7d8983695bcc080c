package asm

import (
	"fmt"
	"math"
	mathbits "math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// lengths are the powers of two from 1, past every change of radix, cache run and chunk.
func lengths() []int {
	var all []int
	for n := 1; n <= 1<<17; n *= 2 {
		all = append(all, n)
	}
	return all
}

// dilated is x followed by a canary and with offset canaries before it.
func dilated(x []float64, offset int) []float64 {
	buffer := make([]float64, offset+len(x)+9)
	for i := range buffer {
		buffer[i] = canary
	}
	copy(buffer[offset:], x)
	return buffer
}

func TestHadamardIsThePortableTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 1))
	for _, n := range lengths() {
		for _, d := range [][]float64{nil, normals(rnd, n+1)[1:]} {
			for _, offset := range []int{0, 1, 3} {
				x := dilated(normals(rnd, n), offset)
				want := slices.Clone(x)
				hadamardPortable(want[offset:offset+n], d)
				for _, l := range Levels() {
					got := slices.Clone(x)
					at(l, func() { Hadamard(got[offset:offset+n:offset+n], d) })
					sameBits(t, fmt.Sprintf("%v: length %d at %d, diagonal %v", l, n, offset, d != nil), got, want)
				}
			}
		}
	}
}

// TestHadamardIsTheProduct by the matrix, of integers, which sums of them keep exactly.
func TestHadamardIsTheProduct(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 2))
	for n := 1; n <= 1024; n *= 2 {
		x, d, want := make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range x {
			x[j], d[j] = float64(rnd.IntN(2001)-1000), float64(rnd.IntN(21)-10)
			for i := range want {
				want[i] += float64(1-2*(mathbits.OnesCount(uint(i&j))%2)) * d[j] * x[j]
			}
		}
		for _, l := range Levels() {
			got := slices.Clone(x)
			at(l, func() { Hadamard(got, d) })
			sameBits(t, fmt.Sprintf("%v: length %d", l, n), got, want)
		}
	}
}

// TestHadamardOfReals: each stage rounds each element once, by 2^-53 of at most |x|_1.
func TestHadamardOfReals(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 3))
	for n := 2; n <= 512; n *= 2 {
		x := normals(rnd, n)
		var size float64
		for _, v := range x {
			size += math.Abs(v)
		}
		got := slices.Clone(x)
		Hadamard(got, nil)
		for i, v := range got {
			// The reference's own n roundings are on top.
			var want float64
			for j := range x {
				want += float64(1-2*(mathbits.OnesCount(uint(i&j))%2)) * x[j]
			}
			if off, most := math.Abs(v-want), float64(n+mathbits.Len(uint(n)))*0x1p-53*size; off > most {
				t.Errorf("length %d: element %d is off by %g, at most %g", n, i, off, most)
			}
		}
	}
}

func TestHadamardTwiceIsTheLength(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 4))
	for _, n := range lengths() {
		x, want := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = float64(rnd.IntN(2001) - 1000)
			want[i] = float64(n) * x[i]
		}
		for _, l := range Levels() {
			got := slices.Clone(x)
			at(l, func() { Hadamard(got, nil); Hadamard(got, nil) })
			sameBits(t, fmt.Sprintf("%v: length %d", l, n), got, want)
		}
	}
}

func TestHadamardRefuses(t *testing.T) {
	for name, call := range map[string]func(){
		"length 0":         func() { Hadamard(nil, nil) },
		"length 96":        func() { Hadamard(make([]float64, 96), nil) },
		"a short diagonal": func() { Hadamard(make([]float64, 64), make([]float64, 63)) },
		"a long diagonal":  func() { Hadamard(make([]float64, 64), make([]float64, 65)) },
		"an empty one":     func() { Hadamard(make([]float64, 64), []float64{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was accepted", name)
				}
			}()
			call()
		}()
	}
}
