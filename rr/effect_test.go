package rr_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"mediant/effect"
	"mediant/features"
	"mediant/internal/slow"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
	"mediant/testdata"
)

func effectOf(t testing.TB, e effect.Estimator, xu, uy tables.Source) *effect.Result {
	t.Helper()
	got, err := e.Estimate(context.Background(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestGoldenEffect(t *testing.T) {
	g := testdata.ReadGolden(t)
	n := len(g.Effect.Treatment)
	p := 0.0
	for _, v := range g.Effect.Treatment {
		p += v / float64(n)
	}
	var xu, uy mat.Dense
	xu.Augment(mat.NewDense(n, 1, g.Effect.Treatment), g.Input.Psi.Dense())
	uy.Augment(g.Input.Psi2.Dense(), g.Input.Y.Dense())
	setup := linear()
	setup.Folds = 1
	setup.Roles.Y = []string{"y1"}
	got := effectOf(t, effect.Estimator{
		Setup: setup, Treatment: "t", Probability: rr.Value(p), LambdaH: rr.Value(g.Effect.LambdaH), Mu: rr.Value(g.Effect.Mu),
	}, table(t, "t u1 u2 u3", &xu), table(t, "u1 u2 u3 y1 y2", &uy))
	e := got.Effects[0]
	if math.Abs(e.Value-g.Effect.Tau) > 1e-9 || math.Abs(e.SE-g.Effect.SE) > 1e-9 {
		t.Errorf("%.12g, se %.12g; want %.12g, se %.12g", e.Value, e.SE, g.Effect.Tau, g.Effect.SE)
	}
	// t has the degrees of freedom of two means of 14 and 11 rows, and so lies between those of 10 and of 13 + 10.
	if margin := (e.Hi - e.Lo) / 2; margin > 2.2282*e.SE || margin < 2.0686*e.SE || math.Abs(e.Hi+e.Lo-2*e.Value) > 1e-12 || got.Rows.XU != 14 || got.Rows.UY != 11 || got.Treated+got.Control != 14 {
		t.Errorf("interval or rows are wrong: %+v", got)
	}
}

// TestEffectOfArmsByHand: h meets every Y, so that tau is the difference of the arms' means of 10 + U, 4 - 2, and only
// S_X has an error. With 2 of 5 treated the means of 3 and of 2 rows have the variances 1/3 and 2/2, from 2 and 1 degrees of freedom, their
// difference 4/3 from (4/3)²/((1/3)²/2 + 1) = 32/19.
// With p = 1/2 given, kappa ±2, the terms are 2 (-11, -12, -13, 13, 15) of mean -16/5 and variance Σ (t + 16/5)²/(5·4).
func TestEffectOfArmsByHand(t *testing.T) {
	xu := table(t, "t u", mat.NewDense(5, 2, []float64{0, 1, 0, 2, 0, 3, 1, 3, 1, 5}))
	uy := table(t, "u y", mat.NewDense(3, 2, []float64{0, 10, 2, 12, 7, 17}))
	exact := effect.Estimator{Setup: problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}, NoStandardize: true, Folds: 1}, Treatment: "t", LambdaH: rr.Value(0), Mu: rr.Value(0)}
	known := exact
	known.Probability = rr.Value(.5)
	given := 0.0
	for _, v := range []float64{-22, -24, -26, 26, 30} {
		given += (v + 3.2) * (v + 3.2) / 20
	}
	for _, c := range []struct {
		e                      effect.Estimator
		tau, variance, freedom float64
	}{{exact, 2, 4. / 3, 32. / 19}, {known, -3.2, given, 4}} {
		got := effectOf(t, c.e, xu, uy).Effects[0]
		if margin := (distuv.StudentsT{Sigma: 1, Nu: c.freedom}).Quantile(.975) * got.SE; math.Abs(got.Hi-got.Value-margin) > 1e-12*margin {
			t.Errorf("effect %g to %g, want a margin of %g", got.Value, got.Hi, margin)
		}
		if math.Abs(got.Value-c.tau) > 1e-12 || math.Abs(got.SE-math.Sqrt(c.variance)) > 1e-12 { // systems of condition below 100
			t.Errorf("effect %g, standard error %g; want %g and %g", got.Value, got.SE, c.tau, math.Sqrt(c.variance))
		}
	}
}

// surrogate draws a randomised study of two short-term outcomes, and another one of these and of Y,
// in which they are spread wider. The effect on Y is exactly
//
//	E [u1 + u2² | T=1] - E [.. | T=0] = .5 + .3²
//
// about a mean of Y of 20, which is what makes kappa h noisy where the share of the treated is known.
func surrogate(t testing.TB, n, m int, seed uint64) (xu, uy tables.Source) {
	rnd := rand.New(rand.NewPCG(seed, 77))
	a, b := mat.NewDense(n, 3, nil), mat.NewDense(m, 3, nil)
	for i := range n {
		treated := 0.
		if rnd.Float64() < .4 {
			treated = 1
		}
		a.SetRow(i, []float64{treated, .5*treated + rnd.NormFloat64(), .3*treated + rnd.NormFloat64()})
	}
	for i := range m {
		u1, u2 := 1.3*rnd.NormFloat64()+.2, 1.2*rnd.NormFloat64()
		b.SetRow(i, []float64{u1, u2, 20 + u1 + u2*u2 + rnd.NormFloat64()})
	}
	return table(t, "t u1 u2", a), table(t, "u1 u2 y", b)
}

const surrogateEffect = .5 + .3*.3

func quadratic() features.Spec {
	return features.Spec{Kind: features.PolynomialFeatures, Degree: 2}
}

// TestEffectCovers: of 200 intervals 190 are expected to hold the effect, with a standard deviation of
// 3.1; fewer than 178 or 199 and more has odds below 2e-3 for right intervals. The seeds are fixed.
func TestEffectCovers(t *testing.T) {
	slow.Only(t)
	const n, m, reps = 300, 500, 200
	for name, e := range map[string]effect.Estimator{
		"share":       {Setup: problem.Setup{Psi: quadratic(), Folds: 4}, Treatment: "t"},
		"probability": {Setup: problem.Setup{Psi: quadratic(), Folds: 4}, Treatment: "t", Probability: rr.Value(.4)},
	} {
		hits, sum, square, se := 0, 0., 0., 0.
		for r := range reps {
			xu, uy := surrogate(t, n, m, uint64(r))
			got := effectOf(t, e, xu, uy).Effects[0]
			if got.Lo <= surrogateEffect && surrogateEffect <= got.Hi {
				hits++
			}
			sum += got.Value / reps
			square += got.Value * got.Value / reps
			se += got.SE * got.SE / reps
		}
		sd := math.Sqrt(square - sum*sum)
		if hits < 178 || hits > 198 {
			t.Errorf("%s: %d of %d intervals hold the effect", name, hits, reps)
		}
		// The standard deviation of 200 estimates is known to 5 %: 20 % is 4 of these.
		if ratio := math.Sqrt(se) / sd; math.Abs(ratio-1) > .2 {
			t.Errorf("%s: standard errors are %.3g times the standard deviation", name, ratio)
		}
		if math.Abs(sum-surrogateEffect) > 4*sd/math.Sqrt(reps) {
			t.Errorf("%s: mean estimate %.4g, effect %.4g, standard deviation of the mean %.2g", name, sum, surrogateEffect, sd/math.Sqrt(reps))
		}
		t.Logf("%s: %d of %d, mean %.4f, sd %.4f, se %.4f", name, hits, reps, sum, sd, math.Sqrt(se))
	}
}

// TestEffectNeedsOnlyOneRightNuisance: with an h that is constant (lambda_h huge) or an r that is 0 (mu
// huge) the other still finds the effect.
func TestEffectNeedsOnlyOneRightNuisance(t *testing.T) {
	xu, uy := surrogate(t, 4000, 3000, 1)
	both := effect.Estimator{Setup: problem.Setup{Psi: quadratic()}, Treatment: "t", LambdaH: rr.Value(1e-6), Mu: rr.Value(1e-6)}
	for name, e := range map[string]effect.Estimator{
		"both right": both,
		"h constant": {Setup: both.Setup, Treatment: "t", LambdaH: rr.Value(1e9), Mu: both.Mu},
		"r nearly 0": {Setup: both.Setup, Treatment: "t", LambdaH: both.LambdaH, Mu: rr.Value(1e9)},
	} {
		got := effectOf(t, e, xu, uy).Effects[0]
		if math.Abs(got.Value-surrogateEffect) > 4*got.SE {
			t.Errorf("%s: %.3f, se %.3f", name, got.Value, got.SE)
		}
	}
	neither := effectOf(t, effect.Estimator{Setup: both.Setup, Treatment: "t", LambdaH: rr.Value(1e9), Mu: rr.Value(1e9)}, xu, uy).Effects[0]
	if math.Abs(neither.Value) > .1 { // else the cases above prove nothing
		t.Errorf("without h and r the estimate is %.3f, want next to 0", neither.Value)
	}
}

// TestEffectWithWeights: a row of weight 0 is not there, and a common factor of weights that are not whole is nothing.
func TestEffectWithWeights(t *testing.T) {
	xu, uy := surrogate(t, 120, 90, 5)
	e := effect.Estimator{Setup: problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}, NoStandardize: true, Folds: 1}, Treatment: "t", LambdaH: rr.Value(.1), Mu: rr.Value(.1)}
	want := effectOf(t, e, xu, uy).Effects[0]
	weigh := func(weight float64, src tables.Source, names string) tables.Source {
		var rows [][]float64
		for b, err := range src.Batches(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.Rows {
				rows = append(rows, append(mat.Row(nil, i, b.Num), weight))
			}
		}
		out := mat.NewDense(len(rows)+1, len(rows[0]), nil)
		for i, row := range rows {
			out.SetRow(i, row)
		}
		out.SetRow(len(rows), []float64{1, 1, 50, 0}) // weight 0
		return table(t, names, out)
	}
	e.Roles = tables.RoleOptions{WeightsXU: "a", WeightsUY: "b"}
	for _, weight := range []float64{1, 2.5} {
		got := effectOf(t, e, weigh(weight, xu, "t u1 u2 a"), weigh(weight, uy, "u1 u2 y b"))
		if est := got.Effects[0]; math.Abs(est.Value-want.Value) > 1e-10 || math.Abs(est.SE/want.SE-1) > 1e-10 || got.Treated+got.Control != 120 || got.Rows.UY != 90 {
			t.Errorf("weights of %g: %+v, want %+v", weight, got, want)
		}
	}
}

