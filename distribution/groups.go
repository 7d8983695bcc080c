package distribution

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
)

// Groups of rows of S_X: by a number, with the ends of three groups of equal size, or by levels.
type groups struct {
	names  []string
	cuts   []float64       // of a number
	beside *encode.Targets // of a column; nil: the predicted mean
}

// mostLevels bounds the groups by a column of text.
const mostLevels = 20

// groups finds the groups by a column of S_X, or by the predicted mean.
func (d *CDF) groups(ctx context.Context, c *risk.CrossFit, by string) (*groups, error) {
	p := c.Mapped()
	g := &groups{}
	var side encode.Side = rr.Predicted(p.X(), len(d.Thresholds), scaled{d})
	name := "predicted mean"
	value := func(row []float64) float64 {
		return d.mean(d.unscale(slices.Clone(row)))
	}
	if by != "" {
		xu := p.Sources()[problem.TableXU]
		if !slices.Contains(p.Roles().X, by) {
			return nil, fmt.Errorf("distribution: coverage by column %q, which is no column of X", by)
		}
		var err error
		if g.beside, err = encode.FitTargets(ctx, xu, []string{by}, encode.AutoTask); err != nil {
			return nil, fmt.Errorf("distribution: coverage by column %q: %w", by, err)
		}
		if classes := g.beside.Classes(); classes != nil {
			if len(classes) > mostLevels {
				return nil, fmt.Errorf("distribution: coverage by column %q: it has %d levels, at most %d can be compared", by, len(classes), mostLevels)
			}
			for _, level := range classes {
				g.names = append(g.names, by+" = "+level)
			}
			return g, nil
		}
		side, name = g.beside, by
		value = func(row []float64) float64 { return row[0] }
	}
	var values []weightedValue
	err := p.WalkXU(ctx, side, p.Constant(), func(_ int, rows, _ *mat.Dense, w moments.Weights) {
		n, _ := rows.Dims()
		for i := range n {
			values = append(values, weightedValue{value(rows.RawRowView(i)), w.Of(i)})
		}
	})
	if err != nil {
		return nil, err
	}
	g.cuts = thirds(values)
	g.names = []string{
		fmt.Sprintf("%s up to %.4g", name, g.cuts[0]), fmt.Sprintf("%s above %.4g, up to %.4g", name, g.cuts[0], g.cuts[1]), fmt.Sprintf("%s above %.4g", name, g.cuts[1]),
	}
	return g, nil
}

// thirds are the weighted terciles of values.
func thirds(values []weightedValue) []float64 {
	slices.SortFunc(values, func(a, b weightedValue) int { return cmp.Compare(a.value, b.value) })
	total, sum := 0., 0.
	for _, v := range values {
		total += v.weight
	}
	cuts := make([]float64, 0, 2)
	for _, v := range values {
		sum += v.weight
		for len(cuts) < 2 && sum >= total*float64(len(cuts)+1)/3 {
			cuts = append(cuts, v.value)
		}
	}
	for len(cuts) < 2 { // rounding
		cuts = append(cuts, values[len(values)-1].value)
	}
	return cuts
}

// coverage is the share of Y in intervals of a nominal level, by group.
func (g *groups) coverage(d *CDF, nominal float64) risk.Functionals {
	k := len(d.Thresholds)
	return risk.Functionals{Count: len(g.names), Beside: g.beside, Of: func(c, in, f, beside *mat.Dense) {
		n, _ := f.Dims()
		for i := range n {
			cdf := d.unscale(f.RawRowView(i))
			at := g.of(d, cdf, beside, i)
			if at < 0 {
				continue
			}
			in.Set(i, at, 1)
			d.indicate(c.RawRowView(i)[at*k:(at+1)*k], cdf, nominal)
		}
	}}
}

// of is the group of row i, -1 for none.
func (g *groups) of(d *CDF, cdf []float64, beside *mat.Dense, i int) int {
	if g.cuts == nil {
		return slices.Index(beside.RawRowView(i), 1)
	}
	v := 0.
	if beside != nil {
		v = beside.At(i, 0)
	} else {
		v = d.mean(cdf)
	}
	at, _ := slices.BinarySearch(g.cuts, v) // the first cut of at least v
	return at
}
