package kernels

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// An index holds the nonzeros of some rows of y by columns, so that a product with a sparse row touches
// nothing but what both have. Rows with tens of thousands of columns, hashed text, are multiplied so: stored
// densely they would take longer to write down than to multiply.
type index struct {
	start []int32 // of each column in rows and vals, and the end of the last
	rows  []int32 // ascending within a column
	vals  []float64
}

// load takes the rows of w, a block of width columns.
func (x *index) load(w *work, width int) {
	x.start = slices.Grow(x.start[:0], width+1)[:width+1]
	clear(x.start)
	for _, j := range w.cols {
		x.start[j+1]++
	}
	for j := range width {
		x.start[j+1] += x.start[j]
	}
	n := len(w.cols)
	x.rows, x.vals = slices.Grow(x.rows[:0], n)[:n], slices.Grow(x.vals[:0], n)[:n]
	// Filling from the last row on, each start moves down from the end of its column to its beginning.
	copy(x.start, x.start[1:])
	for i := len(w.start) - 2; i >= 0; i-- {
		for t := w.start[i]; t < w.start[i+1]; t++ {
			j := w.cols[t]
			x.start[j]--
			x.rows[x.start[j]], x.vals[x.start[j]] = int32(i), w.vals[t]
		}
	}
}

// multiplyTo is out = alpha a b' for the sparse rows a of w and b of x: for each entry the chain of fused
// multiply-adds of multiplySparseTo, less the terms that are 0.
func (x *index) multiplyTo(out blas64.General, alpha float64, w *work) {
	for i := range out.Rows {
		to := line(out, i)
		clear(to)
		for t := w.start[i]; t < w.start[i+1]; t++ {
			lo, hi := x.start[w.cols[t]], x.start[w.cols[t]+1]
			v, rows, vals := alpha*w.vals[t], x.rows[lo:hi], x.vals[lo:hi]
			for s, r := range rows {
				to[r] = math.FMA(v, vals[s], to[r])
			}
		}
	}
}
