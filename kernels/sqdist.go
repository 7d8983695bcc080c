package kernels

import (
	"gonum.org/v1/gonum/mat"

	"mediant/internal/asm"
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
	eachTile(dst.RawMatrix(), x, y, centreOf(x, y), func(t tile) {
		t.multiply(-2)
		for i := range t.out.Rows {
			t.addNorms(x, i)
			if then != nil {
				then(line(t.out, i))
			}
		}
	})
}

// addNorms turns row i of the tile, -2x'y, into squared distances.
func (t tile) addNorms(x mat.Matrix, i int) {
	d2, norm := line(t.out, i), t.w.norms[i]
	norms := t.p.norms[t.col:][:len(d2)]
	if asm.AddNorms(d2, norms, norm, near) {
		return
	}
	for j, d := range d2 {
		// Not "<=": NaN, from sums that overflow, is to be recomputed too.
		if !(d > near*(norm+norms[j])) {
			d2[j] = sqDist(rowOf(&t.w.x, x, t.row+i), rowOf(&t.w.y, t.p.y, t.p.lo+t.col+j))
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
