package search

import (
	"testing"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/problem"
)

// TestMapsAreComparedOnASample: candidates have the risks of a sample; the problem that follows has all rows.
func TestMapsAreComparedOnASample(t *testing.T) {
	defer func(before int) { comparedRows = before }(comparedRows)
	xu, uy := fixture.Surrogates(t, 900, 600, false)
	s := Search{Setup: problem.Setup{Phi: features.Spec{Kernel: "gaussian", Size: 16}, Psi: features.Spec{Kernel: "gaussian", Size: 16}, Seed: 3}}
	choose := func(compared int) *Choice {
		comparedRows = compared
		c, err := s.Choose(t.Context(), xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		if rows := [2]int{c.Problem.XU().Rows(), c.Problem.UY().Rows()}; rows != [2]int{900, 545} { // the others have no Y
			t.Errorf("%d are compared: the problem has %d rows", compared, rows)
		}
		return c
	}
	risks := func(c *Choice) map[string]float64 {
		all := map[string]float64{}
		for _, trial := range c.Trials {
			if trial.Stage == "psi" || trial.Stage == "phi" {
				all[trial.Stage+" "+trial.Name] = *trial.Risk
			}
		}
		return all
	}
	whole, both := risks(choose(900)), 0
	for name, risk := range risks(choose(300)) {
		all, tried := whole[name]
		if !tried { // an end of the range of bandwidths
			continue
		}
		both++
		if risk == all || risk > 2*all || risk < all/2 {
			t.Errorf("%s has the risk %g on a sample, %g on all rows", name, risk, all)
		}
	}
	if want := 2 * (len(multiples) - 2); both < want {
		t.Fatalf("%d maps are compared both times, want %d", both, want)
	}
}

// TestOutlineOfASample: what comparing maps takes does not grow with rows beyond those that are compared.
func TestOutlineOfASample(t *testing.T) {
	defer func(before int) { comparedRows = before }(comparedRows)
	xu, uy := fixture.Surrogates(t, 900, 600, false)
	s := Search{Setup: problem.Setup{Phi: features.Spec{Kernel: "gaussian", Size: 16}, Psi: features.Spec{Kernel: "gaussian", Size: 16}}}
	e, err := problem.Encode(t.Context(), s.Setup, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	flops := func() float64 {
		o, err := s.Outline(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		return o.Flops
	}
	whole := flops()
	comparedRows = 300
	w := work{f: e.Footprint()}
	// Three bandwidths each, and ends of the range only next to the best, are summed over 600 rows of S_X less, and 300 of S_Y.
	if less, want := whole-flops(), 3*(w.sumsXU()*600/900+w.sumsUY()*300/600); less < .99*want || less > 1.01*want {
		t.Errorf("on a sample a comparison takes %g operations less, want %g", less, want)
	}
}

// TestDecided: few rows decide where every candidate that lost is worse, within two standard errors, or better by less than a hundredth of the risk.
func TestDecided(t *testing.T) {
	trial := func(stage string, risk, difference, se float64) Trial {
		return Trial{Stage: stage, Risk: &risk, Difference: &difference, SE: &se, Chosen: difference == 0}
	}
	failed := Trial{Stage: "psi", Error: "no"}
	for name, c := range map[string]struct {
		trials []Trial
		want   bool
	}{
		"clear":             {[]Trial{trial("psi", 1, 0, 0), trial("psi", 1.2, .2, .05), failed, trial("phi", 2, 0, 0), trial("phi", 2.5, .5, .2)}, true},
		"near, and alike":   {[]Trial{trial("psi", 1, 0, 0), trial("psi", 1.001, .001, .004)}, true},
		"one may be better": {[]Trial{trial("psi", 1, 0, 0), trial("psi", 1.1, .1, .06), trial("psi", 1.2, .2, .05)}, false},
		"of the other side": {[]Trial{trial("psi", 1, 0, 0), trial("psi", 1.2, .2, .05), trial("phi", 2, 0, 0), trial("phi", 2.001, .001, .02)}, false},
		"in its own units":  {[]Trial{trial("psi", 100, 0, 0), trial("psi", 100.1, .1, .5)}, true},
	} {
		if got := decided(c.trials); got != c.want {
			t.Errorf("%s: decided %v", name, got)
		}
	}
}

// TestFewRowsFirst: maps are compared on few rows, and on more where these do not decide.
func TestFewRowsFirst(t *testing.T) {
	defer func(few, compared int) { fewRows, comparedRows = few, compared }(fewRows, comparedRows)
	xu, uy := fixture.Surrogates(t, 900, 600, false)
	psis := []features.Spec{{Kernel: "gaussian", Size: 16, Multiple: 1}, {Kernel: "gaussian", Size: 16, Multiple: .01}}
	for others, want := range map[float64]string{.01: "few", .9: "all"} {
		psis[1].Multiple = others
		risk := func(few, compared int) float64 {
			fewRows, comparedRows = few, compared
			s := Search{Setup: problem.Setup{Phi: features.Spec{Kernel: "gaussian", Size: 16, Bandwidth: 2}, Seed: 3}, PsiCandidates: psis}
			c := fixture.Must[*Choice](t)(s.Choose(t.Context(), xu, uy))
			return *c.Trials[0].Risk
		}
		got := risk(60, 900)
		if is := map[float64]string{risk(60, 60): "few", risk(900, 900): "all"}[got]; is != want {
			t.Errorf("a second candidate of %g times the bandwidth: compared on %q rows, want %q", others, is, want)
		}
	}
}
