package kernels

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// near is the share of |x|² + |y|² (centred) below which a squared distance is recomputed from the
// differences. By products in d columns it carries an error of at most about d 2^-53 of that sum, so
// that what is kept has relative error below d 1e-10; and equal rows, whose products need not cancel
// to the last bit, come to exactly 0.
const near = 1e-6

// SqDistTo stores in dst the n×m matrix of squared Euclidean distances
//
//	|x_i - y_j|² = |x_i - c|² + |y_j - c|² - 2(x_i - c)'(y_j - c)
//
// of the n rows of x and the m rows of y, where c is y's column mean. No distance is negative, and
// equal rows are at distance exactly 0. It costs 2nm flops a column. For finite entries the result
// has no NaN, and +Inf where the true value overflows. An empty dst is resized; a dst of another
// shape, different widths or no rows panic. dst must not share memory with x or y.
func SqDistTo(dst *mat.Dense, x, y mat.Matrix) { sqDistTo(dst, x, y, nil) }

// sqDistTo is SqDistTo followed by then on each stretch of each row, while it is in the cache.
func sqDistTo(dst *mat.Dense, x, y mat.Matrix, then func(d2 []float64)) {
	prepare(dst, x, y)
	eachBlock(dst.RawMatrix(), x, y, centreOf(x, y), func(block blas64.General, w *work, first int, p *panel) {
		p.multiplyTo(block, -2, w)
		for i := range block.Rows {
			w.addNorms(line(block, i), x, first, i, p)
			if then != nil {
				then(line(block, i))
			}
		}
	})
}

// addNorms turns -2x'y into squared distances from row i of w, which is row first+i of x.
func (w *work) addNorms(d2 []float64, x mat.Matrix, first, i int, p *panel) {
	for j, cross := range d2 {
		sum := w.norms[i] + p.norms[j]
		// Not "<=": NaN, from sums that overflow, is to be recomputed too.
		if d := sum + cross; d > near*sum {
			d2[j] = d
		} else {
			d2[j] = sqDist(rowOf(&w.x, x, first+i), rowOf(&w.y, p.y, p.lo+j))
		}
	}
}

// sqDist is |a - b|² from the differences.
func sqDist(a, b []float64) float64 {
	var sum float64
	b = b[:len(a)]
	for k, v := range a {
		d := v - b[k]
		sum += d * d
	}
	return sum
}
