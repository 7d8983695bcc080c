package distribution

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/internal/bounds"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
	"mediant/tables/copies"
)

// nominalLevels are those whose coverage is estimated, between which Assessment.Tune interpolates.
var nominalLevels = []float64{.1, .2, .3, .4, .5, .55, .6, .65, .7, .75, .8, .85, .875, .9, .925, .95, .97, .98, .99}

// DefaultLevel is the coverage of the intervals that groups are reported for.
const DefaultLevel = .9

// AssessOptions say how a CDF is assessed. The zero value is usable.
type AssessOptions struct {
	// Level is the coverage that intervals are tuned to where groups of rows are compared; 0 is DefaultLevel.
	Level float64
	// By is a column of X by which rows are grouped; "": the predicted mean. Numbers make three groups of equal size, text one for each level, of at most 20.
	By string
	// Form is that of the CRPS. The coverage is the same in both: it allows for another distribution of U in S_Y (risk.CrossFit.Functionals).
	Form risk.Form
	// Copies and AllRows mean the same as in problem.Setup, for Assess.
	Copies  copies.Rule
	AllRows bool
}

// Validate returns an error that names the first field out of range.
func (o AssessOptions) Validate() error {
	err := bounds.Enum("distribution: AssessOptions.Form", o.Form, "0, SameDistribution or CovariateShift", 0, risk.SameDistribution, risk.CovariateShift)
	if o.Level != 0 {
		err = bounds.First(err, checkLevel("AssessOptions.Level", o.Level))
	}
	return err
}

func (o AssessOptions) level() float64 {
	if o.Level == 0 {
		return DefaultLevel
	}
	return o.Level
}

// An Assessment estimates, without coupled rows, how good a CDF is. It is right if Y is independent of X given U. Of the tables that the CDF was fitted to, it is the average over the models
// of the folds, each on its held-out rows.
type Assessment struct {
	CRPS CRPS `json:"crps"`
	// Levels are the estimated shares of Y in prediction intervals, by nominal level, cut at 0 and 1 as their intervals are.
	Levels []Level `json:"levels"`
	// Groups are the shares in intervals of the nominal level Nominal, which are tuned to the level Level over all rows, by groups of rows: by the predicted mean, or by the column By.
	Level   float64 `json:"level"`
	Nominal float64 `json:"nominal"`
	By      string  `json:"by,omitempty"`
	Groups  []Group `json:"groups"`
	// Overlap is set if rows of S_X are left out because S_Y lacks their U: CRPS, levels and groups are those of the other rows, and the bracket is that of all.
	Overlap *Overlap `json:"overlap,omitempty"`
	// Notes are those of the risk of the same tables (risk.Assessment.Notes).
	Notes []string `json:"notes,omitempty"`
}

// An Overlap counts the rows of S_X that are assessed, of all.
type Overlap struct {
	Rows int `json:"rows"`
	Of   int `json:"of"`
}

// A CRPS is an estimated continuous ranked probability score E ∫ (P(t|X) - 1{Y <= t})² dt, in units of Y.
type CRPS struct {
	risk.Interval
	// Form is CovariateShift if the distribution of U may differ, else 0.
	Form risk.Form `json:"form,omitempty"`
	// Optimism is what was added because the penalties are the best of several.
	Optimism float64 `json:"optimism,omitempty"`
	// Constant is that of the distribution of Y in S_Y, whatever X.
	Constant float64 `json:"constant"`
	// Bracket holds whether or not Y is independent of X given U; nil where there is none.
	Bracket *risk.Bracket `json:"bracket,omitempty"`
}

// A Level is the share of Y in intervals between the quantiles at (1-Nominal)/2 and (1+Nominal)/2.
type Level struct {
	Nominal  float64       `json:"nominal"`
	Coverage risk.Interval `json:"coverage"`
}

// A Group is the coverage of the rows of a group.
type Group struct {
	Name     string         `json:"name"`
	Coverage *risk.Interval `json:"coverage"` // nil for a group without rows
}

// Assess estimates the error of a CDF of the model m on tables of (X, U) and (U, Y) that it was not fitted to. Of roles only the columns of weights are used. The error is that of
// risk.AssessModel.
func Assess(ctx context.Context, m *rr.Model, d *CDF, xu, uy tables.Source, roles tables.RoleOptions, opt AssessOptions) (*Assessment, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	y, err := m.Y.Below(d.outputs())
	if err != nil {
		return nil, err
	}
	own := *m
	own.Y, own.F = y, scaled{d}
	if h, ok := m.H.(*rr.Linear); ok {
		if own.H, err = indexedH(h, d.hatsU); err != nil {
			return nil, err
		}
	}
	c, err := risk.NewCrossFitOf(ctx, &own, xu, uy, roles, risk.AssessOptions{Form: opt.Form, Copies: opt.Copies, AllRows: opt.AllRows})
	if err != nil {
		return nil, err
	}
	return d.assess(ctx, c, opt, 0)
}

