package rr_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/features"
	"mediant/inference"
	"mediant/internal/slow"
	"mediant/problem"
	"mediant/rr"
)

// meanOfH fits an f that is a constant, the mean over S_X of the straight line h, which lambda_f makes of it,
// and returns its standard errors, by output.
func meanOfH(t testing.TB, u, u2, y *mat.Dense) (se []float64) {
	t.Helper()
	n, _ := u.Dims()
	x := mat.NewDense(n, 1, nil)
	x.Apply(func(i, _ int, _ float64) float64 { return float64(i) }, x)
	var xu, uy mat.Dense
	xu.Augment(x, u)
	uy.Augment(u2, y)
	line := features.Spec{Kind: features.LinearFeatures}
	setup := problem.Setup{Phi: line, Psi: line, NoStandardize: true}
	names := "u y"
	if _, k := y.Dims(); k > 1 {
		names = "u y1 y2 y3"
	}
	m := fit(t, withErrors{setup, rr.TwoStep{LambdaF: rr.Value(1e15), LambdaH: rr.Value(0)}, inference.Corrected}, table(t, "x u", &xu), table(t, names, &uy))
	return mat.Row(nil, 0, standardErrors(t, m, mat.NewDense(1, 1, []float64{3})))
}

// TestInteractionByHand: S_Y has h = b + beta u by least squares, u = ±1, y - h = ±1 and so, each residual
// keeping half of its variance, Var beta = Var b = 4 (1/16) 1/(1/2) = 1/2. f = b + beta mean_SX u has the sum
// of S_Y (1 + ubar²)/2. With t = u - ubar, of squares q = Σ t² over three rows that keep two thirds, the
// sum of S_X is beta² q/6, and their interaction q/12, q/6 of Var beta. Slopes are 1/2, -1/2 and 7/2.
func TestInteractionByHand(t *testing.T) {
	u2 := mat.NewDense(4, 1, []float64{-1, -1, 1, 1})
	y := mat.NewDense(4, 3, []float64{
		0, 3, -4,
		2, 5, -2,
		1, 2, 3,
		3, 4, 5,
	})
	for _, c := range []struct {
		u                []float64
		ubar, q          float64
		shared1, shared3 float64 // of slopes ±1/2 and 7/2
	}{
		{u: []float64{-1, 0, 1}, ubar: 0, q: 2, shared1: 1. / 6, shared3: 1. / 6},
		// q/12 = 14/12 is more than half of 1 + 14/24, all that it can be, but not of 1 + 49 14/24.
		{u: []float64{-1, 0, 4}, ubar: 1, q: 14, shared1: 19. / 24, shared3: 7. / 6},
	} {
		se := meanOfH(t, mat.NewDense(3, 1, c.u), u2, y)
		for j, want := range []float64{
			(1+c.ubar*c.ubar)/2 + c.q/24 - c.shared1,
			(1+c.ubar*c.ubar)/2 + c.q/24 - c.shared1,
			(1+c.ubar*c.ubar)/2 + c.q*49/24 - c.shared3,
		} {
			// lambda_f leaves 1e-15 of f's slope; sums of three and four small numbers lose little more.
			if d := math.Abs(se[j]*se[j] - want); d > 1e-13 {
				t.Errorf("u = %v, output %d: variance %g, want %g", c.u, j, se[j]*se[j], want)
			}
		}
	}
}

// TestErrorsWithoutNoise: where h meets every Y there is no error but that of S_X, and rounding makes none
// that is not a number.
func TestErrorsWithoutNoise(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 9))
	for range 20 {
		u, u2 := uniform(rnd, 5, 1), uniform(rnd, 9, 1)
		y := mat.NewDense(9, 1, nil)
		y.Apply(func(i, _ int, _ float64) float64 { return 3*u2.At(i, 0) - 1 }, y)
		se := meanOfH(t, u, u2, y)
		mean, want := mat.Sum(u)/5, 0.0
		for i := range 5 {
			d := 3 * (u.At(i, 0) - mean)
			want += d * d / 5 / 4 // the usual variance of a mean
		}
		// Slopes right to some 1e-14, interactions of their squares.
		if d := math.Abs(se[0] - math.Sqrt(want)); !(d < 1e-12) {
			t.Errorf("standard error %g, want %g", se[0], math.Sqrt(want))
		}
	}
}

