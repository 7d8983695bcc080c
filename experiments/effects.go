package experiments

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"mediant/effect"
	"mediant/features"
	"mediant/internal/draw"
	"mediant/problem"
	"mediant/tables"
)

// An EffectScenario draws tables whose effects are known, and estimates these. A further one is added to EffectScenarios.
type EffectScenario struct {
	Name string
	// Definition is a sentence of Markdown.
	Definition string
	// Estimates name what Draw returns, in order.
	Estimates []string
	// Draw draws the tables of a seed and estimates their effects.
	Draw func(ctx context.Context, seed uint64) ([]EffectDraw, error)
}

// An EffectDraw is an effect and its estimate in one draw, and whether the 95 % interval holds it. Of a joint interval only Held is of use, and
// the others are NaN.
type EffectDraw struct {
	Truth, Value, SE float64
	Held             bool
}

// An EffectSummary has the means of an estimate over all draws: of the truth, of the estimate, its standard deviation, the mean of its standard error, and the share
// of intervals that hold the truth with its own standard error.
type EffectSummary struct {
	Scenario, Estimate    string
	Truth, Mean, SD, SE   float64
	Coverage, CoverageErr float64
}

// Run repeats the scenario.
func (s EffectScenario) Run(ctx context.Context, draws int, seed uint64, progress func(draw int)) ([]EffectSummary, error) {
	if err := atLeast("the number of draws", draws, 2); err != nil {
		return nil, err
	}
	all := make([][]EffectDraw, len(s.Estimates))
	for d := range draws {
		progress(d)
		of, err := s.Draw(ctx, seed+uint64(d))
		if err != nil {
			return nil, fmt.Errorf("experiments: scenario %q, draw %d: %w", s.Name, d, err)
		}
		if len(of) != len(all) {
			return nil, fmt.Errorf("experiments: scenario %q has %d estimates, not %d", s.Name, len(of), len(all))
		}
		for i, e := range of {
			all[i] = append(all[i], e)
		}
	}
	found := make([]EffectSummary, len(all))
	for i, of := range all {
		found[i] = summarize(of)
		found[i].Scenario, found[i].Estimate = s.Name, s.Estimates[i]
	}
	return found, nil
}

func summarize(of []EffectDraw) EffectSummary {
	var s EffectSummary
	n := float64(len(of))
	values := make([]float64, len(of))
	for i, e := range of {
		values[i] = e.Value
		s.Truth += e.Truth / n
		s.SE += e.SE / n
		if e.Held {
			s.Coverage += 1 / n
		}
	}
	s.Mean, s.SD = stat.MeanStdDev(values, nil)
	s.CoverageErr = math.Sqrt(s.Coverage * (1 - s.Coverage) / n)
	return s
}

// EffectScenarios are those of the study of effects.
func EffectScenarios() []EffectScenario {
	return []EffectScenario{twoArms(), threeArms()}
}

