package experiments

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/parallel"
	"mediant/losses"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// A LossCoverage study repeats a fit of rr.Generalized by the log loss on new draws of the synthetic distribution with classes, and counts how often the intervals of
// the uncoupled log loss and Brier score contain the truth, which coupled rows tell.
type LossCoverage struct {
	D           int
	Rows        int // of each table
	TestRows    int
	Repetitions int
	Seed        uint64
}

// LossCoverageResult has the log loss and the Brier score, in this order.
type LossCoverageResult struct {
	D           int              `json:"d"`
	Repetitions int              `json:"repetitions"`
	Losses      [2]LossesCovered `json:"losses"`
	// Bracket is the share of repetitions whose bracket of the log loss, moved by its standard errors, contains the truth.
	Bracket float64 `json:"bracket"`
}

// LossesCovered is about one loss: means of truth, estimate and standard error, the standard deviation of the error, and the share of intervals that contain the truth.
type LossesCovered struct {
	Loss      string  `json:"loss"`
	MeanTruth float64 `json:"mean_truth"`
	Mean      float64 `json:"mean"`
	SD        float64 `json:"sd"`
	MeanSE    float64 `json:"mean_se"`
	Covered   float64 `json:"covered"`
}

// lossRepetition is one draw.
type lossRepetition struct {
	a     *risk.Assessment
	truth [2]float64
	err   error
}

// Run runs all repetitions, as many at a time as there are processors. Results do not depend on that.
func (c LossCoverage) Run(ctx context.Context) (*LossCoverageResult, error) {
	from := Synthetic{D: c.D, Noise: .1, Classes: true}
	xy, err := from.XY(c.TestRows, c.Seed)
	if err != nil {
		return nil, err
	}
	all := make([]lossRepetition, c.Repetitions)
	parallel.Blocks(c.Repetitions, 1, func(lo, _ int) { all[lo] = c.repeat(ctx, from, xy, c.Seed+1+uint64(lo)) })
	out := &LossCoverageResult{D: c.D, Repetitions: c.Repetitions}
	n := float64(c.Repetitions)
	var gaps, squares [2]float64
	out.Losses[0].Loss, out.Losses[1].Loss = losses.Log{}.Name(), "brier"
	for _, r := range all {
		if r.err != nil {
			return nil, r.err
		}
		for i, of := range []risk.Interval{r.a.Loss.Interval, {Value: r.a.Risk.MSE, SE: r.a.Risk.SE, Lo: r.a.Risk.Lo, Hi: r.a.Risk.Hi}} {
			l := &out.Losses[i]
			gap := of.Value - r.truth[i]
			gaps[i] += gap / n
			squares[i] += gap * gap
			l.MeanTruth += r.truth[i] / n
			l.Mean += of.Value / n
			l.MeanSE += of.SE / n
			if of.Lo <= r.truth[i] && r.truth[i] <= of.Hi {
				l.Covered += 1 / n
			}
		}
		if b := r.a.Loss.Bracket; b.Lower <= r.truth[0] && r.truth[0] <= b.Upper {
			out.Bracket += 1 / n
		}
	}
	for i := range out.Losses {
		out.Losses[i].SD = math.Sqrt(max(squares[i]-n*gaps[i]*gaps[i], 0) / (n - 1))
	}
	return out, nil
}

// repeat draws two tables, fits, assesses, and measures the models of the folds on coupled rows.
func (c LossCoverage) repeat(ctx context.Context, from Synthetic, xy tables.Source, seed uint64) (r lossRepetition) {
	if r.err = ctx.Err(); r.err != nil {
		return r
	}
	var xu, uy tables.Source
	if xu, r.err = from.XU(c.Rows, seed); r.err != nil {
		return r
	}
	if uy, r.err = from.UY(c.Rows, seed); r.err != nil {
		return r
	}
	spec := features.Spec{Kind: features.AdditiveFeatures, Size: fixedFeatures}
	p, err := problem.Prepare(ctx, problem.Setup{Phi: spec, Psi: spec, Seed: seed, Folds: problem.DefaultFolds}, xu, uy)
	if err != nil {
		return lossRepetition{err: fmt.Errorf("experiments: coverage of losses: %w", err)}
	}
	fit := risk.Fitted(rr.Generalized{Loss: losses.Log{}})
	var models []rr.Predictor
	r.a, r.err = risk.Assess(ctx, p, func(ctx context.Context, train *problem.Problem) (rr.Predictor, error) {
		f, err := fit(ctx, train)
		models = append(models, f)
		return f, err
	}, risk.AssessOptions{Loss: losses.Log{}, H: &risk.FoldH{Lambda: rr.Value(rr.DefaultLambda)}})
	if r.err != nil {
		return r
	}
	x, y, _, _, err := problem.Matrices(ctx, xy, p.X(), p.Y(), problem.PassOptions{})
	if err != nil {
		return lossRepetition{err: err}
	}
	rows, _ := y.Dims()
	for _, m := range models {
		var f mat.Dense
		m.PredictTo(&f, x)
		weight := 1 / float64(rows*len(models))
		for i := range rows {
			r.truth[0] += weight * losses.Divergence(losses.Log{}, y.RawRowView(i), f.RawRowView(i))
			r.truth[1] += weight * losses.Divergence(losses.Squared{}, y.RawRowView(i), f.RawRowView(i))
		}
	}
	return r
}
