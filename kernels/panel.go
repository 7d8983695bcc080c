package kernels

import (
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/asm"
	fast "mediant/internal/blas"
	"mediant/internal/parallel"
)

// Block sizes are constants because they must not depend on the number of threads.
const (
	// tileRows × tileCols entries (256 kB) are formed at a time, and stay in the second cache until
	// the kernel's function has been taken of them. These are multiples of fast.Stretch.
	tileRows = 3 * fast.Stretch
	tileCols = 20 * fast.Stretch
	// Rows of wide columns and more pass through the second cache in stretches, with each of which more rows must be
	// multiplied for the cache not to wait for memory: with tiles as above, products 19,200 columns wide took a
	// quarter more time. Taller tiles leave less for processors to share, and so are for wide dense rows alone.
	wide     = 1024
	wideRows = 8 * fast.Stretch
	wideCols = 10 * fast.Stretch
	// panelFloats bounds the copy of y that is held at a time: 256 MB. x is centred anew for each such panel, which
	// costs what a product with a hundred columns of y does.
	panelFloats = 1 << 25
)

// A panel is a run of y's rows less a centre, stored as columns: packed for products with dense rows,
// or, since sparse rows add multiples of contiguous stretches, one below the other.
type panel struct {
	y      mat.Matrix
	lo     int // of y's rows, the panel's first
	sparse bool
	packed fast.Packed    // unless sparse
	cols   blas64.General // width × rows of the panel, if sparse
	index  index          // instead of cols, if y is sparse too
	both   bool           // whether it is
	norms  []float64      // |y_j - c|²
	store  scratch
}

var panels = sync.Pool{New: func() any { return new(panel) }}

// load takes rows lo to hi of y, less c.
func (p *panel) load(y mat.Matrix, lo, hi int, c centre) {
	_, width := y.Dims()
	p.y, p.lo, p.sparse = y, lo, c.sparse
	p.norms = slices.Grow(p.norms[:0], hi-lo)[:hi-lo]
	if p.both = p.sparse && asSparse(y) != nil; p.both {
		p.loadIndex(lo, hi, c)
		return
	}
	if p.sparse {
		p.cols = p.store.general(width, hi-lo)
	} else {
		p.packed.Reset(width, hi-lo)
	}
	c.sparse = false // y's rows are held densely
	parallel.Blocks(hi-lo, tileRows, func(i, end int) {
		w := works.Get().(*work)
		w.load(y, lo+i, lo+end, c)
		if p.sparse {
			p.transpose(w, i)
		} else {
			p.packed.Put(i, blas.Trans, w.dense)
		}
		copy(p.norms[i:], w.norms)
		works.Put(w)
	})
}

// loadIndex is load for sparse rows on both sides.
func (p *panel) loadIndex(lo, hi int, c centre) {
	_, width := p.y.Dims()
	w := works.Get().(*work)
	w.load(p.y, lo, hi, c)
	p.index.load(w, width)
	copy(p.norms, w.norms)
	works.Put(w)
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
}

// multiplyTo stores alpha times the inner products of w's rows and p's columns from first on in out.
// Every entry depends on its row and column alone.
func (p *panel) multiplyTo(out blas64.General, first int, alpha float64, w *work) {
	switch {
	case p.both:
		p.index.multiplyTo(out, alpha, w)
	case p.sparse:
		multiplySparseTo(out, alpha, w, view(p.cols, 0, first, p.cols.Rows, out.Cols))
	default:
		p.packed.MulTo(out, first, alpha, w.dense)
	}
}

// multiplySparseTo is out = alpha a b for the sparse rows a of w.
func multiplySparseTo(out blas64.General, alpha float64, w *work, b blas64.General) {
	for i := range out.Rows {
		to := line(out, i)
		clear(to)
		for t := w.start[i]; t < w.start[i+1]; t++ {
			asm.Axpy(alpha*w.vals[t], line(b, w.cols[t]), to)
		}
	}
}

// A tile is a block of a Gram matrix: the rows of w, which are x's from row on, by columns of p.
type tile struct {
	out blas64.General
	w   *work
	row int
	p   *panel
	col int // of p's columns, the first
}

// multiply stores alpha times the inner products in the tile.
func (t tile) multiply(alpha float64) { t.p.multiplyTo(t.out, t.col, alpha, t.w) }

// eachTile covers the Gram matrix out by tiles and calls do for each, the panels of y in turn and tiles
// of a panel on all processors.
func eachTile(out blas64.General, x, y mat.Matrix, c centre, do func(t tile)) {
	_, width := y.Dims()
	rows, cols := tileRows, tileCols
	if width >= wide && !c.sparse {
		rows, cols = wideRows, wideCols
	}
	size := max(tileRows, panelFloats/width/tileRows*tileRows)
	if c.sparse && asSparse(y) != nil {
		size = cols // an index is that of one tile's columns
	}
	p := panels.Get().(*panel)
	for lo := 0; lo < out.Cols; lo += size {
		hi := min(lo+size, out.Cols)
		p.load(y, lo, hi, c)
		parallel.Blocks(out.Rows, rows, func(i, end int) {
			w := works.Get().(*work)
			w.load(x, i, end, c)
			for j := 0; j < hi-lo; j += cols {
				do(tile{view(out, i, lo+j, end-i, min(cols, hi-lo-j)), w, i, p, j})
			}
			works.Put(w)
		})
	}
	p.y = nil
	panels.Put(p)
}
