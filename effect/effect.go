package effect

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/internal/bounds"
	"mediant/internal/progress"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// An Estimator, of which Treatment must be set, estimates the mean effect on Y of a randomised 0/1 treatment T from S_X =
// {(T, U)} and S_Y = {(U, Y)} (docs/theory.md, section 17). With kappa = T/p - (1-T)/(1-p), p the share of the treated, h ~
// E[Y|U] and r(u) = gamma'(psi(u), 1), gamma = (D + mu I)⁻¹ mean_SX (psi, 1) kappa,
//
//	tau = mean_SX kappa h + mean_SY r (y - h)
//
// where h and r are fitted on other folds than they are evaluated on. An error of h alone or of r alone does not bias tau to
// first order. It is assumed that the treatment is independent of all else, that Y depends on T only through U, and that
// E[Y|U] is the same in both tables; the tables cannot show whether this holds.
type Estimator struct {
	// Setup says how U becomes features; Phi, Shift and Errors are not used, and 0 Folds mean 5. One fold means no
	// cross-fitting: h and r are fitted to the rows on which they are evaluated.
	problem.Setup
	// Treatment is a column of the first table: 1 for treated rows and 0 for others, or of two levels.
	Treatment string
	// Treated is the level of Treatment for treated rows. "" means 1 of 0 and 1, and of text yes, true, treated or treatment
	// beside no, false, control or placebo.
	Treated string
	// Probability is the probability of treatment if the design fixed it. Auto means the observed share, with which the error does not grow with the mean of Y, and compares each
	// row with its own arm. A probability that is six standard deviations from the share is an error.
	Probability rr.Setting
	// LambdaH is the penalty of h, Mu that of r; Auto means chosen by cross-validation.
	LambdaH, Mu rr.Setting
}

// An Estimate is the estimated effect on one output, in its units, with a 95 % interval.
type Estimate struct {
	Output string `json:"y"`
	risk.Interval
	// Bounds are bounds of the effect, with sampling error, if the Y of rows of S_X without overlap may lie anywhere in the
	// range of Y in S_Y; nil if there are no such rows.
	Bounds *risk.Bracket `json:"bounds,omitempty"`
	// Explained is the share of the variance of the output that U explains in held-out rows, nil if the output is constant.
	// If it is small, the treatment may affect Y other than through U.
	Explained *float64 `json:"u_explains,omitempty"`
}

// A Result is the outcome of an Estimator.
type Result struct {
	Treatment   string     `json:"treatment"`
	Arm         string     `json:"treated_level,omitempty"` // the level of treated rows, "" for 1 of 0 and 1
	Effects     []Estimate `json:"effects"`
	Treated     int        `json:"treated"` // rows
	Control     int        `json:"control"`
	NoOverlap   *NoOverlap `json:"no_overlap,omitempty"`
	Probability float64    `json:"probability"`
	Rows        rr.Rows    `json:"rows"`
	DroppedXU   int        `json:"dropped_xu"` // treatment missing
	U           []string   `json:"u"`
	Folds       int        `json:"folds"`
	LambdaH     float64    `json:"lambda_h"` // of h for the first output
	LambdasH    []float64  `json:"lambda_h_outputs,omitempty"`
	Mu          float64    `json:"mu"`
	// Notes are sentences about decisions, and about columns of U with values in S_X that are outside the support in S_Y.
	Notes []string `json:"notes"`
}

// effectMemory is the stage with the memory of estimating.
const effectMemory = "the features of U"

// effectFolds is the default number of folds: enough rows remain to fit on, at five fits.
const effectFolds = 5

// Estimate reads the two tables, each a few times. It is an error if a column is missing, if the treatment has other values
// than its two or only one of them, if an arm or a table has fewer than two rows, or if most rows of an arm are without
// overlap.
func (e Estimator) Estimate(ctx context.Context, xu, uy tables.Source) (*Result, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	if err := problem.RequireTables(xu, uy); err != nil {
		return nil, err
	}
	xu, arm, err := e.inArms(ctx, xu)
	if err != nil {
		return nil, err
	}
	run, err := e.prepare(ctx, xu, uy)
	if err != nil {
		return nil, err
	}
	run.result.Arm = arm
	ctx = progress.Stage(ctx, "estimating the effect")
	if err := run.fit(ctx); err != nil {
		return nil, err
	}
	return run.estimate(ctx)
}

