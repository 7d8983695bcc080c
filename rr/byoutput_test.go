package rr_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// TestByOutputIsEachAlone: f and h of an output are those of its method for tables without the others, also without a fold, with weights of its own, and read from a file.
func TestByOutputIsEachAlone(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	draw := func(rows int, names ...string) tables.Source {
		return fixture.Must[*tables.Matrix](t)(tables.FromMatrix(names, fixture.Gaussian(rnd, rows, len(names), 0)))
	}
	xu, uy := draw(90, "a", "b", "u", "v"), draw(80, "u", "v", "y", "z")
	spec := features.Spec{Kernel: "gaussian", Size: 16}
	setup := problem.Setup{Phi: spec, Psi: spec, Folds: 3}
	methods := []rr.Method{rr.TwoStep{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-2)}, rr.Joint{W: rr.Value(.4), LambdaF: rr.Value(.1)}}
	all := problemtest.Prepared(t, setup, xu, uy)
	tilted := func(p *problem.Problem) *problem.Problem {
		return fixture.Must[*problem.Problem](t)(p.WithFitWeights(t.Context(), func(phi *mat.Dense, w moments.Weights) moments.Weights {
			own := make([]float64, phi.RawMatrix().Rows)
			for i := range own {
				own[i] = 1 + phi.At(i, 0)*phi.At(i, 0)
			}
			return w.Times(own)
		}))
	}
	query := fixture.Gaussian(rnd, 5, 2, 0)
	for _, weighed := range []bool{false, true} {
		for _, fold := range []int{-1, 1} {
			p := all
			if weighed {
				p = p.WithFitWeightsOfEach([]*problem.Problem{nil, tilted(p.Only([]int{1}))})
			}
			without := func(p *problem.Problem) *problem.Problem {
				if fold < 0 {
					return p
				}
				return fixture.Must[*problem.Problem](t)(p.Without(fold))
			}
			m := fixture.Must[*rr.Model](t)(rr.ByOutput{Of: methods}.Fit(t.Context(), without(p)))
			header, numbers, err := m.Store()
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(header)
			if err != nil {
				t.Fatal(err)
			}
			read, _, err := rr.ReadModel(text, numbers)
			if err != nil {
				t.Fatal(err)
			}
			for j, name := range []string{"y", "z"} {
				s := setup
				s.Roles.Y, s.Roles.U, s.Roles.X = []string{name}, all.Roles().U, all.Roles().X
				own := problemtest.Prepared(t, s, xu, uy)
				if weighed && j == 1 {
					own = tilted(own)
				}
				want := fixture.Must[*rr.Model](t)(methods[j].Fit(t.Context(), without(own)))
				for side, of := range map[string][3]rr.Predictor{"f": {m.F, read.F, want.F}, "h": {m.H, read.H, want.H}} {
					var got, again, alone mat.Dense
					of[0].PredictTo(&got, query)
					of[1].PredictTo(&again, query)
					of[2].PredictTo(&alone, query)
					if !mat.EqualApprox(got.ColView(j), alone.ColView(0), 1e-11) || !mat.Equal(&got, &again) {
						t.Errorf("%s of %s: %v, from a file %v, alone %v", side, name, mat.Col(nil, j, &got), mat.Col(nil, j, &again), mat.Col(nil, 0, &alone))
					}
				}
				if got, want := m.Params.Outputs[j].String(), want.Params.String(); got != want || read.Params.Outputs[j].String() != want {
					t.Errorf("hyperparameters of %s: %s, want %s", name, got, want)
				}
			}
			if m.Method != "joint" || m.Params.W != nil || m.Params.LambdaF != nil || m.Condition["f"].Rank == 0 {
				t.Errorf("the model is %s with %s, %+v", m.Method, m.Params, m.Condition)
			}
		}
	}
	alike := fixture.Must[*rr.Model](t)(rr.ByOutput{Of: []rr.Method{methods[0], methods[0]}}.Fit(t.Context(), all))
	if want := fixture.Must[*rr.Model](t)(methods[0].Fit(t.Context(), all)); alike.Params.Outputs != nil || alike.Params.String() != want.Params.String() || alike.Method != "2step" {
		t.Errorf("one method for all: %+v, want %+v", alike.Params, want.Params)
	}
}

// TestByOutputKeepsRows: a row that lacks another output is none of this one either.
func TestByOutputKeepsRows(t *testing.T) {
	no := math.NaN()
	uy := fixture.Table(t, "u", []float64{1, 2, 3, 4, 5, 6}, "y", []float64{1, 3, 2, no, 5, 1}, "z", []float64{2, no, 4, 1, 2, 3})
	xu := fixture.Table(t, "x", []float64{1, 2, 3, 4, 5, 6}, "u", []float64{2, 1, 3, 5, 4, 6})
	p := problemtest.Prepared(t, problem.Setup{Phi: features.Spec{Kind: features.LinearFeatures}, Psi: features.Spec{Kind: features.LinearFeatures}}, xu, uy)
	rows := 0
	one := p.Only([]int{1})
	if err := one.WalkUY(t.Context(), one.SidePsi(), one.Y(), func(_ int, _, y *mat.Dense, _ moments.Weights) { rows += y.RawMatrix().Rows }); err != nil {
		t.Fatal(err)
	}
	if rows != 4 || one.UY().Weight() != 4 {
		t.Errorf("%d rows and sums of %g, want 4", rows, one.UY().Weight())
	}
}

// TestByOutputRefuses: what is no method of ridge regression for each of several columns of numbers.
func TestByOutputRefuses(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 40, 40, false)
	p := problemtest.Prepared(t, problemtest.Setup(features.FourierFeatures), xu, uy)
	for want, b := range map[string]rr.ByOutput{
		"is empty":                     {},
		"1 methods for the outputs":    {Of: []rr.Method{rr.TwoStep{}}},
		"Of[1]: learners of its own":   {Of: []rr.Method{rr.TwoStep{}, rr.TwoStep{H: rr.Ridge{}}}},
		"Of[0]: a rr.Generalized":      {Of: []rr.Method{rr.Generalized{}, rr.TwoStep{}}},
		"Of[1]: rr: Joint.W is 2":      {Of: []rr.Method{rr.TwoStep{}, rr.Joint{W: rr.Value(2)}}},
		"Of[0]: a <nil>, want rr.TwoS": {Of: []rr.Method{nil, rr.TwoStep{}}},
	} {
		if _, err := b.Fit(t.Context(), p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want one with %q", err, want)
		}
	}
	m := fixture.Must[*rr.Model](t)(rr.ByOutput{Of: []rr.Method{rr.TwoStep{}, rr.Joint{}}}.Fit(t.Context(), p))
	m.Params.Outputs = m.Params.Outputs[:1]
	header, numbers, err := m.Store()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := rr.ReadModel(text, numbers); err == nil || !strings.Contains(err.Error(), "hyperparameters of 1 outputs") {
		t.Errorf("a file with those of one output: %v", err)
	}
	if _, err := (rr.TwoStep{}).Fit(t.Context(), p.WithFitWeightsOfEach([]*problem.Problem{nil, nil})); err != nil {
		t.Errorf("no weights: %v", err)
	}
}
