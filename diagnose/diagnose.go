package diagnose

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/features"
	"mediant/internal/progress"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// A Diagnosis has diagnostics of a model from two tables. None of them tests E[Y|U,X] = E[Y|U], except CMI, which needs coupled (X, U, Y) rows.
type Diagnosis struct {
	DistributionOfU *DistributionTest `json:"distribution_of_u,omitempty"`
	SharedRows      *SharedRows       `json:"shared_rows,omitempty"`
	XPredictsH      *Explained        `json:"x_predicts_h,omitempty"`
	UPredictsY      *Explained        `json:"u_predicts_y,omitempty"`
	Violation       *Sensitivity      `json:"sensitivity,omitempty"`
	CMI             *CMITest          `json:"cmi,omitempty"` // with coupled (X, U, Y) rows only
	// Clusters says that the p-values take the rows of a cluster as independent; "" without clusters.
	Clusters string `json:"clusters,omitempty"`

	spreadOfF float64 // mean square of f - E[f|U]
}

// Sentences returns one sentence for each diagnostic, for people.
func (d *Diagnosis) Sentences() []string {
	var all []string
	add := func(there bool, text func() string) {
		if there {
			all = append(all, text())
		}
	}
	add(d.DistributionOfU != nil, func() string { return d.DistributionOfU.Text })
	add(d.XPredictsH != nil, func() string { return d.XPredictsH.Text })
	add(d.UPredictsY != nil, func() string { return d.UPredictsY.Text })
	add(d.SharedRows != nil, func() string { return d.SharedRows.Text })
	add(d.Violation != nil, func() string { return d.Violation.Text })
	add(d.CMI != nil, func() string { return d.CMI.Text })
	add(d.Clusters != "", func() string { return d.Clusters })
	return all
}

// An Explained is the share of the variance of a target that a regression explains on held-out rows.
type Explained struct {
	R2   float64 `json:"r2"` // 1 - mean square error / variance: the mean over columns of Y, pooled over classes
	RMSE float64 `json:"rmse"`
	// Outputs are the shares of the single columns of Y, 1 for one that does not vary, if there are several.
	Outputs []float64 `json:"r2_outputs,omitempty"`
	Text    string    `json:"text"`

	constant bool // the target
}

// diagnosisLambdas are the penalties among which that of a regression is chosen: a factor of 100 apart, which is fine enough
// for a share explained.
var diagnosisLambdas = []float64{1e-8, 1e-6, 1e-4, 1e-2, 1}

// A share is what is left of a target by a regression on held-out rows: the mean squares of the residuals and the variances and means of the target, by unit of the outputs.
type share struct {
	units           crossfit.Units
	left, variances []float64
	norm            float64 // of the means
	varies          []bool
}

// explain cross-validates the ridge regression of the right columns on the left ones.
func explain(ctx context.Context, sp crossfit.Splitter, folds []*moments.CoMoments, together bool) (share, error) {
	s, err := sp.Split(ctx, folds)
	if err != nil {
		return share{}, err
	}
	u, err := crossfit.UnitsOf(folds, together)
	if err != nil {
		return share{}, err
	}
	c, err := crossfit.CrossValidate(ctx, s, u, diagnosisLambdas, true)
	if err != nil {
		return share{}, err
	}
	all, err := moments.Sum(folds...)
	if err != nil {
		return share{}, err
	}
	left := c.Least()
	for j := range left {
		left[j] = max(left[j], 0)
	}
	return newShare(u, left, crossfit.VariancesOf(all), all.MeanB()), nil
}

// newShare has residuals by unit or output, and variances and means of outputs.
func newShare(u crossfit.Units, left, variances, means []float64) share {
	s := share{units: u, left: u.Split(left), variances: u.Split(variances), norm: floats.Norm(means, 2)}
	for j, v := range s.variances {
		s.varies = append(s.varies, crossfit.Varies(v, means[j]))
	}
	return s
}

// with returns the share with these units of another one.
func (s share) with(o share, units []bool) share {
	s.left, s.variances, s.varies = slices.Clone(s.left), slices.Clone(s.variances), slices.Clone(s.varies)
	for u, take := range units {
		if take {
			s.left[u], s.variances[u], s.varies[u] = o.left[u], o.variances[u], o.varies[u]
		}
	}
	return s
}

