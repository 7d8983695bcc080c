package rr_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/inference"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// TestShiftWeighsByTheRatio: U is uniform on [-1, 1] in S_Y and has the density (1 + u/2)/2 in S_X, so
// the ratio is 1 + u/2, which linear features hold exactly; h* = u² is not linear, so that h depends on
// where it is fitted: its slope is 0 without weights, and under the density of S_X the regression of u² on u.
func TestShiftWeighsByTheRatio(t *testing.T) {
	const n, m = 6000, 4000
	rnd := rand.New(rand.NewPCG(3, 3))
	a, b := mat.NewDense(n, 2, nil), mat.NewDense(m, 2, nil)
	for i := range n {
		u := 2*rnd.Float64() - 1
		for rnd.Float64() > (1+u/2)/1.5 {
			u = 2*rnd.Float64() - 1
		}
		a.SetRow(i, []float64{u, u})
	}
	for i := range m {
		u := 2*rnd.Float64() - 1
		b.SetRow(i, []float64{u, u * u})
	}
	xu, uy := table(t, "x u", a), table(t, "u y", b)
	l := features.Spec{Kind: features.LinearFeatures}
	// Moments of (1+u/2)/2: E u = 1/6, E u² = 1/3, E u³ = 1/10.
	slope := (1./10 - 1./18) / (1./3 - 1./36)
	for _, folds := range []int{0, 4} {
		for shift, want := range map[bool]float64{false: 0, true: slope} {
			setup := problem.Setup{Phi: l, Psi: l, NoStandardize: true, Folds: folds, Shift: shift}
			p, err := problem.Prepare(context.Background(), setup, xu, uy)
			if err != nil {
				t.Fatal(err)
			}
			model, err := rr.TwoStep{LambdaF: rr.Value(0), LambdaH: rr.Value(0)}.Fit(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			f := predictions(t, model, mat.NewDense(2, 1, []float64{0, 1}))
			// The standard error of a slope of u² from 4,000 rows is 0.3/sqrt(4000/3) = 0.008.
			if got := f.At(1, 0) - f.At(0, 0); math.Abs(got-want) > .035 {
				t.Errorf("%d folds, shift %v: slope %.3f, want %.3f", folds, shift, got, want)
			}
			// D gamma = mean_SX psi: weighted, U has the mean of S_X, up to mu.
			if got, mean := p.UY().MeanA()[0], p.XU().MeanB()[0]; shift && math.Abs(got-mean) > 1e-3 {
				t.Errorf("the weighted mean of U is %.4f, that of S_X %.4f", got, mean)
			}
			note := strings.Contains(fmt.Sprint(model.Notes), "effective sample size is 36") // 4000/(1 + 1/12) = 3692
			if note != shift {
				t.Errorf("shift %v: notes %q", shift, model.Notes)
			}
			if _, err := inference.Estimate(context.Background(), p, model, inference.Corrected); err != nil {
				t.Error(err)
			}
		}
	}
	ridge := rr.Ridge{Spec: l}
	if _, err := rr.Fit(context.Background(), problem.Setup{Phi: l, Psi: l, Shift: true}, rr.TwoStep{H: ridge}, xu, uy); err == nil {
		t.Error("weights of the ratio are passed over for a regressor of one's own")
	}
	few := table(t, "x u", a.Slice(0, 1, 0, 2))
	if _, err := rr.Fit(context.Background(), problem.Setup{Phi: l, Psi: l, Shift: true, Roles: tables.RoleOptions{}}, rr.TwoStep{}, few, uy); err == nil {
		t.Error("one row has no law")
	}
}
