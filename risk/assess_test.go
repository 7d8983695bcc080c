package risk

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// opaque hides that a predictor is linear.
type opaque struct{ rr.Predictor }

// close compares all numbers of two assessments.
func close(t *testing.T, name string, got, want *Assessment, tol float64) {
	t.Helper()
	a, b := numbersOf(got), numbersOf(want)
	if len(a) != len(b) {
		t.Fatalf("%s: %d numbers, want %d", name, len(a), len(b))
	}
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= tol) {
			t.Errorf("%s: number %d is %.15g, want %.15g", name, i, a[i], b[i])
		}
	}
}

func numbersOf(a *Assessment) []float64 {
	out := []float64{a.Risk.MSE, a.Risk.SE, a.Risk.Lo, a.Risk.Hi, a.Risk.LambdaH}
	for _, o := range a.Risk.Outputs {
		out = append(out, o.MSE, o.SE)
	}
	out = append(out, a.Risk.Mu...)
	for _, b := range []*Bracket{a.Bracket, a.Tight} {
		if b != nil {
			out = append(out, b.Lo, b.Hi, b.Lower, b.Upper)
		}
	}
	if a.Accuracy != nil {
		out = append(out, a.Accuracy.Value, a.Accuracy.SE)
	}
	return out
}

// assessTol: the two ways differ by rounding of systems whose condition numbers reach 1e8 (mu = 1e-8),
// in estimates whose penalties mostly are larger.
const assessTol = 1e-8

// TestAssessBothWays: the numbers do not depend on whether the models are known to be linear in phi (Riesz
// weights from sums) or are any predictors (from predictions on rows), and are those of foldRisk.
func TestAssessBothWays(t *testing.T) {
	ctx := context.Background()
	for _, kind := range []features.Kind{features.FourierFeatures, features.NystromFeatures} {
		for _, classes := range []bool{false, true} {
			for _, form := range []Form{SameDistribution, CovariateShift} {
				name := fmt.Sprintf("%q classes %v form %d", kind, classes, form)
				xu, uy := fixture.Surrogates(t, 210, 130, classes)
				p := problemtest.Prepared(t, problemtest.Setup(kind), xu, uy)
				joint := Fitted(rr.Joint{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-3)})
				opt := AssessOptions{Form: form}
				linear, err := Assess(ctx, p, joint, opt)
				if err != nil {
					t.Fatal(name, err)
				}
				any, err := Assess(ctx, p, func(ctx context.Context, train *problem.Problem) (rr.Predictor, error) {
					f, err := joint(ctx, train)
					return opaque{f}, err
				}, opt)
				if err != nil {
					t.Fatal(name, err)
				}
				close(t, name, any, linear, assessTol)
				sums, byFold := riskFromSums(t, p, joint, opt)
				for k, v := range byFold {
					if d := math.Abs(floats.Sum(v) - floats.Sum(linear.byUnit[k])); d > assessTol {
						t.Errorf("%s: fold %d from sums is off by %g", name, k, d)
					}
				}
				total := 0.0
				for j, v := range sums {
					total += v
					if d := math.Abs(v - linear.Risk.Outputs[j].MSE); d > assessTol {
						t.Errorf("%s: output %d from sums is off by %g", name, j, d)
					}
				}
				if d := math.Abs(total - linear.Risk.MSE); d > assessTol {
					t.Errorf("%s: from sums, off by %g", name, d)
				}
			}
		}
	}
}

