package rr_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/features"
	"mediant/internal/fittest"
	"mediant/internal/problemtest"
	"mediant/losses"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// smooth is a setup of Gaussian features at a fixed bandwidth.
func smooth() problem.Setup {
	spec := features.Spec{Size: 60, Bandwidth: 1}
	return problem.Setup{Phi: spec, Psi: spec, NoStandardize: true}
}

// moods draws X uniform on [-1, 1], U = X + N(0, .3²) and Y with P(good|U) = 1/(1 + exp(-3U)).
func moods(t testing.TB, n int, seed uint64) (xu, uy tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 3))
	draw := func() (x, u []float64) {
		x, u = make([]float64, n), make([]float64, n)
		for i := range n {
			x[i] = 2*rnd.Float64() - 1
			u[i] = x[i] + .3*rnd.NormFloat64()
		}
		return x, u
	}
	x, u := draw()
	_, v := draw()
	y := make([]string, n)
	for i := range n {
		y[i] = "bad"
		if rnd.Float64() < 1/(1+math.Exp(-3*v[i])) {
			y[i] = "good"
		}
	}
	return columns(t, tables.Numbers("x", x), tables.Numbers("u", u)), columns(t, tables.Numbers("u", v), tables.Strings("y", y))
}

func columns(t testing.TB, of ...tables.ColumnData) tables.Source {
	t.Helper()
	src, err := tables.FromColumns(of...)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// good is P(good|X=x) by a mean over 4,000 points of the noise.
func good(x float64) float64 {
	sum, weight := 0., 0.
	for z := -4.; z <= 4; z += .002 {
		w := math.Exp(-z * z / 2)
		sum += w / (1 + math.Exp(-3*(x+.3*z)))
		weight += w
	}
	return sum / weight
}

// TestGeneralizedEstimatesTheMean: probabilities sum to 1, and those of 4,000 rows are near P(Y|X), which is not the softmax of a mean of eta: at x = 1/2 the logistic function of
// the mean is .82 and the mean .78. A bin of 400 rows has a standard error of .02; 3 of them are allowed.
func TestGeneralizedEstimatesTheMean(t *testing.T) {
	xu, uy := moods(t, 4000, 1)
	m := fit(t, fittest.With(smooth(), rr.Generalized{Loss: losses.Log{}}), xu, uy)
	query := mat.NewDense(5, 1, []float64{-.9, -.5, 0, .5, .9})
	got := predictions(t, m, query)
	for i := range 5 {
		row := got.RawRowView(i)
		if math.Abs(floats.Sum(row)-1) > 1e-12 || row[0] <= 0 || row[1] <= 0 {
			t.Errorf("probabilities %v", row)
		}
		if want := good(query.At(i, 0)); math.Abs(row[1]-want) > .06 {
			t.Errorf("P(good|X=%g) = %.3f, want %.3f", query.At(i, 0), row[1], want)
		}
	}
	if m.Params.Loss != "log" {
		t.Errorf("loss %q", m.Params.Loss)
	}
}

// TestGeneralizedOfRareClasses: over 40 draws of 1,000 rows a table the mean probability of a class of 3 % is the prevalence, whose standard error from the rows of Y is .0054: without bias, and within two of them in at least 34
// draws, fewer than which have odds of 1 %.
func TestGeneralizedOfRareClasses(t *testing.T) {
	const draws, n, prevalence = 40, 1000, .03
	se, sum, within := math.Sqrt(prevalence*(1-prevalence)/n), 0., 0
	for seed := range uint64(draws) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		x, u, v, y := make([]float64, n), make([]float64, n), make([]float64, n), make([]string, n)
		for i := range n {
			x[i] = rnd.NormFloat64()
			u[i] = .8*x[i] + .6*rnd.NormFloat64()
			v[i] = rnd.NormFloat64()
			y[i] = "usual"
			if v[i]+rnd.NormFloat64() > math.Sqrt2*1.880793608 { // the 97 % point of N(0, 2)
				y[i] = "rare"
			}
		}
		spec := features.Spec{Size: 40, Bandwidth: 2}
		m := fit(t, fittest.With(problem.Setup{Phi: spec, Psi: spec, Seed: seed}, rr.Generalized{Loss: losses.Log{}, LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-3)}), columns(t, tables.Numbers("x", x), tables.Numbers("u", u)), columns(t, tables.Numbers("u", v), tables.Strings("y", y)))
		z := (floats.Sum(mat.Col(nil, 0, predictions(t, m, mat.NewDense(n, 1, x))))/n - prevalence) / se
		sum += z / draws
		if math.Abs(z) <= 2 {
			within++
		}
	}
	t.Logf("mean %.2f standard errors, within two in %d of %d", sum, within, draws)
	if math.Abs(sum) > 3/math.Sqrt(draws) || within < 34 {
		t.Errorf("mean %.2f standard errors, within two in %d of %d", sum, within, draws)
	}
}

