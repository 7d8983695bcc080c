package effect

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"mediant/moments"
	"mediant/rr"
	"mediant/tables"
)

// TestViolation: the noise of Y given u has the standard deviation 1, and the interval is away from 0 by its nearer end.
func TestViolation(t *testing.T) {
	d := drawExperiments(t, 1, 400, 1.5, 0, 11)
	one := sourceOf(t, tables.Numbers("t", d.arm), tables.Numbers("u", d.u))
	e := estimated(t, Estimator{Setup: straight(5), Treatment: "t"}, one, d.uy).Effects[0]
	if v := e.Violation; e.Lo <= 0 || v.ToZero != e.Lo || math.Abs(v.GivenU-1) > .05 || !near(*v.ToZeroSD, v.ToZero/v.GivenU) {
		t.Errorf("%+v of %+v", v, e)
	}
	if w := e.Weights; w.EffectiveRows < 1500 || w.EffectiveRows > 4000 || w.Largest > 1./200 || w.Largest < 1./4000 {
		t.Errorf("weights %+v of 4000 rows", w)
	}
	for i := range d.arm {
		d.arm[i] = 1 - d.arm[i]
	}
	turned := estimated(t, Estimator{Setup: straight(5), Treatment: "t"}, sourceOf(t, tables.Numbers("t", d.arm), tables.Numbers("u", d.u)), d.uy).Effects[0]
	if v := turned.Violation; turned.Hi >= 0 || v.ToZero != -turned.Hi || !near(v.ToZero, e.Lo) {
		t.Errorf("the other way round: %+v", turned)
	}
	if v := violationOf(normalInterval(1, 1), 4); v.ToZero != 0 || *v.ToZeroSD != 0 || v.GivenU != 2 {
		t.Errorf("an interval around 0: %+v", v)
	}
	if v := violationOf(normalInterval(5, 1), 0); v.ToZeroSD != nil {
		t.Errorf("Y that does not vary given U: %+v", v)
	}
}

