package blas

import (
	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"
)

// AbsDiffTo stores in c the sums of absolute differences
//
//	Σ_l |a_il - p_lj|
//
// of the rows of a and columns first to first+c.Cols, first a multiple of Stretch, of p, in the order of
// l, on the calling goroutine. It costs 3 flops a term. Shapes that do not match panic. c must not share
// memory with a.
func (p *Packed) AbsDiffTo(c blas64.General, first int, a blas64.General) {
	if a.Cols != p.k || a.Rows != c.Rows || first%Stretch != 0 || first+c.Cols > p.n {
		panic("blas: shapes of differences do not match")
	}
	scale(0, c, whole)
	for q := 0; q < p.k; q += depthBlock {
		f := p.factor(q)
		for j := 0; j < c.Cols; j += asm.Cols {
			sliver := f.at(first + j).data
			for i := range c.Rows {
				addAbsDiff(c.Data[i*c.Stride+j:i*c.Stride+min(j+asm.Cols, c.Cols)], a.Data[i*a.Stride+q:][:f.depth], sliver)
			}
		}
	}
}

// addAbsDiff is asm.AbsDiff for at most asm.Cols sums.
func addAbsDiff(sum, x, sliver []float64) {
	if len(sum) == asm.Cols {
		asm.AbsDiff(sum, x, sliver)
		return
	}
	var all [asm.Cols]float64
	copy(all[:], sum)
	asm.AbsDiff(all[:], x, sliver)
	copy(sum, all[:])
}