// assessFit assesses a method over the folds of its problem.
func (d *CDF) assessFit(ctx context.Context, p *problem.Problem, m *indices, method rr.Method, optimism float64, opt AssessOptions) (*Assessment, error) {
	d.Folds = make([]*CDF, len(p.Folds()))
	c, err := risk.NewCrossFit(ctx, p, foldFitter(d.Knots, m.phi, p, method, d.Folds), risk.AssessOptions{Form: opt.Form})
	if err != nil {
		return nil, err
	}
	return d.assess(ctx, c, opt, optimism)
}

func (d *CDF) assess(ctx context.Context, c *risk.CrossFit, opt AssessOptions, optimism float64) (*Assessment, error) {
	r, err := c.Assess(ctx)
	if err != nil {
		return nil, err
	}
	e := r.Risk.Estimate.Plus(optimism)
	a := &Assessment{Level: opt.level(), By: opt.By, Notes: r.Notes}
	if o := r.Overlap; o != nil {
		a.Overlap = &Overlap{o.Rows, o.Of}
	}
	a.CRPS = CRPS{Interval: risk.Interval{Value: e.MSE, SE: e.SE, Lo: e.Lo, Hi: e.Hi}, Optimism: optimism, Bracket: narrower(r.Bracket, r.Tight)}
	if r.Risk.Form == risk.CovariateShift {
		a.CRPS.Form = r.Risk.Form
	}
	sums, err := c.SumsUY()
	if err != nil {
		return nil, err
	}
	a.CRPS.Constant = floats.Sum(crossfit.VariancesOf(sums))
	levels, err := c.Functionals(ctx, d.coverage(nominalLevels))
	if err != nil {
		return nil, err
	}
	for i, nominal := range nominalLevels {
		a.Levels = append(a.Levels, Level{nominal, asShare(levels[i])})
	}
	a.Nominal, _ = a.Tune(a.Level)
	g, err := d.groups(ctx, c, opt.By)
	if err != nil {
		return nil, err
	}
	byGroup, err := c.Functionals(ctx, g.coverage(d, a.Nominal))
	if err != nil {
		return nil, err
	}
	for i, name := range g.names {
		group := Group{Name: name}
		if v := asShare(byGroup[i]); !math.IsNaN(v.Value) {
			group.Coverage = &v
		}
		a.Groups = append(a.Groups, group)
	}
	return a, nil
}

// asShare cuts an estimate and its interval at 0 and 1.
func asShare(v risk.Interval) risk.Interval {
	for _, of := range []*float64{&v.Value, &v.Lo, &v.Hi} {
		*of = min(max(*of, 0), 1)
	}
	return v
}

// narrower is the narrower of two brackets.
func narrower(a, b *risk.Bracket) *risk.Bracket {
	if a == nil || b != nil && b.Hi-b.Lo < a.Hi-a.Lo {
		return b
	}
	return a
}

// Tune returns the nominal level at which intervals contain the share level of Y, as estimated, and the estimate there, whose standard error is that of the levels about it.
// Estimates are taken as nowhere decreasing in the nominal level, and as linear between levels. A level outside (0, 1) panics.
func (a *Assessment) Tune(level float64) (nominal float64, coverage risk.Interval) {
	mustBeLevel(level)
	low, high := [4]float64{}, [4]float64{1, 1} // nominal level, estimate, standard error, margin
	most := 0.
	for _, l := range a.Levels {
		most = max(most, l.Coverage.Value)
		at := [4]float64{l.Nominal, most, l.Coverage.SE, max(l.Coverage.Hi-l.Coverage.Value, l.Coverage.Value-l.Coverage.Lo)}
		if most >= level {
			high = at
			break
		}
		low = at
	}
	share := 1.
	if gap := high[1] - low[1]; gap > 0 {
		share = min((level-low[1])/gap, 1)
	}
	for i := range low {
		low[i] += share * (high[i] - low[i])
	}
	value, margin := low[1], low[3]
	return min(low[0], mostNominal), risk.Interval{Value: value, SE: low[2], Lo: max(value-margin, 0), Hi: min(value+margin, 1)}
}

// mostNominal keeps nominal levels below 1.
const mostNominal = 1 - 1e-9

// coverage are the shares of Y in intervals of some nominal levels, over all rows.
func (d *CDF) coverage(nominal []float64) risk.Functionals {
	k := len(d.Thresholds)
	return risk.Functionals{Count: len(nominal), Of: func(c, in, f, _ *mat.Dense) {
		n, _ := f.Dims()
		for i := range n {
			cdf := d.unscale(f.RawRowView(i))
			for at, level := range nominal {
				in.Set(i, at, 1)
				d.indicate(c.RawRowView(i)[at*k:(at+1)*k], cdf, level)
			}
		}
	}}
}

// indicate stores in c the weights of the outputs in the indicator that Y is in the interval of a nominal level.
func (d *CDF) indicate(c, cdf []float64, nominal float64) {
	lo, hi := d.interval(cdf, nominal)
	hi.addUpTo(c, 1)
	d.addBelow(lo, c, -1)
	floats.Div(c, d.scale) // outputs are scaled indicators
}