func TestWeightSums(t *testing.T) {
	var s weightSums
	w := moments.Weights{Frequency: []float64{2, 1, 0}, Factor: []float64{1, .5, 1}}
	for i, r := range []float64{-1, 4, 9} { // weights 1, 1 and 2
		s.add(w, i, r)
	}
	if got := s.summary(); !near(got.EffectiveRows, 16./6) || got.Largest != .5 {
		t.Errorf("%+v", got)
	}
	if got := (&weightSums{}).summary(); got != (WeightsOfU{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// coupledRows are n rows of T, u and Y = 3 + 2 u + direct T + noise, with u moved by half of T.
func coupledRows(n int, direct float64, seed uint64) (arm, u, y []float64) {
	rnd := rand.New(rand.NewPCG(seed, 28))
	for range n {
		arm = append(arm, float64(rnd.IntN(2)))
		u = append(u, arm[len(arm)-1]/2+rnd.NormFloat64())
		y = append(y, 3+2*u[len(u)-1]+direct*arm[len(arm)-1]+rnd.NormFloat64())
	}
	return arm, u, y
}

func compared(t *testing.T, e Estimator, uy tables.Source, arm, u, y []float64) *CoupledComparison {
	t.Helper()
	xu := sourceOf(t, tables.Numbers("t", []float64{0, 1}), tables.Numbers("u", []float64{0, 1}))
	c, err := e.Coupled(t.Context(), sourceOf(t, tables.Numbers("t", arm), tables.Numbers("u", u), tables.Numbers("y", y), tables.Numbers("other", u)), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCoupledByHand: h = 3 + 2u meets every Y of S_Y, so that the surrogate effect is twice the difference in u, and the difference that of y - 2u.
func TestCoupledByHand(t *testing.T) {
	arm, u, y := coupledRows(80, 1, 1)
	e := Estimator{Setup: straight(1), Treatment: "t", LambdaH: rr.Value(0), Mu: rr.Value(0)}
	uy := sourceOf(t, tables.Numbers("u", []float64{-6, -1, 0, 2, 5}), tables.Numbers("y", []float64{-9, 1, 3, 7, 13}))
	y[5] = math.NaN()
	c := compared(t, e, uy, arm, u, y)
	var means, variances [3]float64 // of y, 2u and y - 2u: treated less others
	for k := range 3 {
		for a := range 2 {
			var v []float64
			for i := range arm {
				if int(arm[i]) == a && i != 5 {
					v = append(v, []float64{y[i], 2 * u[i], y[i] - 2*u[i]}[k])
				}
			}
			m, s := stat.MeanVariance(v, nil)
			means[k] += float64(2*a-1) * m
			variances[k] += s / float64(len(v))
		}
	}
	got := c.Effects[0]
	for k, i := range []struct{ value, se float64 }{{got.Direct.Value, got.Direct.SE}, {got.Surrogate.Value, got.Surrogate.SE}, {got.Difference.Value, got.Difference.SE}} {
		if !near(i.value, means[k]) || !near(i.se, math.Sqrt(variances[k])) {
			t.Errorf("%d: %g (%g), want %g (%g)", k, i.value, i.se, means[k], math.Sqrt(variances[k]))
		}
	}
	if !near(*got.Proportion.Value, means[1]/means[0]) || c.Rows != 79 || c.Dropped != 1 || len(c.Effects) != 1 {
		t.Errorf("%+v of %+v", got.Proportion, c)
	}
}

// TestCoupledDirectEffect: with half of the effect beside U the test finds it, and with none its p is above .05 in 95 % of samples; the interval of the share holds it as often.
func TestCoupledDirectEffect(t *testing.T) {
	rejected, holds := [2]int{}, [2]int{}
	for k, direct := range []float64{0, 1} {
		for seed := range uint64(30) {
			uy := drawExperiments(t, 1, 20, 0, 0, seed).uy
			arm, u, y := coupledRows(400, direct, seed)
			e := compared(t, Estimator{Setup: straight(2), Treatment: "t"}, uy, arm, u, y).Effects[0]
			if e.P < .05 {
				rejected[k]++
			}
			if r := e.Proportion.Range; r == nil || r.Lo <= 1/(1+direct) && 1/(1+direct) <= r.Hi {
				holds[k]++
			}
		}
	}
	if rejected[0] > 6 || rejected[1] < 29 || holds[0] < 24 || holds[1] < 24 { // chances of 1 in 1,000 or less
		t.Errorf("rejected %v, the interval holds the share in %v of 30", rejected, holds)
	}
}

// TestCoupledCopies: rows that are pasted twice are one observation, and rows that agree in T and u alone are not copies.
func TestCoupledCopies(t *testing.T) {
	arm, u, y := coupledRows(200, 0, 3)
	for i := range u {
		u[i] = math.Round(2*u[i]) / 2
	}
	e, uy := Estimator{Setup: straight(1), Treatment: "t"}, drawExperiments(t, 1, 20, 0, 0, 3).uy
	once := compared(t, e, uy, arm, u, y).Effects[0].Direct
	twice := compared(t, e, uy, append(arm, arm...), append(u, u...), append(y, y...)).Effects[0].Direct
	if !near(once.Value, twice.Value) || math.Abs(once.SE/twice.SE-1) > .01 {
		t.Errorf("once %+v, twice %+v", once, twice)
	}
}

// TestFieller: the ends are the ratios at which a - rho b is t standard errors from 0.
func TestFieller(t *testing.T) {
	a, b, va, vb, cov, q := 2., 4., .3, .5, .1, 1.96
	p := fieller(a, b, va, vb, cov, q)
	for _, rho := range []float64{p.Range.Lo, p.Range.Hi} {
		if z := (a - rho*b) / math.Sqrt(va-2*rho*cov+rho*rho*vb); math.Abs(math.Abs(z)-q) > 1e-9 {
			t.Errorf("at %g z is %g", rho, z)
		}
	}
	if *p.Value != .5 || p.Range.Lo > .5 || p.Range.Hi < .5 {
		t.Errorf("%g in %+v", *p.Value, p.Range)
	}
	if p := fieller(2, 1, .3, .5, .1, q); p.Range != nil {
		t.Errorf("a direct effect that may be 0: %+v", p.Range)
	}
	if p := fieller(2, 0, .3, .5, .1, q); p.Value != nil || p.Range != nil {
		t.Errorf("none: %+v", p)
	}
}

func TestCoupledRefuses(t *testing.T) {
	e := Estimator{Setup: straight(2), Treatment: "t"}
	xu := sourceOf(t, tables.Numbers("t", []float64{0, 1}), tables.Numbers("u", []float64{0, 1}))
	uy := drawExperiments(t, 1, 20, 0, 0, 3).uy
	arm, u, y := coupledRows(40, 0, 4)
	gone := make([]float64, 40)
	for i := range gone {
		gone[i] = math.NaN()
	}
	for want, src := range map[string]tables.Source{
		`no column "y"`:   sourceOf(t, tables.Numbers("t", arm), tables.Numbers("u", u)),
		"missing in all":  sourceOf(t, tables.Numbers("t", arm), tables.Numbers("u", u), tables.Numbers("y", gone)),
		`no column "u"`:   sourceOf(t, tables.Numbers("t", arm), tables.Numbers("y", y)),
		`no column "t"`:   sourceOf(t, tables.Numbers("u", u), tables.Numbers("y", y)),
		"none is treated": sourceOf(t, tables.Numbers("t", make([]float64, 40)), tables.Numbers("u", u), tables.Numbers("y", y)),
	} {
		if _, err := e.Coupled(t.Context(), src, xu, uy); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestConstantY: an effect of 0 with a standard error of 0 has a note that says why.
func TestConstantY(t *testing.T) {
	d := drawStudy(60, 60, .5, 10)
	uy := sourceOf(t, tables.Numbers("u", d.v), tables.Numbers("y", slices.Repeat([]float64{3}, 60)))
	got, err := Estimator{Setup: ignoring("x", "z", "p"), Treatment: "t"}.Estimate(t.Context(), d.xu(t), uy)
	if err != nil {
		t.Fatal(err)
	}
	if e := got.Effects[0]; e.Explained != nil || math.Abs(e.Value) > 1e-9 || !slices.ContainsFunc(got.Notes, func(note string) bool { return strings.Contains(note, `"y" does not vary`) }) {
		t.Errorf("%+v, notes %q", e, got.Notes)
	}
}
