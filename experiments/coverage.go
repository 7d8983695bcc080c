package experiments

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/baselines"
	"mediant/features"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// A Coverage study repeats a fit on new draws of a distribution, and counts how often the intervals of the
// uncoupled risk contain the truth, which coupled rows tell.
type Coverage struct {
	Distribution Synthetic
	// Rows of each of the two tables, coupled rows for the truth, and repetitions.
	Rows, TestRows, Repetitions int
	Seed                        uint64
	Log                         DrawLog
	Form                        risk.Form
	// Choose prepares a problem with folds and picks the method for it: FixedModel, or SelectedModel.
	// The seed is that of the repetition.
	Choose chooser
	// Model names what Choose gives, for the result.
	Model string
}

type chooser = func(ctx context.Context, xu, uy tables.Source, seed uint64) (*search.Choice, error)

// CoverageResult is the outcome of a Coverage or ScenarioCoverage study. The truth of a repetition is the MSE on the coupled
// rows averaged over the models of the folds, which is what the risk estimates; that of the final
// model, fitted on all rows, is kept beside it.
type CoverageResult struct {
	Distribution Synthetic `json:"distribution,omitzero"`
	Scenario     string    `json:"scenario,omitempty"` // its name, of a ScenarioCoverage
	Model        string    `json:"model,omitempty"`
	Form         risk.Form `json:"form"`
	Repetitions  int       `json:"repetitions"`
	MeanTruth    float64   `json:"mean_truth"`
	MeanMSE      float64   `json:"mean_mse"`
	// SD is the standard deviation over repetitions of estimate - truth, MeanSE the mean standard
	// error that was reported for it.
	SD     float64 `json:"sd"`
	MeanSE float64 `json:"mean_se"`
	// Shares of repetitions whose interval of 95 % contains the truth, and the final model's MSE.
	Covered      float64 `json:"covered"`
	CoveredFinal float64 `json:"covered_final"`
	// Shares of repetitions whose bracket contains the truth: with its ends as they are estimated,
	// and moved by their standard errors. 0 for form 2, which has none.
	Bracket      float64 `json:"bracket"`
	BracketMoved float64 `json:"bracket_moved"`
	Tight        float64 `json:"tight"`
	TightMoved   float64 `json:"tight_moved"`
	MeanFinal    float64 `json:"mean_final"`
	// MeanHalfWidth is half the mean width of the intervals.
	MeanHalfWidth float64 `json:"mean_half_width"`
	// Excess is that of the final model above the best prediction, over the variance of E[Y|X], of a ScenarioCoverage.
	Excess Mean `json:"excess,omitzero"`
}

// repetition is one draw: the assessment, the mean truth of the fold models, and that of the final one.
type repetition struct {
	a            *risk.Assessment
	truth, final float64
	err          error
}

// Run runs all repetitions, as many at a time as there are processors. Results do not depend on that.
func (c Coverage) Run(ctx context.Context) (*CoverageResult, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	xy, err := c.Distribution.XY(c.TestRows, c.Seed)
	if err != nil {
		return nil, err
	}
	study := fmt.Sprintf("%s, %+v, form %d, rows %d, test rows %d", c.Model, c.Distribution, c.Form, c.Rows, c.TestRows)
	all, err := c.Log.run(study, c.Repetitions, c.Seed, func(seed uint64) repetition { return c.repeat(ctx, xy, seed) })
	if err != nil {
		return nil, err
	}
	out := summarise(all)
	out.Distribution, out.Model, out.Form = c.Distribution, c.Model, c.Form
	return out, nil
}

// A Distribution draws tables: n rows of (X, U), of (U, Y), and coupled ones of (X, Y), the same for a seed.
type Distribution interface {
	XU(n int, seed uint64) (tables.Source, error)
	UY(n int, seed uint64) (tables.Source, error)
	XY(n int, seed uint64) (tables.Source, error)
}

// repeat draws two tables, fits, assesses and measures.
func (c Coverage) repeat(ctx context.Context, xy tables.Source, seed uint64) (r repetition) {
	return repeat(ctx, c.Distribution, [2]int{c.Rows, c.Rows}, c.Choose, c.Form, xy, seed)
}

