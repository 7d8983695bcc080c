package kernels

import (
	"cmp"
	"slices"

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
			d2[j] = t.exact(x, t.row+i, t.p.lo+t.col+j)
		}
	}
}

// exact is the squared distance of rows i of x and j of y from the differences.
func (t tile) exact(x mat.Matrix, i, j int) float64 {
	if t.p.both {
		return t.w.sparseSqDist(asSparse(x), i, asSparse(t.p.y), j)
	}
	return sqDist(rowOf(&t.w.x, x, i), rowOf(&t.w.y, t.p.y, j))
}

// sparseSqDist is sqDist of sparse rows, from those columns that one of them has.
func (w *work) sparseSqDist(x mat.RowNonZeroDoer, i int, y mat.RowNonZeroDoer, j int) float64 {
	w.pairs = w.pairs[:0]
	x.DoRowNonZero(i, func(_, k int, v float64) { w.pairs = append(w.pairs, difference{k, v}) })
	y.DoRowNonZero(j, func(_, k int, v float64) { w.pairs = append(w.pairs, difference{k, -v}) })
	slices.SortFunc(w.pairs, func(a, b difference) int { return cmp.Compare(a.column, b.column) })
	var sum float64
	for t := 0; t < len(w.pairs); {
		k, d := w.pairs[t].column, 0.0
		for ; t < len(w.pairs) && w.pairs[t].column == k; t++ {
			d += w.pairs[t].value
		}
		sum += d * d
	}
	return sum
}

// A difference is what one side adds to the difference of two rows in a column.
type difference struct {
	column int
	value  float64
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
