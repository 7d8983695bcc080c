package rr_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant"
	"mediant/features"
	"mediant/inference"
	"mediant/internal/fittest"
	"mediant/internal/slow"
	"mediant/problem"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// additive are features of a sum of Gaussian kernels of one column each, with a bandwidth that does not depend on the
// rows.
func additive(size int) features.Spec {
	return features.Spec{Kind: features.AdditiveFeatures, Kernel: "gaussian", Bandwidth: 2, Size: size}
}

// A parted distribution has U_j = X_j³ and noise in d dimensions, or (X_j + X_j+1)³ and noise if it is mixed; Y is |U|², or the sum of U
// if it is linear, and noise.
type parted struct {
	d             int
	mixed, linear bool
}

// apart draws tables of n and m rows.
func apart(t testing.TB, law parted, n, m int, seed uint64) (xu, uy tables.Source) {
	t.Helper()
	d := law.d
	rnd := rand.New(rand.NewPCG(seed, 2))
	draw := func(n int) *mat.Dense {
		rows := mat.NewDense(n, 2*d+1, nil)
		for i := range n {
			row := rows.RawRowView(i)
			for j := range d {
				row[j] = 2*rnd.Float64() - 1
			}
			for j := range d {
				v := row[j]
				if law.mixed {
					v = row[j] + row[(j+1)%d]
				}
				row[d+j] = v*v*v + rnd.Float64() - .5
				if law.linear {
					row[2*d] += row[d+j]
				} else {
					row[2*d] += row[d+j] * row[d+j]
				}
			}
			row[2*d] += .1 * rnd.NormFloat64()
		}
		return rows
	}
	var x, u []string
	for j := range d {
		x, u = append(x, "x"+string(rune('a'+j))), append(u, "u"+string(rune('a'+j)))
	}
	first, second := strings.Join(slices.Concat(x, u), " "), strings.Join(append(u, "y"), " ")
	return table(t, first, draw(n).Slice(0, n, 0, 2*d)), table(t, second, draw(m).Slice(0, m, d, 2*d+1))
}

// TestComponentsHaveLessNoise: the variance of f over draws of S_X, on average over X, is that of one of four
// components where it was that of all, but for that of the mean of h(U): with e degrees of freedom a column it was
// 1 + 4e and is 1 + e times Var(h(U)|X)/n. h is linear, so that the noise is the same everywhere, and e is some 3.5, as the
// first of the two shows: the ratio is 0.30, and a little more for groups kept in vain. Each variance is a mean over
// 39 degrees of freedom and at least as many directions of f as e, so that its relative error is below
// sqrt(2/(39·3.5)), 0.12, and the ratio within 0.1 but for 1 in 100; the seeds are fixed.
func TestComponentsHaveLessNoise(t *testing.T) {
	slow.Only(t)
	const d, draws, points = 4, 40, 100
	x := uniform(rand.New(rand.NewPCG(9, 9)), points, d)
	variance := map[bool]float64{}
	method := rr.TwoStep{LambdaF: rr.Value(1e-6), LambdaH: rr.Value(1e-5)}
	for _, method.Components = range []bool{false, true} {
		f := mat.NewDense(points, draws, nil)
		for draw := range draws {
			xu, uy := apart(t, parted{d: d, linear: true}, 300, 8000, uint64(draw))
			m := fit(t, fittest.With(problem.Setup{Phi: additive(48), Psi: additive(48)}, method), xu, uy)
			f.SetCol(draw, mat.Col(nil, 0, predictions(t, m, x)))
			kept := m.Params.Components
			if method.Components && (len(kept) != d || slices.Min(kept) < 1) || !method.Components && kept != nil {
				t.Errorf("by components: %v, and %v groups are kept", method.Components, kept)
			}
		}
		for i := range points {
			variance[method.Components] += stat.Variance(f.RawRowView(i), nil) / points
		}
	}
	t.Logf("variances %.5f at once, %.5f by components", variance[false], variance[true])
	if ratio := variance[true] / variance[false]; ratio > .4 || ratio < .15 {
		t.Errorf("the variance by components is %.2f of that at once, want about a quarter", ratio)
	}
}