// A run is the state of one estimation.
type run struct {
	Estimator
	p           *problem.Mapped
	treatment   *encode.Targets
	xu, uy      crossfit.Splits // of (T, psi) and of (psi, y)
	probability float64
	lambdasH    []float64 // by unit of the outputs
	mu          float64
	h, r        []crossfit.Affine // by fold; r has one output
	noOverlap   *noOverlap        // nil if all rows have overlap
	result      Result
}

func (e Estimator) prepare(ctx context.Context, xu, uy tables.Source) (*run, error) {
	if e.Folds == 0 {
		e.Folds = effectFolds
	}
	e.Roles.X = []string{e.Treatment}
	encoded, err := problem.EncodeU(ctx, e.Setup, xu, uy, estimating, effectMemory)
	if err != nil {
		return nil, err
	}
	run := &run{Estimator: e}
	if run.treatment, err = e.readTreatment(ctx, encoded); err != nil {
		return nil, err
	}
	if least := slices.Min(encoded.U().SourceRows()); e.Folds > least {
		return nil, fmt.Errorf("effect: Estimator.Folds is %d, and a table has %d rows: too few rows", e.Folds, least)
	}
	if run.p, err = encoded.CompleteIn(run.treatment).MapU(ctx); err != nil {
		return nil, err
	}
	run.result.Notes = run.p.Notes()
	if err := run.sum(ctx); err != nil {
		return nil, err
	}
	return run, run.findNoOverlap(ctx)
}

// readTreatment checks that the treatment is 0 or 1 wherever it is there.
func (e Estimator) readTreatment(ctx context.Context, p *problem.Encoded) (*encode.Targets, error) {
	src := p.Sources()[problem.TableXU]
	if t := problem.SelectColumns(src.Columns(), p.Roles().X)[0]; t.Kind != tables.Numeric {
		return nil, fmt.Errorf("effect: treatment %q holds sparse rows, must be 0 or 1", t.Name)
	}
	treatment, err := encode.FitTargets(ctx, src, p.Roles().X, encode.Regress)
	if err != nil {
		return nil, fmt.Errorf("effect: treatment: %w", err)
	}
	sel, err := tables.Select(src.Columns(), []tables.Column{{Name: e.Treatment, Kind: tables.Numeric}})
	if err != nil {
		return nil, err
	}
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		values := make([]float64, b.Rows)
		sel.NumericTo(values, b, 0)
		for i, v := range values {
			if v != 0 && v != 1 && !math.IsNaN(v) {
				return nil, fmt.Errorf("effect: %s: treatment %q is %g, must be 0 or 1; of two other values name the one that is treated with Estimator.Treated", tables.FactsOf(src).Where(b.Number(i)), e.Treatment, v)
			}
		}
	}
	return treatment, nil
}

// sum makes the moments of both tables by folds.
func (run *run) sum(ctx context.Context) error {
	p := run.p
	foldsX, droppedX, err := p.CoMomentsByFold(ctx, problem.TableXU, run.treatment, p.SidePsi())
	if err != nil {
		return fmt.Errorf("table of treatment and U: %w", err)
	}
	foldsY, droppedY, err := p.CoMomentsByFold(ctx, problem.TableUY, p.SidePsi(), p.Y())
	if err != nil {
		return fmt.Errorf("table of U and Y: %w", err)
	}
	if len(foldsY) > 0 && !slices.ContainsFunc(foldsY, func(f *moments.CoMoments) bool { return f.Rows() > 0 }) {
		return problem.NoYError(ctx, "the table of U and Y has nothing to learn from", p.Y(), p.Sources()[problem.TableUY])
	}
	for _, side := range []struct {
		table string
		folds []*moments.CoMoments
	}{{"treatment and U", foldsX}, {"U and Y", foldsY}} {
		for _, f := range side.folds {
			if max(f.Weight(), float64(f.Rows())) < 2 { // frequencies are no fewer than rows
				return fmt.Errorf("effect: the table of %s has too few rows for %d folds", side.table, len(side.folds))
			}
		}
	}
	if run.xu, err = p.Splitter().SplitOrWhole(ctx, foldsX); err != nil {
		return err
	}
	if run.uy, err = p.Splitter().SplitOrWhole(ctx, foldsY); err != nil {
		return err
	}
	run.result.Rows.Dropped, run.result.DroppedXU = droppedY, droppedX
	share := run.xu.Means(func(_ int, held *moments.CoMoments) []float64 { return held.MeanA()[:1] }).Mean[0]
	run.probability = run.Probability.Or(share)
	if !(run.probability > 0 && run.probability < 1) || share == 0 || share == 1 {
		return fmt.Errorf("effect: treatment %q: the share of treated rows is %g, the probability %g; both must lie between 0 and 1", run.Treatment, share, run.probability)
	}
	if run.Roles.WeightsXU == "" {
		rows := 0
		for _, held := range run.xu.Held {
			rows += held.Rows()
		}
		return run.plausible(share, rows)
	}
	return nil
}

