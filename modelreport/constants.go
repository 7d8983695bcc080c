package modelreport

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/internal/weighted"
	"mediant/moments"
)

// An estimate is a number and the half-width of its 95 % interval, NaN if that is unknown.
type estimate struct{ value, margin float64 }

// constants are the errors of predicting Y by constants.
type constants struct {
	means, variances []float64 // of the outputs in S_Y
	// mean is the squared error of the means, summed over outputs.
	mean estimate
	// classes: the share of the most frequent one.
	frequent estimate
	class    int
}

// shownOutputs bounds the outputs that have pictures of their own.
const shownOutputs = 4

// outputs are those that have pictures: the first of several columns, the most frequent of several classes.
func (b *builder) outputs() []int {
	k := b.Model.Y.Len()
	all := make([]int, k)
	for j := range all {
		all[j] = j
	}
	if b.Model.Y.Classes() != nil && b.base != nil {
		slices.SortStableFunc(all, func(i, j int) int {
			switch a, b := b.base.means[i], b.base.means[j]; {
			case a > b:
				return -1
			case a < b:
				return 1
			}
			return 0
		})
	}
	return all[:min(k, shownOutputs)]
}

// findConstants reads Y of S_Y, once or twice, or what else is known of it.
func (b *builder) findConstants(ctx context.Context) error {
	if b.encoded != nil {
		return b.constantsOfRows(ctx)
	}
	if b.Choice != nil {
		uy := b.Choice.Problem.UY()
		b.base = &constants{means: uy.MeanB(), variances: crossfit.VariancesOf(uy)}
		b.base.mean = estimate{floats.Sum(b.base.variances), math.NaN()}
		b.base.frequentClass(b.Model.Y.Classes() != nil, math.NaN())
		return nil
	}
	learned := b.Model.Learned
	if learned == nil || b.Model.Y.Classes() != nil {
		return reason("the model file has no shares of classes or variances of Y")
	}
	c := &constants{}
	for _, name := range b.Model.Roles.Y {
		p := learned.UY.Column(name)
		if p == nil || p.Numbers == nil {
			return reason("the model file has no variances of Y")
		}
		c.means, c.variances = append(c.means, p.Numbers.Mean), append(c.variances, p.Numbers.SD*p.Numbers.SD)
	}
	c.mean = estimate{floats.Sum(c.variances), math.NaN()}
	b.base = c
	return nil
}

// walkY calls do for Y of the rows of S_Y, with the weights that the fit of h has.
func (b *builder) walkY(ctx context.Context, do func(y *mat.Dense, w moments.Weights)) error {
	each := func(_ int, _, y *mat.Dense, w moments.Weights) { do(y, w) }
	if b.Choice != nil && b.encoded.Setup().Shift { // whose weights are functions of the features of U
		return b.Choice.Problem.WalkUY(ctx, b.Choice.Problem.SidePsi(), b.encoded.Y(), each)
	}
	return b.encoded.WalkUY(ctx, b.encoded.Constant(), b.encoded.Y(), each)
}

func (b *builder) constantsOfRows(ctx context.Context) error {
	k := b.encoded.Y().Len()
	mean := weighted.NewAverages(k)
	err := b.walkY(ctx, func(y *mat.Dense, w moments.Weights) {
		for i := range y.RawMatrix().Rows {
			mean.Add(w.Of(i), y.RawRowView(i))
		}
	})
	if err != nil {
		return err
	}
	if mean.Weight == 0 {
		return reason("no row of the second table has Y and a weight")
	}
	c := &constants{means: mean.Mean}
	square, all := weighted.NewAverages(k), weighted.New(1)
	terms := make([]float64, k)
	err = b.walkY(ctx, func(y *mat.Dense, w moments.Weights) {
		for i := range y.RawMatrix().Rows {
			floats.SubTo(terms, y.RawRowView(i), c.means)
			floats.Mul(terms, terms)
			square.Add(w.Of(i), terms)
			all.Add(w, i, floats.Sum(terms))
		}
	})
	if err != nil {
		return err
	}
	c.variances = square.Mean
	c.mean = meanOf(all)
	c.frequentClass(b.Model.Y.Classes() != nil, all.Effective())
	b.base = c
	return nil
}

// frequentClass finds the most frequent class, from its share in so many observations.
func (c *constants) frequentClass(classes bool, observations float64) {
	if !classes {
		return
	}
	c.class = floats.MaxIdx(c.means)
	share := c.means[c.class]
	c.frequent = estimate{share, weighted.Normal95 * math.Sqrt(share*(1-share)/observations)}
}

// meanOf is a mean with its 95 % interval.
func meanOf(m *weighted.Means) estimate {
	v := m.MeanVariance([]float64{1})
	return estimate{m.Mean[0], weighted.Student95(v.Freedom) * math.Sqrt(v.Variance)}
}
