package inference

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/collect"
	"mediant/features"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// chain draws n rows of U = X + a noise, and m rows of Y = 2U + b noise and Z = U + b noise, of columns x, u, y and z.
func chain(t *testing.T, n, m int, a, b float64, seed uint64) (xu, uy tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 2))
	var x, u, v, y, z []float64
	for range n {
		x = append(x, 3+rnd.NormFloat64())
		u = append(u, x[len(x)-1]+a*rnd.NormFloat64())
	}
	for range m {
		v = append(v, 3+rnd.NormFloat64())
		y = append(y, 2*v[len(v)-1]+b*rnd.NormFloat64())
		z = append(z, v[len(v)-1]+b*rnd.NormFloat64())
	}
	xu, err := tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", u))
	if err != nil {
		t.Fatal(err)
	}
	uy, err = tables.FromColumns(tables.Numbers("u", v), tables.Numbers("y", y), tables.Numbers("z", z))
	if err != nil {
		t.Fatal(err)
	}
	return xu, uy
}

func estimated(t *testing.T, p *problem.Problem, method rr.Method, kind Covariance) *Errors {
	t.Helper()
	m, err := method.Fit(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	se, err := Estimate(context.Background(), p, m, kind)
	if err != nil {
		t.Fatal(err)
	}
	return se
}

func prepared(t *testing.T, s problem.Setup, xu, uy tables.Source) *problem.Problem {
	t.Helper()
	p, err := problem.Prepare(context.Background(), s, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestVarianceIsTheMean: the parts add up to the mean of the squared standard errors over the rows of S_X, outputs summed, where none is cut; also where
// weights of a fit have other means than the rows, and without intercept.
func TestVarianceIsTheMean(t *testing.T) {
	ctx := context.Background()
	xu, uy := chain(t, 300, 200, .5, 1, 1)
	l := features.Spec{Kind: features.LinearFeatures}
	plain := prepared(t, problem.Setup{Phi: l, Psi: l}, xu, uy)
	weighed, err := plain.WithFitWeights(ctx, func(phi *mat.Dense, _ moments.Weights) moments.Weights {
		n, _ := phi.Dims()
		w := make([]float64, n)
		for i := range w {
			w[i] = math.Exp(phi.At(i, 0) / 2)
		}
		return moments.Weights{Factor: w}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct {
		name   string
		p      *problem.Problem
		method rr.Method
		kind   Covariance
	}{
		{"2Step-RR", plain, rr.TwoStep{}, Corrected},
		{"Joint-RR", plain, rr.Joint{}, Corrected},
		{"jackknife", plain, rr.Joint{}, Jackknife},
		{"without intercept", prepared(t, problem.Setup{Phi: l, Psi: l, NoIntercept: true}, xu, uy), rr.TwoStep{}, Corrected},
		{"weights of the fit", weighed, rr.TwoStep{}, Corrected},
	} {
		se := estimated(t, of.p, of.method, of.kind)
		mean, rows := 0.0, 0
		err := of.p.WalkXU(ctx, of.p.X(), of.p.Constant(), func(_ int, x, _ *mat.Dense, _ moments.Weights) {
			var errors mat.Dense
			se.PredictTo(&errors, x)
			n, _ := errors.Dims()
			rows += n
			for i := range n {
				mean += errors.At(i, 0)*errors.At(i, 0) + errors.At(i, 1)*errors.At(i, 1)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		mean /= float64(rows)
		// Sums of some hundred products of size 1 and the squares of a root: some 100 eps.
		if got := se.Variance.Total(); math.Abs(got/mean-1) > 1e-12 {
			t.Errorf("%s: the parts %+v add up to %.15g, the mean is %.15g", of.name, *se.Variance, got, mean)
		}
	}
}

// TestVarianceOfEachTable: where U = X the rows of S_X have no residual, and all variance is from S_Y; where Y = 2U it is all from S_X. With noise in both
// each has a share, and the interaction has one too.
func TestVarianceOfEachTable(t *testing.T) {
	l := features.Spec{Kind: features.LinearFeatures}
	none := rr.Value(0)
	parts := func(a, b float64) collect.Variance {
		xu, uy := chain(t, 50, 40, a, b, 1)
		return estimated(t, prepared(t, problem.Setup{Phi: l, Psi: l}, xu, uy), rr.TwoStep{LambdaF: none, LambdaH: none}, Corrected).Variance.Shares()
	}
	// Residuals of rounding are squared, so that shares are off by the rounding of a sum.
	if v := parts(0, 1); !(math.Abs(v.UY-1) < 1e-15) {
		t.Errorf("U = X: shares %+v", v)
	}
	if v := parts(1, 0); !(math.Abs(v.XU-1) < 1e-15) {
		t.Errorf("Y = 2U: shares %+v", v)
	}
	if v := parts(1, 1); !(v.XU > .2 && v.UY > .1 && v.Both > 1e-3 && v.Both < .1) {
		t.Errorf("noise in both: shares %+v", v)
	}
}

// TestSplit: the interaction is at most half of both sandwiches, as in Errors, and at most the smaller one.
func TestSplit(t *testing.T) {
	for _, of := range []struct {
		x, y, both float64
		want       collect.Variance
	}{
		{5, 3, 1, collect.Variance{XU: 4, UY: 2, Both: 1}},
		{5, 3, 0, collect.Variance{XU: 5, UY: 3}},
		{5, 3, 9, collect.Variance{XU: 1, UY: 0, Both: 3}},
		{1, 5, 2, collect.Variance{XU: 0, UY: 3, Both: 1}},
	} {
		if got := split(of.x, of.y, of.both); got != of.want {
			t.Errorf("%g, %g and %g: %+v, want %+v", of.x, of.y, of.both, got, of.want)
		}
	}
}

// TestForecastOfF: the mean standard error of f with twice the rows of either table is within 15 % of what is predicted, also with 24
// Gaussian features a side. A standard error varies by some 5 % from draw to draw, so that ratios of means over 10 draws vary by 2 %.
func TestForecastOfF(t *testing.T) {
	const n, draws = 300, 10
	for _, spec := range []features.Spec{{Kind: features.LinearFeatures}, {Size: 24, Bandwidth: 1}} {
		total := func(xu, uy int, ask func(collect.Variance) float64) (sum float64) {
			for seed := range uint64(draws) {
				a, b := chain(t, xu*n, uy*n, 1, 1, seed)
				sum += ask(*estimated(t, prepared(t, problem.Setup{Phi: spec, Psi: spec}, a, b), rr.TwoStep{}, Corrected).Variance)
			}
			return sum
		}
		for _, times := range [][2]int{{2, 1}, {1, 2}} {
			predicted := total(1, 1, func(v collect.Variance) float64 { return v.With(float64(times[0]), float64(times[1])).SE() })
			if off := predicted/total(times[0], times[1], collect.Variance.SE) - 1; math.Abs(off) > .15 {
				t.Errorf("%v, %v times the rows: the forecast is off by %.1f %%", spec, times, 100*off)
			} else {
				t.Logf("%v, %v times the rows: the forecast is off by %.1f %%", spec, times, 100*off)
			}
		}
	}
}