// EffectScenariosNamed returns the scenarios of some names, all for none; the error lists the names.
func EffectScenariosNamed(names []string) ([]EffectScenario, error) {
	all := EffectScenarios()
	if len(names) == 0 {
		return all, nil
	}
	var chosen []EffectScenario
	for _, name := range names {
		i := slices.IndexFunc(all, func(s EffectScenario) bool { return s.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("experiments: there is no scenario %q, only %s", name, strings.Join(EffectScenarioNames(), ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// EffectScenarioNames are the names of EffectScenarios.
func EffectScenarioNames() (names []string) {
	for _, s := range EffectScenarios() {
		names = append(names, s.Name)
	}
	return names
}

// effectRows is the number of rows of each table.
const effectRows = 1000

// quadratic has the E[Y|U] of the scenarios in its span.
var quadratic = features.Spec{Kind: features.PolynomialFeatures, Degree: 2}

// drawnOf is an estimate beside the truth.
func drawnOf(e effect.Estimate, truth float64) EffectDraw {
	return EffectDraw{Truth: truth, Value: e.Value, SE: e.SE, Held: e.Lo <= truth && truth <= e.Hi}
}

// effectsIn draws the rows of a study, by do, and a cohort in which U spreads further and Y = U1 + U2² + N(0, 1); it returns both tables.
func effectsIn(seed uint64, scenario string, study func(rnd *rand.Rand) (tables.Source, error)) (xu, uy tables.Source, err error) {
	if xu, err = study(draw.Rand(seed, "experiments/effects/"+scenario, 0)); err != nil {
		return nil, nil, err
	}
	rnd := draw.Rand(seed, "experiments/effects/cohort", 0)
	u1, u2, y := make([]float64, effectRows), make([]float64, effectRows), make([]float64, effectRows)
	for i := range y {
		u1[i], u2[i] = .3+1.8*rnd.NormFloat64(), 1.4*rnd.NormFloat64()
		y[i] = u1[i] + u2[i]*u2[i] + rnd.NormFloat64()
	}
	uy, err = tables.FromColumns(tables.Numbers("u1", u1), tables.Numbers("u2", u2), tables.Numbers("y", y))
	return xu, uy, err
}

// cohort is what the definitions say of the second table.
const cohort = "The second table has U₁ ~ N(0.3, 1.8²), U₂ ~ N(0, 1.4²) and Y = U₁ + U₂² + N(0, 1)"

func twoArms() EffectScenario {
	distribution := Surrogate{Share: .4, Level: 20}
	return EffectScenario{
		Name: "two-arms", Estimates: []string{"effect"},
		Definition: "P(T = 1) = 0.4, U ~ N(T (0.5, 0.3), I). The second table has U₁ ~ N(0.2, 1.3²), U₂ ~ N(0, 1.2²) and Y = 20 + U₁ + U₂² + N(0, 1).",
		Draw: func(ctx context.Context, seed uint64) ([]EffectDraw, error) {
			xu, err := distribution.XU(effectRows, seed)
			if err != nil {
				return nil, err
			}
			uy, err := distribution.UY(effectRows, seed)
			if err != nil {
				return nil, err
			}
			r, err := effect.Estimator{Setup: problem.Setup{Psi: quadratic}, Treatment: "t"}.Estimate(ctx, xu, uy)
			if err != nil {
				return nil, err
			}
			return []EffectDraw{drawnOf(r.Effects[0], Effect)}, nil
		},
	}
}

func threeArms() EffectScenario {
	arms := []struct {
		level  string
		u1, u2 float64
	}{{"control", 0, 0}, {"low", .3, .2}, {"high", .6, .4}}
	return EffectScenario{
		Name: "three-arms", Estimates: []string{"low against control", "high against control", "joint interval"},
		Definition: "Three arms of equal probability, U ~ N(μ, I) with μ = (0, 0), (0.3, 0.2) and (0.6, 0.4). " + cohort + ". The joint interval holds if both effects are in theirs.",
		Draw: func(ctx context.Context, seed uint64) ([]EffectDraw, error) {
			xu, uy, err := effectsIn(seed, "three", func(rnd *rand.Rand) (tables.Source, error) {
				t, u1, u2 := make([]string, effectRows), make([]float64, effectRows), make([]float64, effectRows)
				for i := range t {
					arm := arms[rnd.IntN(len(arms))]
					t[i], u1[i], u2[i] = arm.level, arm.u1+rnd.NormFloat64(), arm.u2+rnd.NormFloat64()
				}
				return tables.FromColumns(tables.Strings("t", t), tables.Numbers("u1", u1), tables.Numbers("u2", u2))
			})
			if err != nil {
				return nil, err
			}
			r, err := effect.Estimator{Setup: problem.Setup{Psi: quadratic}, Treatment: "t", Control: "control"}.Estimate(ctx, xu, uy)
			if err != nil {
				return nil, err
			}
			var drawn []EffectDraw
			joint := EffectDraw{Truth: math.NaN(), Value: math.NaN(), SE: math.NaN(), Held: true}
			for _, arm := range arms[1:] {
				truth := arm.u1 + arm.u2*arm.u2
				i := slices.IndexFunc(r.Effects, func(e effect.Estimate) bool { return e.Arm == arm.level })
				drawn = append(drawn, drawnOf(r.Effects[i], truth))
				joint.Held = joint.Held && r.Effects[i].Joint.Lo <= truth && truth <= r.Effects[i].Joint.Hi
			}
			return append(drawn, joint), nil
		},
	}
}
