package blas

import (
	"math"
	"sync/atomic"

	"mediant/internal/asm"
	"mediant/internal/parallel"
)

// serial is the number of multiplications below which one goroutine is enough: 0.1 ms, which it can take to
// wake another. Each gets at least half as many.
const serial = 1 << 21

// workers returns the number of goroutines that p is worth.
func (p *product) workers() int { return worth(p.m * p.k * max(p.n, asm.Lanes)) }

// worth returns the number of goroutines that so many multiplications are worth.
func worth(work int) int {
	if work < serial {
		return 1
	}
	return parallel.Workers(2 * work / serial)
}

// multiply forms p.
func multiply(p product) {
	if workers := p.workers(); workers > 1 {
		p.formTogether(workers)
		return
	}
	p.form()
}

// formTogether forms p on so many goroutines.
func (p product) formTogether(workers int) {
	together(p.area().cut(workers, asm.Cols, make([]area, 0, workers)), func(a area) { p.sub(a).form() })
}

// together calls form for areas that each belong to one goroutine. They share nothing that is written: packed slivers
// that one writes and another reads cost more to pass between processors without a common cache than to
// pack twice.
func together(areas []area, form func(area)) {
	taken := make([]atomic.Bool, len(areas))
	parallel.Together(len(areas), func(worker int) {
		// Its own area first: of two workers each finds in its cache what it had of C before, in a sum of products.
		for i := range areas {
			if at := (worker + i) % len(areas); !taken[at].Swap(true) {
				form(areas[at])
			}
		}
	})
}

// An area is a block of C that begins at row i and column j, of which a part is to be formed.
type area struct {
	i, j, rows, cols int
	part             part
}

// area is all of p.
func (p *product) area() area { return area{0, 0, p.m, p.n, p.part} }

// cut appends to areas those of a for a number of workers, of one size as far as that goes: columns, and rows of
// triangles, at multiples of width, which is one of asm.Rows.
func (a area) cut(workers, width int, areas []area) []area {
	half := workers / 2
	switch {
	case workers == 1 || max(a.rows, a.cols) < 2*width:
		return append(areas, a)
	case a.part != whole:
		return a.cutTriangle(workers, width, areas)
	case a.rows >= a.cols: // rows can be cut more evenly
		i := a.rows * half / workers / asm.Rows * asm.Rows
		areas = a.sub(0, i, 0, a.cols, whole).cut(half, width, areas)
		return a.sub(i, a.rows, 0, a.cols, whole).cut(workers-half, width, areas)
	default:
		j := nearest(float64(a.cols*half)/float64(workers), width)
		areas = a.sub(0, a.rows, 0, j, whole).cut(half, width, areas)
		return a.sub(0, a.rows, j, a.cols, whole).cut(workers-half, width, areas)
	}
}

// cutTriangle cuts off the rows of one worker (the columns of a lower triangle), or for four workers, who would each
// pack nearly all columns for rows of theirs, the square that is half of the work.
func (a area) cutTriangle(workers, width int, areas []area) []area {
	n := a.cols
	if workers%4 == 0 {
		h := (n/2 + width - 1) / width * width
		square := a.sub(0, h, h, n, whole)
		if a.part == lower {
			square = a.sub(h, n, 0, h, whole)
		}
		areas = square.cut(workers/2, width, areas)
		areas = a.sub(0, h, 0, h, a.part).cut(workers/4, width, areas)
		return a.sub(h, n, h, n, a.part).cut(workers/4, width, areas)
	}
	h := nearest(float64(n)*(1-math.Sqrt(1-1/float64(workers))), width)
	first := a.sub(0, h, 0, n, upper)
	if a.part == lower {
		first = a.sub(0, n, 0, h, lower)
	}
	return a.sub(h, n, h, n, a.part).cut(workers-1, width, append(areas, first))
}

// nearest returns the multiple of width nearest to n, but 0.
func nearest(n float64, width int) int { return max(1, int(math.Round(n/float64(width)))) * width }

// sub returns a's rows i0 to i1 and columns j0 to j1, of which part is to be formed.
func (a area) sub(i0, i1, j0, j1 int, part part) area {
	return area{a.i + i0, a.j + j0, i1 - i0, j1 - j0, part}
}

// sub returns the product that forms an area of p.
func (p product) sub(a area) product {
	p.m, p.n, p.part = a.rows, a.cols, a.part
	p.a, p.b = p.a.from(a.i, 0), p.b.from(0, a.j)
	p.c = view(p.c, a.i, a.j, p.m, p.n)
	return p
}
