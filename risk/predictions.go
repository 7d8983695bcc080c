package risk

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/internal/weighted"
	"mediant/losses"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// Predictions are the predictions of any predictor for the rows of S_X, stored in columns of the table.
type Predictions struct {
	// Columns names the columns of S_X with the predictions, numbers in units of Y: one for each output, or, if Y is a label, one for each class in
	// natural order. If they have the names of the outputs, their order does not matter. They take the role of X in the Setup.
	Columns []string
	// Against, if not nil, is a model of the same Y with whose risk theirs is compared.
	Against *rr.Model
}

// A Comparison is the risk of predictions and its difference from that of a model.
type Comparison struct {
	*Assessment
	// Against is the risk of the model, and Difference that of the predictions less that of the model, with the standard error of the paired
	// difference; both are nil if there is none.
	Against    *Assessment `json:"against,omitempty"`
	Difference *Interval   `json:"difference,omitempty"`
	// LossDifference is the difference in AssessOptions.Loss, nil without one.
	LossDifference *Interval `json:"loss_difference,omitempty"`
}

// AssessPredictions estimates the uncoupled risk of predictions in columns of xu, the table S_X, from the rows of uy, the
// table S_Y. The setup has what AssessModel takes from a model: roles (X is set to the columns, and RawX), copies, features of U (Psi),
// folds of the nuisances (0 is DefaultFolds), seed and memory. Rows without a prediction are left out, with a note.
//
// The estimate is valid if each row is predicted by a predictor that was not trained on it; predictions of training rows have
// too small a risk. The error is one of reading, or reports that the number of columns is not that of outputs, that Against
// has another Y, or that form 2 has no comparison.
func AssessPredictions(ctx context.Context, s problem.Setup, xu, uy tables.Source, of Predictions, opt AssessOptions) (*Comparison, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if of.Against != nil && opt.Form == CovariateShift {
		return nil, fmt.Errorf("risk: form 2 has no comparison of predictions")
	}
	s.Roles.X, s.RawX = of.Columns, true
	if opt.H == nil { // one for the predictions and the model
		opt.H = &FoldH{}
	}
	if s.Folds == 0 {
		s.Folds = problem.DefaultFolds
	}
	e, err := problem.EncodeFor(ctx, s, xu, uy, func(f problem.Footprint) float64 { return f.AssessingModel(opt.Form == CovariateShift) }, "")
	if err != nil {
		return nil, err
	}
	if e.NoOverlap().IsMajority() {
		return nil, noOverlapError(e.NoOverlap())
	}
	if k := e.Y().Len(); len(e.Roles().X) != k {
		return nil, fmt.Errorf("risk: there are %d columns of predictions (%s), and Y has %d outputs (%s)", len(e.Roles().X), strings.Join(of.Columns, ", "), k, strings.Join(e.Y().Names(), ", "))
	}
	p, err := e.MapU(ctx)
	if err != nil {
		return nil, err
	}
	foldsUY, _, err := p.CoMomentsUY(ctx, p.Y())
	if err != nil {
		return nil, problem.TableError(problem.TableUY, err)
	}
	side, notes, err := of.side(ctx, p)
	if err != nil {
		return nil, err
	}
	known := evidence{Mapped: p, foldsUY: foldsUY, splitUY: splitOf(p, foldsUY)}
	c := &Comparison{}
	n, err := fitNuisances(ctx, known, predicted(side), opt)
	if err != nil {
		return nil, err
	}
	if c.Assessment, err = assessWith(ctx, known, predicted(side), n, opt); err != nil {
		return nil, err
	}
	if err := (&CrossFit{p: known, m: predicted(side), n: n, opt: opt}).Calibrate(ctx, c.Assessment); err != nil {
		return nil, err
	}
	c.Notes = append(p.Notes(), notes...)
	return c, c.compare(ctx, known, side, n, of.Against, opt)
}

// side reads the predictions, in the order of the outputs. The notes say which column is of which output where names do not, and how many rows have none.
func (of Predictions) side(ctx context.Context, p *problem.Mapped) (side *encode.Targets, notes []string, err error) {
	columns, outputs := of.Columns, p.Y().Names()
	if !slices.ContainsFunc(outputs, func(name string) bool { return !slices.Contains(columns, name) }) {
		columns = outputs
	} else if len(columns) > 1 {
		notes = append(notes, fmt.Sprintf("predictions and outputs are paired in this order: %s, and %s", strings.Join(columns, ", "), strings.Join(outputs, ", ")))
	}
	xu := p.Sources()[problem.TableXU]
	for _, c := range xu.Columns() {
		if c.Kind != tables.Numeric && slices.Contains(columns, c.Name) {
			return nil, nil, fmt.Errorf("risk: column %q of predictions is %s, want numbers", c.Name, c.Kind)
		}
	}
	if side, err = encode.FitTargets(ctx, xu, columns, encode.Regress); err != nil {
		return nil, nil, err
	}
	without, err := problem.Walk(ctx, xu, side, side, problem.PassOptions{}, func(int, *mat.Dense, *mat.Dense, moments.Weights) {})
	if err != nil {
		return nil, nil, problem.TableError(problem.TableXU, err)
	}
	if without > 0 {
		notes = append(notes, fmt.Sprintf("%d rows of the table of X and U were left out: predictions are missing", without))
	}
	return side, notes, nil
}

