package search_test

import (
	"slices"
	"testing"

	"mediant/experiments"
	"mediant/features"
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

// TestOutlineIsWhatASearchDoes: candidates and sizes are those of the trials and of the problem that they end in.
func TestOutlineIsWhatASearchDoes(t *testing.T) {
	xu, uy := outlined(t, 80)
	s := search.Search{Setup: problem.Setup{Phi: features.Spec{Size: 12}, Psi: features.Spec{Kernel: "gaussian", Size: 10}}, W: rr.Value(1)}
	o := s.Outline(encoded(t, s.Setup, xu, uy))
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
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
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

// TestOutlineSizes: those that are not set follow from the rows, 100 of X and 200 of U: twice as many, at most 256 and 512. More rows, larger maps, joint weights and a
// risk take more.
func TestOutlineSizes(t *testing.T) {
	xu, uy := outlined(t, 100)
	e := encoded(t, problem.Setup{}, xu, uy)
	o := search.Search{}.Outline(e)
	if o.Compared != [2]int{200, 256} || o.Final != [2]int{200, 400} {
		t.Errorf("sizes %v and %v", o.Compared, o.Final)
	}
	if n := len(search.DefaultCandidates()); len(o.Phi) != n || len(o.Psi) != n {
		t.Errorf("%d and %d candidates, want %d", len(o.Phi), len(o.Psi), n)
	}
	small := encoded(t, problem.Setup{Phi: features.Spec{Size: 20}, Psi: features.Spec{Size: 20}}, xu, uy)
	if least := (search.Search{}).Outline(small).Bytes; !(least < o.Bytes) {
		t.Errorf("20 features take %g bytes, the default %g", least, o.Bytes)
	}
	more := [][2]search.Outline{
		{search.Search{W: rr.Value(1)}.Outline(e), o},
		{search.Search{}.Outline(small), o},
		{search.OutlineOf(small, false), search.OutlineOf(small, true)},
		{search.OutlineOf(small, true), search.OutlineOf(encoded(t, small.Setup(), xu, uy).With(features.Spec{Size: 40}, features.Spec{Size: 40}), true)},
		{search.OutlineOf(small, true), search.Search{}.Outline(small)},
	}
	for i, of := range more {
		if !(of[0].Flops < of[1].Flops) {
			t.Errorf("case %d: %g flops, not below %g", i, of[0].Flops, of[1].Flops)
		}
	}
}
