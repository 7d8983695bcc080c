package search_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/experiments"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/losses"
	"mediant/problem"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

func outlined(t *testing.T, n int) (xu, uy tables.Source) {
	t.Helper()
	d := experiments.Synthetic{D: 2, Noise: .1}
	xu, err := d.XU(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	uy, err = d.UY(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	return xu, uy
}

func encoded(t *testing.T, s problem.Setup, xu, uy tables.Source) *problem.Encoded {
	t.Helper()
	e, err := problem.Encode(t.Context(), s, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func outlineOf(t *testing.T, s search.Search, e *problem.Encoded) search.Outline {
	t.Helper()
	o, err := s.Outline(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestOutlineIsWhatASearchDoes: candidates and sizes are those of the trials and of the problem that they end in.
func TestOutlineIsWhatASearchDoes(t *testing.T) {
	xu, uy := outlined(t, 80)
	s := search.Search{Setup: problem.Setup{Phi: features.Spec{Size: 12}, Psi: features.Spec{Kernel: "gaussian", Size: 10}}, W: rr.Value(1)}
	o := outlineOf(t, s, encoded(t, s.Setup, xu, uy))
	c, err := s.Choose(t.Context(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	for stage, want := range map[string][]string{"phi": o.Phi, "psi": o.Psi} {
		var got []string
		for _, trial := range c.Trials {
			if trial.Stage == stage {
				got = append(got, trial.Name)
			}
		}
		// Of candidates that learn from Y, a diagonal metric, a full one or a warp, the best of each kind is a trial.
		isMetric := func(name string) bool { return strings.Contains(name, "metric:") || strings.Contains(name, "warped:") }
		of := func(names []string) (plain []string, metrics int) {
			plain = slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(names), isMetric)))
			return plain, len(names) - len(plain)
		}
		plain, metrics := of(got)
		wanted, all := of(want)
		// Ends of the range of bandwidths and landmarks are tried only next to the best.
		usual := slices.DeleteFunc(slices.Clone(wanted), func(name string) bool {
			return strings.Contains(name, "0.25 ×") || strings.Contains(name, "4 ×") || strings.Contains(name, "nystrom:")
		})
		missing := slices.ContainsFunc(usual, func(name string) bool { return !slices.Contains(plain, name) })
		if missing || len(slices.Compact(slices.Clone(plain))) != len(plain) || metrics != min(3, all) || slices.ContainsFunc(got, func(name string) bool { return !slices.Contains(want, name) }) {
			t.Errorf("%s: %q were tried, %q expected", stage, got, want)
		}
	}
	if o.Compared != [2]int{12, 10} || o.Final != o.Compared {
		t.Errorf("sizes %v and %v", o.Compared, o.Final)
	}
	if _, q := c.Problem.Psi().Dims(); q != o.Final[1] {
		t.Errorf("%d features of U, %d expected", q, o.Final[1])
	}
}

// TestOutlineKnowsWhichMapsAreInFront: linear maps take the least, and are in front where Y is linear in U; where it is not, they are not among those that may be the best.
func TestOutlineKnowsWhichMapsAreInFront(t *testing.T) {
	const n = 400
	linear := outlineOf(t, search.Search{}, encoded(t, problem.Setup{Folds: 5, Phi: features.Spec{Kind: features.LinearFeatures}, Psi: features.Spec{Kind: features.LinearFeatures}}, curveOf(t, n, 0), curveOf(t, n, 1)))
	for _, curved := range []bool{false, true} {
		uy := curveOf(t, n, 1)
		if curved {
			uy = curveOf(t, n, 2)
		}
		o := outlineOf(t, search.Search{}, encoded(t, problem.Setup{Folds: 5}, curveOf(t, n, 0), uy))
		all := outlineOf(t, search.Search{}, encoded(t, problem.Setup{}, curveOf(t, n, 0), uy)) // without folds there is no comparison
		if o.Most > all.Most || o.Least < all.Least || o.Flops < o.Least || o.Flops > o.Most {
			t.Errorf("curved %v: %g from %g to %g, of all maps %g to %g", curved, o.Flops, o.Least, o.Most, all.Least, all.Most)
		}
		if front := o.Flops == all.Least; front == curved || all.Least < linear.Flops {
			t.Errorf("curved %v: %g flops, the least of all maps is %g, linear ones take %g", curved, o.Flops, all.Least, linear.Flops)
		}
	}
}

// curveOf is a table of (X, U) with X = U + noise, or of (U, Y), with Y = U + noise or sin 6U + noise.
func curveOf(t *testing.T, n, kind int) tables.Source {
	rnd := rand.New(rand.NewPCG(uint64(kind), 1))
	u, v := make([]float64, n), make([]float64, n)
	for i := range u {
		u[i] = rnd.NormFloat64()
		v[i] = u[i] + .2*rnd.NormFloat64()
		if kind == 2 {
			v[i] += math.Sin(6*u[i]) - u[i]
		}
	}
	if kind == 0 {
		return fixture.Table(t, "x", v, "u", u)
	}
	return fixture.Table(t, "u", u, "y", v)
}

// TestOutlineSizes: those that are not set follow from the rows, 100 of X and 200 of U: twice as many, at most 256 and 512. More rows, larger maps, joint weights and a
// risk take more.
func TestOutlineSizes(t *testing.T) {
	xu, uy := outlined(t, 100)
	e := encoded(t, problem.Setup{Folds: 5}, xu, uy)
	o := outlineOf(t, search.Search{}, e)
	if o.Compared != [2]int{200, 256} || o.Final != [2]int{200, 400} {
		t.Errorf("sizes %v and %v", o.Compared, o.Final)
	}
	plain := len(search.DefaultCandidates()) + len(search.LandmarkCandidates())
	if len(o.Phi) != plain || len(o.Psi) != plain {
		t.Errorf("%d and %d candidates of 100 rows, want %d", len(o.Phi), len(o.Psi), plain)
	}
	xu300, uy300 := outlined(t, 300)
	e300 := encoded(t, problem.Setup{Folds: 5}, xu300, uy300)
	o300 := outlineOf(t, search.Search{}, e300)
	if x, u := len(search.MetricCandidates(e300.X().Width())), len(search.MetricCandidates(e300.U().Width())); len(o300.Phi) != plain+x || len(o300.Psi) != plain+u {
		t.Errorf("%d and %d candidates of 300 rows, want %d and %d", len(o300.Phi), len(o300.Psi), plain+x, plain+u)
	}
	small := encoded(t, problem.Setup{Phi: features.Spec{Size: 20}, Psi: features.Spec{Size: 20}}, xu, uy)
	if least := outlineOf(t, search.Search{}, small).Bytes; !(least < o.Bytes) {
		t.Errorf("20 features take %g bytes, the default %g", least, o.Bytes)
	}
	more := [][2]search.Outline{
		{outlineOf(t, search.Search{W: rr.Value(1)}, e), o},
		{outlineOf(t, search.Search{}, small), o},
		{search.OutlineOf(small, rr.Joint{}, false), search.OutlineOf(small, rr.Joint{}, true)},
		{search.OutlineOf(small, rr.Joint{}, true), search.OutlineOf(encoded(t, small.Setup(), xu, uy).With(features.Spec{Size: 40}, features.Spec{Size: 40}), rr.Joint{}, true)},
		{search.OutlineOf(small, rr.TwoStep{}, false), search.OutlineOf(small, rr.TwoStep{}, true)},
		{search.OutlineOf(e, rr.TwoStep{}, true), search.OutlineOf(e, rr.Joint{}, true)},
		{search.OutlineOf(small, rr.Joint{}, true), outlineOf(t, search.Search{}, small)},
	}
	for i, of := range more {
		if !(of[0].Flops < of[1].Flops) {
			t.Errorf("case %d: %g flops, not below %g", i, of[0].Flops, of[1].Flops)
		}
	}
}

// TestOutlineOfConjugateGradients: they have all features that are asked for, less memory than the sums of as many, and work that grows with features, rows and the risk.
func TestOutlineOfConjugateGradients(t *testing.T) {
	xu, uy := outlined(t, 400)
	of := func(size int, memory int64) *problem.Encoded {
		spec := features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Multiple: 1, Size: size}
		return encoded(t, problem.Setup{Phi: spec, Psi: spec, Memory: memory}, xu, uy)
	}
	cg := rr.Iterative{}
	o := search.OutlineOf(of(200, 0), cg, false)
	if o.Final != [2]int{200, 200} || !(o.Least < o.Flops && o.Flops < o.Most) {
		t.Errorf("%+v", o)
	}
	sections := rr.Iterative{Whitened: 100}
	for i, c := range [][2]search.Outline{
		{o, search.OutlineOf(of(200, 0), cg, true)},
		{o, search.OutlineOf(of(400, 0), cg, false)},
		{search.OutlineOf(of(200, 0), cg, false), search.OutlineOf(of(200, 0), rr.Iterative{Held: -1}, false)},
		{o, search.OutlineOf(of(200, 0), rr.Iterative{Whitened: 100, Held: -1}, false)},
	} {
		if !(c[0].Flops < c[1].Flops) {
			t.Errorf("case %d: %g flops, not below %g", i, c[0].Flops, c[1].Flops)
		}
	}
	p := sections.Plan(of(200, 1<<30).Footprint())
	if p.Sections != [2]bool{true, true} || p.Kept != [2]bool{true, true} || p.Bytes > 1<<30 {
		t.Errorf("%+v", p)
	}
	if none := (rr.Iterative{Held: -1}).Plan(of(200, 0).Footprint()); none.Kept != [2]bool{} || none.Sections != [2]bool{} || none.Bytes >= cg.Plan(of(200, 0).Footprint()).Bytes {
		t.Errorf("nothing kept: %+v", none)
	}
}

// TestOutlineOfALoss: the log loss adds a range of passes, counts those of Newton, which grow with the square of the features.
func TestOutlineOfALoss(t *testing.T) {
	x, y := make([]float64, 200), make([]string, 200)
	n := make([]float64, 200)
	for i := range x {
		x[i], y[i], n[i] = float64(i), []string{"a", "b"}[i/2%2], float64(i%3)
	}
	spec := func(size int) features.Spec { return features.Spec{Kernel: "gaussian", Multiple: 1, Size: size} }
	of := func(loss losses.Canonical, size int, uy tables.Source) search.Outline {
		s := search.Search{Setup: problem.Setup{Phi: spec(size), Psi: spec(size), Folds: 5}, Loss: loss}
		return outlineOf(t, s, encoded(t, s.Setup, fixture.Table(t, "x", x, "u", x), uy))
	}
	classes, counts := fixture.Table(t, "u", x, "y", y), fixture.Table(t, "u", x, "n", n)
	squared, log := of(losses.Squared{}, 64, classes), of(losses.Log{}, 64, classes)
	if !(squared.Most == squared.Flops && squared.Flops < log.Least && log.Least < log.Flops && log.Flops < log.Most) {
		t.Errorf("squared error %+v, log loss %+v", squared, log)
	}
	more := func(size int) float64 {
		p := of(losses.Poisson{}, size, counts)
		if p.Least != p.Most {
			t.Errorf("counts %+v", p)
		}
		return p.Flops - of(losses.Squared{}, size, counts).Flops
	}
	if ratio := more(256) / more(64); ratio < 10 {
		t.Errorf("4 times the features take %g times as much for counts", ratio)
	}
}
