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
// first order. Of several arms each is compared with the control: kappa = 1(T=a)/p_a - 1(T=c)/p_c, with an r of its own. It is assumed that the treatment is independent of all else, that Y depends on T only through U, and that
// E[Y|U] is the same in both tables; the tables cannot show whether this holds. The zero value is not usable.
type Estimator struct {
	// Setup says how U becomes features; Shift and Errors are not used, Phi only with X, and 0 Folds mean 5. One fold means no
	// cross-fitting: h and r are fitted to the rows on which they are evaluated.
	problem.Setup
	// Treatment is a column of the first table: 1 for treated rows and 0 for others, or of 2 to 50 levels.
	Treatment string
	// Treated is the level of Treatment for treated rows. "" means 1 of 0 and 1, and of text yes, true, treated or treatment
	// beside no, false, control or placebo.
	Treated string
	// Control is the level of Treatment with which each other one is compared. "" means the one that Treated leaves, or
	// of more than two levels of text the only one that is no, false, control, placebo or none.
	Control string
	// Pairs compares all pairs of arms, in the place of each with the control.
	Pairs bool
	// CompleteU leaves out the rows of either table in which a column of U is missing. The estimate is right if in each arm these
	// are like the others. By default a missing value is a value: it says of Y what it says in S_Y, and what the treatment does to
	// the true value is not in the estimate.
	CompleteU bool
	// WeighU, with CompleteU, has the rows of the first table whose U is complete stand for the others of their arm: with weights by the inverse of the probability of being complete, by cross-fitted logistic regression in
	// the arm on X and the columns of U that are never missing, and with regressions on the same columns for what is missing. It is right if, given these and the treatment, whether U is complete says
	// nothing of U, and if the probabilities or the regressions are right. Rows of the second table are left out: there E[Y|U] alone must be that of complete rows.
	WeighU bool
	// Probability is the probability of treatment if the design fixed it. Auto means the observed share, with which the error does not grow with the mean of Y, and compares each
	// row with its own arm. A probability that is six standard deviations from the share is an error, and one of more than two arms.
	Probability rr.Setting
	// X are columns of the first table, or patterns of them (tables.MatchNames), that were measured before the treatment: covariates by which the estimate is adjusted, with cross-fitted regressions in each
	// arm. Of a randomised treatment they reduce the error, and bias nothing. Columns of U may be among them. Phi are features of X beside the columns themselves, by default 64 Gaussian ones.
	X []string
	// Propensity is a column of the first table with the known probability of treatment of each row, of two arms, or EstimatePropensity: the treatment is not randomised, and its
	// probability given X is estimated by cross-fitted logistic regression. The estimate is doubly robust: an error of the propensity or of the regressions alone biases nothing to first order. It is
	// right if, given X, the treatment is independent of the outcomes that each arm would have.
	Propensity string
	// Trim leaves out the rows in which the propensity of an arm is less; Auto means DefaultTrim, and 0 leaves out none.
	Trim rr.Setting
	// LambdaH is the penalty of h, Mu that of r; Auto means chosen by cross-validation.
	LambdaH, Mu rr.Setting
	// ReplicatesXU and ReplicatesUY say how the replicate weights of Roles were made. Standard errors of a table that has them are from the estimates with each column of them in the place
	// of the weights, which takes a fit each: with the folds, maps and penalties of all rows, and the rows that were trimmed. Without columns of weights those of all rows are 1.
	ReplicatesXU, ReplicatesUY Replicates
	// ReplicatesJoint says that both tables are of one survey: column r of the first and column r of the second are one replicate. Else the tables are independent.
	ReplicatesJoint bool

	groupColumn string // the column of X that divides the rows (groups), "" for none
}

// An Estimate is the estimated effect on one output, in its units, with a 95 % interval.
type Estimate struct {
	Output string `json:"y"`
	// Arm and Against are the levels that are compared where Treatment has more than two, else "".
	Arm     string `json:"arm,omitempty"`
	Against string `json:"against,omitempty"`
	risk.Interval
	// Joint is the interval that holds its effect together with those of all other effects of the Result, in 95 % of samples;
	// nil for two arms.
	Joint *Range `json:"joint,omitempty"`
	// Bounds are bounds of the effect, with sampling error, if the Y of rows of S_X without overlap may lie anywhere in the
	// range of Y in S_Y; nil if there are no such rows.
	Bounds *risk.Bracket `json:"bounds,omitempty"`
	// Explained is the share of the variance of the output that U explains in held-out rows, nil if the output is constant.
	// If it is small, the treatment may affect Y other than through U.
	Explained *float64 `json:"u_explains,omitempty"`
	// Violation says which violation of the assumption that Y depends on the treatment only through U would explain the effect.
	Violation Violation `json:"violation"`
	// Weights are those of the rows of S_Y, |r(U)|: how many of them decide the correction.
	Weights WeightsOfU `json:"weights_u"`
}