// explained is the share as a result. A target that does not vary is explained fully, and of several columns the share is the mean over those that vary.
func (s share) explained() Explained {
	e := Explained{R2: 1, RMSE: math.Sqrt(floats.Sum(s.left)), constant: !crossfit.Varies(floats.Sum(s.variances), s.norm)}
	if s.units.Count() == 1 {
		if !e.constant {
			e.R2 = 1 - s.left[0]/s.variances[0]
		}
		return e
	}
	sum, count := 0., 0.
	for j, left := range s.left {
		own := 1.
		if s.varies[j] {
			own = 1 - left/s.variances[j]
			sum, count = sum+own, count+1
		}
		e.Outputs = append(e.Outputs, own)
	}
	if !e.constant {
		e.R2 = sum / count
	}
	return e
}

// say sets Text.
func (e *Explained) say(left, target string) {
	if e.constant {
		e.Text = fmt.Sprintf("%s is the same in all rows: %s has nothing to explain.", target, left)
		return
	}
	e.Text = fmt.Sprintf("%s explains %s of the variance of %s.", left, percent(e.R2), target)
}

// couldBe writes the largest RMSE and the estimated one, unless they are printed alike.
func couldBe(worst, estimate float64) string {
	w, e := fmt.Sprintf("%.4g", worst), fmt.Sprintf("%.4g", estimate)
	if w == e {
		return "would hardly be above " + e
	}
	return fmt.Sprintf("could be up to %s instead of %s", w, e)
}

// labelOfU says what h(U) is.
const labelOfU = "h(U), the prediction of Y from U"

// percent writes a share, and nothing below 0.
func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*max(share, 0)) }

// diagnosisRows of each table are what the regressions of a diagnosis are made on at most, a uniform
// sample. A share explained then has a standard error of 0.02 or less: that of R² is at most
// 2 sqrt(R²(1-R²)²/n), or 0.008, for linear models of Gaussian values, and a few times that elsewhere.
const diagnosisRows = 10_000

// Diagnose computes the diagnostics from tables of (X, U) and (U, Y), the training tables of the model or others. U of all rows is read for the
// test of its distribution and for shared rows; regressions use at most 10,000 rows of each table, so that the cost beyond
// three passes over each does not grow with them: some 75 Cholesky factorisations of the order of the features. roles need
// only name columns of weights. The model must have an h. It is an error if a table fails or has too few rows.
func Diagnose(ctx context.Context, m *rr.Model, xu, uy tables.Source, roles tables.RoleOptions) (*Diagnosis, error) {
	return DiagnoseFit(ctx, m, nil, xu, uy, roles)
}

// DiagnoseFit is Diagnose for the tables that a model was fitted to, with its assessment there, whose encoded rows it takes. For 2Step-RR by squared error the shares explained are those of the cross-fitting, which used all rows, so that no regression is made: XPredictsH is then about f with its penalty.
func DiagnoseFit(ctx context.Context, m *rr.Model, a *risk.Assessment, xu, uy tables.Source, roles tables.RoleOptions) (*Diagnosis, error) {
	e, psi, err := encodedBy(ctx, m, a, xu, uy, roles)
	if err != nil {
		return nil, err
	}
	ctx = progress.Stage(ctx, "diagnosing the tables")
	var d Diagnosis
	if roles.ClusterXU != "" || roles.ClusterUY != "" {
		d.Clusters = "These sentences take rows of one cluster as independent: p-values are too small where rows of a cluster are alike."
	}
	if err := compareU(ctx, e, psi, &d); err != nil {
		return nil, err
	}
	var known *shares
	var of []bool // the units of which they are
	if a != nil && a.Spreads() != nil && a.Risk.Form == risk.SameDistribution && m.Params.Loss == "" {
		known, of = sharesBy(a.Spreads()), twoStepUnits(m, a.Spreads().Units.Count())
	}
	if known != nil && !slices.Contains(of, false) {
		d.set(known, "f(X)")
		return &d, nil
	}
	if e, err = sample(ctx, e); err != nil {
		return nil, err
	}
	p, err := mapped(ctx, e, m, psi)
	if err != nil {
		return nil, err
	}
	all, err := explainAll(ctx, p, m)
	if err != nil {
		return nil, err
	}
	if known != nil {
		all = &shares{all.x.with(known.x, of), all.u.with(known.u, of), all.f.with(known.f, of)}
	}
	d.set(all, "X")
	return &d, nil
}

