package risk_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/losses"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// chance is P(good|U = u), and goodGiven P(good|X = x) for U = x + N(0, .3²), by a sum over the noise.
func chance(u float64) float64 { return 1 / (1 + math.Exp(-3*u)) }

func goodGiven(x float64) float64 {
	sum, weight := 0., 0.
	for z := -4.; z <= 4; z += .05 {
		w := math.Exp(-z * z / 2)
		sum += w * chance(x+.3*z)
		weight += w
	}
	return sum / weight
}

// chances draws n rows of X and U, with columns of predictions bad and good, and n of U and Y.
func chances(t *testing.T, n int, seed uint64, f func(x float64) float64) (xu, uy tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 8))
	x, u, v, bad, good := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	y := make([]string, n)
	for i := range n {
		x[i] = 2*rnd.Float64() - 1
		u[i] = x[i] + .3*rnd.NormFloat64()
		v[i] = 2*rnd.Float64() - 1 + .3*rnd.NormFloat64()
		good[i] = f(x[i])
		bad[i] = 1 - good[i]
		y[i] = "bad"
		if rnd.Float64() < chance(v[i]) {
			y[i] = "good"
		}
	}
	return fixture.Table(t, "x", x, "u", u, "bad", bad, "good", good), fixture.Table(t, "u", v, "y", y)
}

// logLoss is the expected log loss of f, and of the best constant, 1/2.
func logLoss(f func(x float64) float64) float64 {
	sum, n := 0., 0.
	for x := -.9995; x < 1; x += .001 {
		p := goodGiven(x)
		sum -= p*math.Log(f(x)) + (1-p)*math.Log(1-f(x))
		n++
	}
	return sum / n
}

var (
	bent    = func(x float64) float64 { return 1 / (1 + math.Exp(-3*x)) }
	setupOf = problem.Setup{Roles: tables.RoleOptions{U: []string{"u"}, Y: []string{"y"}}, Psi: features.Spec{Size: 40, Bandwidth: 1}}
)

// TestLossOfPredictions: over 60 draws the log loss of two given f is estimated without bias, its standard error is that of the estimates, and its intervals contain the truth. The mean of 60 has
// a standard error of sd/sqrt(60), of which 4 are allowed; the ratio of standard deviations one of 1/sqrt(118), 9 %; of 60 intervals of 95 % fewer than 50 contain the
// truth with odds of 5e-4.
func TestLossOfPredictions(t *testing.T) {
	const draws = 60
	for name, f := range map[string]func(float64) float64{"near the best": bent, "nearly constant": func(x float64) float64 { return .3 + .01*x }} {
		truth := logLoss(f)
		var sum, squares, se float64
		covered, brackets := 0, 0
		for seed := range uint64(draws) {
			xu, uy := chances(t, 400, seed, f)
			c, err := risk.AssessPredictions(t.Context(), setupOf, xu, uy, risk.Predictions{Columns: []string{"bad", "good"}}, risk.AssessOptions{Loss: losses.Log{}, H: &risk.FoldH{Lambda: rr.Value(1e-4)}})
			if err != nil {
				t.Fatal(err)
			}
			gap := c.Loss.Value - truth
			sum += gap
			squares += gap * gap
			se += c.Loss.SE / draws
			if c.Loss.Lo <= truth && truth <= c.Loss.Hi {
				covered++
			}
			if c.Loss.Bracket.Lower <= truth && truth <= c.Loss.Bracket.Upper {
				brackets++
			}
			if math.Abs(c.Loss.Constant-math.Ln2) > .02 {
				t.Errorf("the best constant has the loss %g, want about log 2", c.Loss.Constant)
			}
		}
		mean := sum / draws
		sd := math.Sqrt((squares - draws*mean*mean) / (draws - 1))
		t.Logf("%s: truth %.4f, bias %.4f, sd %.4f, mean se %.4f, covered %d, brackets %d of %d", name, truth, mean, sd, se, covered, brackets, draws)
		if math.Abs(mean) > 4*sd/math.Sqrt(draws) || se < .7*sd || se > 1.5*sd || covered < 50 || brackets < 58 {
			t.Errorf("%s: truth %.4f, bias %.4f, sd %.4f, mean se %.4f, covered %d, brackets %d of %d", name, truth, mean, sd, se, covered, brackets, draws)
		}
	}
}

