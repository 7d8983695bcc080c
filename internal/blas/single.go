package blas

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"
)

// SingleStretch is the step of columns in which a Single may be filled.
const SingleStretch = asm.Cols32

// A Single is a k×n factor of products in mixed precision: float32s, each column in units of a power of 2 that leaves its
// largest element below 1, packed for all products. The zero value is empty; Reset gives it a shape. Columns may be put, at
// multiples of SingleStretch, by several goroutines at once, and afterwards products formed by several.
type Single struct {
	k, n  int
	store []float32 // by stretches of depthBlock rows, in slivers of asm.Cols32 columns
	unit  []float64 // of each column
}

// Reset makes s k×n, of any elements, in the memory it has if that is enough.
func (s *Single) Reset(k, n int) {
	s.k, s.n = k, n
	wide := singlePadded(n)
	if cap(s.store) < k*wide {
		s.store = make([]float32, k*wide)
	}
	if cap(s.unit) < wide {
		s.unit = make([]float64, wide)
	}
	s.store, s.unit = s.store[:k*wide], s.unit[:wide]
}

func singlePadded(n int) int { return (n + asm.Cols32 - 1) / asm.Cols32 * asm.Cols32 }

// maxUnit bounds exponents of units, so that they and their inverses are finite.
const maxUnit = 1000

// Put makes x less centre, row i times factors[i] (nil: 1), the columns of s from first on, a multiple of SingleStretch. Differences
// and products are rounded to float64, and then to float32: the relative error of an element is at most 2^-24 and a little,
// unless it is below 2^-125 of the largest one of its column. It panics if x does not fit there, or ends before a
// multiple of SingleStretch that is not the end of s.
func (s *Single) Put(first int, x blas64.General, centre, factors []float64) {
	if x.Rows != s.k || len(centre) != x.Cols || factors != nil && len(factors) != x.Rows ||
		first%SingleStretch != 0 || first+x.Cols > s.n || x.Cols%SingleStretch != 0 && first+x.Cols < s.n {
		panic("blas: columns do not fit a packed matrix")
	}
	factor := func(i int) float64 {
		if factors == nil {
			return 1
		}
		return factors[i]
	}
	var most, inverse [SingleStretch]float64
	for lo := 0; lo < x.Cols; lo += SingleStretch {
		width := min(SingleStretch, x.Cols-lo)
		centre := centre[lo : lo+width]
		clear(most[:])
		for i := range x.Rows {
			asm.Largest(most[:width], x.Data[i*x.Stride+lo:][:width], centre, factor(i))
		}
		for l, v := range most {
			_, exponent := math.Frexp(v) // 0 for a column of zeros
			exponent = max(-maxUnit, min(exponent, maxUnit))
			s.unit[first+lo+l], inverse[l] = math.Ldexp(1, exponent), math.Ldexp(1, -exponent)
		}
		for q := 0; q < s.k; q += depthBlock {
			depth := min(depthBlock, s.k-q)
			sliver := s.stretch(q).sliver(first + lo)
			for p := range depth {
				asm.Narrow(sliver[p*asm.Cols32:][:width], x.Data[(q+p)*x.Stride+lo:][:width], centre, inverse[:width], factor(q+p))
			}
		}
	}
}

// A singleStretch is at most depthBlock rows of a Single.
type singleStretch struct {
	depth int
	store []float32
}

func (s *Single) stretch(q int) singleStretch {
	return singleStretch{min(depthBlock, s.k-q), s.store[q*singlePadded(s.n):]}
}

// sliver returns column j, a multiple of asm.Rows, and those after it in its sliver.
func (s singleStretch) sliver(j int) []float32 {
	in := j % asm.Cols32
	return s.store[(j-in)*s.depth+in:]
}