// TestComponentsThatKeepAllAreTwoStep: of a distribution in two dimensions whose components see both columns nothing is left
// out, and the model and its standard errors are those of 2Step-RR. The first is so to the bit; errors are summed in
// another order.
func TestComponentsThatKeepAllAreTwoStep(t *testing.T) {
	xu, uy := apart(t, parted{d: 2, mixed: true}, 400, 300, 1)
	setup, method := problem.Setup{Phi: additive(16), Psi: additive(16)}, rr.TwoStep{LambdaF: rr.Value(1e-4), LambdaH: rr.Value(1e-4)}
	want := fit(t, withErrors{setup, method, inference.Sandwich}, xu, uy)
	method.Components = true
	got := fit(t, withErrors{setup, method, inference.Sandwich}, xu, uy)
	if !slices.Equal(got.Params.Components, []int{2, 2}) {
		t.Fatalf("components keep %v groups, want both", got.Params.Components)
	}
	x := uniform(rand.New(rand.NewPCG(1, 1)), 20, 2)
	if d := off(predictions(t, got, x), predictions(t, want, x)); d != 0 {
		t.Errorf("predictions differ by %g", d)
	}
	for _, how := range []struct {
		kind      inference.Covariance
		precision bool
	}{{inference.Sandwich, false}, {inference.Jackknife, false}, {inference.Jackknife, true}} {
		of := func(m rr.TwoStep) fittest.Fitter {
			if how.precision {
				return withPrecision{setup, m, []inference.Covariance{how.kind}}
			}
			return withErrors{setup, m, how.kind}
		}
		method.Components = false
		want := fit(t, of(method), xu, uy)
		method.Components = true
		got := fit(t, of(method), xu, uy)
		// Systems of condition up to 1e5 are solved for each, and a root is taken of sums with a relative error of 1e-11.
		if d := off(standardErrors(t, got, x), standardErrors(t, want, x)); d > 1e-8 {
			t.Errorf("%+v: standard errors differ by %g", how, d)
		}
	}
}

// TestComponentErrorsAreTheDeviation: over 150 draws the mean of the squared standard errors is the variance of f at
// three points. An estimate of a variance by 150 draws has a relative standard error of 0.12; the bound is four of
// these. With these seeds the answer is the same every time; other ones would fail less than once in 1,000.
func TestComponentErrorsAreTheDeviation(t *testing.T) {
	const draws = 150
	s := withErrors{problem.Setup{Phi: additive(16), Psi: additive(16), NoStandardize: true}, rr.TwoStep{LambdaF: rr.Value(1e-4), LambdaH: rr.Value(1e-4), Components: true}, inference.Corrected}
	x := mat.NewDense(3, 2, []float64{0, 0, .5, -.5, .9, .2})
	values, squares := make([][]float64, 3), make([]float64, 3)
	for draw := range draws {
		xu, uy := apart(t, parted{d: 2}, 300, 300, uint64(draw))
		m := fit(t, s, xu, uy)
		f, se := predictions(t, m, x), standardErrors(t, m, x)
		for i := range values {
			values[i] = append(values[i], f.At(i, 0))
			squares[i] += se.At(i, 0) * se.At(i, 0) / draws
		}
	}
	for i, v := range values {
		if ratio := squares[i] / stat.Variance(v, nil); math.Abs(ratio-1) > .48 {
			t.Errorf("row %d: the squared standard errors are %.2f times the variance", i, ratio)
		}
	}
}