// TestLossDifference: predictions differ from a model in the loss by the difference of both risks, whose standard error is that of paired rows.
func TestLossDifference(t *testing.T) {
	xu, uy := chances(t, 600, 9, func(x float64) float64 { return .5 + .1*x })
	spec := features.Spec{Size: 40, Bandwidth: 1}
	m, err := rr.Fit(t.Context(), problem.Setup{Roles: tables.RoleOptions{X: []string{"x"}, U: []string{"u"}, Y: []string{"y"}}, Phi: spec, Psi: spec}, rr.Generalized{Loss: losses.Log{}}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	c, err := risk.AssessPredictions(t.Context(), setupOf, xu, uy, risk.Predictions{Columns: []string{"bad", "good"}, Against: m}, risk.AssessOptions{Loss: losses.Log{}})
	if err != nil {
		t.Fatal(err)
	}
	d := c.LossDifference
	if math.Abs(d.Value-(c.Loss.Value-c.Against.Loss.Value)) > 1e-9 || !(d.Lo > 0) || !(d.SE < math.Hypot(c.Loss.SE, c.Against.Loss.SE)) {
		t.Errorf("difference %+v of %+v and %+v", d, c.Loss.Interval, c.Against.Loss.Interval)
	}
}

// TestLossOfAMethod: the cross-fitted loss of 2Step-RR for classes, below that of a constant and above the best possible.
func TestLossOfAMethod(t *testing.T) {
	xu, uy := chances(t, 1500, 7, bent)
	spec := features.Spec{Size: 40, Bandwidth: 1}
	roles := tables.RoleOptions{X: []string{"x"}, U: []string{"u"}, Y: []string{"y"}}
	p := problemtest.Prepared(t, problem.Setup{Roles: roles, Phi: spec, Psi: spec, Folds: 5}, xu, uy)
	a, err := risk.Assess(t.Context(), p, risk.Fitted(rr.Generalized{Loss: losses.Log{}}), risk.AssessOptions{Loss: losses.Log{}})
	if err != nil {
		t.Fatal(err)
	}
	best := logLoss(goodGiven)
	if l := a.Loss; l.Loss != "log" || math.Abs(l.Value-best) > 4*l.SE || l.SE > .03 || len(l.ByFold()) != 5 {
		t.Errorf("%+v, the best possible is %.4f", l, best)
	}
	if a.Accuracy == nil || a.Accuracy.Value < .7 {
		t.Errorf("accuracy %+v", a.Accuracy)
	}
}

// TestLossIsRefused: predictions outside the domain or at its end, numbers for log loss, form 2, problems of sums.
func TestLossIsRefused(t *testing.T) {
	assess := func(f func(float64) float64, opt risk.AssessOptions) error {
		xu, uy := chances(t, 60, 1, f)
		_, err := risk.AssessPredictions(t.Context(), setupOf, xu, uy, risk.Predictions{Columns: []string{"bad", "good"}}, opt)
		return err
	}
	log := risk.AssessOptions{Loss: losses.Log{}}
	xu, uy := synthetic(t, 1)
	numbers := withPredictions(t, xu, map[string]func([]float64) float64{"f": func(x []float64) float64 { return x[0] }})
	_, ofNumbers := risk.AssessPredictions(t.Context(), problem.Setup{Psi: additive, Roles: tables.RoleOptions{U: []string{"u1", "u2"}}}, numbers, uy, risk.Predictions{Columns: []string{"f"}}, log)
	for want, err := range map[string]error{
		"outside the domain": assess(func(x float64) float64 { return min(1, 1+x/4) }, log),
		"log, or at its end": assess(func(x float64) float64 { return 1.5 + x/4 }, log),
		"is for form 1":      assess(bent, risk.AssessOptions{Loss: losses.Log{}, Form: risk.CovariateShift}),
		"is for classes":     ofNumbers,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if errors.Is(ofNumbers, problem.ErrNeedsRows) {
		t.Error("rows are missed")
	}
}