// A Result is the outcome of an Estimator.
type Result struct {
	Treatment   string      `json:"treatment"`
	Arm         string      `json:"treated_level,omitempty"` // the level of treated rows, "" for 1 of 0 and 1
	Arms        []Arm       `json:"arms,omitempty"`          // if more than two, the control first
	Effects     []Estimate  `json:"effects"`                 // by compared arms, and among these by output
	Treated     int         `json:"treated"`                 // rows of all arms but the control
	Control     int         `json:"control"`
	NoOverlap   *NoOverlap  `json:"no_overlap,omitempty"`
	Missing     *MissingU   `json:"missing_u,omitempty"`  // nil if no U is missing
	Probability float64     `json:"probability"`          // of all arms but the control
	X           []string    `json:"x,omitempty"`          // the covariates
	Propensity  *Propensity `json:"propensity,omitempty"` // nil: arms are compared by their shares
	Rows        rr.Rows     `json:"rows"`
	DroppedXU   int         `json:"dropped_xu"` // treatment missing
	U           []string    `json:"u"`
	Folds       int         `json:"folds"`
	LambdaH     float64     `json:"lambda_h"` // of h for the first output
	LambdasH    []float64   `json:"lambda_h_outputs,omitempty"`
	Mu          float64     `json:"mu"` // of r for the first comparison of arms
	Mus         []float64   `json:"mu_arms,omitempty"`
	// Notes are sentences about decisions, and about columns of U with values in S_X that are outside the support in S_Y.
	Notes []string `json:"notes"`
	// Covariance is that of Effects, nil of two arms.
	Covariance *mat.SymDense `json:"-"`
	// Clusters counts those of the rows that are used; nil if the rows of both tables are independent.
	Clusters *problem.Clusters `json:"clusters,omitempty"`
	// Replicates are the replicate weights that standard errors are from; nil: they are from rows or clusters.
	Replicates *ReplicateErrors `json:"replicates,omitempty"`
}

// effectMemory is the stage with the memory of estimating.
const effectMemory = "the features of U"

// effectFolds is the default number of folds: enough rows remain to fit on, at five fits.
const effectFolds = 5

// An Arm is a level of a treatment that has more than two.
type Arm struct {
	Level     string `json:"level"`
	Rows      int    `json:"rows"`
	NoOverlap int    `json:"no_overlap"` // rows without overlap
}

// Estimate reads the two tables, each a few times, and if U is missing in some rows as often again for Result.Missing. It is an error if a column is missing, if the treatment has other values
// than 0 and 1 or its levels, or only one of them, if an arm or a table has fewer than two rows, or if most rows of an arm are without
// overlap.
func (e Estimator) Estimate(ctx context.Context, xu, uy tables.Source) (*Result, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	if err := problem.RequireTables(xu, uy); err != nil {
		return nil, err
	}
	xu, uy = tables.NewGuard("S_X", xu), tables.NewGuard("S_Y", uy)
	xu, arm, several, err := e.inArms(ctx, xu)
	if err != nil {
		return nil, err
	}
	missing, err := e.findMissing(ctx, xu, uy)
	if err != nil {
		return nil, err
	}
	result, err := e.estimate(ctx, several, xu, uy, missing)
	if err != nil {
		return nil, err
	}
	result.Arm = arm
	return result, nil
}

