package blas

import (
	"math"
	"sync/atomic"

	"mediant/internal/asm"
	"mediant/internal/parallel"
)

const (
	// serial is the number of multiplications below which one goroutine is enough: 0.1 ms, which it can take to
	// wake another. Each gets at least half as many.
	serial = 1 << 21
	// least is the number of rows or columns below which a product is not cut in two.
	least = 2 * asm.Cols
)

// workers returns the number of goroutines that p is worth.
func (p *product) workers() int {
	work := p.m * p.k * max(p.n, asm.Lanes)
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

// formTogether forms p in parts that each belong to one goroutine. They share nothing that is written: packed slivers
// that one writes and another reads cost more to pass between processors without a common cache than to
// pack twice.
func (p product) formTogether(workers int) {
	parts := p.cut(workers, make([]product, 0, workers))
	taken := make([]atomic.Bool, len(parts))
	parallel.Together(len(parts), func(worker int) {
		// Its own part first: of two workers each finds in its cache what it had of C before, in a sum of products.
		for i := range parts {
			if at := (worker + i) % len(parts); !taken[at].Swap(true) {
				parts[at].form()
			}
		}
	})
}

// cut appends to parts those of p for a number of workers, of one size as far as that goes.
func (p product) cut(workers int, parts []product) []product {
	half := workers / 2
	switch {
	case workers == 1 || max(p.m, p.n) < least:
		return append(parts, p)
	case p.part != whole:
		return p.cutTriangle(workers, parts)
	case p.m >= p.n: // rows can be cut more evenly
		i := p.m * half / workers / asm.Rows * asm.Rows
		parts = p.sub(0, i, 0, p.n, whole).cut(half, parts)
		return p.sub(i, p.m, 0, p.n, whole).cut(workers-half, parts)
	default:
		j := nearest(float64(p.n*half) / float64(workers))
		parts = p.sub(0, p.m, 0, j, whole).cut(half, parts)
		return p.sub(0, p.m, j, p.n, whole).cut(workers-half, parts)
	}
}

// cutTriangle cuts off the rows of one worker (the columns of a lower triangle), or for four workers, who would each
// pack nearly all columns for rows of theirs, the square that is half of the work.
func (p product) cutTriangle(workers int, parts []product) []product {
	n := p.n
	if workers%4 == 0 {
		h := padded(n / 2)
		square := p.sub(0, h, h, n, whole)
		if p.part == lower {
			square = p.sub(h, n, 0, h, whole)
		}
		parts = square.cut(workers/2, parts)
		parts = p.sub(0, h, 0, h, p.part).cut(workers/4, parts)
		return p.sub(h, n, h, n, p.part).cut(workers/4, parts)
	}
	h := nearest(float64(n) * (1 - math.Sqrt(1-1/float64(workers))))
	first := p.sub(0, h, 0, n, upper)
	if p.part == lower {
		first = p.sub(0, n, 0, h, lower)
	}
	return p.sub(h, n, h, n, p.part).cut(workers-1, append(parts, first))
}

// nearest returns the multiple of asm.Cols nearest to n, but 0.
func nearest(n float64) int { return max(1, int(math.Round(n/asm.Cols))) * asm.Cols }

// sub returns p's rows i0 to i1 and columns j0 to j1, of which part is to be formed.
func (p product) sub(i0, i1, j0, j1 int, part part) product {
	p.m, p.n, p.part = i1-i0, j1-j0, part
	p.a, p.b = p.a.from(i0, 0), p.b.from(0, j0)
	p.c = view(p.c, i0, j0, p.m, p.n)
	return p
}