// TestErrorsOfANullSlope: n = 4, m = 12, U standard normal, Y noise of variance 1 that U says nothing of. Then
// f = ybar + beta (ubar_X - ubar_Y) with Var(beta|U) = 1/S, S = Σ (u' - ubar_Y)², E 1/S = 1/(m-3), so that
//
//	Var f = 1/m + (1/n + 1/m)/(m-3) = 0.1204
//
// of which 1/n/(m-3) = 0.0278 is the interaction: S_X alone makes nothing. Counted twice it would make the mean
// of se² 0.1481, counted not at all 0.0926. Corrected sums have exactly the means that theory asks for, but
// for the bound of the interaction by half of them.
func TestErrorsOfANullSlope(t *testing.T) {
	slow.Only(t)
	const n, m, draws = 4, 12, 10000
	rnd := rand.New(rand.NewPCG(11, 3))
	normal := func(n int) *mat.Dense {
		out := mat.NewDense(n, 1, nil)
		out.Apply(func(int, int, float64) float64 { return rnd.NormFloat64() }, out)
		return out
	}
	var mean, square float64
	for range draws {
		se := meanOfH(t, normal(n), normal(m), normal(m))
		v := se[0] * se[0]
		mean += v / draws
		square += v * v / draws
	}
	want := 1./m + (1./n+1./m)/(m-3)
	// Five standard errors of the mean: less than once in a million seeds. It is some 0.004.
	tol := 5 * math.Sqrt((square-mean*mean)/draws)
	t.Logf("mean %g, want %g, tolerance %g", mean, want, tol)
	if d := math.Abs(mean - want); d > tol || tol > .008 {
		t.Errorf("mean variance %g, want %g ± %g", mean, want, tol)
	}
}

// TestSharedErrorsAreKeptInTheModelFile: what both tables count is a part of the file, of all outputs.
func TestSharedErrorsAreKeptInTheModelFile(t *testing.T) {
	xu, uy := tablesOf(t, 90, 70, 2)
	for _, w := range []float64{1, .5} {
		model := fit(t, withErrors{problem.Setup{Phi: nystrom(1, 30), Psi: features.Spec{Size: 32}}, rr.Joint{W: rr.Value(w)}, inference.Corrected}, xu, uy)
		raw := saved(t, model)
		loaded, err := mediant.Load(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		query := uniform(rand.New(rand.NewPCG(1, 1)), 8, 2)
		if got, want := standardErrors(t, loaded, query), standardErrors(t, model, query); !mat.Equal(got, want) {
			t.Errorf("w = %g: standard errors are others after loading", w)
		}
		if !bytes.Equal(saved(t, loaded), raw) {
			t.Errorf("w = %g: saved again, the bytes are others", w)
		}
	}
}

func BenchmarkStandardErrors(b *testing.B) {
	xu, uy := tablesOf(b, 1000, 1000, 2)
	spec := features.Spec{Size: 256}
	p, err := problem.Prepare(context.Background(), problem.Setup{Phi: spec, Psi: spec}, xu, uy)
	if err != nil {
		b.Fatal(err)
	}
	for name, w := range map[string]float64{"2step": 1, "joint": .5} {
		m, err := rr.Joint{W: rr.Value(w), LambdaF: rr.Value(1e-4), LambdaH: rr.Value(1e-4)}.Fit(context.Background(), p)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := inference.Estimate(context.Background(), p, m, inference.Corrected); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
