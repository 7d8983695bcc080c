package blas

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"
	"mediant/internal/parallel"
)

const (
	// leaf is the order from which on triangles are split into two and a product. Below it the
	// whole triangle (64 kB packed) and a strip of right-hand sides stay near.
	leaf = 128
	// strips is the number of strips of asm.Cols right-hand sides that a goroutine solves at a time.
	strips = 4
	// apart is the least number of right-hand sides that goroutines solve for apart from each other, each
	// packing the triangle for itself: a twentieth of the work. Fewer are solved for together, product
	// by product, at a barrier each.
	apart = 240
	// rounds is how often a goroutine takes right-hand sides apart from others.
	rounds = 2
)

// SolveLeft overwrites b with op(u)⁻¹ b; u is n×n upper triangular, b n×k. It costs n²k flops.
func SolveLeft(t blas.Transpose, u, b blas64.General) {
	solve(triangle{read(t, u), u.Rows, t == blas.NoTrans, false}, read(blas.NoTrans, b), b.Cols)
}

// SolveRight overwrites b with b u⁻¹; u is n×n upper triangular, b k×n. It costs n²k flops. A row of
// the result depends on its row of b alone, to the last bit.
func SolveRight(b, u blas64.General) {
	solve(triangle{read(blas.Trans, u), u.Rows, false, false}, read(blas.Trans, b), b.Rows)
}

// A triangle is a triangular matrix of order n.
type triangle struct {
	operand
	n     int
	upper bool
	unit  bool // its diagonal, not stored, is 1
}

// block returns the part of t from i to j.
func (t triangle) block(i, j int) triangle {
	t.operand = t.from(i, i)
	t.n = j - i
	return t
}

// solve overwrites x, of cols columns, with t⁻¹ x.
func solve(t triangle, x operand, cols int) {
	workers := parallel.Workers(cols)
	each := padded(max(apart, cols/(rounds*workers)))
	if workers == 1 || each*workers > cols || t.n*t.n/2*cols < serial {
		t.solve(x, cols)
		return
	}
	parallel.Blocks(cols, each, func(lo, hi int) { t.solve(x.from(0, lo), hi-lo) })
}

// solve is the function solve in products and smaller triangles.
func (t triangle) solve(x operand, cols int) {
	if t.n == 0 || cols == 0 {
		return
	}
	if t.n <= leaf {
		solveLeaf(t, x, cols)
		return
	}
	k := split(t.n)
	first, last := t.block(0, k), t.block(k, t.n)
	x1, x2 := x, x.from(k, 0)
	if t.upper {
		last.solve(x2, cols)
		subtract(x1, t.from(0, k), x2, k, cols, t.n-k)
		first.solve(x1, cols)
		return
	}
	first.solve(x1, cols)
	subtract(x2, t.from(k, 0), x1, t.n-k, cols, k)
	last.solve(x2, cols)
}

// split halves n at a multiple of leaf, so that the products keep whole blocks.
func split(n int) int { return (n/2 + leaf - 1) / leaf * leaf }

// subtract takes the product of a, m×k, and b, k×n, from c. One of the strides of c is 1.
func subtract(c, a, b operand, m, n, k int) {
	if c.col != 1 {
		c, a, b = c.transposed(), b.transposed(), a.transposed()
		m, n = n, m
	}
	to := blas64.General{Rows: m, Cols: n, Stride: c.row, Data: c.data}
	multiply(product{m: m, n: n, k: k, alpha: -1, a: a, b: b, add: true, c: to, part: whole})
}

// A substitution is a triangle packed for solveLeaf, as a lower one whose rows are taken in the order
// of forward substitution, in blocks of asm.Rows rows: first the columns before the block, column by
// column, then the triangle on the diagonal, row by row.
type substitution struct {
	blocks   int
	reversed bool
	store    []float64
}

var substitutions = sync.Pool{New: func() any { return &substitution{store: make([]float64, offset(leaf/asm.Rows))} }}

// offset returns where block i is stored.
func offset(i int) int { return asm.Rows * asm.Rows * i * (i + 1) / 2 }