// estimate is Estimate of a treatment in arms, with the rows in which U is missing or without them.
func (e Estimator) estimate(ctx context.Context, several *arms, xu, uy tables.Source, missing *missingU) (*Result, error) {
	if missing == nil {
		return e.estimateAll(ctx, several, xu, uy)
	}
	if e.CompleteU {
		var all *full
		if e.WeighU && missing.found.XU.Rows > 0 {
			all = missing.fullOf(xu)
		}
		xu, uy, err := missing.complete(ctx, xu, uy)
		if err != nil {
			return nil, err
		}
		result, weights, err := e.estimateFull(ctx, several, xu, uy, all)
		if err != nil {
			return nil, err
		}
		missing.found.LeftOut, missing.found.Weights, result.Missing = true, weights, missing.found
		return result, nil
	}
	result, err := e.estimateAll(ctx, several, xu, uy)
	if err != nil {
		return nil, err
	}
	result.Missing = missing.found
	of := &Result{}
	if xu, uy, err = missing.complete(ctx, xu, uy); err == nil {
		of, err = e.estimateAll(ctx, several, xu, uy)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // such as too few rows: the estimate of all rows stands
		result.Missing.NoComplete = err.Error()
	default:
		result.Missing.Complete = of.Effects
	}
	return result, nil
}

func (e Estimator) estimateAll(ctx context.Context, several *arms, xu, uy tables.Source) (*Result, error) {
	result, _, err := e.estimateFull(ctx, several, xu, uy, nil)
	return result, err
}

// estimateFull is estimateAll where all, if not nil, has the rows of S_X that xu leaves out.
func (e Estimator) estimateFull(ctx context.Context, several *arms, xu, uy tables.Source, all *full) (*Result, *CompleteWeights, error) {
	run, err := e.prepareFull(ctx, several, xu, uy, all)
	if err != nil {
		return nil, nil, err
	}
	ctx = progress.Stage(ctx, "estimating the effect")
	if err := run.fit(ctx); err != nil {
		return nil, nil, err
	}
	result, err := run.estimate(ctx)
	return result, run.completeWeights, err
}

// A run is the state of one estimation.
type run struct {
	Estimator
	p               *problem.Mapped
	several         *arms           // nil: treated and control, 1 and 0
	treatment       encode.Side     // T, or a column for each arm
	xu, uy          crossfit.Splits // of (treatment, psi) and of (psi, y)
	probability     float64
	contrasts       []contrast
	lambdasH        []float64         // by unit of the outputs
	mus             []float64         // by contrast
	h, r            []crossfit.Affine // by fold; r has an output for each contrast
	noOverlap       *noOverlap        // nil if all rows have overlap
	adjusted        *adjusted         // nil: arms are compared as they are
	covariates      []string          // the columns of X
	full            *full             // nil: no rows are left out that the others stand for
	completeWeights *CompleteWeights
	parts           []effectParts // by effect
	isReplica       bool          // of another run, for its standard errors
	result          Result
}

// A contrast compares an arm with another one.
type contrast struct {
	arm, against int
	kappa        []float64       // by arm
	of           crossfit.Affine // kappa as a function of the columns of the treatment
}

// arms is how many there are.
func (run *run) arms() int {
	if run.several == nil {
		return 2
	}
	return len(run.several.levels)
}

// armOf is the arm of a row of the columns of the treatment.
func (run *run) armOf(row []float64) int {
	if run.several == nil {
		return int(row[0])
	}
	return slices.Index(row, 1)
}

// compare sets the contrasts from the shares of the arms.
func (run *run) compare(shares []float64) {
	if run.adjusted != nil { // whose treatment has weights of mean 1 in each arm
		shares = slices.Repeat([]float64{1}, run.arms())
	} else if run.several == nil {
		p := run.probability
		run.contrasts = []contrast{{1, 0, []float64{-1 / (1 - p), 1 / p},
			crossfit.Affine{Coef: mat.NewDense(1, 1, []float64{1/p + 1/(1-p)}), Intercept: []float64{-1 / (1 - p)}}}}
		return
	}
	if run.grouped() {
		run.compareGroups(shares)
		return
	}
	for against := range shares {
		for arm := against + 1; arm < len(shares); arm++ {
			c := contrast{arm, against, make([]float64, len(shares)), crossfit.Affine{Intercept: []float64{0}}}
			c.kappa[arm], c.kappa[against] = 1/shares[arm], -1/shares[against]
			c.of.Coef = mat.NewDense(len(shares), 1, slices.Clone(c.kappa))
			run.contrasts = append(run.contrasts, c)
		}
		if !run.Pairs {
			return
		}
	}
}

func (e Estimator) prepare(ctx context.Context, several *arms, xu, uy tables.Source) (*run, error) {
	return e.prepareFull(ctx, several, xu, uy, nil)
}

