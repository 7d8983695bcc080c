package search

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mediant/baselines"
	"mediant/crossfit"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/internal/weighted"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
)

// TestCorrectedMovesTheInterval: the optimism moves the estimate and both ends of its interval, which is cut at 0, adds its square to the
// variance, and changes nothing else.
func TestCorrectedMovesTheInterval(t *testing.T) {
	var a risk.Assessment
	a.Risk.Estimate = estimateOf(1, .4, 10) // 1 ± 0.891
	a.Bracket = &risk.Bracket{Lo: .1, Hi: 3}
	a.Risk.Outputs = []risk.Estimate{estimateOf(.25, .4, 10), estimateOf(.75, .3, 10)}
	c := Choice{Optimism: .3, optimism: []float64{.1, .4}}
	got := c.Corrected(&a)
	if want := estimateOf(1.15, .5, 10); cmp.Diff(got.Risk.Outputs[1], want, cmpopts.EquateApprox(0, 1e-15)) != "" || a.Risk.Outputs[1].MSE != .75 {
		t.Errorf("the second output is corrected to %+v, want %+v", got.Risk.Outputs[1], want)
	}
	if want := estimateOf(1.3, .5, 10); cmp.Diff(got.Risk.Estimate, want, cmpopts.EquateApprox(0, 1e-15)) != "" || got.Risk.Optimism != .3 || got.Bracket != a.Bracket {
		t.Errorf("corrected to %+v, want %+v", got.Risk, want)
	}
	if a.Risk.MSE != 1 || a.Risk.Optimism != 0 {
		t.Errorf("the assessment itself became %+v", a.Risk)
	}
}

func TestFactorsAreKeptWhereMemoryHasRoom(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 60, 50, false)
	small := features.Spec{Kernel: "gaussian", Size: 8}
	p := problemtest.Prepared(t, problem.Setup{Phi: small, Psi: small, Folds: 3}, xu, uy)
	own := crossfit.Riesz{UY: crossfit.Splits{Held: p.FoldsUY()}, Mus: crossfit.Mus}.Bytes()
	if want := 8. * 8 * 3 * 9 * 9; own != want { // 8 mus and 3 folds of order 8 + 1
		t.Errorf("factors take %g bytes, want %g", own, want)
	}
	need := p.Footprint().Preparing()
	for limit, keeps := range map[int64]bool{0: true, int64(need): false, int64(need+own) + 1: true} {
		own := problemtest.Prepared(t, problem.Setup{Phi: small, Psi: small, Folds: 3, Memory: limit}, xu, uy)
		j, err := comparisonOf(t.Context(), &own.Mapped, own.FoldsUY(), searchLambdas, problem.Footprint.Preparing)
		if err != nil {
			t.Fatal(err)
		}
		if j.riesz.CachesFactors() != keeps {
			t.Errorf("limit %d, need %g: factors are kept: %v", limit, need, !keeps)
		}
	}
}

// estimateOf is a risk with its interval of so many degrees of freedom.
func estimateOf(mse, se, freedom float64) risk.Estimate {
	margin := weighted.Student95(freedom) * se
	return risk.Estimate{MSE: mse, Known: &mse, SE: se, Lo: max(mse-margin, 0), Hi: max(mse+margin, 0), Freedom: freedom}
}

// TestDegreesOfFreedom: those of linear f on 2 and h on 3 columns, almost without penalty, for each of 3/4 of the rows; none for other methods.
func TestDegreesOfFreedom(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 200, 160, false)
	linear := features.Spec{Kind: features.LinearFeatures}
	p := problemtest.Prepared(t, problem.Setup{Phi: linear, Psi: linear, Folds: 4}, xu, uy)
	left, _ := p.Phi().Dims()
	right, _ := p.Psi().Dims()
	for _, c := range []struct {
		method rr.Method
		f, h   float64
	}{
		{rr.TwoStep{LambdaF: rr.Value(1e-9), LambdaH: rr.Value(1e-9)}, float64(left) / 150, float64(right) / 120},
		{rr.Joint{LambdaF: rr.Value(1e9), LambdaH: rr.Value(1e-9)}, 0, float64(right) / 120},
		{baselines.Naive{}, 0, 0},
	} {
		a, err := fixture.Must[*Choice](t)(ChoiceOf(p, c.method, risk.AssessOptions{})).Assessment(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(a.Risk.FreedomF-c.f) > 1e-6 || math.Abs(a.Risk.FreedomH-c.h) > 1e-6 {
			t.Errorf("%+v: %g and %g degrees of freedom a row, want %g and %g", c.method, a.Risk.FreedomF, a.Risk.FreedomH, c.f, c.h)
		}
		if v := a.Variance(); v.FreedomF != a.Risk.FreedomF || v.FreedomH != a.Risk.FreedomH {
			t.Errorf("variance %+v", v)
		}
	}
}