func TestEffectRefuses(t *testing.T) {
	xu, uy := surrogate(t, 40, 40, 5)
	for says, e := range map[string]effect.Estimator{
		"must be 0 or 1":      {Treatment: "u1"},
		"no column":           {Treatment: "age"},
		"must be finite":      {Treatment: "t", Mu: rr.Value(-1)},
		"above 0 and below 1": {Treatment: "t", Probability: rr.Value(1)},
		"does not explain":    {Treatment: "t", Probability: rr.Value(.02)}, // about .4 of 40
		"too few rows":        {Treatment: "t", Setup: problem.Setup{Folds: 30}},
		"raise the limit":     {Treatment: "t", Setup: problem.Setup{Memory: 1000}},
	} {
		e.Psi.Size = 16
		if _, err := e.Estimate(context.Background(), xu, uy); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q, got %v", says, err)
		}
	}
	all := mat.NewDense(10, 2, nil)
	all.Apply(func(i, j int, _ float64) float64 { return float64(1-j) + float64(i*j) }, all)
	if _, err := (effect.Estimator{Treatment: "t", Setup: problem.Setup{Roles: tables.RoleOptions{U: []string{"u1"}, Y: []string{"y"}}, Psi: quadratic(), Folds: 1}}).Estimate(context.Background(), table(t, "t u1", all), uy); err == nil || !strings.Contains(err.Error(), "every one is treated") {
		t.Errorf("all treated: %v", err)
	}
	text, err := tables.FromColumns(tables.Strings("t", []string{"a", "b"}), tables.Numbers("u1", []float64{1, 2}), tables.Numbers("u2", []float64{1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (effect.Estimator{Treatment: "t"}).Estimate(context.Background(), text, uy); err == nil || !strings.Contains(err.Error(), "is treated is not set") {
		t.Errorf("a text treatment: %v", err)
	}
}
