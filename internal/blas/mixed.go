package blas

import (
	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"
)

// A mixedProduct is C + A'B in a part of C. Each element is summed in stretches of depthBlock terms, each by one chain of fused
// multiply-adds in float32, which is then added in float64: it depends on its column of A, its column of B and C alone, not on
// the shapes, its neighbours, the threads or the processor.
type mixedProduct struct {
	a, b *Single
	c    blas64.General
}

// Tiles of C as in products of float64: rows of A (393 kB) and columns of B (492 kB) fill the second cache.
const mixedRows, mixedCols = 2 * tileRows, 2 * tileCols

// MixedGemm adds A'B to C, for A k×m and B k×n, in 2mnk flops. Sums of 256 products each are formed in float32 and added in float64. Shapes
// that do not match panic.
func MixedGemm(a, b *Single, c blas64.General) {
	if a.k != b.k || a.n != c.Rows || b.n != c.Cols {
		panic("blas: shapes of a product do not match")
	}
	mixedProduct{a, b, c}.multiply(whole)
}

// MixedSyrk adds A'A to the upper triangle of the square matrix C, for A k×n, in k n² flops, as MixedGemm does. The
// strictly lower triangle is neither read nor written.
func MixedSyrk(a *Single, c blas64.General) {
	if a.n != c.Rows || a.n != c.Cols {
		panic("blas: shapes of a symmetric product do not match")
	}
	mixedProduct{a, a, c}.multiply(upper)
}

// multiply forms a part of the product.
func (p mixedProduct) multiply(of part) {
	all := area{0, 0, p.c.Rows, p.c.Cols, of}
	if workers := worth(p.a.k * p.c.Rows * max(p.c.Cols, asm.Lanes32) / 2); workers > 1 {
		p.formTogether(all, workers)
		return
	}
	p.form(all)
}

// formTogether forms an area on so many goroutines.
func (p mixedProduct) formTogether(a area, workers int) {
	together(a.cut(workers, asm.Cols32, make([]area, 0, workers)), p.form)
}

// form forms an area on the calling goroutine.
func (p mixedProduct) form(a area) {
	for q := 0; q < p.a.k; q += depthBlock {
		s := mixedStage{p, p.a.stretch(q), p.b.stretch(q)}
		for i := a.i; i < a.i+a.rows; i += mixedRows {
			for j := a.j; j < a.j+a.cols; j += mixedCols {
				s.tile(i, min(i+mixedRows, a.i+a.rows), j, min(j+mixedCols, a.j+a.cols), a.part)
			}
		}
	}
}

// A mixedStage is a product over at most depthBlock terms.
type mixedStage struct {
	mixedProduct
	left, right singleStretch
}

// tile forms rows i0 to i1 and columns j0 to j1 of C, as far as they are in the part of C, whose diagonal is that of all of C. Rows begin at a multiple
// of asm.Rows, columns at one of asm.Cols32.
func (s *mixedStage) tile(i0, i1, j0, j1 int, of part) {
	for i := i0; i < i1; i += asm.Rows {
		rows, a := min(asm.Rows, i1-i), s.left.sliver(i)
		for j := j0; j < j1; j += asm.Cols32 {
			width := min(asm.Cols32, j1-j)
			if !of.touches(i, j, rows, width) {
				continue
			}
			j, width := j, width
			if of == upper && j < i { // vectors before the diagonal are not needed
				before := (i - j) &^ (asm.Lanes32 - 1)
				j, width = j+before, width-before
			}
			if rows == asm.Rows && width%asm.Lanes32 == 0 && of.covers(i, j, rows, width) {
				s.add(width, i, j, a, s.c.Data[i*s.c.Stride+j:], s.c.Stride)
				continue
			}
			s.edge(i, j, rows, width, a, of)
		}
	}
}

// add adds the tile at (i, j) to c.
func (s *mixedStage) add(width, i, j int, a []float32, c []float64, stride int) {
	asm.Gemm32(width, s.left.depth, a, asm.Cols32, s.right.sliver(j), s.a.unit[i:], s.b.unit[j:], c, stride)
}

// edge forms a tile that is not whole, in a whole one beside C, by the same instructions.
func (s *mixedStage) edge(i, j, rows, width int, a []float32, of part) {
	var tile [asm.Rows * asm.Cols32]float64
	for r := range rows {
		lo, hi := of.columns(i+r, j, width)
		copy(tile[r*asm.Cols32+lo:r*asm.Cols32+hi], s.c.Data[(i+r)*s.c.Stride+j+lo:])
	}
	s.add(width, i, j, a, tile[:], asm.Cols32)
	for r := range rows {
		lo, hi := of.columns(i+r, j, width)
		copy(s.c.Data[(i+r)*s.c.Stride+j+lo:(i+r)*s.c.Stride+j+hi], tile[r*asm.Cols32+lo:r*asm.Cols32+hi])
	}
}
