package blas

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"
)

// Block sizes of the product, for caches of 32 kB, 1 MB and a share of a few MB a core.
const (
	// depthBlock is how many terms of each sum are formed in registers. It is part of the result:
	// sums are cut at its multiples. A sliver of A (16 kB) and the tile of C stay in the first cache
	// while those of B (48 kB each) stream by from the second, at 8 of the 32 bytes it has a cycle.
	depthBlock = 256
	// tileRows × tileCols is the tile of C that is formed at a time: its rows of A (393 kB) and
	// columns of B (492 kB) fill the second cache.
	tileRows = 192
	tileCols = 240
	// span bounds the rows and the columns of C that a goroutine packs at a time: 16 MB a factor.
	span = 341 * asm.Cols
	// direct is how often slivers of a factor may be read before packing them is worth its cost.
	direct = 2
)

// A part says which elements of C are to be formed.
type part int

const (
	whole part = iota
	upper
	lower
)

// touches reports whether some of the block of rows × cols at (i, j) is in the part.
func (p part) touches(i, j, rows, cols int) bool {
	return !(p == upper && j+cols <= i || p == lower && i+rows <= j)
}

// covers reports whether all of the block is.
func (p part) covers(i, j, rows, cols int) bool {
	switch p {
	case upper:
		return i+rows <= j+1
	case lower:
		return j+cols <= i+1
	default:
		return true
	}
}

// columns returns which of width columns from j on are in the part in row i, as offsets from j.
func (p part) columns(i, j, width int) (lo, hi int) {
	switch p {
	case upper:
		return min(max(0, i-j), width), width
	case lower:
		return 0, max(0, min(width, i-j+1))
	default:
		return 0, width
	}
}

// A product is C = alpha A B, or C + alpha A B if add, in a part of C. Each element is summed in
// stretches of depthBlock terms, each by one chain of fused multiply-adds, and so depends on its row
// of A, its column of B, alpha and C alone: not on the shapes, its neighbours or the threads.
type product struct {
	m, n, k int
	alpha   float64
	a, b    operand
	add     bool
	c       blas64.General
	part    part
}

// Gemm computes
//
//	C = alpha op(A) op(B) + beta C
//
// in 2mnk flops. C is not read if beta is 0, A and B are not if alpha is. An element of C depends on
// its own row of op(A), its column of op(B), alpha, beta and itself alone, to the last bit. Shapes
// that do not match panic. C must not share memory with A or B.
func Gemm(tA, tB blas.Transpose, alpha float64, a, b blas64.General, beta float64, c blas64.General) {
	m, k := shape(tA, a)
	depth, n := shape(tB, b)
	if m != c.Rows || n != c.Cols || k != depth {
		panic("blas: shapes of a product do not match")
	}
	gemm(read(tA, a), read(tB, b), k, alpha, beta, c)
}

// gemm is Gemm for operands with k products in each sum.
func gemm(a, b operand, k int, alpha, beta float64, c blas64.General) {
	if c.Rows == 0 || c.Cols == 0 || prescaled(alpha, beta, k, c, whole) {
		return
	}
	multiply(product{m: c.Rows, n: c.Cols, k: k, alpha: alpha, a: a, b: b, add: beta != 0, c: c, part: whole})
}

// prescaled multiplies the part of c by beta, unless the product will overwrite it, and reports
// whether there is no product to follow.
func prescaled(alpha, beta float64, k int, c blas64.General, p part) bool {
	none := alpha == 0 || k == 0
	if beta != 1 && (none || beta != 0) {
		scale(beta, c, p)
	}
	return none
}

// scale multiplies the part of c by beta; 0 overwrites what is not finite.
func scale(beta float64, c blas64.General, p part) {
	for i := range c.Rows {
		lo, hi := 0, c.Cols
		switch p {
		case upper:
			lo = i
		case lower:
			hi = i + 1
		}
		row := c.Data[i*c.Stride+lo : i*c.Stride+hi]
		if beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= beta
		}
	}
}

// A store holds the packed slivers of both factors.
type store [2][]float64

var stores = sync.Pool{New: func() any { return new(store) }}

