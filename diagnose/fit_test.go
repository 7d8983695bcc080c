package diagnose

import (
	"math"
	"testing"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
)

// TestDiagnoseFit: the shares that the cross-fitting of a risk explains are those of regressions of their own, but for their penalties and folds; other assessments are not asked.
func TestDiagnoseFit(t *testing.T) {
	for name, classes := range map[string]bool{"numbers": false, "classes": true} {
		xu, uy := fixture.Surrogates(t, 2100, 1300, classes)
		method := rr.TwoStep{LambdaF: rr.Value(1e-6), LambdaH: rr.Value(1e-4)}
		setup := problemtest.Setup(features.FourierFeatures)
		setup.Folds = problem.DefaultFolds // as Diagnose has
		p := problemtest.Prepared(t, setup, xu, uy)
		m := fixture.Must[*rr.Model](t)(rr.FitWith(t.Context(), method, p))
		a := fixture.Must[*risk.Assessment](t)(risk.Assess(t.Context(), p, risk.Fitted(method), risk.AssessOptions{}))
		want := fixture.Must[*Diagnosis](t)(Diagnose(t.Context(), m, xu, uy, setup.Roles))
		got := fixture.Must[*Diagnosis](t)(DiagnoseFit(t.Context(), m, a, xu, uy, setup.Roles))
		for what, pair := range map[string][2]float64{
			"X of h(U)": {got.XPredictsH.R2, want.XPredictsH.R2}, "U of Y": {got.UPredictsY.R2, want.UPredictsY.R2},
			"spread of f": {math.Sqrt(got.spreadOfF), math.Sqrt(want.spreadOfF)},
		} {
			if pair[0] == pair[1] || math.Abs(pair[0]-pair[1]) > .03 {
				t.Errorf("%s: %s: %.4f by the assessment, %.4f by a regression", name, what, pair[0], pair[1])
			}
		}
		if got.UPredictsY.RMSE == want.UPredictsY.RMSE || math.Abs(got.UPredictsY.RMSE/want.UPredictsY.RMSE-1) > .03 {
			t.Errorf("%s: U leaves %.4f by the assessment, %.4f by a regression", name, got.UPredictsY.RMSE, want.UPredictsY.RMSE)
		}
		shifted := fixture.Must[*risk.Assessment](t)(risk.Assess(t.Context(), p, risk.Fitted(method), risk.AssessOptions{Form: risk.CovariateShift}))
		again := fixture.Must[*Diagnosis](t)(DiagnoseFit(t.Context(), m, shifted, xu, uy, setup.Roles))
		if again.UPredictsY.R2 != want.UPredictsY.R2 {
			t.Errorf("%s: form 2 gives %g, want the regression's %g", name, again.UPredictsY.R2, want.UPredictsY.R2)
		}
	}
}