// TestGeneralizedOfSquares is 2Step-RR: eta is 2f, so that lambda |eta's coefficients|² is 4 lambda |alpha|².
func TestGeneralizedOfSquares(t *testing.T) {
	xu, uy := tablesOf(t, 200, 250, 4)
	query := uniform(rand.New(rand.NewPCG(1, 1)), 6, 2)
	want := predictions(t, fit(t, fittest.With(smooth(), rr.TwoStep{LambdaF: rr.Value(.004), LambdaH: rr.Value(.0004)}), xu, uy), query)
	got := predictions(t, fit(t, fittest.With(smooth(), rr.Generalized{Loss: losses.Squared{}, LambdaF: rr.Value(.001), LambdaH: rr.Value(.0001)}), xu, uy), query)
	if !mat.EqualApprox(got, want, 1e-7) {
		t.Errorf("predictions\n%v, want\n%v", mat.Formatted(got), mat.Formatted(want))
	}
}

// TestGeneralizedLeavesOutLandmarks: without a fold its landmarks are left out of rows as they are of sums, so that by squared error the fits are those of 2Step-RR.
func TestGeneralizedLeavesOutLandmarks(t *testing.T) {
	xu, uy := tablesOf(t, 200, 250, 4)
	spec := features.Spec{Kind: features.NystromFeatures, Size: 30, Bandwidth: 1}
	p := problemtest.Prepared(t, problem.Setup{Phi: spec, Psi: spec, NoStandardize: true, Folds: 3}, xu, uy)
	rest, err := p.Without(1)
	if err != nil {
		t.Fatal(err)
	}
	want, err := rr.FitWith(t.Context(), rr.TwoStep{LambdaF: rr.Value(.004), LambdaH: rr.Value(.0004)}, rest)
	if err != nil {
		t.Fatal(err)
	}
	got, err := rr.FitWith(t.Context(), rr.Generalized{Loss: losses.Squared{}, LambdaF: rr.Value(.001), LambdaH: rr.Value(.0001)}, rest)
	if err != nil {
		t.Fatal(err)
	}
	query := uniform(rand.New(rand.NewPCG(1, 1)), 6, 2)
	var a, b mat.Dense
	rr.MustPredict(&a, want.F, query, 1)
	rr.MustPredict(&b, got.F, query, 1)
	if !mat.EqualApprox(&a, &b, 1e-6) {
		t.Errorf("predictions\n%v, want\n%v", mat.Formatted(&b), mat.Formatted(&a))
	}
}

// TestGeneralizedOfCounts: Poisson regression predicts positive means, near exp(U) given U, and E[exp(U)|X] given X.
func TestGeneralizedOfCounts(t *testing.T) {
	const n = 4000
	rnd := rand.New(rand.NewPCG(2, 3))
	var x, u, v, y [n]float64
	for i := range n {
		x[i] = 2*rnd.Float64() - 1
		u[i] = x[i] + .3*rnd.NormFloat64()
		v[i] = 2*rnd.Float64() - 1 + .3*rnd.NormFloat64()
		for at := rnd.ExpFloat64(); at < math.Exp(v[i]); at += rnd.ExpFloat64() {
			y[i]++
		}
	}
	xu, uy := columns(t, tables.Numbers("x", x[:]), tables.Numbers("u", u[:])), columns(t, tables.Numbers("u", v[:]), tables.Numbers("y", y[:]))
	got := predictions(t, fit(t, fittest.With(smooth(), rr.Generalized{Loss: losses.Poisson{}}), xu, uy), mat.NewDense(3, 1, []float64{-.5, 0, .5}))
	for i, at := range []float64{-.5, 0, .5} {
		// E exp(N(0, .09)) = exp(.045); the mean of 400 counts of about 1 has a standard error of .05.
		if want := math.Exp(at + .045); math.Abs(got.At(i, 0)-want) > .15*want {
			t.Errorf("E[Y|X=%g] = %.3f, want %.3f", at, got.At(i, 0), want)
		}
	}
}

// TestGeneralizedRefuses: numbers for log loss, negative counts, a penalty of 0, no loss.
func TestGeneralizedRefuses(t *testing.T) {
	xu, uy := tablesOf(t, 40, 40, 5)
	classes, ofClasses := moods(t, 40, 2)
	for want, run := range map[string]func() (*mediant.Model, error){
		"is for classes": func() (*mediant.Model, error) {
			return fitted(t, rr.Generalized{Loss: losses.Log{}}, xu, uy)
		},
		"which the loss poisson is not for": func() (*mediant.Model, error) {
			u := []float64{1, 2, 3, 4}
			return fitted(t, rr.Generalized{Loss: losses.Poisson{}}, columns(t, tables.Numbers("x", u), tables.Numbers("u", u)), columns(t, tables.Numbers("u", u), tables.Numbers("y", []float64{1, -2, 0, 1})))
		},
		"must be above 0": func() (*mediant.Model, error) {
			return fitted(t, rr.Generalized{Loss: losses.Log{}, LambdaF: rr.Value(0)}, classes, ofClasses)
		},
		"is not set": func() (*mediant.Model, error) { return fitted(t, rr.Generalized{}, classes, ofClasses) },
	} {
		if _, err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func fitted(t *testing.T, m rr.Method, xu, uy tables.Source) (*mediant.Model, error) {
	t.Helper()
	model, err := rr.Fit(t.Context(), smooth(), m, xu, uy)
	return &mediant.Model{Model: model}, err
}
