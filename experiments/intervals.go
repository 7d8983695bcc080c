package experiments

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/distribution"
	"mediant/features"
	"mediant/internal/parallel"
	"mediant/problem"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// An IntervalCoverage study repeats a fit of package distribution on new draws of a synthetic distribution, and compares the estimated share of Y in prediction intervals with that on coupled
// rows.
type IntervalCoverage struct {
	Distribution Synthetic
	Rows         int // of each table
	TestRows     int
	Repetitions  int
	Seed         uint64
}

// studiedLevel is the nominal level, and the one that intervals are tuned to.
const studiedLevel = .9

// IntervalCoverageResult has means over the repetitions, of intervals of the nominal level 0.9.
type IntervalCoverageResult struct {
	Repetitions int `json:"repetitions"`
	// Final and Truth are the shares of coupled rows in the intervals of the final model, and in those of the models of the folds, which Mean estimates. SD is the standard deviation of the error, MeanSE the
	// mean standard error, and Covered the share of 95 % intervals of the estimate that contain the truth.
	Final   float64 `json:"final"`
	Truth   float64 `json:"truth"`
	Mean    float64 `json:"mean"`
	SD      float64 `json:"sd"`
	MeanSE  float64 `json:"mean_se"`
	Covered float64 `json:"covered"`
	// Tuned and TunedSD are the mean share of coupled rows in intervals that were tuned to 0.9, and its standard deviation.
	Tuned   float64 `json:"tuned"`
	TunedSD float64 `json:"tuned_sd"`
	// Thirds are the estimated and the true shares in tuned intervals for the lowest and the highest third of X_1.
	Thirds [2]struct{ Mean, Truth float64 } `json:"thirds"`
	// CRPS is the mean estimate, and CRPSTruth that on coupled rows.
	CRPS      float64 `json:"crps"`
	CRPSTruth float64 `json:"crps_truth"`
}

// intervalRepetition is one draw.
type intervalRepetition struct {
	a                   *distribution.Assessment
	final, truth, tuned float64
	thirds              [2]float64
	crps                float64
	err                 error
}

// Run runs all repetitions, as many at a time as there are processors. Results do not depend on that.
func (c IntervalCoverage) Run(ctx context.Context) (*IntervalCoverageResult, error) {
	xy, err := c.Distribution.XY(c.TestRows, c.Seed)
	if err != nil {
		return nil, err
	}
	all := make([]intervalRepetition, c.Repetitions)
	parallel.Blocks(c.Repetitions, 1, func(lo, _ int) { all[lo] = c.repeat(ctx, xy, c.Seed+1+uint64(lo)) })
	out := &IntervalCoverageResult{Repetitions: c.Repetitions}
	var gaps, tuned []float64
	n := float64(c.Repetitions)
	for _, r := range all {
		if r.err != nil {
			return nil, r.err
		}
		e := levelOf(r.a)
		gaps, tuned = append(gaps, e.Value-r.truth), append(tuned, r.tuned)
		out.Final += r.final / n
		out.Truth += r.truth / n
		out.Mean += e.Value / n
		out.MeanSE += e.SE / n
		out.Tuned += r.tuned / n
		out.CRPS += r.a.CRPS.Value / n
		out.CRPSTruth += r.crps / n
		if e.Lo <= r.truth && r.truth <= e.Hi {
			out.Covered += 1 / n
		}
		for i, g := range []int{0, 2} {
			out.Thirds[i].Mean += r.a.Groups[g].Coverage.Value / n
			out.Thirds[i].Truth += r.thirds[i] / n
		}
	}
	out.SD, out.TunedSD = stat.StdDev(gaps, nil), stat.StdDev(tuned, nil)
	return out, nil
}

// levelOf is the estimate at the studied level.
func levelOf(a *distribution.Assessment) (e struct{ Value, SE, Lo, Hi float64 }) {
	for _, l := range a.Levels {
		if l.Nominal == studiedLevel {
			e.Value, e.SE, e.Lo, e.Hi = l.Coverage.Value, l.Coverage.SE, l.Coverage.Lo, l.Coverage.Hi
		}
	}
	return e
}