// repeat draws two tables of so many rows from a distribution, fits what choose returns, assesses it, and measures it on coupled rows.
func repeat(ctx context.Context, from Distribution, rows [2]int, choose chooser, form risk.Form, xy tables.Source, seed uint64) (r repetition) {
	if r.err = ctx.Err(); r.err != nil {
		return r
	}
	var xu, uy tables.Source
	if xu, r.err = from.XU(rows[problem.TableXU], seed); r.err != nil {
		return r
	}
	if uy, r.err = from.UY(rows[problem.TableUY], seed); r.err != nil {
		return r
	}
	choice, err := choose(ctx, xu, uy, seed)
	if err != nil {
		return repetition{err: err}
	}
	p, fit := choice.Problem, risk.Fitted(choice.Method)
	var models []rr.Predictor
	r.a, r.err = risk.Assess(ctx, p, func(ctx context.Context, train *problem.Problem) (rr.Predictor, error) {
		f, err := fit(ctx, train)
		models = append(models, f)
		return f, err
	}, risk.AssessOptions{Form: form})
	if r.err != nil {
		return r
	}
	r.a = choice.Corrected(r.a)
	final, err := fit(ctx, p)
	if err != nil {
		return repetition{err: err}
	}
	errors, err := meanSquaredErrors(ctx, p, xy, append(models, final))
	if err != nil {
		return repetition{err: err}
	}
	last := len(models)
	r.truth, r.final = floats.Sum(errors[:last])/float64(last), errors[last]
	return r
}

// meanSquaredErrors measures predictors on coupled rows, all at once where they share their features.
func meanSquaredErrors(ctx context.Context, p *problem.Problem, xy tables.Source, models []rr.Predictor) ([]float64, error) {
	x, y, _, _, err := problem.Matrices(ctx, xy, p.X(), p.Y(), problem.PassOptions{})
	if err != nil {
		return nil, err
	}
	n, k := y.Dims()
	var f mat.Dense
	together(models).PredictTo(&f, x)
	mse := make([]float64, len(models))
	for i := range n {
		row := f.RawRowView(i)
		for j := range mse {
			d := floats.Distance(row[j*k:(j+1)*k], y.RawRowView(i), 2)
			mse[j] += d * d / float64(n)
		}
	}
	return mse, nil
}

// together puts the outputs of several linear predictors on the same features side by side, in one
// predictor; others are called one by one.
func together(models []rr.Predictor) rr.Predictor {
	var one rr.Linear
	for _, m := range models {
		l, ok := m.(*rr.Linear)
		if !ok || one.Map != nil && one.Map.ID() != l.Map.ID() {
			return sideBySide(models)
		}
		if one.Map == nil {
			one = rr.Linear{Map: l.Map, Coef: l.Coef, Intercept: l.Intercept}
			continue
		}
		var coef mat.Dense
		coef.Augment(one.Coef, l.Coef)
		one.Coef, one.Intercept = &coef, append(append([]float64{}, one.Intercept...), l.Intercept...)
	}
	return &one
}

// sideBySide predicts with each of its predictors.
type sideBySide []rr.Predictor

// PredictTo implements rr.Predictor for an empty dst.
func (s sideBySide) PredictTo(dst *mat.Dense, x mat.Matrix) {
	for i, m := range s {
		var f, all mat.Dense
		m.PredictTo(&f, x)
		if i == 0 {
			dst.CloneFrom(&f)
			continue
		}
		all.Augment(dst, &f)
		dst.CloneFrom(&all)
	}
}

func summarise(all []repetition) *CoverageResult {
	out := &CoverageResult{Repetitions: len(all)}
	n := float64(len(all))
	share := func(to *float64, in bool) {
		if in {
			*to++
		}
	}
	within := func(b *risk.Bracket, truth float64, plain, moved *float64) {
		if b != nil {
			share(plain, b.Lo <= truth && truth <= b.Hi)
			share(moved, b.Lower <= truth && truth <= b.Upper)
		}
	}
	meanGap, squares := 0.0, 0.0
	for _, r := range all {
		risk := r.a.Risk
		gap := risk.MSE - r.truth
		meanGap += gap / n
		squares += gap * gap
		out.MeanTruth += r.truth / n
		out.MeanFinal += r.final / n
		out.MeanMSE += risk.MSE / n
		out.MeanSE += risk.SE / n
		out.MeanHalfWidth += (risk.Hi - risk.Lo) / (2 * n)
		share(&out.Covered, risk.Lo <= r.truth && r.truth <= risk.Hi)
		share(&out.CoveredFinal, risk.Lo <= r.final && r.final <= risk.Hi)
		within(r.a.Bracket, r.truth, &out.Bracket, &out.BracketMoved)
		within(r.a.Tight, r.truth, &out.Tight, &out.TightMoved)
	}
	for _, count := range []*float64{&out.Covered, &out.CoveredFinal, &out.Bracket, &out.BracketMoved, &out.Tight, &out.TightMoved} {
		*count /= n
	}
	out.SD = math.Sqrt(max(squares-n*meanGap*meanGap, 0) / (n - 1))
	return out
}