func TestSearchTriesComponents(t *testing.T) {
	xu, uy := apart(t, parted{d: 3}, 200, 200, 5)
	setup := problem.Setup{Phi: additive(24), Psi: additive(24)}
	count := func(s search.Search) (m *mediant.Model, by, others int) {
		s.Setup.Phi, s.Setup.Psi = setup.Phi, setup.Psi
		m = fit(t, s, xu, uy)
		for _, trial := range m.Search {
			if trial.Stage != "hyperparameters" {
				continue
			}
			if trial.Components != strings.Contains(trial.Name, "by components") {
				t.Errorf("trial %q", trial.Name)
			}
			if !trial.Components {
				others++
				continue
			}
			by++
			if trial.W != 1 {
				t.Errorf("w is %g by components", trial.W)
			}
		}
		return m, by, others
	}
	m, by, others := count(search.Search{})
	if by != 15 || others != 2*4*9 { // 5 × 3 penalties; plain and weighed, 4 weights, 3 × 3 penalties
		t.Errorf("%d trials by components and %d others, want 15 and 72", by, others)
	}
	if best := chosen(t, m, "hyperparameters"); !best.Components || len(m.Params.Components) != 3 {
		t.Errorf("chosen is %q, of which components keep %v", best.Name, m.Params.Components)
	}
	if m, by, _ := count(search.Search{Components: search.Never}); by != 0 || m.Params.Components != nil {
		t.Errorf("left out: %d trials by components", by)
	}
	if _, by, _ := count(search.Search{W: rr.Value(.5)}); by != 0 {
		t.Errorf("w = 1/2: %d trials by components", by)
	}
	if m, by, others := count(search.Search{Components: search.Always}); by != 15 || others != 0 || m.Params.Components == nil {
		t.Errorf("asked for: %d trials by components and %d others", by, others)
	}
	weighed := search.Search{Components: search.Always}
	weighed.Precision = search.Always
	if m, by, others := count(weighed); by != 15 || others != 0 || m.Params.Components == nil || !m.Params.Precision {
		t.Errorf("asked for with weights: %d trials by components and %d others", by, others)
	}
}

// TestSearchTriesNoComponentsThatKeepAll: that would be the same fit once more.
func TestSearchTriesNoComponentsThatKeepAll(t *testing.T) {
	xu, uy := apart(t, parted{d: 2, mixed: true}, 400, 200, 1)
	for use, asked := range map[search.Use]bool{search.Compared: false, search.Always: true} {
		m := fit(t, search.Search{Setup: problem.Setup{Phi: additive(16), Psi: additive(16)}, Components: use}, xu, uy)
		if best := chosen(t, m, "hyperparameters"); best.Components != asked {
			t.Errorf("asked for: %v, chosen %q", asked, best.Name)
		}
		if any := slices.ContainsFunc(m.Search, func(t search.Trial) bool { return t.Components }); any != asked {
			t.Errorf("asked for: %v, tried: %v", asked, any)
		}
	}
}