// predicted are predictions that a side has, one for all folds.
func predicted(side encode.Side) foldModels {
	return foldModels{side: side, same: true, predict: func(_ int, dst, rows *mat.Dense) { dst.CloneFrom(rows) }}
}

// compare assesses the model too, and the difference; n are the nuisances of the predictions.
func (c *Comparison) compare(ctx context.Context, p evidence, side encode.Side, n *fittedNuisances, m *rr.Model, opt AssessOptions) error {
	if m == nil {
		return nil
	}
	if !slices.Equal(m.Y.Names(), p.Y().Names()) {
		return fmt.Errorf("risk: the outputs of the model are %s, those of the tables %s", strings.Join(m.Y.Names(), ", "), strings.Join(p.Y().Names(), ", "))
	}
	model := rr.Predicted(m.X, p.Y().Len(), m.F)
	own, err := fitNuisances(ctx, p, predicted(model), opt)
	if err != nil {
		return err
	}
	if c.Against, err = assessWith(ctx, p, predicted(model), own, opt); err != nil {
		return err
	}
	c.Difference, c.LossDifference, err = difference(ctx, p, encode.Beside{side, model}, n, own, opt.Loss)
	return err
}

// difference is the risk of form 1 of predictions a less that of b, which stand side by side,
//
//	E_SX [(a-h)² - (b-h)²] - 2 E_SY (r_a - r_b)(Y - h)
//
// summed over outputs, whose terms are paired by row, and in a loss, if that is not nil, with g = F'(f) and the Riesz weights of g,
//
//	E_SX [<g_a, a-h> - F(a) - <g_b, b-h> + F(b)] - E_SY <r_a - r_b, Y - h>
func difference(ctx context.Context, p evidence, sides encode.Beside, ofA, ofB *fittedNuisances, loss losses.Loss) (squared, ofLoss *Interval, err error) {
	x, y := weighted.New(2), weighted.New(2)
	var h, ra, rb, la, lb mat.Dense
	k := p.Y().Len()
	g := make([]float64, k)
	own := func(f, h []float64) float64 { // the term of S_X in the loss
		loss.GradientTo(g, f)
		return floats.Dot(g, f) - floats.Dot(g, h) - loss.Potential(f)
	}
	err = p.WalkXU(ctx, sides, p.SidePsi(), func(fold int, both, psi *mat.Dense, w moments.Weights) {
		ofA.of[fold].hTo(&h, psi)
		rows, _ := both.Dims()
		for i := range rows {
			a, b, of := both.RawRowView(i)[:k], both.RawRowView(i)[k:], h.RawRowView(i)
			toA, toB, d := floats.Distance(a, of, 2), floats.Distance(b, of, 2), 0.
			if loss != nil {
				d = own(a, of) - own(b, of)
			}
			x.Add(w, i, toA*toA-toB*toB, d)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	err = p.WalkUY(ctx, p.SidePsi(), p.Y(), func(fold int, psi, values *mat.Dense, w moments.Weights) {
		ofA.of[fold].hTo(&h, psi)
		ofA.of[fold].r.ApplyTo(&ra, psi)
		ofB.of[fold].r.ApplyTo(&rb, psi)
		if loss != nil {
			ofA.ofLoss[fold].ApplyTo(&la, psi)
			ofB.ofLoss[fold].ApplyTo(&lb, psi)
		}
		rows, _ := values.Dims()
		for i := range rows {
			var d [2]float64
			for j := range k {
				gap := values.At(i, j) - h.At(i, j)
				d[0] -= 2 * (ra.At(i, j) - rb.At(i, j)) * gap
				if loss != nil {
					d[1] -= (la.At(i, j) - lb.At(i, j)) * gap
				}
			}
			y.Add(w, i, d[:]...)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	interval := func(term int) *Interval {
		v := weighted.SumVariance(weighted.Term{Of: x, Gradient: Unit(2, term)}, weighted.Term{Of: y, Gradient: Unit(2, term)})
		d := NewInterval(x.Mean[term]+y.Mean[term], v.Variance, v.Freedom)
		return &d
	}
	if loss != nil {
		ofLoss = interval(1)
	}
	return interval(0), ofLoss, nil
}
