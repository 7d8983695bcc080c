package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/glm"
	"mediant/internal/fixture"
	"mediant/losses"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
	"mediant/tables"
)

// TestLogFitterIsGeneralized: on the same features f is that of rr.Generalized, which ends at a derivative of 1e-8, as logFitter does at one of 1e-6. With penalties of 1e-3 that moves log f by
// 1e-6/sqrt(2e-3) = 2e-5, and h as much, by which f moves no more.
func TestLogFitterIsGeneralized(t *testing.T) {
	const n, lambda = 400, 1e-3
	own, _ := scoredTables(n, 3)
	rows := func(names []string, m mat.Matrix) tables.Source {
		return fixture.Must[tables.Source](t)(tables.FromMatrix(names, m))
	}
	labels := make([]string, n)
	columns := make([]tables.ColumnData, 3, 4)
	for i := range labels {
		labels[i] = fmt.Sprint(own.y.At(i, 4))
	}
	for j := range columns {
		columns[j] = tables.Numbers(fmt.Sprint("u", j), mat.Col(nil, j, own.y))
	}
	uy := fixture.Must[tables.Source](t)(tables.FromColumns(append(columns, tables.Strings("y", labels))...))
	linear := features.Spec{Kind: features.LinearFeatures}
	p := fixture.Must[*problem.Problem](t)(problem.Prepare(t.Context(), problem.Setup{Phi: linear, Psi: linear, NoStandardize: true},
		rows([]string{"x0", "x1", "x2", "x3", "u0", "u1", "u2"}, own.x), uy))
	m := fixture.Must[*rr.Model](t)(rr.Generalized{Loss: losses.Log{}, LambdaF: rr.Value(lambda), LambdaH: rr.Value(lambda)}.Fit(t.Context(), p))
	x := own.x.Slice(0, n, 0, 4).(*mat.Dense)
	var want mat.Dense
	m.F.PredictTo(&want, x)

	fitter, err := LogLoss.fitter(own.rows(0, 100, 0, 100), nil)
	if err == nil {
		fitter, err = fitter.with(own.rows(100, n, 100, n))
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := fitter.f(t.Context(), []solvers.Params{{W: 1, LambdaF: lambda, LambdaH: lambda}})
	if err != nil {
		t.Fatal(err)
	}
	got := affine(x, f[0].Coef, f[0].Intercept)
	fitter.gradients(got, 1)
	fitter.predictions(got)
	if !mat.EqualApprox(got, &want, 4e-5) || math.Abs(got.At(0, 0)-got.At(1, 0)) < .01 {
		t.Errorf("the first rows are %v, want %v", got.RawMatrix().Data[:6], want.RawMatrix().Data[:6])
	}
}

// TestLogScale: probabilities of .8 and .2 at scale 2 are as .64 to .04. Targets of f are h at its scale.
func TestLogScale(t *testing.T) {
	own, _ := scoredTables(50, 1)
	l := newLogFitter(own.rows(0, 50, 0, 50))
	eta := mat.NewDense(1, 2, []float64{math.Log(.8) + 7, math.Log(.2) + 7})
	l.gradients(eta, 2)
	if want := math.Log(.64 / .68); math.Abs(eta.At(0, 0)-want) > 1e-14 {
		t.Errorf("log f is %g, want %g", eta.At(0, 0), want)
	}
	targets := func() *mat.Dense {
		if err := l.fitTargets(t.Context(), 1e-2); err != nil {
			t.Fatal(err)
		}
		return l.targets[0]
	}
	h := targets()
	l.scaleH(3)
	a, b := h.At(0, 0), h.At(0, 1)
	if got, want := targets().At(0, 0), a*a*a/(a*a*a+b*b*b); math.Abs(got-want) > 1e-14 || math.Abs(a-b) < .1 {
		t.Errorf("the target is %g, want %g from %g", got, want, a)
	}
}

// TestLogFitterWithoutFit: penalties from the first on with which there is no fit, here because it begins at NaN, are left out.
func TestLogFitterWithoutFit(t *testing.T) {
	own, _ := scoredTables(50, 1)
	l := newLogFitter(own.rows(0, 50, 0, 50))
	l.hs[1e-4] = &solvers.Linear{Coef: mat.NewDense(3, 2, []float64{math.NaN(), 0, 0, 0, 0, 0}), Intercept: make([]float64, 2)}
	if all, err := l.h(t.Context(), []float64{1e-3, 1e-4, 1e-2}); err != nil || len(all) != 1 {
		t.Errorf("%d fits, %v", len(all), err)
	}
	if _, err := l.h(t.Context(), []float64{1e-4}); !errors.Is(err, glm.ErrNotConverged) {
		t.Errorf("error %v", err)
	}
}

// TestLogImageRun: probabilities are as right as the outputs of TestImageRunLearns, better than a guess among the two classes that there are by log loss, and chosen by an uncoupled risk that is near it, within 5 standard errors.
func TestLogImageRun(t *testing.T) {
	run := ImageRun{Data: stripedData(), Plan: smallPlan, Loss: LogLoss, Rows: 250, Seed: 1}
	result, err := run.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	m := result.Methods["2step"]
	if len(result.Methods) != 1 || m.Accuracy < .9 || m.MSE > .2 || m.LogLoss > .5*math.Ln2 || math.Abs(m.Risk-m.LogLoss) > 5*m.SE {
		t.Errorf("%+v", result.Methods)
	}
	if !run.Made(result) || (ImageRun{Data: run.Data, Plan: smallPlan, Rows: 250, Seed: 1}).Made(result) {
		t.Error("results of a loss are read as those of another")
	}
}
