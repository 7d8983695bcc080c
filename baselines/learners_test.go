package baselines_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/baselines"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// A wrongLearner fits what learn returns.
type wrongLearner struct {
	learn func(x, y *mat.Dense) (rr.Predictor, error)
}

func (w wrongLearner) Fit(_ context.Context, x, y *mat.Dense, _ []float64) (rr.Predictor, error) {
	return w.learn(x, y)
}

// wrongPredictor fills what it predicts with value, with more rows or columns than it should.
type wrongPredictor struct {
	outputs, rows, columns int
	value                  float64
	panics                 bool
}

func (w wrongPredictor) PredictTo(dst *mat.Dense, x mat.Matrix) {
	if w.panics {
		panic("out of order")
	}
	n, _ := x.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n+w.rows, w.outputs+w.columns)
	}
	r, c := dst.Dims()
	for i := range r {
		for j := range c {
			dst.Set(i, j, w.value)
		}
	}
}

// wrongStorer says that it has other columns or outputs than it has.
type wrongStorer struct {
	wrongPredictor
	in, out int
	kind    string
}

func (w wrongStorer) Dims() (in, out int) { return w.in, w.out }

func (w wrongStorer) Store() (string, any, []float64) { return w.kind, nil, nil }

// TestWrongLearners: whatever a Regressor does, a method that takes it ends with an error that names the step and the
// table, and neither with a panic nor with a model.
func TestWrongLearners(t *testing.T) {
	xu, uy := draw(20, 1).xu(), draw(20, 2).uy()
	outputs := func(y *mat.Dense) int { return y.RawMatrix().Cols }
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		says  string
		learn func(x, y *mat.Dense) (rr.Predictor, error)
		alone bool // an error of the Regressor itself, and so in each place
	}{
		"nil":       {"returned neither a Predictor nor an error", func(_, _ *mat.Dense) (rr.Predictor, error) { return nil, nil }, true},
		"error":     {"broken", func(_, _ *mat.Dense) (rr.Predictor, error) { return nil, broken }, true},
		"panic":     {"wrongLearner panicked: burst", func(_, _ *mat.Dense) (rr.Predictor, error) { panic("burst") }, true},
		"more rows": {"21×1", func(_, y *mat.Dense) (rr.Predictor, error) { return wrongPredictor{outputs: outputs(y), rows: 1}, nil }, false},
		"more outputs": {"×2 numbers, want ", func(_, y *mat.Dense) (rr.Predictor, error) {
			return wrongPredictor{outputs: outputs(y), columns: 1}, nil
		}, false},
		"NaN": {"predicts NaN for output 1 of row 1", func(_, y *mat.Dense) (rr.Predictor, error) {
			return wrongPredictor{outputs: outputs(y), value: math.NaN()}, nil
		}, false},
		"bad predictor": {"panicked: out of order", func(_, _ *mat.Dense) (rr.Predictor, error) { return wrongPredictor{panics: true}, nil }, false},
		"outputs": {"predicts 3 outputs from 1 columns, want 1 from 1", func(_, y *mat.Dense) (rr.Predictor, error) {
			return wrongStorer{wrongPredictor: wrongPredictor{outputs: outputs(y)}, in: 1, out: 3, kind: "wrong"}, nil
		}, true},
		"columns": {"predicts 1 outputs from 2 columns, want 1 from 1", func(_, y *mat.Dense) (rr.Predictor, error) {
			return wrongStorer{wrongPredictor: wrongPredictor{outputs: outputs(y)}, in: 2, out: 1, kind: "wrong"}, nil
		}, true},
	} {
		wrong, right := wrongLearner{c.learn}, rr.Ridge{}
		places := map[string]rr.Method{
			"first step, h":  rr.TwoStep{H: wrong},
			"naive: h":       baselines.Naive{G: right, H: wrong},
			"h":              baselines.MeanEmbedding{H: wrong, Lambda: rr.Value(1)},
			"integral: h":    baselines.Integral{H: wrong, Estimator: baselines.NadarayaWatson},
			"naive: g":       baselines.Naive{G: wrong, H: right},
			"second step, f": rr.TwoStep{F: wrong},
		}
		for place, m := range places {
			last := strings.Contains(place, "second") || strings.HasPrefix(place, "naive")
			if last && !c.alone {
				continue // what the last step learned is met in predictions
			}
			model, err := rr.Fit(ctx, problem.Setup{}, m, xu, uy)
			if err == nil || model != nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), place) || !strings.Contains(err.Error(), "on S_") {
				t.Errorf("%s, %s: model %v, error %v, want one with %q and the table", name, place, model, err, c.says)
			}
		}
		if c.alone {
			continue
		}
		for place, m := range map[string]rr.Method{"2step": rr.TwoStep{F: wrong}, "naive": baselines.Naive{G: right, H: wrong}} {
			model := fit(t, m, xu, uy)
			want := strings.TrimSuffix(strings.TrimPrefix(c.says, "predicts "), " for output 1 of row 1")
			for _, err := range model.Predict(ctx, source(tables.Numbers("x", make([]float64, 20)))) {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, prediction of %s: error %v, want one with %q", name, place, err, want)
				}
			}
			p, err := problem.Prepare(ctx, problem.Setup{Folds: 2}, xu, uy)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := risk.Assess(ctx, p, risk.Fitted(m), risk.AssessOptions{}); err == nil {
				t.Errorf("%s, risk of %s: no error", name, place)
			}
		}
	}
	var panicked *rr.PanicError
	_, err := rr.Fit(ctx, problem.Setup{}, rr.TwoStep{H: wrongLearner{func(_, _ *mat.Dense) (rr.Predictor, error) { panic(broken) }}}, xu, uy)
	if !errors.As(err, &panicked) || !errors.Is(err, broken) || !bytes.Contains(panicked.Stack, []byte("learners_test.go")) {
		t.Errorf("%v, want a PanicError with the stack of %v", err, broken)
	}
}