// form forms p on the calling goroutine, in blocks of at most span rows and columns.
func (p product) form() {
	st := stores.Get().(*store)
	for i := 0; i < p.m; i += span {
		for j := 0; j < p.n; j += span {
			if part, ok := p.partAt(i, j); ok {
				q := p.sub(p.area().sub(i, min(i+span, p.m), j, min(j+span, p.n), part))
				q.formBlock(st)
			}
		}
	}
	stores.Put(st)
}

// partAt returns the part of p in its block at (i, j), or false if it has none there.
func (p *product) partAt(i, j int) (part, bool) {
	switch {
	case p.part == whole || i == j:
		return p.part, true
	case p.part == upper:
		return whole, i < j
	default:
		return whole, i > j
	}
}

// formBlock adds up stages.
func (p *product) formBlock(st *store) {
	for q := 0; q < p.k; q += depthBlock {
		s := stage{product: p, add: p.add || q > 0}
		s.pack(q, st)
		for i := 0; i < p.m; i += tileRows {
			for j := 0; j < p.n; j += tileCols {
				s.tile(i, min(i+tileRows, p.m), j, min(j+tileCols, p.n))
			}
		}
	}
}

// A stage is a product over at most depthBlock terms, its factors ready or to be packed.
type stage struct {
	*product
	left, right factor
	add         bool
}

// symmetric reports whether the product is one of a matrix and its own transpose, packed once.
func (p *product) symmetric() bool { return p.part != whole }

// pack reads p's terms from q on, as many as a stage has, and packs them in st.
func (s *stage) pack(q int, st *store) {
	p := s.product
	depth := min(depthBlock, p.k-q)
	s.left = factor{src: p.a.from(0, q), rows: p.m, width: asm.Rows, depth: depth}
	s.right = factor{src: p.b.from(q, 0).transposed(), rows: p.n, width: asm.Cols, depth: depth}
	switch {
	case p.symmetric():
		s.left.rows = 0 // its slivers are found within those of the right
		s.right.rows = max(p.m, p.n)
	case p.n <= direct*asm.Cols:
		s.left.packed = p.m / asm.Rows * asm.Rows
	case p.m <= direct*asm.Rows && p.b.col == 1:
		s.right.packed = p.n / asm.Cols * asm.Cols
	}
	for i, f := range []*factor{&s.left, &s.right} {
		f.grow(&st[i])
		f.pack(0, f.slivers())
	}
}

// tile forms rows i0 to i1 and columns j0 to j1 of C, as far as they are in the part. Both begin at
// multiples of the slivers' widths.
func (s *stage) tile(i0, i1, j0, j1 int) {
	for i := i0; i < i1; i += asm.Rows {
		rows := min(asm.Rows, i1-i)
		a := s.row(i)
		for j := j0; j < j1; j += asm.Cols {
			b := s.right.at(j)
			width := min(asm.Cols, j1-j)
			if !s.part.touches(i, j, rows, width) {
				continue
			}
			if rows == asm.Rows && width%asm.Lanes == 0 && s.part.covers(i, j, rows, width) {
				asm.Gemm(width, s.left.depth, a.data, a.row, a.col, b.data, b.col, s.alpha, s.c.Data[i*s.c.Stride+j:], s.c.Stride, s.add)
				continue
			}
			s.edge(i, j, rows, width, a, b)
		}
	}
}

// row returns rows i to i+asm.Rows of the left factor.
func (s *stage) row(i int) operand {
	if s.symmetric() {
		return s.right.within(i)
	}
	return s.left.at(i)
}

// edge forms a tile that is not whole, in a whole one beside C, by the same instructions.
func (s *stage) edge(i, j, rows, width int, a, b operand) {
	var tile [asm.Rows * asm.Cols]float64
	if s.add {
		for r := range rows {
			lo, hi := s.part.columns(i+r, j, width)
			copy(tile[r*asm.Cols+lo:r*asm.Cols+hi], s.c.Data[(i+r)*s.c.Stride+j+lo:])
		}
	}
	asm.Gemm(width, s.left.depth, a.data, a.row, a.col, b.data, b.col, s.alpha, tile[:], asm.Cols, s.add)
	for r := range rows {
		lo, hi := s.part.columns(i+r, j, width)
		copy(s.c.Data[(i+r)*s.c.Stride+j+lo:(i+r)*s.c.Stride+j+hi], tile[r*asm.Cols+lo:r*asm.Cols+hi])
	}
}
