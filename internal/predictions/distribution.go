package predictions

import (
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/distribution"
	"mediant/encode"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// OfDistribution says what to write of the distribution of Y given X. Its zero value is nothing.
type OfDistribution struct {
	// Quantiles are levels between 0 and 1.
	Quantiles []float64
	// Nominal is the nominal level of an interval, 0 for none (distribution.Assessment.Tune).
	Nominal float64
	// Draws is a number of draws, of the streams of Seed.
	Draws int
	Seed  uint64
}

// MostDraws bounds the columns of draws.
const MostDraws = 10000

// Tuned returns the nominal level at which intervals of m's distribution contain the wanted share of Y as estimated, and that estimate; the share itself and nil
// where it could not be estimated. m must have a distribution.
func Tuned(m *mediant.Model, share float64) (nominal float64, of *risk.Interval) {
	a := m.Distribution.Assessment
	if a == nil {
		return share, nil
	}
	nominal, tuned := a.Tune(share)
	return nominal, &tuned
}

func (o OfDistribution) any() bool { return o.width() > 0 }

// width is the number of columns.
func (o OfDistribution) width() int {
	n := len(o.Quantiles) + o.Draws
	if o.Nominal > 0 {
		n += 2
	}
	return n
}

// columns are those of the quantiles, of the interval and of the draws.
func (o OfDistribution) columns(y *encode.Targets) []tables.Column {
	var names []string
	for _, p := range o.Quantiles {
		names = append(names, "_q"+strconv.FormatFloat(p, 'g', -1, 64))
	}
	if o.Nominal > 0 {
		names = append(names, "_lower", "_upper")
	}
	for i := range o.Draws {
		names = append(names, fmt.Sprintf("_draw%d", i+1))
	}
	out := make([]tables.Column, len(names))
	for i, name := range names {
		out[i] = tables.Column{Name: y.Names()[0] + name, Kind: tables.Numeric}
	}
	return out
}

// values returns the columns for rows of distribution functions. start is the number of rows before, of which blocks have a stream of draws each.
func (o OfDistribution) values(d *distribution.CDF, cdf *mat.Dense, start int) *mat.Dense {
	n, _ := cdf.Dims()
	out := mat.NewDense(n, o.width(), nil)
	for i := range n {
		of := cdf.RawRowView(i)
		for at, p := range o.Quantiles {
			out.Set(i, at, d.Quantile(of, p))
		}
		if o.Nominal > 0 {
			lo, hi := d.Interval(of, o.Nominal)
			out.Set(i, len(o.Quantiles), lo)
			out.Set(i, len(o.Quantiles)+1, hi)
		}
	}
	if o.Draws > 0 {
		d.DrawTo(out.Slice(0, n, o.width()-o.Draws, o.width()).(*mat.Dense), cdf, o.Seed, start/tables.BlockRows)
	}
	return out
}

// besides predicts standard errors and distribution functions side by side, as far as they are there.
type besides struct {
	se, cdf rr.Predictor
}

// PredictTo implements rr.Predictor.
func (b besides) PredictTo(dst *mat.Dense, x mat.Matrix) {
	var all []*mat.Dense
	for _, p := range []rr.Predictor{b.se, b.cdf} {
		if p != nil {
			one := new(mat.Dense)
			p.PredictTo(one, x)
			all = append(all, one)
		}
	}
	if len(all) == 1 {
		dst.CloneFrom(all[0])
		return
	}
	dst.Augment(all[0], all[1])
}

// beside are the predictors that a model has for the options, nil if none is needed.
func (o Options) beside(m *mediant.Model) rr.Predictor {
	var b besides
	if o.Errors {
		b.se = m.SE
	}
	if o.Distribution.any() {
		b.cdf = m.Distribution
	}
	if b == (besides{}) {
		return nil
	}
	return b
}

// split returns the columns of standard errors of a block, nil without, and those of the distribution.
func (o Options) split(m *mediant.Model, block rr.Block) (errors, ofDistribution *mat.Dense) {
	if block.Errors == nil {
		return nil, nil
	}
	n, width := block.Errors.Dims()
	k := 0
	if o.Errors {
		k = m.Y.Len()
		errors = block.Errors.Slice(0, n, 0, k).(*mat.Dense)
	}
	if o.Distribution.any() {
		ofDistribution = o.Distribution.values(m.Distribution, block.Errors.Slice(0, n, k, width).(*mat.Dense), block.Start)
	}
	return errors, ofDistribution
}