// TestDeafLearners: a Regressor that looks at no context makes no model of a fit that is cancelled meanwhile.
func TestDeafLearners(t *testing.T) {
	xu, uy := draw(20, 1).xu(), draw(20, 2).uy()
	var cancel context.CancelFunc
	deaf := wrongLearner{func(_, y *mat.Dense) (rr.Predictor, error) {
		cancel()
		return wrongPredictor{outputs: y.RawMatrix().Cols}, nil
	}}
	for name, m := range map[string]rr.Method{"f": rr.TwoStep{F: deaf}, "h": rr.TwoStep{H: deaf}, "g": baselines.Naive{G: deaf, H: deaf}} {
		var cancelled context.Context
		cancelled, cancel = context.WithCancel(ctx)
		if model, err := rr.Fit(cancelled, problem.Setup{}, m, xu, uy); model != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: model %v, error %v", name, model, err)
		}
		cancel()
	}
}

// TestSaveRefusesWhatLoadWould: predictors that were put into a model by its fields, or have no kind of their own.
func TestSaveRefusesWhatLoadWould(t *testing.T) {
	model := *fit(t, rr.TwoStep{}, draw(20, 1).xu(), draw(20, 2).uy()).Model
	for says, f := range map[string]rr.Predictor{
		"2 outputs from 1 columns, want 1 from 1": wrongStorer{in: 1, out: 2, kind: "wrong"},
		"1 outputs from 3 columns, want 1 from 1": wrongStorer{in: 3, out: 1, kind: "wrong"},
		`the kind "linear"`:                       wrongStorer{in: 1, out: 1, kind: "linear"},
		`the kind ""`:                             wrongStorer{in: 1, out: 1},
		"implement rr.Storer":                     wrongPredictor{},
		"lacks an encoder, the outputs or F":      nil,
	} {
		model.F = f
		if err := (&mediant.Model{Model: &model}).Save(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one with %q", err, says)
		}
	}
	if err := (&mediant.Model{Model: new(rr.Model)}).Save(new(bytes.Buffer)); err == nil {
		t.Error("an empty model was saved")
	}
}
