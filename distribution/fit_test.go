package distribution_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/distribution"
	"mediant/experiments"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// synthetic is the problem of a draw of the paper's distribution in two dimensions.
func synthetic(t testing.TB, rows int, seed uint64) (p *problem.Problem, m *rr.Model) {
	t.Helper()
	s := experiments.Synthetic{D: 2, Noise: .1}
	xu, uy := fixture.Must[tables.Source](t)(s.XU(rows, seed)), fixture.Must[tables.Source](t)(s.UY(rows, seed))
	spec := features.Spec{Kind: features.AdditiveFeatures, Size: 40}
	p = fixture.Must[*problem.Problem](t)(problem.Prepare(t.Context(), problem.Setup{Phi: spec, Psi: spec, Seed: 3, Folds: problem.DefaultFolds}, xu, uy))
	return p, fixture.Must[*rr.Model](t)(rr.TwoStep{}.Fit(t.Context(), p))
}

func fitted(t testing.TB, p *problem.Problem) *distribution.CDF {
	t.Helper()
	return fixture.Must[*distribution.CDF](t)(distribution.Fit(t.Context(), p, distribution.Options{Thresholds: 20}))
}

// truth is the share of coupled rows in intervals of a nominal level, and their mean CRPS by the outputs.
func truth(t *testing.T, p *problem.Problem, d *distribution.CDF, nominal float64) float64 {
	t.Helper()
	xy := fixture.Must[tables.Source](t)(experiments.Synthetic{D: 2, Noise: .1}.XY(10000, 99))
	x, y, _, _, err := problem.Matrices(t.Context(), xy, p.X(), p.Y(), problem.PassOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var cdf mat.Dense
	d.PredictTo(&cdf, x)
	n, _ := cdf.Dims()
	in := 0
	for i := range n {
		if lo, hi := d.Interval(cdf.RawRowView(i), nominal); lo <= y.At(i, 0) && y.At(i, 0) <= hi {
			in++
		}
	}
	return float64(in) / float64(n)
}

// TestCoverage: without one coupled row, the coverage of a nominal level is what coupled rows say, on the tables of the fit and on new ones; so is the tuned level. 4 standard errors are
// allowed for, at odds of 1 in 15,000 each, and .01 for what the models of the folds cover beside the final one.
func TestCoverage(t *testing.T) {
	p, m := synthetic(t, 600, 5)
	d := fitted(t, p)
	s := experiments.Synthetic{D: 2, Noise: .1}
	xu, uy := fixture.Must[tables.Source](t)(s.XU(600, 6)), fixture.Must[tables.Source](t)(s.UY(600, 6))
	later := fixture.Must[*distribution.Assessment](t)(distribution.Assess(t.Context(), m, d, xu, uy, tables.RoleOptions{}, distribution.AssessOptions{By: "x1"}))
	for name, a := range map[string]*distribution.Assessment{"fit": d.Assessment, "new tables": later} {
		for _, l := range a.Levels {
			if want := truth(t, p, d, l.Nominal); math.Abs(l.Coverage.Value-want) > 4*l.Coverage.SE+.01 || l.Coverage.SE > .03 {
				t.Errorf("%s: nominal %g has coverage %+v, coupled rows say %g", name, l.Nominal, l.Coverage, want)
			}
		}
		nominal, cover := a.Tune(.9)
		if want := truth(t, p, d, nominal); math.Abs(want-.9) > 4*cover.SE+.01 {
			t.Errorf("%s: tuned to .9, coupled rows say %g", name, want)
		}
		sum := 0.
		for _, g := range a.Groups {
			sum += g.Coverage.Value / 3
		}
		if a.Nominal != nominal || len(a.Groups) != 3 || math.Abs(sum-.9) > .01 { // of equal groups, by other Riesz weights
			t.Errorf("%s: groups at %g have mean coverage %g", name, a.Nominal, sum)
		}
		if c := a.CRPS; !(c.Lo < c.Value && c.Value < c.Hi && c.Hi < c.Constant && c.Bracket.Lo <= c.Value && c.Value <= c.Bracket.Hi) {
			t.Errorf("%s: CRPS %+v", name, c)
		}
	}
	if later.By != "x1" || !strings.HasPrefix(later.Groups[0].Name, "x1 up to -0.2") {
		t.Errorf("groups of x1 are %+v", later.Groups)
	}
}

// TestFitIsDeterministic: the bytes of a file do not depend on the number of threads, and what is read predicts the same.
func TestFitIsDeterministic(t *testing.T) {
	var first string
	for _, threads := range []int{1, 2} {
		before := runtime.GOMAXPROCS(threads)
		p, m := synthetic(t, 100, 1)
		d := fitted(t, p)
		runtime.GOMAXPROCS(before)
		header, numbers, err := d.Store(m)
		if err != nil {
			t.Fatal(err)
		}
		text := fixture.Must[[]byte](t)(json.Marshal([]any{header, numbers}))
		if first != "" && string(text) != first {
			t.Error("two threads give another model")
		}
		first = string(text)
		raw := fixture.Must[[]byte](t)(json.Marshal(header))
		again, rest, err := distribution.Read(raw, append(numbers, 7), m)
		if err != nil || !slices.Equal(rest, []float64{7}) {
			t.Fatalf("rest %v, %v", rest, err)
		}
		x := mat.NewDense(3, 2, []float64{0, .5, -1, 1, .2, -.3})
		var a, b mat.Dense
		d.PredictTo(&a, x)
		again.PredictTo(&b, x)
		if !mat.EqualApprox(&a, &b, 1e-14) || again.Assessment.Nominal != d.Assessment.Nominal { // the map's folded last step is one product then
			t.Errorf("read, it predicts %v, want %v", mat.Formatted(&b), mat.Formatted(&a))
		}
		for cut := range len(numbers) {
			if cut%97 == 0 {
				if _, _, err := distribution.Read(raw, numbers[:cut], m); err == nil {
					t.Fatalf("%d of %d numbers are read", cut, len(numbers))
				}
			}
		}
	}
}

// TestDraws: the share of draws up to a threshold is the distribution function: 20,000 draws have a standard error of .0035, of which 4 are allowed. A block and a seed have a stream of their
// own.
func TestDraws(t *testing.T) {
	p, _ := synthetic(t, 100, 2)
	d := fitted(t, p)
	var cdf mat.Dense
	d.PredictTo(&cdf, mat.NewDense(1, 2, []float64{.3, -.4}))
	draws := mat.NewDense(1, 20000, nil)
	d.DrawTo(draws, &cdf, 5, 0)
	for j, at := range d.Thresholds {
		below := 0.
		for _, v := range draws.RawRowView(0) {
			if v <= at {
				below++
			}
		}
		if got := below / 20000; math.Abs(got-cdf.At(0, j)) > .014 {
			t.Errorf("%g of the draws are up to %g, want %g", got, at, cdf.At(0, j))
		}
	}
	first := func(seed uint64, block int) float64 {
		one := mat.NewDense(1, 1, nil)
		d.DrawTo(one, &cdf, seed, block)
		return one.At(0, 0)
	}
	if first(5, 0) != draws.At(0, 0) || first(6, 0) == first(5, 0) || first(5, 1) == first(5, 0) {
		t.Error("streams are not those of seed and block")
	}
}

// TestDiscrete: of counts, quantiles, ends of intervals and draws are counts, and the coverage of closed intervals is estimated.
func TestDiscrete(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	x, u, v, y := make([]float64, 400), make([]float64, 400), make([]float64, 400), make([]float64, 400)
	for i := range x {
		x[i] = rnd.Float64()
		u[i], v[i] = x[i]+.1*rnd.NormFloat64(), rnd.Float64()+.1*rnd.NormFloat64()
		y[i] = float64(rnd.IntN(3)) + math.Round(2*v[i])
	}
	linear := features.Spec{Kind: features.LinearFeatures}
	p, err := problem.Prepare(t.Context(), problem.Setup{Phi: linear, Psi: linear}, fixture.Table(t, "x", x, "u", u), fixture.Table(t, "u", v, "y", y)) // without folds
	if err != nil {
		t.Fatal(err)
	}
	d := fitted(t, p)
	if !d.Discrete {
		t.Fatalf("knots %+v", d.Knots)
	}
	var cdf mat.Dense
	d.PredictTo(&cdf, mat.NewDense(1, 1, []float64{0}))
	lo, hi := d.Interval(cdf.RawRowView(0), .9)
	draw := mat.NewDense(1, 1, nil)
	d.DrawTo(draw, &cdf, 1, 0)
	for _, v := range []float64{lo, hi, draw.At(0, 0), d.Quantile(cdf.RawRowView(0), .5)} {
		if v != math.Round(v) {
			t.Errorf("%g is no count", v)
		}
	}
	for _, l := range d.Assessment.Levels {
		if l.Coverage.Value < l.Nominal-4*l.Coverage.SE { // ends included, they hold at least the nominal share
			t.Errorf("nominal %g has coverage %+v", l.Nominal, l.Coverage)
		}
	}
}

func TestRefusals(t *testing.T) {
	x := fixture.Ramp(40)
	xu := fixture.Table(t, "x", x, "u", x)
	linear := features.Spec{Kind: features.LinearFeatures}
	prepare := func(uy tables.Source) *problem.Problem {
		return fixture.Must[*problem.Problem](t)(problem.Prepare(t.Context(), problem.Setup{Phi: linear, Psi: linear, Folds: 2}, xu, uy))
	}
	labels := make([]string, 40)
	for i := range labels {
		labels[i] = []string{"a", "b"}[i%2]
	}
	for want, p := range map[string]*problem.Problem{
		"Y is classes":              prepare(fixture.Table(t, "u", x, "y", labels)),
		"Y is 2 columns":            prepare(fixture.Table(t, "u", x, "y", x, "z", x)),
		"Y is the same in all rows": prepare(fixture.Table(t, "u", x, "y", make([]float64, 40))),
	} {
		if _, err := distribution.Fit(t.Context(), p, distribution.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	p := prepare(fixture.Table(t, "u", x, "y", x))
	for want, opt := range map[string]distribution.Options{
		"Thresholds is -1": {Thresholds: -1}, "LambdaF": {LambdaF: rr.Value(-1)}, "Level is 1": {Assess: distribution.AssessOptions{Level: 1}},
		`column "w"`: {Assess: distribution.AssessOptions{By: "w"}},
	} {
		if _, err := distribution.Fit(t.Context(), p, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	plan := fixture.Must[problem.Plan](t)(p.Plan(t.Context()))
	a, b := fixture.Must[*problem.Sums](t)(plan.SumXU(t.Context(), xu)), fixture.Must[*problem.Sums](t)(plan.SumUY(t.Context(), fixture.Table(t, "u", x, "y", x)))
	sums := fixture.Must[*problem.Sums](t)(problem.MergeSums(a, b))
	q := fixture.Must[*problem.Problem](t)(sums.Problem())
	if _, err := distribution.Fit(t.Context(), q, distribution.Options{}); !errors.Is(err, problem.ErrNeedsRows) {
		t.Errorf("of sums: %v", err)
	}
}