// repeat draws two tables, fits, and measures the final model, and those of the folds, on coupled rows.
func (c IntervalCoverage) repeat(ctx context.Context, xy tables.Source, seed uint64) (r intervalRepetition) {
	if r.err = ctx.Err(); r.err != nil {
		return r
	}
	var xu, uy tables.Source
	if xu, r.err = c.Distribution.XU(c.Rows, seed); r.err != nil {
		return r
	}
	if uy, r.err = c.Distribution.UY(c.Rows, seed); r.err != nil {
		return r
	}
	spec := features.Spec{Kind: features.AdditiveFeatures, Size: fixedFeatures}
	p, err := problem.Prepare(ctx, problem.Setup{Phi: spec, Psi: spec, Seed: seed, Folds: problem.DefaultFolds}, xu, uy)
	if err != nil {
		return intervalRepetition{err: fmt.Errorf("experiments: coverage of intervals: %w", err)}
	}
	d, err := distribution.Fit(ctx, p, distribution.Options{Assess: distribution.AssessOptions{By: "x1"}})
	if err != nil {
		return intervalRepetition{err: fmt.Errorf("experiments: coverage of intervals: %w", err)}
	}
	r.a = d.Assessment
	x, y, _, _, err := problem.Matrices(ctx, xy, p.X(), p.Y(), problem.PassOptions{})
	if err != nil {
		return intervalRepetition{err: err}
	}
	for _, fold := range d.Folds {
		r.truth += stat.Mean(inIntervals(fold, x, y, studiedLevel), nil) / float64(len(d.Folds))
	}
	r.final = stat.Mean(inIntervals(d, x, y, studiedLevel), nil)
	tuned := inIntervals(d, x, y, r.a.Nominal)
	r.tuned = stat.Mean(tuned, nil)
	var counts [2]float64
	order := x.ColView(0)
	for i, in := range tuned {
		// X_1 is uniform and standardised, so that its thirds end where it is a third of the way to its ends, 3^(1/2).
		if v := order.AtVec(i); math.Abs(v) > math.Sqrt(3)/3 {
			third := 0
			if v > 0 {
				third = 1
			}
			r.thirds[third] += in
			counts[third]++
		}
	}
	for i := range counts {
		r.thirds[i] /= counts[i]
	}
	s, err := distribution.Evaluate(ctx, &rr.Model{X: p.X(), Y: p.Y()}, d, xy)
	if err != nil {
		return intervalRepetition{err: err}
	}
	r.crps = s.CRPS
	return r
}

// inIntervals has 1 for each row whose Y is in its interval of a nominal level, 0 for others.
func inIntervals(d *distribution.CDF, x, y *mat.Dense, nominal float64) []float64 {
	var cdf mat.Dense
	d.PredictTo(&cdf, x)
	n, _ := y.Dims()
	in := make([]float64, n)
	for i := range in {
		if lo, hi := d.Interval(cdf.RawRowView(i), nominal); lo <= y.At(i, 0) && y.At(i, 0) <= hi {
			in[i] = 1
		}
	}
	return in
}

// An IntervalsOf compares the estimated coverage of a fit to two tables, all of it chosen, with that on coupled rows.
type IntervalsOf struct {
	Assessment *distribution.Assessment
	Score      *distribution.Score
}

// CompareIntervals fits to two tables of a number Y and evaluates on coupled rows.
func CompareIntervals(ctx context.Context, xu, uy, xy tables.Source, roles tables.RoleOptions, seed uint64) (*IntervalsOf, error) {
	choice, err := search.Search{Setup: problem.Setup{Roles: roles, Seed: seed}}.Choose(ctx, xu, uy)
	if err != nil {
		return nil, err
	}
	m, err := choice.Fit(ctx)
	if err != nil {
		return nil, err
	}
	d, err := distribution.Fit(ctx, choice.Problem, distribution.Options{})
	if err != nil {
		return nil, err
	}
	s, err := distribution.Evaluate(ctx, m, d, xy)
	return &IntervalsOf{d.Assessment, s}, err
}