// FixedModel is the model of the coverage study that nothing chooses: Joint-RR with w = 1/2, lambdas of
// 1e-4, and 200 Fourier features a side of an additive Gaussian kernel with the median bandwidths.
func FixedModel(ctx context.Context, xu, uy tables.Source, seed uint64) (*search.Choice, error) {
	spec := features.Spec{Kind: features.AdditiveFeatures, Size: fixedFeatures}
	c, err := search.ChoiceOfTables(ctx, problem.Setup{Phi: spec, Psi: spec, Seed: seed, Folds: problem.DefaultFolds}, rr.Joint{}, risk.AssessOptions{}, xu, uy)
	if err != nil {
		return nil, fmt.Errorf("experiments: coverage: %w", err)
	}
	return c, nil
}

// NystromModel is 2Step-RR with lambdas of 1e-6 and Nyström features of a Matérn-3/2 kernel on both sides, at 300 landmarks, which
// are the rows of S_X and of both tables: a small penalty, and many rows that have a feature of their own.
func NystromModel(ctx context.Context, xu, uy tables.Source, seed uint64) (*search.Choice, error) {
	spec := features.Spec{Kind: features.NystromFeatures, Kernel: "matern32", Size: nystromFeatures}
	lambda := rr.Value(1e-6)
	c, err := search.ChoiceOfTables(ctx, problem.Setup{Phi: spec, Psi: spec, Seed: seed, Folds: problem.DefaultFolds}, rr.TwoStep{LambdaF: lambda, LambdaH: lambda}, risk.AssessOptions{}, xu, uy)
	if err != nil {
		return nil, fmt.Errorf("experiments: coverage: %w", err)
	}
	return c, nil
}

// SelectedModel is the choice of a search, with the defaults of the command fit.
func SelectedModel(ctx context.Context, xu, uy tables.Source, seed uint64) (*search.Choice, error) {
	return Automatic(seed).Choose(ctx, xu, uy)
}

// FixedSumsModel is FixedModel from sums of products alone, without rows.
func FixedSumsModel(ctx context.Context, xu, uy tables.Source, seed uint64) (*search.Choice, error) {
	fixed, err := FixedModel(ctx, xu, uy, seed)
	if err != nil {
		return nil, err
	}
	plan, err := fixed.Problem.Plan(ctx)
	if err != nil {
		return nil, err
	}
	p, err := summed(ctx, plan, xu, uy)
	if err != nil {
		return nil, err
	}
	return search.ChoiceOf(p, fixed.Method, risk.AssessOptions{})
}

// SelectedSumsModel is what the commands plan, sums and fit choose: features from the rows, all else from sums.
func SelectedSumsModel(ctx context.Context, xu, uy tables.Source, seed uint64) (*search.Choice, error) {
	s := Automatic(seed)
	plan, err := s.Plan(ctx, xu, uy, false)
	if err != nil {
		return nil, err
	}
	p, err := summed(ctx, plan, xu, uy)
	if err != nil {
		return nil, err
	}
	s.Rivals = nil // which need rows
	return s.ChooseOf(ctx, p)
}

// summed is the problem of the sums of two tables.
func summed(ctx context.Context, plan problem.Plan, xu, uy tables.Source) (*problem.Problem, error) {
	x, err := plan.SumXU(ctx, xu)
	if err != nil {
		return nil, err
	}
	y, err := plan.SumUY(ctx, uy)
	if err != nil {
		return nil, err
	}
	both, err := problem.MergeSums(x, y)
	if err != nil {
		return nil, err
	}
	return both.Problem()
}

// Automatic is the search of the command fit.
func Automatic(seed uint64) search.Search {
	return search.Search{Setup: problem.Setup{Seed: seed}, Rivals: baselines.Rivals}
}

const (
	fixedFeatures   = 200
	nystromFeatures = 300
)