// plausible returns an error for a probability of treatment that is six standard deviations from the share of the treated:
// the difference of arms weighted by it would contain a part of the mean of Y.
func (run *run) plausible(share float64, rows int) error {
	p := run.probability
	if math.Abs(share-p) <= 6*math.Sqrt(p*(1-p)/float64(rows)) {
		return nil
	}
	return fmt.Errorf("effect: treatment %q: the share of treated rows is %.3g of %d, which Estimator.Probability %g does not explain; give the probability of the design, or none", run.Treatment, share, rows, p)
}

// fit finds h and r of each fold.
func (run *run) fit(ctx context.Context) error {
	lambdas, mus := crossfit.Lambdas, crossfit.Mus
	if !run.LambdaH.IsAuto() {
		lambdas = []float64{run.LambdaH.Or(0)}
	}
	if !run.Mu.IsAuto() {
		mus = []float64{run.Mu.Or(0)}
	}
	u, err := run.p.Units(run.uy.Held)
	if err != nil {
		return err
	}
	c, err := crossfit.CrossValidate(ctx, run.uy, u, lambdas, true)
	if err != nil {
		return err
	}
	run.h, run.lambdasH = c.BestFits()
	run.r, run.mu, err = run.weights(ctx, run.xu, 1, mus)
	return err
}

// weights are the Riesz weights of a share of the rows of S_X, of which xu are the sums.
func (run *run) weights(ctx context.Context, xu crossfit.Splits, share float64, mus []float64) ([]crossfit.Affine, float64, error) {
	train, held := make([]*mat.Dense, len(xu.Train)), make([]*mat.Dense, len(xu.Held))
	for k := range train {
		train[k], held[k] = run.target(xu.Train[k]), run.target(xu.Held[k])
		if share != 1 {
			train[k].Scale(share, train[k])
			held[k].Scale(share, held[k])
		}
	}
	r, chosen, err := crossfit.Riesz{UY: run.uy, Mus: mus}.Weights(ctx, train, held)
	if err != nil {
		return nil, 0, err
	}
	return r, chosen[0], nil
}

// target returns the means over the rows of a pair (T, psi) of (psi, 1) kappa; kappa is affine in T.
func (run *run) target(xu *moments.CoMoments) *mat.Dense {
	p := run.probability
	return crossfit.Target(xu, crossfit.Affine{Coef: mat.NewDense(1, 1, []float64{1/p + 1/(1-p)}), Intercept: []float64{-1 / (1 - p)}})
}

// CheckMemory is Setup.CheckMemory for this estimate.
func (e Estimator) CheckMemory(xu, uy problem.Preview) error {
	if e.Folds == 0 {
		e.Folds = effectFolds
	}
	return e.LeastWithin(estimating, effectMemory, xu, uy)
}

// Validate returns an error that names the first field out of range.
func (e Estimator) Validate() error {
	if e.Treatment == "" {
		return fmt.Errorf("effect: Estimator.Treatment is empty, must name a column of the first table")
	}
	if p := e.Probability.Or(.5); !(p > 0 && p < 1) {
		return fmt.Errorf("effect: Estimator.Probability is %g, must be above 0 and below 1", p)
	}
	return bounds.First(e.Setup.Validate(), e.LambdaH.CheckPenalty("effect: Estimator.LambdaH"), e.Mu.CheckPenalty("effect: Effect.Mu"))
}