// TestSearchByComponentsIsDeterministic: the same bytes for any number of threads, from one search for several w as from
// one for each.
func TestSearchByComponentsIsDeterministic(t *testing.T) {
	xu, uy := apart(t, parted{d: 3}, 150, 150, 6)
	s := search.Search{Setup: problem.Setup{Phi: additive(18), Psi: additive(18)}}
	want := saved(t, fit(t, s, xu, uy))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	each, err := s.ChooseEach(context.Background(), xu, uy, rr.Auto, rr.Value(.5))
	if err != nil {
		t.Fatal(err)
	}
	again := solved(t, each[0])
	if again.Assessment, err = each[0].Assessment(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(saved(t, again), want) {
		t.Error("another model")
	}
	if m := solved(t, each[1]); m.Params.Components != nil {
		t.Error("w = 1/2 by components")
	}
}

// TestComponentsAreCrossFitted: an assessment judges fits by components of the other folds, which is the mean of the
// risks on the folds that a search made of sums.
func TestComponentsAreCrossFitted(t *testing.T) {
	xu, uy := apart(t, parted{d: 3}, 200, 200, 5)
	s := search.Search{Setup: problem.Setup{Phi: additive(24), Psi: additive(24)}, Components: search.Always}
	c, err := s.Choose(context.Background(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Assessment(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	best := chosen(t, solved(t, c), "hyperparameters")
	// Nuisances of an assessment choose their penalties from another grid: the two estimates of the risk, of about 0.3,
	// agree to a per cent or two. Those of 2Step-RR at once are told apart by their trials.
	if gap := math.Abs(a.Risk.MSE - c.Optimism - *best.Risk); gap > .05**best.Risk {
		t.Errorf("the assessment says %.4f, the search %.4f", a.Risk.MSE-c.Optimism, *best.Risk)
	}
}

func TestComponentsInAFile(t *testing.T) {
	xu, uy := apart(t, parted{d: 3}, 200, 200, 5)
	m := fit(t, withErrors{problem.Setup{Phi: additive(24), Psi: additive(24)}, rr.TwoStep{Components: true}, inference.Corrected}, xu, uy)
	again, err := mediant.Load(bytes.NewReader(saved(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Params.Components, m.Params.Components) || again.SE == nil {
		t.Errorf("components keep %v, after loading %v", m.Params.Components, again.Params.Components)
	}
}

// TestOneComponent: h of other than additive features is one component, which leaves out the columns of X that U does not depend on.
func TestOneComponent(t *testing.T) {
	xu, uy := apart(t, parted{d: 3}, 400, 300, 5)
	setup := problem.Setup{Roles: tables.RoleOptions{X: []string{"xa", "xb", "xc"}, U: []string{"ua"}, Y: []string{"y"}}, Phi: additive(24), Psi: features.Spec{Kind: features.LinearFeatures}}
	m := fit(t, fittest.With(setup, rr.TwoStep{LambdaF: rr.Value(1e-4), LambdaH: rr.Value(1e-4), Components: true}), xu, uy)
	if !slices.Equal(m.Params.Components, []int{1}) || !slices.ContainsFunc(m.Notes, func(n string) bool {
		return strings.Contains(n, "on those of 3 groups of columns of X that h(U) depends on, 1")
	}) {
		t.Fatalf("components keep %v: %v", m.Params.Components, m.Notes)
	}
	x := uniform(rand.New(rand.NewPCG(1, 1)), 20, 3)
	want := predictions(t, m, x)
	for i := range 20 {
		x.Set(i, 1, 0)
		x.Set(i, 2, 1)
	}
	if d := off(predictions(t, m, x), want); d != 0 {
		t.Errorf("the other columns move predictions by %g", d)
	}
	for i := range 20 {
		x.Set(i, 0, 0)
	}
	if d := off(predictions(t, m, x), want); d < .01 {
		t.Errorf("the column that is kept moves predictions by %g", d)
	}
}

func TestComponentsRefuse(t *testing.T) {
	xu, uy := apart(t, parted{d: 2}, 60, 60, 7)
	few := additive(16)
	for _, c := range []struct {
		method fittest.Fitter
		want   string
	}{
		{fittest.With(problem.Setup{Psi: few}, rr.TwoStep{Components: true}), "features of X"},
		{fittest.With(problem.Setup{Phi: few, Psi: few, NoIntercept: true}, rr.TwoStep{Components: true}), "without intercepts"},
		{fittest.With(problem.Setup{Phi: few, Psi: few}, rr.TwoStep{H: rr.Ridge{Spec: few}, Components: true}), "other regressors"},
		{searching{search.Search{Setup: problem.Setup{Phi: few, Psi: few}, Components: search.Always, W: rr.Value(.5)}}, "w = 1"},
		{searching{search.Search{Setup: problem.Setup{Phi: few, Psi: few}, Components: search.Always, JointOnly: true}}, "w = 1"},
		{searching{search.Search{Setup: problem.Setup{Phi: features.Spec{Kind: features.LinearFeatures}, Psi: few}, Components: search.Always}}, "features of X"},
	} {
		if _, err := c.method.Fit(context.Background(), xu, uy); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.method, err, c.want)
		}
	}
}
