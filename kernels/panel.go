package kernels

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/parallel"
)

// Block sizes are constants because they must not depend on the number of threads. Tiles of
// 64×128 with 64 columns of x between them keep all three operands (32, 64 and 64 kB) in the
// second-level cache, and gonum's product, which starts goroutines from four blocks of 64×64 up,
// serial: the threads are ours, over blocks of rows.
const (
	tileRows  = 64
	tileCols  = 128
	tileDepth = 64
	// panelFloats bounds the copy of y that is held at a time: 64 MB.
	panelFloats = 1 << 23
)

// A panel is a run of y's rows less a centre, stored as columns so that products and sparse rows
// both add multiples of contiguous stretches.
type panel struct {
	y     mat.Matrix
	lo    int            // of y's rows, the panel's first
	cols  blas64.General // width × rows of the panel
	norms []float64      // |y_j - c|²
	store scratch
}

var panels = sync.Pool{New: func() any { return new(panel) }}

// load takes rows lo to hi of y, less c.
func (p *panel) load(y mat.Matrix, lo, hi int, c centre) {
	_, width := y.Dims()
	p.y, p.lo = y, lo
	p.cols = p.store.general(width, hi-lo)
	p.norms = p.norms[:0]
	for range hi - lo {
		p.norms = append(p.norms, 0)
	}
	c.sparse = false // y's rows are held densely
	parallel.Blocks(hi-lo, tileRows, func(i, end int) {
		w := works.Get().(*work)
		w.load(y, lo+i, lo+end, c)
		p.transpose(w, i)
		works.Put(w)
	})
}

// transpose writes the rows of w to the columns of p from the first on.
func (p *panel) transpose(w *work, first int) {
	rows := w.dense
	for k := range rows.Cols {
		to := p.cols.Data[k*p.cols.Stride+first:][:rows.Rows]
		for i := range to {
			to[i] = rows.Data[i*rows.Stride+k]
		}
	}
	copy(p.norms[first:], w.norms)
}

// multiplyTo stores alpha times the inner products of w's rows and p's columns in out.
func (p *panel) multiplyTo(out blas64.General, alpha float64, w *work) {
	for j := 0; j < out.Cols; j += tileCols {
		n := min(tileCols, out.Cols-j)
		tile := view(out, 0, j, out.Rows, n)
		if w.sparse {
			multiplySparseTo(tile, alpha, w, view(p.cols, 0, j, p.cols.Rows, n))
		} else {
			multiplyDenseTo(tile, alpha, w.dense, view(p.cols, 0, j, p.cols.Rows, n))
		}
	}
}

// multiplyDenseTo is out = alpha a b. Every entry adds its terms one by one in the order of a's
// columns, so that it does not depend on its place in a tile.
func multiplyDenseTo(out blas64.General, alpha float64, a, b blas64.General) {
	beta := 0.0
	for k := 0; k < a.Cols; k += tileDepth {
		depth := min(tileDepth, a.Cols-k)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, alpha, view(a, 0, k, a.Rows, depth), view(b, k, 0, depth, b.Cols), beta, out)
		beta = 1
	}
}

// multiplySparseTo is out = alpha a b for the sparse rows a of w.
func multiplySparseTo(out blas64.General, alpha float64, w *work, b blas64.General) {
	for i := range out.Rows {
		to := blas64.Vector{N: out.Cols, Inc: 1, Data: line(out, i)}
		clear(to.Data)
		for t := w.start[i]; t < w.start[i+1]; t++ {
			blas64.Axpy(alpha*w.vals[t], blas64.Vector{N: out.Cols, Inc: 1, Data: line(b, w.cols[t])}, to)
		}
	}
}

// eachBlock covers the Gram matrix out by blocks, a tile of x's rows by a panel of y's, and calls do
// for each with both loaded.
func eachBlock(out blas64.General, x, y mat.Matrix, c centre, do func(block blas64.General, w *work, first int, p *panel)) {
	_, width := y.Dims()
	size := max(tileRows, panelFloats/width)
	p := panels.Get().(*panel)
	for lo := 0; lo < out.Cols; lo += size {
		hi := min(lo+size, out.Cols)
		p.load(y, lo, hi, c)
		parallel.Blocks(out.Rows, tileRows, func(i, end int) {
			w := works.Get().(*work)
			w.load(x, i, end, c)
			do(view(out, i, lo, end-i, hi-lo), w, i, p)
			works.Put(w)
		})
	}
	p.y = nil
	panels.Put(p)
}
