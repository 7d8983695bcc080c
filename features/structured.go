package features

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"mediant/internal/asm"
	"mediant/internal/draw"
	"mediant/internal/rowops"
	"mediant/kernels"
)

// NewStructured is NewFourier with frequencies in blocks of n, the power of two at or above in and 64: for
// x filled up with zeros, the rows of
//
//	S H D1 H D2 H D3 / n
//
// where H is the n×n Hadamard matrix of ±1, each D a diagonal of random signs, and S the lengths of
// independent frequencies in n columns over those of the product's rows, sqrt(n) [Yu et al., Orthogonal
// random features, NIPS 2016, where S is 1/b]. A row is mapped in 3 n log2(n) additions a block, zeros and
// all (those of sparse rows too), and the map holds four numbers a frequency instead of in.
//
// Frequencies of a block are orthogonal, and their variance is close to that of NewOrthogonal's, as
// measured. They are not quite of the kernel's distribution, so that the estimate is unbiased only as n grows:
// for the Gaussian kernel of bandwidth b the mean of phi(x)'phi(y) is off by at most 2 (1 + 1/n) t²/n,
// t = |x-y|²/(2b²), and was measured to be off by less than 1/n² for n = 64 to 256 (docs/theory.md,
// section 7).
func NewStructured(k SpectralRadial, in, size int, seed uint64, purpose string) (*Fourier, error) {
	return newFourier(k, structured, in, size, func(count int) frequencies {
		return drawStructured(k.Mixture(), in, count, seed, purpose)
	})
}

// hadamards is the number of products H D. With two, rows along a coordinate axis would meet signs only.
const hadamards = 3

// A product is what the frequencies of NewStructured are held as.
type product struct {
	in        int
	diagonals blas64.General // of D3, D2, D1 of the first block, the second, and so on
	scales    []float64      // lengths of frequencies over that of a row of H H H; one a frequency
}

// leastWidth is the width of the narrowest block. Narrower ones would not be faster, and their
// frequencies, sums of few signs, farther from the kernel's distribution.
const leastWidth = 64

// blockWidth returns the power of two at or above in, at least leastWidth.
func blockWidth(in int) int { return max(leastWidth, 1<<bits.Len(uint(in-1))) }

// newProduct returns a product of zeros.
func newProduct(in, count int) product {
	width := blockWidth(in)
	return product{in, rowops.New((count+width-1)/width*hadamards, width), make([]float64, count)}
}

// drawStructured draws a product. Each block has streams of its own, for lengths too, so that a last
// block of fewer frequencies begins like a whole one.
func drawStructured(mixture kernels.ScaleMixture, in, count int, seed uint64, purpose string) product {
	p := newProduct(in, count)
	width := p.diagonals.Cols
	unit := math.Pow(float64(width), -hadamards/2.0)
	for lo := 0; lo < count; lo += width {
		first := lo / width * hadamards
		drawSigns(p.diagonals.Data[first*width:(first+hadamards)*width], draw.Rand(seed, purpose+"/frequencies", lo/width))
		lengths := draw.Rand(seed, purpose+"/lengths", lo/width)
		squares := distuv.ChiSquared{K: float64(width), Src: lengths}
		for j := lo; j < min(lo+width, count); j++ {
			p.scales[j] = mixture.Draw(lengths) * math.Sqrt(squares.Rand()) * unit
		}
	}
	return p
}

// drawSigns fills signs with ±1.
func drawSigns(signs []float64, rnd *rand.Rand) {
	for i := range signs {
		signs[i] = float64(1 - 2*int(rnd.Uint64()>>63))
	}
}

func (p product) dims() (in, count int) { return p.in, len(p.scales) }

// phasesTo goes block by block, so that a block's signs stay in the first cache for all rows.
func (p product) phasesTo(dst blas64.General, x mat.Matrix, lo int) {
	s, own := rowops.Scratches.Get().(*rowops.Scratch), rowops.Scratches.Get().(*rowops.Scratch)
	defer rowops.Scratches.Put(s)
	defer rowops.Scratches.Put(own)
	from := rowops.Dense(x, lo, lo+dst.Rows, s)
	width := p.diagonals.Cols
	buffer := own.Matrix(1, width).Data
	for at := 0; at < dst.Cols; at += width {
		scales := p.scales[at:min(at+width, dst.Cols)]
		for i := range dst.Rows {
			clear(buffer[copy(buffer, rowops.Row(from, i)):])
			for k := range hadamards {
				asm.Hadamard(buffer, rowops.Row(p.diagonals, at/width*hadamards+k))
			}
			multiply(rowops.Row(dst, i)[at:], buffer, scales)
		}
	}
}

// multiply stores the products of the elements of a and b in dst, as many as b has.
func multiply(dst, a, b []float64) {
	dst, a = dst[:len(b)], a[:len(b)]
	for i, v := range b {
		dst[i] = a[i] * v
	}
}

func (p product) arrays() []array {
	return []array{
		{Name: "diagonals", Rows: p.diagonals.Rows, Cols: p.diagonals.Cols},
		{Name: "scales", Rows: 1, Cols: len(p.scales)},
	}
}

func (p product) appendWeights(dst []float64) []float64 {
	return append(append(dst, p.diagonals.Data...), p.scales...)
}

func (r *reader) product(h header) (frequencies, error) {
	if h.In > maxColumns/2 {
		return nil, fmt.Errorf("%d columns cannot be filled up to a power of two", h.In)
	}
	count, width := h.Out/2, blockWidth(h.In)
	diagonals, err := r.matrix(h.Arrays[0], "diagonals", (count+width-1)/width*hadamards, width)
	if err != nil {
		return nil, err
	}
	scales, err := r.matrix(h.Arrays[1], "scales", 1, count)
	return product{h.In, diagonals, scales.Data}, err
}
