package rr_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/baselines"
	"mediant/features"
	"mediant/internal/fittest"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

func TestSumsBeyondFloatsAreRefused(t *testing.T) {
	// A polynomial of huge values leaves the range of float64.
	rnd := rand.New(rand.NewPCG(3, 9))
	big, u := uniform(rnd, 10, 2), uniform(rnd, 10, 2)
	big.Scale(1e60, big)
	poly := features.Spec{Kind: features.PolynomialFeatures, Degree: 3}
	huge := problem.Setup{Phi: poly, NoStandardize: true}
	for name, m := range map[string]fittest.Fitter{
		"joint": fittest.With(huge, rr.Joint{}), "2step": fittest.With(huge, rr.TwoStep{}), "naive": fittest.With(huge, baselines.Naive{}),
		"embedding": fittest.With(huge, baselines.MeanEmbedding{}), "regressor": fittest.With(huge, rr.TwoStep{H: mean{}}),
	} {
		if _, err := m.Fit(context.Background(), table(t, "x u", big), table(t, "u y", u)); err == nil || !strings.Contains(err.Error(), "not finite") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := rr.Fit(context.Background(), problem.Setup{}, rr.Joint{W: rr.Value(1e-310)}, table(t, "x u", big), table(t, "u y", u)); err == nil || !strings.Contains(err.Error(), "at least 1e-09") {
		t.Errorf("w = 1e-310: %v", err)
	}
}

func TestMemoryCountsLandmarksAndRows(t *testing.T) {
	xu, uy := tablesOf(t, 3000, 3000, 1)
	spec := features.Spec{Kind: features.NystromFeatures, Size: 50}
	// 1,000 rows for bandwidths take 12 MiB, 6,000 pooled rows × 50 landmarks 2.3, sums and factors of 50 features below
	// 1, and blocks of 1,024 rows 3.2, beside the program's 33.
	for limit, fits := range map[int64]bool{39 << 20: false, 53 << 20: true} {
		_, err := rr.Fit(context.Background(), problem.Setup{Phi: spec, Psi: spec, Memory: limit}, rr.Joint{}, xu, uy)
		if (err == nil) != fits {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	if _, err := rr.Fit(context.Background(), problem.Setup{Memory: 1000}, rr.TwoStep{H: mean{}}, xu, uy); err == nil || !strings.Contains(err.Error(), "rows of both tables") {
		t.Errorf("regressors: %v", err)
	}
}

func TestOneRegressorLeavesTheOtherStepAsItIs(t *testing.T) {
	// Without bandwidths given, psi is fitted on the pooled rows whoever fits f.
	xu, uy := tablesOf(t, 300, 200, 7)
	setup := problem.Setup{Phi: features.Spec{Size: 32}, Psi: features.Spec{Size: 32}}
	want := fit(t, fittest.With(setup, rr.TwoStep{}), xu, uy)
	got := fit(t, fittest.With(setup, rr.TwoStep{F: mean{}}), xu, uy)
	query := uniform(rand.New(rand.NewPCG(1, 1)), 20, 2)
	var a, b mat.Dense
	want.H.PredictTo(&a, query)
	got.H.PredictTo(&b, query)
	if d := off(&a, &b); d > 1e-9 {
		t.Errorf("h differs by %g", d)
	}
	if got.Params.LambdaH == nil || got.Params.LambdaF != nil || len(got.Condition) != 1 {
		t.Errorf("parameters %+v, conditions %v: only h is a ridge", got.Params, got.Condition)
	}
}

func TestRegressorsKeepTheNotes(t *testing.T) {
	nan := []float64{1, 2, math.NaN()}
	uy, err := tables.FromColumns(tables.Numbers("u", []float64{1, 2, 3}), tables.Numbers("y", nan))
	if err != nil {
		t.Fatal(err)
	}
	xu, err := tables.FromColumns(tables.Numbers("x", []float64{1, 2}), tables.Numbers("same", []float64{5, 5}), tables.Numbers("u", []float64{1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	m := fit(t, rr.TwoStep{F: mean{}, H: mean{}}, xu, uy)
	for _, want := range []string{`"same"`, "1 rows"} {
		if !slices.ContainsFunc(m.Notes, func(n string) bool { return strings.Contains(n, want) }) {
			t.Errorf("notes %q do not mention %s", m.Notes, want)
		}
	}
	if m.Rows.Dropped != 1 || m.Rows.UY != 2 || m.Rows.XU != 2 {
		t.Errorf("rows %+v", m.Rows)
	}
}