// load packs t; rows that fill up the last block are those of the identity.
func (s *substitution) load(t triangle) {
	s.blocks = (t.n + asm.Rows - 1) / asm.Rows
	s.reversed = t.upper
	for i := range s.blocks {
		to := s.store[offset(i):offset(i+1)]
		clear(to)
		for r := range asm.Rows {
			s.loadRow(to[r:], to[asm.Rows*asm.Rows*i+asm.Rows*r:], t, asm.Rows*i, r)
		}
	}
}

// loadRow packs row first+r: the columns before first asm.Rows apart, the others together.
func (s *substitution) loadRow(before, diagonal []float64, t triangle, first, r int) {
	row := first + r
	if row >= t.n {
		diagonal[r] = 1
		return
	}
	at, step := row*t.row, t.col
	if s.reversed {
		at, step = (t.n-1-row)*t.row+(t.n-1)*t.col, -t.col
	}
	for l := range first {
		before[asm.Rows*l] = t.data[at+l*step]
	}
	for l := range r {
		diagonal[l] = t.data[at+(first+l)*step]
	}
	diagonal[r] = 1
	if !t.unit {
		diagonal[r] = t.data[at+row*step]
	}
}

// A bundle is what a goroutine solves for at a time: strips of asm.Cols right-hand sides, each with rows of
// its own. They are read and written together, since rows of one strip alone, a page apart, would keep the
// caches waiting.
type bundle [strips][leaf * asm.Cols]float64

var bundles = sync.Pool{New: func() any { return new(bundle) }}

// solveLeaf is solve for an order of at most leaf.
func solveLeaf(t triangle, x operand, cols int) {
	s := substitutions.Get().(*substitution)
	s.load(t)
	parallel.Blocks(cols, strips*asm.Cols, func(lo, hi int) {
		w := bundles.Get().(*bundle)
		s.solve(w, x.from(0, lo), t.n, hi-lo)
		bundles.Put(w)
	})
	substitutions.Put(s)
}

// solve solves for the first cols columns of x.
func (s *substitution) solve(w *bundle, x operand, n, cols int) {
	used := w[:(cols+asm.Cols-1)/asm.Cols]
	if cols%asm.Cols != 0 || n < asm.Rows*s.blocks {
		clear(used)
	}
	columnwise := x.row == 1 && !s.reversed
	if columnwise {
		for j := range used {
			pack(used[j][:], asm.Cols, min(asm.Cols, cols-j*asm.Cols), n, x.from(0, j*asm.Cols).transposed())
		}
	} else {
		s.eachRow(x, used, n, cols, operand.readRow)
	}
	for j := range used {
		s.forward(&used[j])
	}
	if columnwise {
		for j := range used {
			unpack(x.from(0, j*asm.Cols), used[j][:], n, min(asm.Cols, cols-j*asm.Cols))
		}
	} else {
		s.eachRow(x, used, n, cols, operand.writeRow)
	}
}

// eachRow calls do for the rows of all strips and what they are copies of.
func (s *substitution) eachRow(x operand, used [][leaf * asm.Cols]float64, n, cols int, do func(x operand, i int, row []float64)) {
	for i := range n {
		at := i
		if s.reversed {
			at = n - 1 - i
		}
		for j := range used {
			first := j * asm.Cols
			do(x.from(0, first), at, used[j][i*asm.Cols:][:min(asm.Cols, cols-first)])
		}
	}
}

// unpack stores the n×cols elements of a strip in x, whose columns lie in memory as rows.
func unpack(x operand, strip []float64, n, cols int) {
	i := 0
	for ; i+8 <= n; i += 8 {
		asm.Interleave(x.data[i:], x.col, cols, strip[i*asm.Cols:], asm.Cols)
	}
	for ; i < n; i++ {
		x.writeRow(i, strip[i*asm.Cols:][:cols])
	}
}

// forward substitutes block by block.
func (s *substitution) forward(x *[leaf * asm.Cols]float64) {
	for i := range s.blocks {
		t, before := s.store[offset(i):], asm.Rows*i
		rows := x[before*asm.Cols:]
		if i > 0 {
			asm.Gemm(asm.Cols, before, t, 1, asm.Rows, x[:], asm.Cols, -1, rows, asm.Cols, true)
		}
		asm.Solve(t[asm.Rows*before:], rows, asm.Cols)
	}
}
