package moments

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	fast "mediant/internal/blas"
	"mediant/internal/parallel"
)

// A move is how the rows of a block with these weights (nil: 1) of this sum move means and are centred: means
// move by share of their difference to the block's, whose rows are centred at its own mean less lean times that difference.
type move struct {
	weights            []float64
	total, share, lean float64
}

// centreCols is the number of columns that are centred at a time.
const centreCols = 256

// centre stores in *block the rows of x, times the square roots of their weights, less next: their
// centre, which it computes, while mean moves.
func (v move) centre(block *[]float64, next, mean []float64, x blas64.General) blas64.General {
	n, p := x.Rows, x.Cols
	if cap(*block) < n*p {
		*block = make([]float64, n*p)
	}
	out := blas64.General{Rows: n, Cols: p, Stride: p, Data: (*block)[:n*p]}
	if p <= centreCols {
		v.centreColumns(out, x, next, mean)
		return out
	}
	parallel.Blocks(p, centreCols, func(lo, hi int) {
		v.centreColumns(cols(out, lo, hi), cols(x, lo, hi), next[lo:hi], mean[lo:hi])
	})
	return out
}

// centreColumns is centre for some of the columns.
func (v move) centreColumns(out, x blas64.General, next, mean []float64) {
	v.means(next, mean, x)
	subtract(out, x, next, v.weights)
}

// means moves mean and stores in next where the rows of x are centred.
func (v move) means(next, mean []float64, x blas64.General) {
	meanOf(next, x, v.weights, v.total)
	for j, of := range next {
		d := of - mean[j]
		mean[j] += float64(v.share * d)
		next[j] -= float64(v.lean * d)
	}
}

// addMixed adds the products of rows that are centred and then rounded to float32.
func (m *CoMoments) addMixed(a, b blas64.General, v move) {
	var roots []float64
	if v.weights != nil {
		m.roots = m.roots[:0]
		for _, w := range v.weights {
			m.roots = append(m.roots, math.Sqrt(w))
		}
		roots = m.roots
	}
	v.round(&m.singleA, m.nextA, m.meanA, a, roots)
	v.round(&m.singleB, m.nextB, m.meanB, b, roots)
	fast.MixedSyrk(&m.singleA, upper(m.aa))
	fast.MixedGemm(&m.singleA, &m.singleB, m.ab.RawMatrix())
	fast.MixedSyrk(&m.singleB, upper(m.bb))
}

// roundCols is the number of columns that are rounded at a time: a batch of them stays in the second cache.
const roundCols = 2 * fast.SingleStretch

// round is centre in float32.
func (v move) round(s *fast.Single, next, mean []float64, x blas64.General, roots []float64) {
	s.Reset(x.Rows, x.Cols)
	if x.Cols <= roundCols {
		v.means(next, mean, x)
		s.Put(0, x, next, roots)
		return
	}
	parallel.Blocks(x.Cols, roundCols, func(lo, hi int) {
		v.means(next[lo:hi], mean[lo:hi], cols(x, lo, hi))
		s.Put(lo, cols(x, lo, hi), next[lo:hi], roots)
	})
}

// cols returns columns lo to hi of a.
func cols(a blas64.General, lo, hi int) blas64.General {
	return blas64.General{Rows: a.Rows, Cols: hi - lo, Stride: a.Stride, Data: a.Data[lo : (a.Rows-1)*a.Stride+hi]}
}

func row(a blas64.General, i int) []float64 { return a.Data[i*a.Stride : i*a.Stride+a.Cols] }

// meanOf stores in mean the mean of the rows of x, whose weights sum to total.
func meanOf(mean []float64, x blas64.General, weights []float64, total float64) {
	clear(mean)
	for i := range x.Rows {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		floats.AddScaled(mean, w, row(x, i))
	}
	for j := range mean {
		mean[j] /= total // 1/total may overflow where the quotient does not
	}
}

// subtract stores in out the rows of x less c, times the square roots of their weights.
func subtract(out, x blas64.General, c, weights []float64) {
	for i := range x.Rows {
		to := row(out, i)
		floats.SubTo(to, row(x, i), c)
		if weights != nil {
			floats.Scale(math.Sqrt(weights[i]), to)
		}
	}
}