func (e Estimator) prepareFull(ctx context.Context, several *arms, xu, uy tables.Source, all *full) (*run, error) {
	if e.Folds == 0 {
		e.Folds = effectFolds
	}
	run := &run{Estimator: e, several: several, full: all}
	if err := run.findReplicates(xu, uy); err != nil {
		return nil, err
	}
	if err := run.assign(xu, uy); err != nil {
		return nil, err
	}
	need := estimating
	if several != nil {
		if !e.Probability.IsAuto() {
			return nil, fmt.Errorf("effect: Estimator.Probability is of two arms, and treatment %q has %d", e.Treatment, run.arms())
		}
		if levels := len(run.treatmentLevels()); run.propensity() == knownPropensity && levels > 2 {
			return nil, fmt.Errorf("effect: Estimator.Propensity %q is a column for two arms, and treatment %q has %d: have it estimated", e.Propensity, e.Treatment, levels)
		}
		columns, contrasts := float64(run.arms()), float64(run.arms()-1)
		if e.Pairs && !run.grouped() {
			contrasts *= columns / 2
		}
		need = func(f problem.Footprint) float64 { return estimatingArms(f, columns, contrasts) }
	}
	if of := need; run.hasReplicates() {
		columns := float64(run.arms())
		need = func(f problem.Footprint) float64 { return of(f) + replicating(f, columns) }
	}
	encoded, err := problem.EncodeU(ctx, run.Setup, xu, uy, need, effectMemory)
	if err != nil {
		return nil, err
	}
	if several != nil {
		run.treatment = several
	} else if run.treatment, err = e.readTreatment(ctx, encoded); err != nil {
		return nil, err
	}
	if least := slices.Min(encoded.U().SourceRows()); e.Folds > least {
		return nil, fmt.Errorf("effect: Estimator.Folds is %d, and a table has %d rows: too few rows", e.Folds, least)
	}
	if run.full != nil {
		run.note(encoded.U().Notes()...)
		if encoded, err = run.encodeFull(ctx, encoded); err != nil {
			return nil, err
		}
	}
	if run.adjusts() {
		if err := run.adjust(ctx, encoded); err != nil {
			return nil, err
		}
	}
	if run.p, err = encoded.CompleteIn(run.treatment).MapU(ctx); err != nil {
		return nil, err
	}
	run.result.Notes = slices.Concat(run.p.Notes(), run.result.Notes)
	if err := run.sum(ctx); err != nil {
		return nil, err
	}
	return run, run.findNoOverlap(ctx)
}

