package blas

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"
)

// Stretch is the step of columns in which a Packed may be filled.
const Stretch = asm.Cols

// A Packed is the right factor of products, k×n, packed for all of them. The zero value is empty; Reset
// gives it a shape. Columns may be put, at multiples of Stretch, by several goroutines at once, and
// afterwards products formed by several.
type Packed struct {
	k, n  int
	store []float64 // by stretches of depthBlock terms
}

// Pack returns op(b), packed.
func Pack(t blas.Transpose, b blas64.General) *Packed {
	p := new(Packed)
	k, n := shape(t, b)
	p.Reset(k, n)
	p.Put(0, t, b)
	return p
}

// Reset makes p k×n, of any elements, in the memory it has if that is enough.
func (p *Packed) Reset(k, n int) {
	p.k, p.n = k, n
	if size := k * padded(n); cap(p.store) < size {
		p.store = make([]float64, size)
	} else {
		p.store = p.store[:size]
	}
}

// Put makes op(b) the columns of p from first on, a multiple of Stretch. It panics if op(b) does not
// fit there, or ends before a multiple of Stretch that is not the end of p.
func (p *Packed) Put(first int, t blas.Transpose, b blas64.General) {
	k, n := shape(t, b)
	if k != p.k || first%Stretch != 0 || first+n > p.n || n%Stretch != 0 && first+n < p.n {
		panic("blas: columns do not fit a packed matrix")
	}
	src := read(t, b).transposed()
	for q := 0; q < k; q += depthBlock {
		f := p.factor(q)
		f.src, f.rows = src.from(0, q), n
		f.store = f.store[first*f.depth:]
		f.pack(0, f.slivers())
	}
}

// factor returns p's terms from q on.
func (p *Packed) factor(q int) factor {
	return factor{rows: p.n, width: asm.Cols, depth: min(depthBlock, p.k-q), store: p.store[q*padded(p.n):]}
}

// lefts hold packed rows of left factors.
var lefts = sync.Pool{New: func() any { return new([]float64) }}

// MulTo computes columns first to first+c.Cols, first a multiple of Stretch, of alpha a p in c, on the
// calling goroutine. Elements are those of Gemm to the last bit. Shapes that do not match panic. c must
// not share memory with a.
func (p *Packed) MulTo(c blas64.General, first int, alpha float64, a blas64.General) {
	if a.Cols != p.k || a.Rows != c.Rows || first%Stretch != 0 || first+c.Cols > p.n {
		panic("blas: shapes of a product do not match")
	}
	if c.Rows == 0 || c.Cols == 0 {
		return
	}
	if p.k == 0 || alpha == 0 {
		scale(0, c, whole)
		return
	}
	left := lefts.Get().(*[]float64)
	prod := product{m: c.Rows, n: c.Cols, k: p.k, alpha: alpha, a: read(blas.NoTrans, a), c: c, part: whole}
	for q := 0; q < p.k; q += depthBlock {
		s := stage{product: &prod, add: q > 0, right: p.factor(q)}
		s.right.store = s.right.store[first*s.right.depth:]
		s.left = factor{src: prod.a.from(0, q), rows: c.Rows, width: asm.Rows, depth: s.right.depth}
		if c.Cols <= direct*asm.Cols {
			s.left.packed = c.Rows / asm.Rows * asm.Rows
		}
		s.left.grow(left)
		s.left.pack(0, s.left.slivers())
		s.tile(0, c.Rows, 0, c.Cols)
	}
	lefts.Put(left)
}