// twoStepUnits are the units of the outputs that 2Step-RR fits.
func twoStepUnits(m *rr.Model, units int) []bool {
	of := slices.Repeat([]bool{m.Method == "2step"}, units)
	for j, own := range m.Params.Outputs {
		of[j] = own.W != nil && *own.W == 1
	}
	return of
}

// shares are what X leaves of h(U), U of Y, and U of f(X).
type shares struct{ x, u, f share }

// set fills in what explains what; by names what explains h(U).
func (d *Diagnosis) set(s *shares, by string) {
	x, u := s.x.explained(), s.u.explained()
	d.XPredictsH, d.UPredictsY, d.spreadOfF = &x, &u, floats.Sum(s.f.left)
	d.XPredictsH.say(by, labelOfU)
	d.UPredictsY.say("U", "Y")
}

// sample leaves at most diagnosisRows rows of each table.
func sample(ctx context.Context, e *problem.Encoded) (*problem.Encoded, error) {
	var some [2]tables.Source
	for i, purpose := range []string{"diagnosis xu", "diagnosis uy"} {
		var err error
		if some[i], err = problem.SampleTable(ctx, e.Sources()[i], e.Counts()[i], diagnosisRows, e.Setup().Seed, purpose); err != nil {
			return nil, err
		}
	}
	return e.WithSources(some[problem.TableXU], some[problem.TableUY]), nil
}

// encodeBy encodes tables by the model, and returns its features of U.
func encodeBy(ctx context.Context, m *rr.Model, xu, uy tables.Source, roles tables.RoleOptions) (*problem.Encoded, features.Map, error) {
	if m.H == nil {
		return nil, nil, fmt.Errorf("diagnose: the method %s has no model of Y from U to diagnose", m.Method)
	}
	return risk.Encode(ctx, m, xu, uy, problem.Setup{Roles: roles}, diagnosing)
}

// encodedBy is encodeBy, but of the rows of an assessment that has them.
func encodedBy(ctx context.Context, m *rr.Model, a *risk.Assessment, xu, uy tables.Source, roles tables.RoleOptions) (*problem.Encoded, features.Map, error) {
	if m.H == nil || a == nil || a.Spreads() == nil {
		return encodeBy(ctx, m, xu, uy, roles)
	}
	e := a.Spreads().Rows
	if err := m.Footprint(e).Within(diagnosing, ""); err != nil {
		return nil, nil, err
	}
	psi, err := risk.FeaturesOfU(ctx, e, m)
	return e, psi, err
}

// mapped is the problem with the model's features.
func mapped(ctx context.Context, e *problem.Encoded, m *rr.Model, psi features.Map) (*problem.Mapped, error) {
	phi, err := featuresOfX(m)
	if err != nil {
		return nil, err
	}
	return e.WithMaps(ctx, phi, psi)
}

// featuresOfX returns the features of f, or of the first step of a chain, Nyström sections whitened
// again, and the encoded columns themselves for other predictors.
func featuresOfX(m *rr.Model) (features.Map, error) {
	l := rr.LinearOf(m.F)
	if l == nil {
		return features.NewLinear(m.X.Width()), nil
	}
	if s, ok := l.Map.(*features.Sections); ok {
		return features.NewNystrom(s.Kernel(), s.Landmarks())
	}
	return l.Map, nil
}

// explainAll makes the regressions.
func explainAll(ctx context.Context, p *problem.Mapped, m *rr.Model) (*shares, error) {
	ofH, err := pairsOf(ctx, p, p.SidePhi(), p.U(), m.H)
	if err != nil {
		return nil, err
	}
	ofF, err := pairsOf(ctx, p, p.SidePsi(), p.X(), m.F)
	if err != nil {
		return nil, err
	}
	ofY, _, err := p.CoMomentsByFold(ctx, problem.TableUY, p.SidePsi(), p.Y())
	if err != nil {
		return nil, fmt.Errorf("table of U and Y: %w", err)
	}
	return explainEach(ctx, p.Splitter(), ofH, ofF, ofY, p.Y().Classes() != nil)
}

// explainEach makes the regressions of moments by folds of (phi, h), of (psi, f) and of (psi, y).
func explainEach(ctx context.Context, sp crossfit.Splitter, ofH, ofF, ofY []*moments.CoMoments, together bool) (*shares, error) {
	for _, folds := range [][]*moments.CoMoments{ofH, ofY} {
		if err := someInEach(folds); err != nil {
			return nil, err
		}
	}
	var s shares
	var err error
	if s.x, err = explain(ctx, sp, ofH, together); err != nil {
		return nil, err
	}
	if s.u, err = explain(ctx, sp, ofY, together); err != nil {
		return nil, err
	}
	s.f, err = explain(ctx, sp, ofF, together)
	return &s, err
}