// readTreatment checks that the treatment is 0 or 1 wherever it is there.
func (e Estimator) readTreatment(ctx context.Context, p *problem.Encoded) (*encode.Targets, error) {
	src := p.Sources()[problem.TableXU]
	if t := problem.SelectColumns(src.Columns(), []string{e.Treatment})[0]; t.Kind != tables.Numeric {
		return nil, fmt.Errorf("effect: treatment %q holds sparse rows, must be 0 or 1", t.Name)
	}
	treatment, err := encode.FitTargets(ctx, src, []string{e.Treatment}, encode.Regress)
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
				return nil, fmt.Errorf("effect: %s: treatment %q is %g, must be 0 or 1; of two other values name the one that is treated with Estimator.Treated, of more the control with Estimator.Control", tables.FactsOf(src).Where(b.Number(i)), e.Treatment, v)
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
			if f.Rows() > 0 && !(f.Weight() > 0) { // of replicate weights
				return fmt.Errorf("effect: the weights are 0 in all rows of %s in one of the %d folds: set fewer folds (Estimator.Folds) or another seed", side.table, len(side.folds))
			}
			if max(f.Weight(), float64(f.Rows())) < 2 { // frequencies are no fewer than rows
				trimmed := ""
				if of := run.result.Propensity; of != nil && of.Trimmed > 0 {
					trimmed = fmt.Sprintf(": %d of %d rows were left out, in which an arm has a probability below %g (Estimator.Trim): the arms hardly overlap in the propensity", of.Trimmed, of.Of, of.Trim)
				}
				return fmt.Errorf("effect: the table of %s has too few rows for %d folds%s", side.table, len(side.folds), trimmed)
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
	if run.adjusted != nil { // where rows are left out for other reasons, too
		if run.result.DroppedXU, err = run.adjusted.lacking(ctx, p.Sources()[problem.TableXU]); err != nil {
			return err
		}
		run.probability = run.shareTreated()
		run.compare(nil)
		return nil
	}
	shares := run.xu.Means(func(_ int, held *moments.CoMoments) []float64 { return held.MeanA() }).Mean
	if run.several != nil {
		for arm, share := range shares {
			if !(share > 0) {
				return fmt.Errorf("effect: treatment %q is %.40q in no row that is used", run.Treatment, run.several.levels[arm])
			}
		}
		run.probability = 1 - shares[0]
		run.compare(shares)
		return nil
	}
	share := shares[0]
	run.probability = run.Probability.Or(share)
	if !(share > 0 && share < 1) {
		return fmt.Errorf("effect: treatment %q: of the rows that are used %s is treated, so that there is nothing to compare", run.Treatment, map[bool]string{true: "every one", false: "none"}[share == 1])
	}
	run.compare(shares)
	if run.Roles.WeightsXU == "" && !run.isReplica {
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
	run.r, run.mus, err = run.weights(ctx, run.xu, 1, run.contrasts, mus)
	return err
}

// weights are the Riesz weights of contrasts in a share of the rows of S_X, of which xu are the sums.
func (run *run) weights(ctx context.Context, xu crossfit.Splits, share float64, of []contrast, mus []float64) ([]crossfit.Affine, []float64, error) {
	train, held := run.targets(xu, share, of)
	return crossfit.Riesz{UY: run.uy, Mus: mus}.Weights(ctx, train, held)
}

// targets are those of the Riesz weights, by fold, over the rows outside and inside it.
func (run *run) targets(xu crossfit.Splits, share float64, of []contrast) (train, held []*mat.Dense) {
	kappas := make([]crossfit.Affine, len(of))
	for c := range of {
		kappas[c] = of[c].of
	}
	kappa := crossfit.SideBySide(kappas)
	train, held = make([]*mat.Dense, len(xu.Train)), make([]*mat.Dense, len(xu.Held))
	for k := range train {
		train[k], held[k] = crossfit.Target(xu.Train[k], kappa), crossfit.Target(xu.Held[k], kappa)
		if share != 1 {
			train[k].Scale(share, train[k])
			held[k].Scale(share, held[k])
		}
	}
	return train, held
}

// CheckMemory is Setup.CheckMemory for this estimate.
func (e Estimator) CheckMemory(xu, uy problem.Preview) error {
	if e.Folds == 0 {
		e.Folds = effectFolds
	}
	return e.LeastWithin(estimating, effectMemory, xu, uy)
}

// isAdjusted reports whether rows are adjusted for covariates, propensities or missing surrogates.
func (e Estimator) isAdjusted() bool { return len(e.X) > 0 || e.Propensity != "" || e.WeighU }

// Validate returns an error that names the first field out of range.
func (e Estimator) Validate() error {
	if e.Treatment == "" {
		return fmt.Errorf("effect: Estimator.Treatment is empty, must name a column of the first table")
	}
	if len(e.Roles.Controls) > 0 {
		return fmt.Errorf("effect: Estimator.Roles.Controls is set, which is for package instrument")
	}
	if p := e.Probability.Or(.5); !(p > 0 && p < 1) {
		return fmt.Errorf("effect: Estimator.Probability is %g, must be above 0 and below 1", p)
	}
	switch {
	case e.Propensity == EstimatePropensity && len(e.X) == 0:
		return fmt.Errorf("effect: Estimator.Propensity is to be estimated, and Estimator.X is empty: it names the columns that decide on the treatment")
	case e.isAdjusted() && !e.Probability.IsAuto():
		return fmt.Errorf("effect: Estimator.Probability weighs arms alone, without Estimator.X, Estimator.Propensity and Estimator.WeighU")
	case e.WeighU && !e.CompleteU:
		return fmt.Errorf("effect: Estimator.WeighU is set without Estimator.CompleteU")
	case !e.Trim.IsAuto() && e.Propensity == "":
		return fmt.Errorf("effect: Estimator.Trim is of a propensity, and Estimator.Propensity is empty")
	}
	if t := e.Trim.Or(0); !(t >= 0 && t < .5) {
		return fmt.Errorf("effect: Estimator.Trim is %g, must be at least 0 and below 0.5", t)
	}
	if e.Treated != "" && e.Control != "" {
		return fmt.Errorf("effect: Estimator.Treated and Estimator.Control are both set: one of them names both of two arms, and Control all of more")
	}
	return bounds.First(e.Setup.Validate(), e.checkReplicates(), e.LambdaH.CheckPenalty("effect: Estimator.LambdaH"), e.Mu.CheckPenalty("effect: Effect.Mu"))
}
