package experiments

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mediant/collect"
	"mediant/features"
	"mediant/internal/parallel"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// A Collection study compares what package collect predicts of twice the rows of a table with fits to tables of twice the rows.
type Collection struct {
	Distribution Distribution
	// Rows of each of the two tables, coupled rows for the truth, and repetitions, at least 2.
	Rows, TestRows, Repetitions int
	Seed                        uint64
	Choose                      chooser // as in Coverage
	Model                       string
}

// CollectionResult is the outcome of a Collection study.
type CollectionResult struct {
	Model string
	Rows  int // n = m
	// SE is the mean standard error of the risk, SD the standard deviation of estimate - truth, as half the distance between the percentiles 16 and 84, and
	// ShareXU the share of S_X in the mean variance.
	SE, SD, ShareXU float64
	XU, UY          Doubling // of S_X, and of S_Y
}

// A Doubling has ratios of what is with twice the rows of a table to what is without.
type Doubling struct {
	Predicted float64 // of the mean standard error, as predicted before
	SE        float64 // of the mean standard error
	SD        float64 // of the standard deviation of estimate - truth
}

// Error is the relative error of the prediction.
func (d Doubling) Error() float64 { return math.Abs(d.Predicted/d.SE - 1) }

// Run draws and fits tables of n and n rows, of 2n and n, and of n and 2n.
func (c Collection) Run(ctx context.Context) (*CollectionResult, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	xy, err := c.Distribution.XY(c.TestRows, c.Seed)
	if err != nil {
		return nil, err
	}
	now, err := c.of(ctx, xy, 1, 1)
	if err != nil {
		return nil, err
	}
	out := &CollectionResult{Model: c.Model, Rows: c.Rows, SE: now.meanSE(1, 1), SD: now.sd(), ShareXU: now.shareXU()}
	for _, more := range []struct {
		to     *Doubling
		xu, uy int
	}{{&out.XU, 2, 1}, {&out.UY, 1, 2}} {
		then, err := c.of(ctx, xy, more.xu, more.uy)
		if err != nil {
			return nil, err
		}
		*more.to = Doubling{Predicted: now.meanSE(more.xu, more.uy) / out.SE, SE: then.meanSE(1, 1) / out.SE, SD: then.sd() / out.SD}
	}
	return out, nil
}

// of repeats a fit to tables of xu and uy times the rows.
func (c Collection) of(ctx context.Context, xy tables.Source, xu, uy int) (ofRows, error) {
	all := make(ofRows, c.Repetitions)
	parallel.Blocks(c.Repetitions, 1, func(lo, _ int) {
		all[lo] = repeat(ctx, c.Distribution, [2]int{xu * c.Rows, uy * c.Rows}, c.Choose, risk.SameDistribution, xy, c.Seed+1+uint64(lo))
	})
	for _, r := range all {
		if r.err != nil {
			return nil, r.err
		}
	}
	return all, nil
}

// ofRows are the repetitions with tables of the same numbers of rows.
type ofRows []repetition

// meanSE is the mean standard error that is predicted for xu and uy times the rows.
func (all ofRows) meanSE(xu, uy int) float64 {
	sum := 0.0
	for _, r := range all {
		sum += r.a.Variance().With(float64(xu), float64(uy)).SE()
	}
	return sum / float64(len(all))
}

// shareXU is that of S_X in the mean variance.
func (all ofRows) shareXU() float64 {
	var sum collect.Variance
	for _, r := range all {
		v := r.a.Variance()
		sum = collect.Variance{XU: sum.XU + v.XU, UY: sum.UY + v.UY}
	}
	return sum.Shares().XU
}

// sd is half the distance between the percentiles 16 and 84 of the error of the estimated risk, the standard deviation of normal ones: where rows are few, one
// draw in some hundred is off by ten standard deviations.
func (all ofRows) sd() float64 {
	errors := make([]float64, len(all))
	for i, r := range all {
		errors[i] = r.a.Risk.MSE - r.truth
	}
	slices.Sort(errors)
	at := func(share float64) float64 { return stat.Quantile(share, stat.LinInterp, errors, nil) }
	return (at(.8413) - at(.1587)) / 2
}

// LinearModel is 2Step-RR with linear features and the default penalties.
func LinearModel(ctx context.Context, xu, uy tables.Source, seed uint64) (*search.Choice, error) {
	return twoStep(ctx, features.Spec{Kind: features.LinearFeatures}, xu, uy, seed)
}

// KernelModel is 2Step-RR with this number of Fourier features a side of an additive Gaussian kernel, median bandwidths and the default penalties.
func KernelModel(size int) chooser {
	return func(ctx context.Context, xu, uy tables.Source, seed uint64) (*search.Choice, error) {
		return twoStep(ctx, features.Spec{Kind: features.AdditiveFeatures, Size: size}, xu, uy, seed)
	}
}

// SearchedModel is the choice of a search of this number of features a side.
func SearchedModel(size int) chooser {
	return func(ctx context.Context, xu, uy tables.Source, seed uint64) (*search.Choice, error) {
		s := Automatic(seed)
		s.Phi, s.Psi, s.Folds = features.Spec{Size: size}, features.Spec{Size: size}, problem.DefaultFolds
		return s.Choose(ctx, xu, uy)
	}
}

func twoStep(ctx context.Context, spec features.Spec, xu, uy tables.Source, seed uint64) (*search.Choice, error) {
	setup := problem.Setup{Phi: spec, Psi: spec, Seed: seed, Folds: problem.DefaultFolds}
	return search.ChoiceOfTables(ctx, setup, rr.TwoStep{}, risk.AssessOptions{}, xu, uy)
}
