package experiments

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/parallel"
	"mediant/rr"
)

// Calibrated turns the outputs of ridge regressions on classes, which shrink towards the shares of the
// classes, into probabilities:
//
//	P(m + Scale (f(x) - m))
//
// where m are the shares and P projects on the simplex, to the nearest point of sum 1 without
// negative entries. A Scale of 0 leaves f as it is. The largest output stays the largest, but for ties, if all
// shares are equal.
type Calibrated struct {
	F      rr.Predictor
	Shares []float64
	Scale  float64
}

var _ rr.Predictor = Calibrated{}

// PredictTo implements rr.Predictor.
func (c Calibrated) PredictTo(dst *mat.Dense, x mat.Matrix) {
	c.F.PredictTo(dst, x)
	c.apply(dst)
}

// apply calibrates the rows of f.
func (c Calibrated) apply(f *mat.Dense) {
	if c.Scale == 0 {
		return
	}
	n, _ := f.Dims()
	parallel.Blocks(n, calibratedRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := f.RawRowView(i)
			for j, m := range c.Shares {
				row[j] = m + c.Scale*(row[j]-m)
			}
			toSimplex(row)
		}
	})
}

// calibratedRows are what a goroutine takes at a time: sorting as many outputs takes some 0.1 ms.
const calibratedRows = 128

// toSimplex replaces v by the nearest point of the probability simplex, max(0, v_j - t) with the t for
// which these add up to 1 [Held, Wolfe and Crowder, Validation of subgradient optimization, 1974].
func toSimplex(v []float64) {
	sorted := slices.Clone(v)
	slices.SortFunc(sorted, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	sum, t := 0.0, 0.0
	for i, s := range sorted {
		sum += s
		// Those before and this one stay above 0 if this one does at their t.
		if at := (sum - 1) / float64(i+1); s > at {
			t = at
		}
	}
	for j := range v {
		v[j] = max(0, v[j]-t)
	}
	floats.Scale(1/floats.Sum(v), v) // off 1 by rounding only
}
