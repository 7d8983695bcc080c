package distribution

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/internal/draw"
	"mediant/rr"
)

// A CDF, made by Fit, predicts the distribution function of Y from encoded X. It is immutable and safe for concurrent use.
type CDF struct {
	Knots
	// base predicts, from x, the index f(x), then the outputs of the thresholds as far as they are linear in the features; coef has the part of each output that hats of the index add
	// (hats × outputs). Outputs are P(Y <= t|x), before they are sorted, times the root of the width that t stands for.
	base *rr.Linear
	hats hats
	coef *mat.Dense
	// hatsU are those of h(U), for assessments on other tables.
	hatsU hats
	// LambdaF and LambdaH are the penalties.
	LambdaF, LambdaH float64
	// Assessment is the estimate of its error on the tables that it was fitted to, nil if they do not allow one (risk.ErrNoRisk).
	Assessment *Assessment
	// Folds are the CDFs without each fold, which Assessment is about, of a CDF that Fit made.
	Folds []*CDF

	scale []float64
}

// newCDF returns a CDF of f, which is linear in features with the index of one fold or of all rows.
func newCDF(k Knots, f *rr.Linear, m indexed, index crossfit.Affine) *CDF {
	_, p := m.base.Dims()
	_, outputs := f.Coef.Dims()
	var both mat.Dense
	both.Augment(index.Coef, f.Coef.Slice(0, p, 0, outputs))
	return (&CDF{
		Knots: k, base: rr.NewLinear(m.base, &both, append(slices.Clone(index.Intercept), f.Intercept...)),
		hats: m.hats, coef: mat.DenseCopyOf(f.Coef.Slice(p, p+len(m.hats), 0, outputs)),
	}).complete()
}

// complete sets what follows from the knots.
func (d *CDF) complete() *CDF {
	d.scale = d.outputs().Scale
	return d
}

// PredictTo stores in dst, for each row of encoded X, P(Y <= t|x) at the thresholds, which do not decrease and end with 1. An empty dst is resized; other shapes panic.
func (d *CDF) PredictTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, len(d.Thresholds))
	}
	if r, c := dst.Dims(); r != n || c != len(d.Thresholds) {
		panic(mat.ErrShape)
	}
	var linear mat.Dense
	d.base.PredictTo(&linear, x)
	for i := range n {
		row := dst.RawRowView(i)
		copy(row, linear.RawRowView(i)[1:])
		lower, share := d.hats.at(linear.At(i, 0))
		floats.AddScaled(row, 1-share, d.coef.RawRowView(lower))
		if share > 0 {
			floats.AddScaled(row, share, d.coef.RawRowView(lower+1))
		}
		d.unscale(row)
	}
}

// unscale turns the outputs of a row into a distribution function, in place.
func (d *CDF) unscale(row []float64) []float64 {
	floats.Div(row, d.scale)
	d.rearrange(row)
	return row
}

// Quantile returns the quantile at p of a distribution that PredictTo predicted. It is within the range of Y in S_Y; beyond the first threshold and below the last but one it is as if Y
// were uniform up to the ends. p outside (0, 1) panics.
func (d *CDF) Quantile(cdf []float64, p float64) float64 {
	mustBeLevel(p)
	return d.quantile(cdf, p).value
}

// Interval returns the interval between the quantiles at (1-nominal)/2 and (1+nominal)/2, ends included. A nominal level outside (0, 1) panics. See Assessment.Tune.
func (d *CDF) Interval(cdf []float64, nominal float64) (lo, hi float64) {
	l, h := d.interval(cdf, nominal)
	return l.value, h.value
}

func (d *CDF) interval(cdf []float64, nominal float64) (lo, hi point) {
	mustBeLevel(nominal)
	return d.quantile(cdf, (1-nominal)/2), d.quantile(cdf, (1+nominal)/2)
}

func mustBeLevel(p float64) {
	if !(p > 0 && p < 1) {
		panic(fmt.Sprintf("distribution: the level is %g, must be above 0 and below 1", p))
	}
}

// Mean returns the mean of a distribution that PredictTo predicted.
func (d *CDF) Mean(cdf []float64) float64 { return d.mean(cdf) }

// DrawTo fills dst, whose rows are those of predicted distribution functions cdf, with independent draws of Y given X, from a stream of its own for the seed and the block, the number of
// the first row over that of the rows of a block. They do not contain the errors of the distribution itself.
func (d *CDF) DrawTo(dst, cdf *mat.Dense, seed uint64, block int) {
	n, count := dst.Dims()
	if rows, _ := cdf.Dims(); rows != n {
		panic(mat.ErrShape)
	}
	rnd := draw.Rand(seed, "distribution/draws", block)
	for i := range n {
		for j := range count {
			p := rnd.Float64()
			for p == 0 {
				p = rnd.Float64()
			}
			dst.Set(i, j, d.quantile(cdf.RawRowView(i), p).value)
		}
	}
}

// Bytes is the size of the CDF in memory, in bytes.
func (d *CDF) Bytes() float64 {
	p, k := d.base.Coef.Dims()
	return 8 * float64((p+3+len(d.hats))*k)
}

// scaled predicts the outputs of a CDF, sorted: those whose squared error is the CRPS.
type scaled struct{ *CDF }

var _ rr.Predictor = scaled{}

// PredictTo implements rr.Predictor.
func (s scaled) PredictTo(dst *mat.Dense, x mat.Matrix) {
	s.CDF.PredictTo(dst, x)
	for i := range dst.RawMatrix().Rows {
		floats.Mul(dst.RawRowView(i), s.scale)
	}
}

// checkLevel returns an error for a level outside (0, 1).
func checkLevel(field string, p float64) error {
	if !(p > 0 && p < 1) || math.IsNaN(p) {
		return fmt.Errorf("distribution: %s is %g, must be above 0 and below 1", field, p)
	}
	return nil
}
