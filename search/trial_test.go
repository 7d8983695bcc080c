package search

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/problem"
)

func TestOptimismIsWhatTheOtherFoldsWouldHaveChosen(t *testing.T) {
	trial := func(chosen bool, byFold ...float64) Trial {
		risk := 0.0
		for _, v := range byFold {
			risk += v / float64(len(byFold))
		}
		t := Trial{Risk: &risk, Chosen: chosen, byFold: byFold}
		for _, v := range byFold {
			t.byUnit = append(t.byUnit, []float64{v})
		}
		return t
	}
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		trials []Trial
		want   float64
	}{
		{"one candidate", []Trial{trial(true, 1, 2, 3)}, 0},
		{"none", nil, 0},
		{"the same everywhere", []Trial{trial(true, 1, 2, 3), trial(false, 2, 3, 4)}, 0},
		// Without fold 2 the second would be chosen, for 2 on folds 0 and 1 against 3, and cost 4 there against
		// 0; without fold 0 or 1 the first is.
		{"one fold decides", []Trial{trial(true, 1.5, 1.5, 0), trial(false, 1, 1, 4)}, (0. + 0 + 4) / 3},
		{"a failure is not chosen", []Trial{trial(true, 1, 2, 3), {Error: "no"}}, 0},
		{"a fold without rows counts for nothing", []Trial{trial(true, 1.5, 1.5, 0, nan), trial(false, 1, 1, 4, nan)}, (0. + 0 + 4) / 3},
	} {
		if got := floats.Sum(optimism(c.trials)); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

func TestBoardPrefersComponents(t *testing.T) {
	trial := func(components bool, byFold ...float64) Trial {
		risk := 0.0
		for _, v := range byFold {
			risk += v / float64(len(byFold))
		}
		return Trial{W: 1, Risk: &risk, Components: components, byFold: byFold}
	}
	joint := trial(false, 1, 2)
	joint.W = .5
	for _, c := range []struct {
		name   string
		trials []Trial
		want   int
	}{
		{"within a standard error", []Trial{trial(false, 1, 2), trial(true, 3, 1), trial(true, 3, 2)}, 1}, // .5 worse, by 2 and -1
		{"beyond", []Trial{trial(false, 1, 2), trial(true, 2, 4)}, 0},                                     // 1.5, of which .5 is the error
		{"better", []Trial{trial(true, 1, 2), trial(false, 3, 1)}, 0},
		{"one fold, no error to go by", []Trial{trial(false, 1), trial(true, 1.1)}, 0},
		{"none", []Trial{trial(false, 1, 2), trial(false, 3, 2)}, 0},
		{"joint", []Trial{joint, trial(true, 3, 1)}, 1},
		{"failed", []Trial{trial(false, 1, 2), {Components: true}}, 0},
	} {
		var b leaderboard
		for _, trial := range c.trials {
			b.add(trial, nil)
		}
		b.preferComponents()
		if b.winner != c.want {
			t.Errorf("%s: the winner is %d, want %d", c.name, b.winner, c.want)
		}
	}
}

// TestOnlyFiniteRisksWin: a candidate with a fold that failed, whose risk is NaN or infinite, never wins, first or
// last, however small its other folds are (scikit-learn/scikit-learn#20678).
func TestOnlyFiniteRisksWin(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	folds := map[string][]float64{"nan": {1, nan, 1}, "inf": {inf, .5, .5}, "-inf": {-inf, 1, 1}, "worse": {5, 6, 4}, "best": {3, 2, 4}}
	for _, order := range [][]string{{"nan", "inf", "best", "worse", "-inf"}, {"-inf", "worse", "best", "nan", "inf"}, {"best", "worse", "inf", "-inf", "nan"}} {
		var b leaderboard
		for _, name := range order {
			risk := 0.0
			for _, v := range folds[name] {
				risk += v / 3
			}
			b.add(Trial{Name: name, Risk: &risk, byFold: folds[name]}, nil)
		}
		for _, trial := range b.close() {
			failed := trial.Name != "best" && trial.Name != "worse"
			if trial.Chosen != (trial.Name == "best") || failed != (trial.Error != "") || failed != (trial.Risk == nil) {
				t.Errorf("%v: listed as %+v", order, trial)
			}
		}
	}
}

// TestDifferencesWorkedExample: risks of 2 and 1.5 differ by 1, 1 and -0.5 on three folds, whose deviation is sqrt(3)/2.
func TestDifferencesWorkedExample(t *testing.T) {
	two, better := 2., 1.5
	a := Trial{Risk: &two, byFold: []float64{2, 3, 1}}
	b := Trial{Risk: &better, byFold: []float64{1, 2, 1.5}}
	if d, se := a.against(b); math.Abs(d-.5) > 1e-15 || math.Abs(se-.5) > 1e-15 { // sqrt(3)/2 over sqrt(3)
		t.Errorf("difference %g, standard error %g, want 0.5 and 0.5", d, se)
	}
	b.byFold = b.byFold[:1]
	if _, se := a.against(b); !math.IsNaN(se) {
		t.Errorf("other folds: standard error %g", se)
	}
}

// TestRivalsNeedMoreThanAnError: a rival that is better by less than the standard error of the difference is listed and
// does not win.
func TestRivalsNeedMoreThanAnError(t *testing.T) {
	trial := func(byFold ...float64) Trial {
		risk := stat.Mean(byFold, nil)
		return Trial{Risk: &risk, byFold: byFold}
	}
	for _, c := range []struct {
		name  string
		rival Trial
		wins  bool
	}{
		{"better by 0.5, of which 1.5 is the error", trial(2, 2), false},
		{"better by 1.5, of which 0.5 is the error", trial(0, 2), true},
		{"worse", trial(3, 5), false},
	} {
		var b leaderboard
		b.add(trial(1, 4), nil)
		if wins := b.addRival(c.rival, nil, 1); wins != c.wins || (b.winner == 1) != c.wins || len(b.trials) != 2 {
			t.Errorf("%s: wins %v, winner %d of %d", c.name, wins, b.winner, len(b.trials))
		}
	}
}

// TestEachStageHasItsOptimism: what choosing phi and what choosing the numbers of each output adds is added up.
func TestEachStageHasItsOptimism(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 60, 60, false)
	small := features.Spec{Kernel: "gaussian", Size: 8}
	c, err := Search{Setup: problem.Setup{Phi: small, Psi: small, Seed: 1}}.Choose(context.Background(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for _, stage := range []string{"phi", "hyperparameters"} {
		sum := 0.
		for _, output := range []string{"", "y", "z"} {
			var trials []Trial
			for _, trial := range c.Trials {
				if trial.Stage == stage && trial.Output == output {
					trials = append(trials, trial)
				}
			}
			sum += floats.Sum(optimism(trials))
		}
		if sum == 0 {
			t.Fatalf("stage %s has no optimism to see: another seed is needed", stage)
		}
		want += sum
	}
	if math.Abs(c.Optimism-want) > 1e-15 {
		t.Errorf("optimism %g, want %g", c.Optimism, want)
	}
}
