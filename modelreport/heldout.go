package modelreport

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/internal/draw"
	"mediant/internal/fault"
	"mediant/internal/weighted"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// pairs are predictions and what they are compared with, of some outputs, for sampled rows.
type pairs struct {
	outputs []int
	of, to  [][]float64 // by output in outputs, and row
	weights moments.Weights
}

// rows is the number of rows.
func (p *pairs) rows() int { return len(p.weights.Frequency) }

func newPairs(outputs []int) *pairs {
	return &pairs{outputs: outputs, of: make([][]float64, len(outputs)), to: make([][]float64, len(outputs))}
}

// add adds rows of all outputs.
func (p *pairs) add(of, to *mat.Dense, w moments.Weights) {
	for i := range of.RawMatrix().Rows {
		p.weights.Frequency, p.weights.Factor = append(p.weights.Frequency, w.FrequencyOf(i)), append(p.weights.Factor, w.FactorOf(i))
		for at, j := range p.outputs {
			p.of[at], p.to[at] = append(p.of[at], of.At(i, j)), append(p.to[at], to.At(i, j))
		}
	}
}

// heldOut has predictions of rows by models that have not learned from them.
type heldOut struct {
	x, y *pairs // S_X: f(X) and h(U); S_Y: h(U) and Y
	// best is the squared error of the best constants for S_X, the means of h(U) there, summed over outputs.
	best estimate
	// frequent is the share of the class that is most frequent in S_X by h, for classes.
	class    int
	frequent estimate
}

// A predictions are those of the models of folds, for the rows of one side of a pass.
type predictions struct {
	side    encode.Side
	outputs int
	of      []rr.Predictor // one for each fold, or one for all
	beside  bool           // the side has the predictions of all of them
	dst     mat.Dense
}

func newPredictions(e *encode.Encoder, outputs int, of []rr.Predictor) *predictions {
	p := &predictions{side: e, outputs: outputs, of: of, beside: e.Sparse()}
	if p.beside {
		p.side = rr.Predicted(e, outputs, of...)
	}
	return p
}

// at returns the predictions of fold k for rows of the side, valid until the next call.
func (p *predictions) at(k int, rows *mat.Dense) *mat.Dense {
	k = min(k, len(p.of)-1)
	if p.beside {
		p.dst.CloneFrom(rr.PredictionsOf(rows, k, p.outputs))
		return &p.dst
	}
	p.dst.Reset()
	rr.MustPredict(&p.dst, p.of[k], rows, p.outputs)
	return &p.dst
}

// foldModels are f and h of each fold of a fit, or those of the model where its tables are new.
func (b *builder) foldModels(ctx context.Context) (f, h []rr.Predictor, err error) {
	if b.Model.H == nil {
		return nil, nil, reason(fmt.Sprintf("the method %s has no model h of Y from U", b.Model.Method))
	}
	if b.Choice == nil {
		return []rr.Predictor{b.Model.F}, []rr.Predictor{b.Model.H}, nil
	}
	p := b.Choice.Problem
	if len(p.FoldsUY()) < 2 {
		return nil, nil, reason("the fit has no folds, whose models would predict the rows that they have not learned from (flag --no-risk)")
	}
	for k := range p.FoldsUY() {
		train, err := p.Without(k)
		if err != nil {
			return nil, nil, err
		}
		m, err := rr.FitWith(ctx, b.Choice.Method, train)
		if err != nil {
			return nil, nil, fmt.Errorf("fold %d: %w", k+1, err)
		}
		f, h = append(f, m.F), append(h, m.H)
	}
	return f, h, nil
}

// sampleSize is the number of rows of a sample of both tables that has at most sampledCells cells of each.
func sampleSize(e *problem.Encoded, most int) int {
	columns := 1
	for _, src := range e.Sources() {
		columns = max(columns, len(src.Columns()))
	}
	return max(50, min(most, sampledCells/columns))
}

// predict predicts sampled rows of both tables.
func (b *builder) predict(ctx context.Context) error {
	if b.encoded == nil || b.base == nil {
		return nil // each picture says so
	}
	f, h, err := b.foldModels(ctx)
	if err != nil {
		return err
	}
	some, err := b.encoded.Sampled(ctx, sampleSize(b.encoded, heldOutRows), "report held out")
	if err != nil {
		return err
	}
	k := b.Model.Y.Len()
	held := &heldOut{x: newPairs(b.outputs()), y: newPairs(b.outputs())}
	spread, means := weighted.New(1), weighted.NewAverages(k)
	ofF, ofH := newPredictions(some.X(), k, f), newPredictions(some.U(), k, h)
	gap := make([]float64, k)
	err = some.WalkXU(ctx, ofF.side, ofH.side, func(fold int, x, u *mat.Dense, w moments.Weights) {
		predicted, label := ofF.at(fold, x), ofH.at(fold, u)
		held.x.add(predicted, label, w)
		for i := range label.RawMatrix().Rows {
			floats.SubTo(gap, label.RawRowView(i), b.base.means)
			spread.Add(w, i, floats.Dot(gap, gap))
			means.Add(w.Of(i), gap)
		}
	})
	if err != nil {
		return err
	}
	rest := weighted.New(1)
	err = some.WalkUY(ctx, ofH.side, some.Y(), func(fold int, u, y *mat.Dense, w moments.Weights) {
		label := ofH.at(fold, u)
		held.y.add(label, y, w)
		for i := range y.RawMatrix().Rows {
			floats.SubTo(gap, y.RawRowView(i), label.RawRowView(i))
			rest.Add(w, i, floats.Dot(gap, gap))
		}
	})
	if err != nil {
		return err
	}
	if held.x.rows() == 0 || held.y.rows() == 0 {
		return reason("no row of the sample can be predicted")
	}
	inX, inY := meanOf(spread), meanOf(rest)
	held.best = estimate{inX.value - floats.Dot(means.Mean, means.Mean) + inY.value, math.Hypot(inX.margin, inY.margin)}
	if b.Model.Y.Classes() != nil {
		shares := floats.AddTo(make([]float64, k), means.Mean, b.base.means)
		held.class = floats.MaxIdx(shares)
		held.frequent = estimate{shares[held.class], math.NaN()}
	}
	b.held = held
	return nil
}

// coupledPairs are predictions and Y of sampled coupled rows.
func (b *builder) coupledPairs(ctx context.Context) (p *pairs, err error) {
	defer fault.Recover(&err)
	guard := tables.NewGuard("", b.XY)
	n, err := guard.Count(ctx)
	if err != nil {
		return nil, err
	}
	most := max(50, min(heldOutRows, sampledCells/max(1, len(guard.Columns()))))
	var some tables.Source = guard
	if n > most {
		picked := draw.Indices(n, most, b.Model.Seed, "report coupled")
		if some, err = tables.Keep(ctx, guard, most, func(row int) bool {
			_, found := slices.BinarySearch(picked, row)
			return found
		}); err != nil {
			return nil, err
		}
	}
	m := b.Model
	p = newPairs(b.outputs())
	ofF := newPredictions(m.X, m.Y.Len(), []rr.Predictor{m.F})
	_, err = problem.Walk(ctx, some, ofF.side, m.Y, problem.PassOptions{}, func(_ int, x, y *mat.Dense, w moments.Weights) {
		p.add(ofF.at(0, x), y, w)
	})
	return p, err
}
