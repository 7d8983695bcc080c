package kernels

import (
	"gonum.org/v1/gonum/mat"
)

// DotTo stores in dst the n×m matrix of inner products x_i'y_j of the n rows of x and the m rows of
// y, at 2nm flops a column, or a nonzero of x if x is sparse. An entry that is 0 in a
// sparse x contributes nothing, whatever y holds there. An empty dst is resized; a dst of another shape, different widths
// or no rows panic. dst must not share memory with x or y.
func DotTo(dst *mat.Dense, x, y mat.Matrix) { dotTo(dst, x, y, nil) }

// dotTo is DotTo followed by then on each stretch of each row, while it is in the cache.
func dotTo(dst *mat.Dense, x, y mat.Matrix, then func(dots []float64)) {
	prepare(dst, x, y)
	eachTile(dst.RawMatrix(), x, y, originOf(x), func(t tile) {
		t.multiply(1)
		if then == nil {
			return
		}
		for i := range t.out.Rows {
			then(line(t.out, i))
		}
	})
}

// sqNormsTo stores |x_i|² in dst.
func sqNormsTo(dst []float64, x mat.Matrix) {
	prepareDiag(dst, x)
	clear(dst)
	eachNonzero(x, func(i, _ int, v float64) { dst[i] += v * v })
}
