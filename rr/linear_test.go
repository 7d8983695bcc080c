package rr_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/kernels"
	"mediant/rr"
)

// TestLinearPredictsRowByRow: how many rows come at once does not change a bit of their predictions,
// nor does whether they are stored sparsely, but for distances, which centre sparse rows otherwise.
func TestLinearPredictsRowByRow(t *testing.T) {
	const n, in = 2500, 7
	rnd := rand.New(rand.NewPCG(7, 7))
	x := uniform(rnd, n, in)
	for i := range n { // two thirds of the cells are 0
		for j := range in {
			if rnd.IntN(3) > 0 {
				x.Set(i, j, 0)
			}
		}
	}
	sample := mat.DenseCopyOf(x.Slice(0, 200, 0, in))
	for name, c := range map[string]struct {
		spec features.Spec
		k    int // outputs
	}{
		"linear":  {features.Spec{Kind: features.LinearFeatures}, 3},
		"fourier": {features.Spec{Size: 30, Bandwidth: 1}, 3},
		"waves":   {features.Spec{Size: 30, Bandwidth: 1}, 1},
		"nystrom": {nystrom(2, 30), 3},
	} {
		k := c.k
		m, _, err := c.spec.Fit(sample, 1, "phi")
		if err != nil {
			t.Fatal(err)
		}
		_, p := m.Dims()
		l := rr.NewLinear(m, uniform(rnd, p, k), []float64{1, -2, 3}[:k])
		one := mat.NewDense(n, k, nil)
		for i := range n {
			l.PredictTo(one.Slice(i, i+1, 0, k).(*mat.Dense), x.Slice(i, i+1, 0, in))
		}
		var dense, sparse mat.Dense
		l.PredictTo(&dense, x)
		l.PredictTo(&sparse, encode.CSROf(x))
		if d := off(&dense, one); d != 0 {
			t.Errorf("%s: all rows at once predict something else by %g", name, d)
		}
		scale := max(mat.Max(l.Coef), -mat.Min(l.Coef), 3)
		tol := 1e-14 * 30 * scale // 30 products of features below 1, each right to some eps
		if d := off(&sparse, one); d > tol || name != "nystrom" && d != 0 {
			t.Errorf("%s: sparse rows predict something else by %g", name, d)
		}
		// And both are coef'phi(x) + intercept.
		var phi, want mat.Dense
		l.Map.MapTo(&phi, x)
		want.Mul(&phi, l.Coef)
		for i := range n {
			for j, b := range l.Intercept {
				want.Set(i, j, want.At(i, j)+b)
			}
		}
		if d := off(&dense, &want); d > tol {
			t.Errorf("%s: predictions are off by %g", name, d)
		}
	}
}

func TestLinearPanicsForShapes(t *testing.T) {
	l := rr.NewLinear(features.NewLinear(2), mat.NewDense(2, 1, nil), []float64{0})
	for _, shape := range [][2]int{{3, 1}, {2, 2}} {
		func() {
			defer func() {
				if r := recover(); r != mat.ErrShape {
					t.Errorf("%v: panic %v, want %v", shape, r, mat.ErrShape)
				}
			}()
			l.PredictTo(mat.NewDense(shape[0], shape[1], nil), mat.NewDense(2, 2, nil))
		}()
	}
}

// A block of the command's prediction: 1,024 rows of 50 columns, 2,048 features.
func BenchmarkPredictTo(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	k, err := kernels.NewGaussian(4)
	if err != nil {
		b.Fatal(err)
	}
	m, err := features.NewFourier(k, 50, 2048, 1, "phi")
	if err != nil {
		b.Fatal(err)
	}
	l := rr.NewLinear(m, uniform(rnd, 2048, 1), []float64{0})
	x, dst := uniform(rnd, 1024, 50), mat.NewDense(1024, 1, nil)
	b.ReportAllocs()
	for b.Loop() {
		l.PredictTo(dst, x)
	}
	b.ReportMetric(1024*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