// riskFromSums is the value that a search computes, and that of each fold where the form is 1.
func riskFromSums(t *testing.T, p *problem.Problem, fit FoldFitter, opt AssessOptions) (risk []float64, byFold [][]float64) {
	t.Helper()
	ctx := context.Background()
	m, err := fitFolds(ctx, p, fit)
	if err != nil || m.affine == nil {
		t.Fatalf("models %v, %v", m.affine, err)
	}
	all, err := fitNuisances(ctx, evidenceOf(p), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	u, err := p.Units(p.FoldsUY())
	if err != nil {
		t.Fatal(err)
	}
	var biases []overlapBias
	for _, own := range all.byUnit(u) {
		probing, err := own.probing(ctx, evidenceOf(p))
		if err != nil {
			t.Fatal(err)
		}
		more, _, err := overlapBiases(ctx, evidenceOf(p), own, probing)
		if err != nil {
			t.Fatal(err)
		}
		biases = append(biases, more...)
	}
	var h, r, v, omega []crossfit.Affine
	for _, n := range all.of {
		h, r, v, omega = append(h, n.h), append(r, n.r), append(v, n.v), append(omega, n.omega)
	}
	xu, err := p.Splitter().Split(t.Context(), p.FoldsXU())
	if err != nil {
		t.Fatal(err)
	}
	uy, err := p.Splitter().Split(t.Context(), p.FoldsUY())
	if err != nil {
		t.Fatal(err)
	}
	if opt.Form != CovariateShift {
		risk, byFold = crossfit.FoldRisks(xu, uy, m.affine, h, r)
		for j, l := range biases {
			risk[j] += l.bias
		}
		return risk, byFold
	}
	folds, _, err := p.CoMomentsByFold(ctx, problem.TableUY, p.SidePsi(), encode.Squares{Of: p.Y()})
	if err != nil {
		t.Fatal(err)
	}
	squares, err := crossfit.Splitter{}.Split(t.Context(), folds)
	if err != nil {
		t.Fatal(err)
	}
	return foldRiskShifted(xu, uy, squares, m.affine, h, r, v, omega), nil
}

// TestModelAssess: a saved model is assessed as a predictor that is the same in all folds, with its own
// features of U.
func TestModelAssess(t *testing.T) {
	ctx := context.Background()
	xu, uy := fixture.Surrogates(t, 150, 110, false)
	setup := problemtest.Setup(features.NystromFeatures)
	setup.Folds = problem.DefaultFolds
	p := problemtest.Prepared(t, setup, xu, uy)
	m, err := rr.Joint{}.Fit(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Assess(ctx, p, func(context.Context, *problem.Problem) (rr.Predictor, error) { return opaque{m.F}, nil }, AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := AssessModel(ctx, m, xu, uy, setup.Roles, AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	close(t, "model", got, want, assessTol)
}

// TestFoldsAreHeldOut: what rows of a fold say of Y and X never reaches that fold's model, nor its
// nuisances, by sums or by rows.
func TestFoldsAreHeldOut(t *testing.T) {
	ctx := context.Background()
	const held, rows = 1, 60
	setup := problem.Setup{Phi: features.Spec{Kind: features.LinearFeatures}, Psi: features.Spec{Kind: features.LinearFeatures}, NoStandardize: true, Folds: 3, Seed: 5}
	draw := func(spoil func(fold int) float64) *problem.Problem {
		rnd := rand.New(rand.NewPCG(6, 6))
		x, u, u2, y := make([]float64, rows), make([]float64, rows), make([]float64, rows), make([]float64, rows)
		fold := foldsOfRows(t, rows, setup)
		for i := range rows {
			x[i], u[i] = rnd.NormFloat64(), rnd.NormFloat64()
			u2[i], y[i] = rnd.NormFloat64(), rnd.NormFloat64()
			x[i] += spoil(fold[i])
			y[i] += spoil(fold[i])
		}
		xu, err := tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", u))
		if err != nil {
			t.Fatal(err)
		}
		uy, err := tables.FromColumns(tables.Numbers("u", u2), tables.Numbers("y", y))
		if err != nil {
			t.Fatal(err)
		}
		return problemtest.Prepared(t, setup, xu, uy)
	}
	clean := draw(func(int) float64 { return 0 })
	spoiled := draw(func(fold int) float64 {
		if fold == held {
			return 100
		}
		return 0
	})
	fits := map[string]FoldFitter{
		"sums": Fitted(rr.TwoStep{}),
		"rows": Fitted(rr.TwoStep{F: rr.Ridge{Spec: setup.Phi}, H: rr.Ridge{Spec: setup.Psi}}),
		"pair": func(ctx context.Context, train *problem.Problem) (rr.Predictor, error) {
			pair, err := train.CoMomentsXU(ctx, train.U())
			if err != nil {
				return nil, err
			}
			return rr.NewLinear(train.Phi(), mat.NewDense(1, 1, []float64{pair.MeanA()[0]}), []float64{float64(pair.Rows())}), nil
		},
	}
	for name, fit := range fits {
		values := make([][]float64, 2)
		for i, p := range []*problem.Problem{clean, spoiled} {
			for k := range 3 {
				train, err := p.Without(k)
				if err != nil {
					t.Fatal(err)
				}
				f, err := fit(ctx, train)
				if err != nil {
					t.Fatal(err)
				}
				var out mat.Dense
				f.PredictTo(&out, mat.NewDense(1, 1, []float64{2}))
				values[i] = append(values[i], out.At(0, 0))
			}
		}
		for k := range 3 {
			if same := values[0][k] == values[1][k]; same != (k == held) {
				t.Errorf("%s: the model without fold %d predicts %g and, with fold %d spoiled, %g", name, k, values[0][k], held, values[1][k])
			}
		}
	}
	m, err := fitFolds(ctx, clean, fits["sums"])
	if err != nil {
		t.Fatal(err)
	}
	var of [2]*fittedNuisances
	for i, p := range []*problem.Problem{clean, spoiled} {
		// Form 2, whose Riesz weights come from rows: those of form 1 are from the sums of the models.
		if of[i], err = fitNuisances(ctx, evidenceOf(p), m, AssessOptions{Form: CovariateShift, LambdaH: rr.Value(1e-3), Mu: rr.Value(1e-3)}); err != nil {
			t.Fatal(err)
		}
	}
	for k := range 3 {
		a, b := of[0].of[k], of[1].of[k]
		for name, pair := range map[string][2]crossfit.Affine{"h": {a.h, b.h}, "v": {a.v, b.v}, "r": {a.r, b.r}} {
			if same := mat.Equal(pair[0].Coef, pair[1].Coef); same != (k == held) {
				t.Errorf("%s of fold %d does not depend on the right folds", name, k)
			}
		}
	}
}

// foldsOfRows returns the fold of each row.
func foldsOfRows(t *testing.T, rows int, setup problem.Setup) []int {
	t.Helper()
	id := make([]float64, rows)
	for i := range id {
		id[i] = float64(i)
	}
	src, err := tables.FromColumns(tables.Numbers("id", id))
	if err != nil {
		t.Fatal(err)
	}
	e, err := encode.FitEncoder(context.Background(), src.Columns(), encode.EncoderOptions{NoStandardize: true}, src)
	if err != nil {
		t.Fatal(err)
	}
	folds := make([]int, rows)
	_, err = problem.Walk(context.Background(), src, e, e, problem.PassOptions{Folds: setup.Folds, Seed: setup.Seed}, func(fold int, a, _ *mat.Dense, _ moments.Weights) {
		n, _ := a.Dims()
		for i := range n {
			folds[int(a.At(i, 0))] = fold
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return folds
}

// TestWithoutTwice: a problem without one fold can lose another, for nested cross-fitting.
func TestWithoutTwice(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 80, 70, false)
	p := problemtest.Prepared(t, problemtest.Setup(features.LinearFeatures), xu, uy)
	once, err := p.Without(1)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := once.Without(1) // fold 2 of p
	if err != nil {
		t.Fatal(err)
	}
	if got, want := twice.XU().Rows(), p.FoldsXU()[0].Rows()+p.FoldsXU()[3].Rows(); got != want {
		t.Errorf("%d rows are left, want %d", got, want)
	}
	pair, err := twice.CoMomentsXU(context.Background(), twice.SidePsi())
	if err != nil {
		t.Fatal(err)
	}
	if pair.Rows() != twice.XU().Rows() || pair.Weight() != twice.XU().Weight() {
		t.Errorf("a pass sees %d rows of weight %g, want %d of %g", pair.Rows(), pair.Weight(), twice.XU().Rows(), twice.XU().Weight())
	}
	if _, err := Assess(context.Background(), once, Fitted(rr.TwoStep{}), AssessOptions{}); err != nil {
		t.Errorf("a problem of three folds cannot be assessed: %v", err)
	}
}

// TestWeightsAreRepetitions: a row of frequency 2 is two rows, for all estimates and their standard errors.
func TestWeightsAreRepetitions(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 2))
	n := nuisances{h: function(rnd, 3, 2), r: function(rnd, 3, 2), v: function(rnd, 3, 2), omega: function(rnd, 3, 1), hit: function(rnd, 3, 2)}
	var weighted, repeated [2]*scorer
	for i, shifted := range []bool{false, true} {
		weighted[i], repeated[i] = newScorer([]nuisances{n}, crossfit.Units{}, shifted, true), newScorer([]nuisances{n}, crossfit.Units{}, shifted, true)
	}
	for row := range 12 {
		f, psi, y := normal(rnd, 1, 2), normal(rnd, 1, 3), normal(rnd, 1, 2)
		w := float64(1 + row%3)
		for i := range weighted {
			weighted[i].addXU(0, f, psi, moments.Weights{Frequency: []float64{w}})
			weighted[i].addUY(0, psi, y, moments.Weights{Frequency: []float64{w}})
			for range int(w) {
				repeated[i].addXU(0, f, psi, moments.Weights{})
				repeated[i].addUY(0, psi, y, moments.Weights{})
			}
		}
	}
	for i := range weighted {
		a, b := assessed(t, weighted[i]), assessed(t, repeated[i])
		for name, d := range map[string]float64{"risk": a.Risk.MSE - b.Risk.MSE, "error": a.Risk.SE - b.Risk.SE, "error of accuracy": a.Accuracy.SE - b.Accuracy.SE, "output": a.Risk.Outputs[1].MSE - b.Risk.Outputs[1].MSE, "accuracy": a.Accuracy.Value - b.Accuracy.Value} {
			if math.Abs(d) > finiteTol {
				t.Errorf("%s is off by %g", name, d)
			}
		}
		if i == 0 && (math.Abs(a.Bracket.Hi-b.Bracket.Hi) > finiteTol || math.Abs(a.Tight.Hi-b.Tight.Hi) > finiteTol) {
			t.Errorf("brackets are %v, %v and %v, %v", *a.Bracket, *a.Tight, *b.Bracket, *b.Tight)
		}
	}
}

func normal(rnd *rand.Rand, r, c int) *mat.Dense {
	d := mat.NewDense(r, c, nil)
	for i := range d.RawMatrix().Data {
		d.RawMatrix().Data[i] = rnd.NormFloat64()
	}
	return d
}

func TestAssessRefuses(t *testing.T) {
	ctx := context.Background()
	xu, uy := fixture.Surrogates(t, 40, 30, false)
	setup := problemtest.Setup(features.LinearFeatures)
	p := problemtest.Prepared(t, setup, xu, uy)
	single := setup
	single.Folds = 1
	fit := Fitted(rr.TwoStep{})
	for _, c := range []struct {
		name string
		p    *problem.Problem
		opt  AssessOptions
		says string
		none bool
	}{
		{"form 3", p, AssessOptions{Form: 3}, "AssessOptions.Form is 3", false},
		{"negative lambda", p, AssessOptions{LambdaH: rr.Value(-1)}, "AssessOptions.LambdaH is -1", false},
		{"infinite mu", p, AssessOptions{Mu: rr.Value(math.Inf(1))}, "AssessOptions.Mu is +Inf", false},
		{"one fold", problemtest.Prepared(t, single, xu, uy), AssessOptions{}, "at least 2 folds", true},
	} {
		_, err := Assess(ctx, c.p, fit, c.opt)
		if err == nil || !strings.Contains(err.Error(), c.says) || errors.Is(err, ErrNoRisk) != c.none {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	failing := errors.New("no fit")
	if _, err := Assess(ctx, p, func(context.Context, *problem.Problem) (rr.Predictor, error) { return nil, failing }, AssessOptions{}); !errors.Is(err, failing) {
		t.Errorf("the error of a fit became %v", err)
	}
	huge := func(context.Context, *problem.Problem) (rr.Predictor, error) { return constant(1e200), nil }
	if _, err := Assess(ctx, p, huge, AssessOptions{}); !errors.Is(err, ErrNoRisk) {
		t.Errorf("squares that overflow: %v", err)
	}
}

// constant predicts the same for all rows and two outputs.
type constant float64

func (c constant) PredictTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	dst.ReuseAs(n, 2)
	dst.Apply(func(int, int, float64) float64 { return float64(c) }, dst)
}

// TestFewRows: there are never more folds than rows of the smaller table, and a fold whose Y are all
// missing gives no risk.
func TestFewRows(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 9, 3, false)
	p := problemtest.Prepared(t, problem.Setup{Folds: 5, Phi: features.Spec{Size: 4}, Psi: features.Spec{Size: 4}}, xu, uy)
	if len(p.FoldsXU()) != 3 || len(p.FoldsUY()) != 3 {
		t.Errorf("%d and %d folds of 9 and 3 rows, want 3", len(p.FoldsXU()), len(p.FoldsUY()))
	}
	if _, err := Assess(context.Background(), p, Fitted(rr.TwoStep{}), AssessOptions{}); err != nil {
		t.Error(err)
	}
	_, uy = fixture.Surrogates(t, 9, 6, false) // Y is missing in the last row
	setup := problem.Setup{Folds: 6, Phi: features.Spec{Size: 4}, Psi: features.Spec{Size: 4}}
	if _, err := Assess(context.Background(), problemtest.Prepared(t, setup, xu, uy), Fitted(rr.TwoStep{}), AssessOptions{}); !errors.Is(err, ErrNoRisk) {
		t.Errorf("a fold without Y: %v", err)
	}
}
