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
	risks := func(c *Choice) (all []float64) {
		for _, trial := range c.Trials {
			if trial.Stage == "psi" || trial.Stage == "phi" {
				all = append(all, *trial.Risk)
			}
		}
		return all
	}
	whole := risks(choose(900))
	if len(whole) != 2*len(multiples) {
		t.Fatalf("%d maps are compared, want %d", len(whole), 2*len(multiples))
	}
	for i, risk := range risks(choose(300)) {
		if risk == whole[i] || risk > 2*whole[i] || risk < whole[i]/2 {
			t.Errorf("candidate %d has the risk %g on a sample, %g on all rows", i, risk, whole[i])
		}
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
	// Five candidates each are summed over 600 rows of S_X less, and 300 of S_Y.
	if less, want := whole-flops(), 5*(w.sumsXU()*600/900+w.sumsUY()*300/600); less < .99*want || less > 1.01*want {
		t.Errorf("on a sample a comparison takes %g operations less, want %g", less, want)
	}
}
