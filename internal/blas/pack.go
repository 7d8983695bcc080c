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
	switch {
	case src.row == 1 && rows == asm.Cols:
		for p := range depth {
			*(*[asm.Cols]float64)(dst[p*asm.Cols:]) = [asm.Cols]float64(src.data[p*src.col:])
		}
	case src.row == 1 && rows == asm.Rows && width == asm.Rows:
		for p := range depth {
			*(*[asm.Rows]float64)(dst[p*asm.Rows:]) = [asm.Rows]float64(src.data[p*src.col:])
		}
	case src.row == 1:
		for p := range depth {
			copy(dst[p*width:][:rows], src.data[p*src.col:][:rows])
		}
	default:
		packByRows(dst, width, rows, depth, src)
	}
}

// packByRows packs row by row, eight at a time as far as they lie in memory as rows.
func packByRows(dst []float64, width, rows, depth int, src operand) {
	l := 0
	if src.col == 1 {
		for ; l+8 <= rows; l += 8 {
			asm.Interleave(dst[l:], width, depth, src.data[l*src.row:], src.row)
		}
	}
	for ; l < rows; l++ {
		from := src.data[l*src.row:]
		for p := range depth {
			dst[p*width+l] = from[p*src.col]
		}
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

// grow makes memory hold f's slivers, and gives it to f.
func (f *factor) grow(memory *[]float64) {
	if size := f.slivers() * f.width * f.depth; len(*memory) < size {
		*memory = make([]float64, size)
	}
	f.store = *memory
}

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
	return operand{f.store[(i-f.packed)*f.depth:], 1, f.width}
}

// within returns row i, a multiple of asm.Rows, of a factor packed for columns throughout.
func (f *factor) within(i int) operand {
	in := i % asm.Cols
	return operand{f.store[(i-in)*f.depth+in:], 1, asm.Cols}
}

// padded returns rows rounded up to whole slivers of both widths.
func padded(rows int) int { return (rows + asm.Cols - 1) / asm.Cols * asm.Cols }
