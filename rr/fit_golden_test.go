package rr_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fittest"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
	"mediant/tables"
	"mediant/testdata"
)

// TestGoldenFits meets the fits of golden.json through tables, roles, encoders and moments: features in
// and linear maps that change nothing. Systems have condition numbers below 1e3, values and coefficients
// are of the order of 1: 1e-10 is 500 eps of that.
func TestGoldenFits(t *testing.T) {
	g := testdata.ReadGolden(t)
	const tol = 1e-10
	l := features.Spec{Kind: features.LinearFeatures}
	query := g.Input.PhiQuery.Dense()
	for _, fit := range g.Fit {
		setup := problem.Setup{Phi: l, Psi: l, NoStandardize: true, NoIntercept: !fit.Intercept}
		var wx, wy []float64
		if fit.Weighted {
			wx, wy = g.Input.WeightsXU, g.Input.WeightsUY
			setup.Roles = tables.RoleOptions{WeightsXU: "wx", WeightsUY: "wy"}
		}
		lambdaF, lambdaH := rr.Value(fit.LambdaF), rr.Value(fit.LambdaH)
		penalty := solvers.Scaled
		if fit.Penalty == "paper" {
			penalty = solvers.Paper
		}
		methods := []fittest.Fitter{fittest.With(setup, rr.Joint{W: rr.Value(fit.W), LambdaF: lambdaF, LambdaH: lambdaH, Penalty: penalty})}
		if fit.W == 1 && penalty == solvers.Scaled {
			methods = append(methods, fittest.With(setup, rr.TwoStep{LambdaF: lambdaF, LambdaH: lambdaH}))
		}
		for _, method := range methods {
			xu := goldenTable(t, "wx", wx, "x", g.Input.Phi, "u", g.Input.Psi)
			uy := goldenTable(t, "wy", wy, "u", g.Input.Psi2, "y", g.Input.Y)
			model, err := method.Fit(context.Background(), xu, uy)
			if err != nil {
				t.Fatal(err)
			}
			var f mat.Dense
			if err := model.PredictTo(&f, query); err != nil {
				t.Fatal(err)
			}
			for i, want := range fit.FQuery {
				if d := floats.Distance(f.RawRowView(i), want, math.Inf(1)); !(d <= tol) {
					t.Errorf("%T %s w=%g intercept=%v weighted=%v: f is off by %g", method, fit.Penalty, fit.W, fit.Intercept, fit.Weighted, d)
				}
			}
		}
	}
}

// goldenTable has a column of weights, if there are any, and those of two matrices, x1, x2 and so on.
func goldenTable(t *testing.T, weight string, w []float64, left string, a testdata.Matrix, right string, b testdata.Matrix) tables.Source {
	t.Helper()
	var columns []tables.ColumnData
	if w != nil {
		columns = append(columns, tables.Numbers(weight, w))
	}
	for _, side := range []struct {
		name string
		of   testdata.Matrix
	}{{left, a}, {right, b}} {
		rows := side.of.Dense()
		_, c := rows.Dims()
		for j := range c {
			columns = append(columns, tables.Numbers(side.name+string(rune('1'+j)), mat.Col(nil, j, rows)))
		}
	}
	src, err := tables.FromColumns(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return src
}