// sharesBy are those of a cross-fitting.
func sharesBy(s *risk.Spreads) *shares {
	return &shares{newShare(s.Units, s.FH, s.H, s.Means), newShare(s.Units, s.YH, s.Y, s.Means), newShare(s.Units, s.FR, s.H, s.Means)}
}

// someInEach refuses folds without rows of positive weight.
func someInEach(folds []*moments.CoMoments) error {
	for k, f := range folds {
		if f.Weight() == 0 {
			return fmt.Errorf("%w: diagnosis: fold %d has no row of positive weight: too few rows", risk.ErrNoRisk, k+1)
		}
	}
	return nil
}

// pairsOf sums, by folds of S_X, the left side with predictions from the encoded rows of another side.
func pairsOf(ctx context.Context, p *problem.Mapped, left encode.Side, from *encode.Encoder, of rr.Predictor) ([]*moments.CoMoments, error) {
	folds := make([]*moments.CoMoments, len(p.Folds()))
	for k := range folds {
		folds[k] = p.Setup().Arithmetic.NewCoMoments(left.ID(), moments.ID{})
	}
	return folds, p.WalkXU(ctx, left, rr.Predicted(from, p.Y().Len(), of), func(k int, a, predictions *mat.Dense, w moments.Weights) {
		folds[k].Add(a, predictions, w.Products())
	})
}

// A Sensitivity is a bound of the error of f by the size of the difference between E[Y|U,X] and E[Y|U].
type Sensitivity struct {
	// SpreadOfF is the root mean square of f(X) - E[f(X)|U], the part of f that U does not determine.
	SpreadOfF float64            `json:"spread_of_f"`
	Curve     []SensitivityPoint `json:"curve"`
	Text      string             `json:"text"`
}

// A SensitivityPoint is the bound for one size of the violation.
type SensitivityPoint struct {
	// Share is the share of Var(Y|U) that X explains, C the root mean square of E[Y|U,X] - E[Y|U], Worst the largest RMSE of
	// f for that C.
	Share float64 `json:"share"`
	C     float64 `json:"c"`
	Worst float64 `json:"worst_rmse"`
}

var sensitivityShares = []float64{0, .01, .02, .05, .1, .2, .5, 1}

// namedShare is the share that the sentence speaks of.
const namedShare = .1

// OfPredictions rewrites the texts for predictions of another program in place of a fitted f: X is the predictions, and there is no fit to weight.
func (d *Diagnosis) OfPredictions() {
	d.XPredictsH.say("A linear function of the predictions", labelOfU)
	d.DistributionOfU.Text = strings.Replace(d.DistributionOfU.Text, shiftAdvice, "Form 2 of the risk allows for a small difference.", 1)
}

// AddSensitivity computes the curve of the worst RMSE of f against the size c of a violation,
//
//	MSE <= R + 2 c RMS(f - E[f|U]),   at most the bracket's upper end,
//
// R being the uncoupled risk (docs/theory.md, section 18). c² is at most the variance of Y given U, which ends the curve.
// There is no curve if R is unknown.
func (d *Diagnosis) AddSensitivity(a *risk.Assessment) {
	if a.Risk.Known == nil {
		return
	}
	s := Sensitivity{SpreadOfF: math.Sqrt(d.spreadOfF)}
	left := d.UPredictsY.RMSE
	limit := math.Inf(1)
	if a.Bracket != nil {
		limit = max(a.Bracket.Hi, a.Risk.MSE)
		if a.Overlap != nil { // the risk is not of all rows
			limit = max(a.Overlap.RestHi, a.Risk.MSE)
		}
	}
	var named SensitivityPoint
	for _, share := range sensitivityShares {
		c := math.Sqrt(share) * left
		worst := math.Min(a.Risk.MSE+2*c*s.SpreadOfF, limit)
		point := SensitivityPoint{Share: share, C: c, Worst: math.Sqrt(worst)}
		if share == namedShare {
			named = point
		}
		s.Curve = append(s.Curve, point)
	}
	s.Text = fmt.Sprintf("The tables cannot show whether X says more of Y than U does; if X explained %s of the variance that U leaves in Y, the RMSE %s.",
		percent(namedShare), couldBe(named.Worst, s.Curve[0].Worst))
	d.Violation = &s
}
