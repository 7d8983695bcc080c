package rr

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
)

// TestPrecisionJudgesEachFoldByItsOwn: the squared residuals of a fold's rows are those of that fold's f and h. Here
// these are constants that are equal in each fold and others in the next, so that any other pairing has residuals.
func TestPrecisionJudgesEachFoldByItsOwn(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 60, 50, false)
	p := problemtest.Prepared(t, problemtest.Setup(features.LinearFeatures), xu, uy)
	constants := func(of features.Map, at func(k int) float64) []crossfit.Affine {
		_, width := of.Dims()
		out := make([]crossfit.Affine, len(p.FoldsXU()))
		for k := range out {
			out[k] = crossfit.Affine{Coef: mat.NewDense(width, 2, nil), Intercept: []float64{at(k), -at(k)}}
		}
		return out
	}
	own := func(k int) float64 { return float64(k) }
	f, h := constants(p.Phi(), own), constants(p.Psi(), own)
	if _, err := fitVariance(context.Background(), p, f, h); err == nil {
		t.Error("there are residuals though f and h of each fold are equal")
	}
	// Residuals (2, -2) in every row, each in units of its output: the same variance everywhere.
	u, err := p.Units(p.FoldsUY())
	if err != nil {
		t.Fatal(err)
	}
	want := 4 * (u.Scale[0] + u.Scale[1])
	h = constants(p.Psi(), func(k int) float64 { return own(k) + 2 })
	v, err := fitVariance(context.Background(), p, f, h)
	if err != nil {
		t.Fatal(err)
	}
	if off := mat.Norm(v.v.Coef, 1) + math.Abs(v.v.Intercept[0]-want); off > 1e-12 {
		t.Errorf("variance %v of slope %v, want %g everywhere", v.v.Intercept, v.v.Coef, want)
	}
	// The floor is a tenth of the mean, so that each row keeps a tenth of the weight it came with.
	if p, err = WeighPrecision(context.Background(), p, f, h); err != nil {
		t.Fatal(err)
	}
	if got, want := p.Fitting().Weight(), p.XU().Weight()/10; math.Abs(got-want) > 1e-12*want {
		t.Errorf("rows have a weight of %g in the fit, want %g", got, want)
	}
}

// TestPrecisionCountsRowsByWeight: the mean that the floor is a share of is over rows as they are weighed, that of the
// sums of the folds.
func TestPrecisionCountsRowsByWeight(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 60, 50, false)
	p := problemtest.Prepared(t, problemtest.Setup(features.LinearFeatures), xu, uy)
	rnd := rand.New(rand.NewPCG(4, 6))
	u, err := p.Units(p.FoldsUY())
	if err != nil {
		t.Fatal(err)
	}
	folds := len(p.FoldsXU())
	f, h := make([]crossfit.Affine, folds), make([]crossfit.Affine, folds)
	mean := 0.0
	for k, held := range p.FoldsXU() {
		f[k], h[k] = function(rnd, 2, 2), function(rnd, 2, 2)
		d := crossfit.Gap(f[k], h[k])
		mean += u.Total(held.Inner(d, d)) * held.Weight() / p.XU().Weight()
	}
	v, err := fitVariance(context.Background(), p, f, h)
	if err != nil {
		t.Fatal(err)
	}
	if want := precisionFloor * mean; math.Abs(v.floor-want) > 1e-12*want {
		t.Errorf("floor %g, want %g", v.floor, want)
	}
}

// function draws a function of n values with k outputs, as an affine of their indicators.
func function(rnd *rand.Rand, n, k int) crossfit.Affine {
	a := crossfit.Affine{Coef: mat.NewDense(n, k, nil), Intercept: make([]float64, k)}
	for j := range k {
		a.Intercept[j] = rnd.NormFloat64()
		for i := range n {
			a.Coef.Set(i, j, rnd.NormFloat64())
		}
	}
	return a
}
