package inference

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/problem"
	"mediant/rr"
)

// TestOfMean: of one row, or of equal ones, it is the standard error there; of rows with linear features that at their mean; and it is at most the mean
// of the standard errors.
func TestOfMean(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 200, 180, false)
	for _, spec := range []features.Spec{{Kind: features.LinearFeatures}, {Kind: features.NystromFeatures, Kernel: "gaussian", Size: 10}} {
		p := problemtest.Prepared(t, problem.Setup{Phi: spec, Psi: spec}, xu, uy)
		for _, method := range []rr.Method{rr.TwoStep{}, rr.Joint{}} {
			m, err := method.Fit(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			se, err := Estimate(context.Background(), p, m, Corrected)
			if err != nil {
				t.Fatal(err)
			}
			in := m.X.Width()
			row := func(values ...float64) []float64 {
				r := make([]float64, in)
				copy(r, values)
				return r
			}
			at := func(x ...float64) []float64 {
				var dst mat.Dense
				se.PredictTo(&dst, mat.NewDense(1, in, row(x...)))
				return dst.RawRowView(0)
			}
			same := se.OfMean(mat.NewDense(3, in, append(append(row(1, -.5), row(1, -.5)...), row(1, -.5)...)), []float64{1, 2, .5})
			for j, want := range at(1, -.5) {
				if math.Abs(same[j]-want) > 1e-9*want {
					t.Errorf("%v, output %d: %g of equal rows, want %g", spec, j, same[j], want)
				}
			}
			mean := se.OfMean(mat.NewDense(2, in, append(row(1, 0), row(-2, 3)...)), []float64{2, 1})
			for j, want := range at(0, 1) {
				if low, high := at(1, 0)[j], at(-2, 3)[j]; mean[j] > (2*low+high)/3*(1+1e-9) {
					t.Errorf("%v, output %d: %g of the mean, the rows have %g and %g", spec, j, mean[j], low, high)
				}
				if spec.Kind == features.LinearFeatures && math.Abs(mean[j]-want) > 1e-9*want {
					t.Errorf("output %d: %g of the mean, want %g", j, mean[j], want)
				}
			}
		}
	}
}
