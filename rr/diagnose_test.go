package rr_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/diagnose"
	"mediant/features"
	"mediant/internal/fittest"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// signs draws X = ±1, U = X in 8 of 10 rows and else -X, and Y = U + delta X + N(0, 1/4). With
// delta = 1
//
//	E[Y|U] = 1.6 U    f(x) = E[1.6 U|X = x] = 0.96 x    E[Y|U,X] - E[Y|U] = X - 0.6 U, c = 0.8
//	f - E[f|U] = 0.96 (X - 0.6 U), root mean square 0.768     MSE of f - R = -2·0.96·0.64
//
// R² of h(U) by X is 0.36, of Y by U 2.56/3.45. With delta = 0 CMI holds and f = 0.6 x.
func signs(t testing.TB, n int, delta float64, seed uint64) *mat.Dense {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 9))
	rows := mat.NewDense(n, 3, nil)
	for i := range n {
		x := float64(2*rnd.IntN(2) - 1)
		u := x
		if rnd.Float64() < .2 {
			u = -x
		}
		rows.SetRow(i, []float64{x, u, u + delta*x + .5*rnd.NormFloat64()})
	}
	return rows
}

func within(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.4g, want %.4g within %.2g", what, got, want, tol)
	}
}

func TestDiagnosisOfAKnownLaw(t *testing.T) {
	const n, m = 4000, 3000
	ctx := context.Background()
	l := features.Spec{Kind: features.LinearFeatures}
	tiny := rr.Value(1e-8)
	for _, delta := range []float64{1, 0} {
		xu := table(t, "x u", signs(t, n, delta, 1).Slice(0, n, 0, 2))
		uy := table(t, "u y", signs(t, m, delta, 2).Slice(0, m, 1, 3))
		model := fit(t, fittest.With(problem.Setup{Phi: l, Psi: l}, rr.TwoStep{LambdaF: tiny, LambdaH: tiny}), xu, uy)
		d, err := diagnose.Diagnose(ctx, model.Model, xu, uy, tables.RoleOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := risk.AssessModel(ctx, model.Model, xu, uy, tables.RoleOptions{}, risk.AssessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		d.AddSensitivity(a)
		coupled := table(t, "x u y", signs(t, 1000, delta, 3))
		if err := d.AddCMI(ctx, model.Model, xu, uy, coupled, tables.RoleOptions{}); err != nil {
			t.Fatal(err)
		}
		slope := .6 * (1 + .6*delta) // of f
		variance := (1+.6*delta)*(1+.6*delta) + delta*delta*.64 + .25
		// Four standard errors of correlations of 3,000 rows and more are below 0.06.
		within(t, "R² of h by X", d.XPredictsH.R2, .36, .06)
		within(t, "R² of Y by U", d.UPredictsY.R2, (1+.6*delta)*(1+.6*delta)/variance, .06)
		within(t, "spread of f", d.Violation.SpreadOfF, .8*slope, .05)
		within(t, "shift of the MSE", d.CMI.Shift.Value, -2*slope*delta*.64, 4*d.CMI.Shift.SE)
		within(t, "c", d.CMI.C, .8*delta, .1)
		if d.DistributionOfU.PValue <= .01 || d.SharedRows.PValue <= .01 || d.SharedRows.Rows != n {
			t.Errorf("law of U %+v, shared rows %+v", d.DistributionOfU, d.SharedRows)
		}
		if violated := d.CMI.PValue <= .01; violated != (delta == 1) {
			t.Errorf("delta %g: %+v", delta, d.CMI)
		}
		curve := d.Violation.Curve
		if first, last := curve[0], curve[len(curve)-1]; first.C != 0 || last.Share != 1 || math.Abs(first.Worst*first.Worst-a.Risk.MSE) > 1e-12 ||
			last.Worst*last.Worst > math.Max(a.Bracket.Hi, a.Risk.MSE)+1e-12 || !(last.Worst > first.Worst) {
			t.Errorf("curve %+v, risk %g, bracket %+v", curve, a.Risk.MSE, a.Bracket)
		}
		// The second point is below the cap: 1 % of what U leaves, whose root mean square is left.
		left := math.Sqrt(variance - (1+.6*delta)*(1+.6*delta))
		within(t, "c of 1 %", curve[1].C, .1*left, .01)
		within(t, "worst MSE at 1 %", curve[1].Worst*curve[1].Worst, a.Risk.MSE+2*curve[1].C*d.Violation.SpreadOfF, 1e-12)
		if got := d.Sentences(); len(got) != 6 || strings.Contains(strings.Join(got, ""), "%!") {
			t.Errorf("sentences %q", got)
		}
		if raw, err := json.Marshal(d); err != nil || !bytes.Contains(raw, []byte(`"p_value"`)) {
			t.Errorf("as JSON: %s, %v", raw, err)
		}
	}
}

func TestDiagnosisSeesShiftAndSharedRows(t *testing.T) {
	xu, uy := tablesOf(t, 500, 400, 1)
	model := fit(t, fittest.With(problem.Setup{Phi: nystrom(1, 30), Psi: nystrom(1, 40)}, rr.TwoStep{}), xu, uy)
	same, err := diagnose.Diagnose(context.Background(), model.Model, xu, uy, tables.RoleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if same.DistributionOfU.PValue <= .01 || same.SharedRows.Pairs != 0 {
		t.Errorf("two draws of one law: %+v, %+v", same.DistributionOfU, same.SharedRows)
	}
	rows := mat.NewDense(400, 3, nil)
	for b, err := range uy.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		rows.Copy(b.Num)
	}
	for b, err := range xu.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range 400 { // 60 rows of U are those of the first table, the others are moved
			for j := range 2 {
				v := rows.At(i, j) + 1
				if i < 60 {
					v = b.Num.At(i, 2+j)
				}
				rows.Set(i, j, v)
			}
		}
	}
	other, err := diagnose.Diagnose(context.Background(), model.Model, xu, table(t, "u1 u2 y", rows), tables.RoleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if other.DistributionOfU.PValue > .01 || other.SharedRows.Rows != 60 || other.SharedRows.PValue > .01 {
		t.Errorf("moved and shared rows: %+v, %+v", other.DistributionOfU, other.SharedRows)
	}
}

func TestDiagnosisRefuses(t *testing.T) {
	xu, uy := tablesOf(t, 60, 50, 1)
	model := fit(t, fittest.With(problem.Setup{Phi: nystrom(1, 10), Psi: nystrom(1, 10)}, rr.TwoStep{}), xu, uy)
	none := *model.Model
	none.H = nil
	if _, err := diagnose.Diagnose(context.Background(), &none, xu, uy, tables.RoleOptions{}); err == nil || !strings.Contains(err.Error(), "no model of Y from U") {
		t.Errorf("a model without h: %v", err)
	}
	few, _ := tablesOf(t, 1, 3, 1)
	if _, err := diagnose.Diagnose(context.Background(), model.Model, few, uy, tables.RoleOptions{}); !errors.Is(err, risk.ErrNoRisk) {
		t.Errorf("a single row: %v", err)
	}
	var d diagnose.Diagnosis
	coupled := table(t, "x1 x2 u1 u2 y", uniform(rand.New(rand.NewPCG(1, 1)), 9, 5))
	if err := d.AddCMI(context.Background(), model.Model, xu, uy, coupled, tables.RoleOptions{}); err == nil || !strings.Contains(err.Error(), "at least 10") {
		t.Errorf("nine coupled rows: %v", err)
	}
}

// TestDiagnosisOfManyRows: what explains what is seen on a sample, and found within its sampling error; a
// table that does not know its number of rows gives the same.
func TestDiagnosisOfManyRows(t *testing.T) {
	const n = 30000
	ctx := context.Background()
	l := features.Spec{Kind: features.LinearFeatures}
	xu := table(t, "x u", signs(t, n, 0, 1).Slice(0, n, 0, 2))
	uy := table(t, "u y", signs(t, n, 0, 2).Slice(0, n, 1, 3))
	model := fit(t, fittest.With(problem.Setup{Phi: l, Psi: l}, rr.TwoStep{}), xu, uy)
	d, err := diagnose.Diagnose(ctx, model.Model, xu, uy, tables.RoleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// R² of h(U) by X is 0.36, that of Y by U 1/1.25; deviations over 10,000 rows are below 0.01.
	within(t, "R² of h(U) by X", d.XPredictsH.R2, .36, .04)
	within(t, "R² of Y by U", d.UPredictsY.R2, .8, .04)
	again, err := diagnose.Diagnose(ctx, model.Model, hidden{xu}, hidden{uy}, tables.RoleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.XPredictsH, d.XPredictsH) || !reflect.DeepEqual(again.UPredictsY, d.UPredictsY) || *again.SharedRows != *d.SharedRows {
		t.Errorf("rows not known beforehand: %+v, want %+v", again, d)
	}
}

// hidden is a Source that does not know its number of rows.
type hidden struct{ tables.Source }

// TestAssessFewRows: tables of fewer rows than folds are judged over as many folds as they have rows.
func TestAssessFewRows(t *testing.T) {
	ctx := context.Background()
	l := features.Spec{Kind: features.LinearFeatures}
	xu := table(t, "x u", signs(t, 50, 0, 1).Slice(0, 50, 0, 2))
	uy := table(t, "u y", signs(t, 50, 0, 2).Slice(0, 50, 1, 3))
	model := fit(t, fittest.With(problem.Setup{Phi: l, Psi: l}, rr.TwoStep{}), xu, uy)
	few := func(n int) tables.Source { return table(t, "u y", signs(t, n, 0, 3).Slice(0, n, 1, 3)) }
	a, err := risk.AssessModel(ctx, model.Model, xu, few(3), tables.RoleOptions{}, risk.AssessOptions{})
	if err != nil || a.Risk.Folds != 3 {
		t.Errorf("3 rows: %+v, %v", a, err)
	}
	if _, err := risk.AssessModel(ctx, model.Model, xu, few(1), tables.RoleOptions{}, risk.AssessOptions{}); !errors.Is(err, risk.ErrNoRisk) {
		t.Errorf("1 row: %v", err)
	}
}
