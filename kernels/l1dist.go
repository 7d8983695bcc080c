package kernels

import (
	"gonum.org/v1/gonum/mat"
)

// L1DistTo stores in dst the n×m matrix of distances
//
//	|x_i - y_j|₁ = Σ_k |x_ik - y_jk|
//
// of the n rows of x and the m rows of y, from the differences. It costs 3nm flops a column, several
// times as much as SqDistTo because it is no matrix product; sparse rows are unpacked and cost the
// same. Equal rows are at distance exactly 0. An empty dst is resized; a dst of another shape,
// different widths or no rows panic. dst must not share memory with x or y.
func L1DistTo(dst *mat.Dense, x, y mat.Matrix) { l1DistTo(dst, x, y, nil) }

// l1DistTo is L1DistTo followed by then on each stretch of each row, while it is in the cache.
func l1DistTo(dst *mat.Dense, x, y mat.Matrix, then func(d []float64)) {
	prepare(dst, x, y)
	eachTile(dst.RawMatrix(), x, y, centre{}, func(t tile) {
		t.p.packed.AbsDiffTo(t.out, t.col, t.w.dense)
		if then == nil {
			return
		}
		for i := range t.out.Rows {
			then(line(t.out, i))
		}
	})
}
