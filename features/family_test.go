package features_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
	"mediant/kernels"
)

// TestNystromOfCounts: kernels of rows without negative entries, exact at the landmarks, all rows.
func TestNystromOfCounts(t *testing.T) {
	x := countRows(120, 4)
	for name, k := range map[string]kernels.Kernel{
		"cosine": kernels.Cosine{}, "chi2": kernels.ChiSquared{}, "expchi2": fixture.Must[kernels.Kernel](t)(kernels.ByName("expchi2", 2)),
	} {
		m := fixture.Must[*features.Nystrom](t)(features.NewNystrom(k, x))
		// Residuals of 8·120·eps of the largest value, some 10, and rounding.
		if d := fixture.Distance(products(m, x), gram(k, x)); d > 1e-9 {
			t.Errorf("%s: off by %g", name, d)
		}
	}
}

// TestNystromOfPrecomputed: rows are row numbers. Products of queries with training rows are the query block.
func TestNystromOfPrecomputed(t *testing.T) {
	g := gaussian(t, 2)
	x, z := fixture.NormalRows(30, 3), fixture.NormalRows(8, 3)
	var query mat.Dense
	g.GramTo(&query, z, x)
	k := fixture.Must[kernels.Precomputed](t)(kernels.NewPrecomputed(gram(g, x), &query))
	numbers := mat.NewDense(38, 1, nil)
	numbers.Apply(func(i, _ int, _ float64) float64 { return float64(i) }, numbers)
	m := fixture.Must[*features.Nystrom](t)(features.NewNystrom(k, numbers.Slice(0, 30, 0, 1).(*mat.Dense)))
	featurestest.Run(t, m, numbers)
	var got mat.Dense
	got.Mul(mapped(m, numbers.Slice(30, 38, 0, 1)), mapped(m, numbers.Slice(0, 30, 0, 1)).T())
	if d := fixture.Distance(&got, &query); d > 1e-6 { // residuals of 8·30·eps, whose root multiplies a query's residual
		t.Errorf("off by %g", d)
	}
	if err := features.CheckRows(m, mat.NewDense(1, 1, []float64{38})); err == nil {
		t.Error("a number of no row was not refused")
	}
}

// TestFourierOfEachSpectrum has the rows of scikit-learn#3656, where frequencies had the wrong variance: with
// 10,000 frequencies every pair is within 0.035 of the kernel for each of 5 seeds. The standard error is at
// most sqrt(1/2/10,000), so that a right distribution fails with odds of 1 in a million; the Gaussian distribution with gamma and
// 1/gamma confused is 0.23 off.
func TestFourierOfEachSpectrum(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{0, 0.25, 0.5, 1})
	for _, name := range spectral {
		k := byName(t, name, 0.5) // the Gaussian with gamma = 2
		want := gram(k, x)
		for seed := range uint64(5) {
			m := fixture.Must[*features.Fourier](t)(features.NewFourier(k, 1, 20000, seed, "phi"))
			if d := fixture.Distance(products(m, x), want); !(d <= 0.035) {
				t.Errorf("%s, seed %d: off by %g", name, seed, d)
			}
		}
	}
	if v := gram(byName(t, "gaussian", 0.5), x).At(0, 3); math.Abs(v-0.1353352832366127) > 1e-15 {
		t.Errorf("the Gaussian of gamma 2 at distance 1 is %v", v)
	}
}

// TestLandmarksAKernelCannotTake are errors, since they may come from a file.
func TestLandmarksAKernelCannotTake(t *testing.T) {
	z := mat.NewDense(2, 1, []float64{1, -1})
	if _, err := features.NewNystrom(kernels.ChiSquared{}, z); err == nil {
		t.Error("nystrom: no error")
	}
	if _, err := features.NewSections(kernels.ChiSquared{}, z); err == nil {
		t.Error("sections: no error")
	}
}
