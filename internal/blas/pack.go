package blas

import "mediant/internal/asm"

// A sliver is a run of rows of one factor of a product (columns of the other), at most width of
// them, packed in the order in which the micro-kernel reads it: element p of row l at p·width + l,
// zeros for the rows that are missing.

// pack stores depth columns of the first rows of src as a sliver.
func pack(dst []float64, width, rows, depth int, src operand) {
	dst = dst[:width*depth]
	if rows < width {
		clear(dst)
	}
	if src.row == 1 {
		for p := range depth {
			copy(dst[p*width:][:rows], src.data[p*src.col:][:rows])
		}
		return
	}
	l := 0
	for ; l+8 <= rows; l += 8 {
		interleave(dst[l:], width, depth, src.from(l, 0))
	}
	for ; l < rows; l++ {
		from := src.data[l*src.row:]
		for p := range depth {
			dst[p*width+l] = from[p*src.col]
		}
	}
}

// interleave packs eight rows at a time: each line of dst is written once, and the eight rows of src
// are as many streams as the prefetchers follow.
func interleave(dst []float64, width, depth int, src operand) {
	if src.col != 1 {
		for p := range depth {
			to := (*[8]float64)(dst[p*width:])
			for l := range to {
				to[l] = src.data[l*src.row+p*src.col]
			}
		}
		return
	}
	line := func(l int) []float64 { return src.data[l*src.row:][:depth] }
	r0, r1, r2, r3, r4, r5, r6, r7 := line(0), line(1), line(2), line(3), line(4), line(5), line(6), line(7)
	for p := range r0 {
		*(*[8]float64)(dst[p*width:]) = [8]float64{r0[p], r1[p], r2[p], r3[p], r4[p], r5[p], r6[p], r7[p]}
	}
}

// A factor is one side of a product for a stretch of its depth: whole slivers straight from the
// source up to packed, and packed ones from there on.
type factor struct {
	src    operand // rows are the product's rows, or its columns
	rows   int
	width  int // of a sliver
	depth  int
	packed int // rows before this one are not packed
	store  []float64
}

// slivers returns the number of slivers to pack.
func (f *factor) slivers() int { return (f.rows - f.packed + f.width - 1) / f.width }

// pack packs the slivers lo to hi.
func (f *factor) pack(lo, hi int) {
	size := f.width * f.depth
	for s := lo; s < hi; s++ {
		i := f.packed + s*f.width
		pack(f.store[s*size:], f.width, min(f.width, f.rows-i), f.depth, f.src.from(i, 0))
	}
}

// at returns row i, which must be a multiple of the width, and those after it.
func (f *factor) at(i int) operand {
	if i < f.packed {
		return f.src.from(i, 0)
	}
	s := (i - f.packed) / f.width
	return operand{f.store[s*f.width*f.depth:], 1, f.width}
}

// within is at for a row i that is a multiple of asm.Rows inside a packed sliver.
func (f *factor) within(i int) operand {
	first := i / f.width * f.width
	return f.at(first).from(i-first, 0)
}

// padded returns rows rounded up to whole slivers of both widths.
func padded(rows int) int { return (rows + asm.Cols - 1) / asm.Cols * asm.Cols }
