package experiments

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
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
	n, held := float64(len(of)), 0.
	values := make([]float64, len(of))
	for i, e := range of {
		values[i] = e.Value
		s.Truth += e.Truth / n
		s.SE += e.SE / n
		if e.Held {
			held++
		}
	}
	s.Coverage = held / n
	s.Mean, s.SD = stat.MeanStdDev(values, nil)
	s.CoverageErr = math.Sqrt(s.Coverage * (1 - s.Coverage) / n)
	return s
}

// EffectScenarios are those of the study of effects.
func EffectScenarios() []EffectScenario {
	return []EffectScenario{twoArms(), threeArms(), covariates(), confounded(), missingInArms(), missingByX(), clustered(), replicates(), portfolio()}
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

// randomisedOrNot draws X ~ N(0, I) in two columns, a treatment with P(T = 1|X) = 1/(1 + exp(-slope (X₁ - X₂))), and U₁ = 0.5 T + X₁ + N(0, 1), U₂ = 0.3 T + 0.5 X₂ + N(0, 1).
func randomisedOrNot(slope float64) func(rnd *rand.Rand) (tables.Source, error) {
	return func(rnd *rand.Rand) (tables.Source, error) {
		columns := make(map[string][]float64)
		for range effectRows {
			x1, x2 := rnd.NormFloat64(), rnd.NormFloat64()
			t := 0.0
			if rnd.Float64() < 1/(1+math.Exp(-slope*(x1-x2))) {
				t = 1
			}
			for name, v := range map[string]float64{"t": t, "x1": x1, "x2": x2} {
				columns[name] = append(columns[name], v)
			}
			columns["u1"] = append(columns["u1"], .5*t+x1+rnd.NormFloat64())
			columns["u2"] = append(columns["u2"], .3*t+.5*x2+rnd.NormFloat64())
		}
		var data []tables.ColumnData
		for _, name := range []string{"t", "x1", "x2", "u1", "u2"} {
			data = append(data, tables.Numbers(name, columns[name]))
		}
		return tables.FromColumns(data...)
	}
}

// beside are the first effects of several estimators on the same tables, all of which have the same truth.
func beside(ctx context.Context, xu, uy tables.Source, truth float64, of ...effect.Estimator) ([]EffectDraw, error) {
	var drawn []EffectDraw
	for _, e := range of {
		e.Psi = quadratic
		r, err := e.Estimate(ctx, xu, uy)
		if err != nil {
			return nil, err
		}
		drawn = append(drawn, drawnOf(r.Effects[0], truth))
	}
	return drawn, nil
}

func covariates() EffectScenario {
	return EffectScenario{
		Name: "covariates", Estimates: []string{"difference of arms", "adjusted by X"},
		Definition: "X ~ N(0, I) of two columns, P(T = 1) = 1/2, U₁ = 0.5 T + X₁ + N(0, 1), U₂ = 0.3 T + 0.5 X₂ + N(0, 1). " + cohort + ".",
		Draw: func(ctx context.Context, seed uint64) ([]EffectDraw, error) {
			xu, uy, err := effectsIn(seed, "covariates", randomisedOrNot(0))
			if err != nil {
				return nil, err
			}
			return beside(ctx, xu, uy, Effect, effect.Estimator{Treatment: "t"}, effect.Estimator{Treatment: "t", X: []string{"x1", "x2"}})
		},
	}
}

func confounded() EffectScenario {
	x := []string{"x1", "x2"}
	return EffectScenario{
		Name: "confounded", Estimates: []string{"difference of arms", "estimated propensity"},
		Definition: "As covariates, but P(T = 1|X) = 1/(1 + exp(-(X₁ - X₂)/2)): the treatment is not randomised, and the difference of arms is biased.",
		Draw: func(ctx context.Context, seed uint64) ([]EffectDraw, error) {
			xu, uy, err := effectsIn(seed, "confounded", randomisedOrNot(.5))
			if err != nil {
				return nil, err
			}
			return beside(ctx, xu, uy, Effect, effect.Estimator{Treatment: "t"}, effect.Estimator{Treatment: "t", X: x, Propensity: effect.EstimatePropensity})
		},
	}
}

// withoutU2 returns a table in one batch with u2 missing in the rows of which lost is true of the first three columns.
func withoutU2(ctx context.Context, src tables.Source, seed uint64, lost func(rnd *rand.Rand, row []float64) bool) (tables.Source, error) {
	rnd := draw.Rand(seed, "experiments/effects/missing", 0)
	var columns []tables.ColumnData
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		for j, c := range src.Columns() {
			v := mat.Col(nil, j, b.Num)
			if c.Name == "u2" {
				for i := range v {
					if lost(rnd, b.Num.RawRowView(i)[:3]) {
						v[i] = math.NaN()
					}
				}
			}
			columns = append(columns, tables.Numbers(c.Name, v))
		}
	}
	return tables.FromColumns(columns...)
}

func missingInArms() EffectScenario {
	return EffectScenario{
		Name: "missing", Estimates: []string{"missing values as values", "complete rows"},
		Definition: "As covariates, with U₂ missing at random in 40 % of the treated and 20 % of the other rows, and in 30 % of the second table.",
		Draw: func(ctx context.Context, seed uint64) ([]EffectDraw, error) {
			xu, uy, err := effectsIn(seed, "missing", randomisedOrNot(0))
			if err != nil {
				return nil, err
			}
			if xu, err = withoutU2(ctx, xu, seed, func(rnd *rand.Rand, row []float64) bool { return rnd.Float64() < .2+.2*row[0] }); err != nil {
				return nil, err
			}
			if uy, err = withoutU2(ctx, uy, seed+1<<32, func(rnd *rand.Rand, _ []float64) bool { return rnd.Float64() < .3 }); err != nil {
				return nil, err
			}
			return beside(ctx, xu, uy, Effect, effect.Estimator{Treatment: "t"}, effect.Estimator{Treatment: "t", CompleteU: true})
		},
	}
}

func missingByX() EffectScenario {
	return EffectScenario{
		Name: "missing-by-x", Estimates: []string{"complete rows", "weighed by X and U₁"},
		Definition: "As covariates, with U₂ of the first table missing with probability 1/(1 + exp(1 - X₂)) in treated rows and 1/(1 + exp(1 + X₂)) in the others, 30 % of all.",
		Draw: func(ctx context.Context, seed uint64) ([]EffectDraw, error) {
			xu, uy, err := effectsIn(seed, "missing-by-x", randomisedOrNot(0))
			if err != nil {
				return nil, err
			}
			if xu, err = withoutU2(ctx, xu, seed, func(rnd *rand.Rand, row []float64) bool {
				return rnd.Float64() < 1/(1+math.Exp(1-(2*row[0]-1)*row[2]))
			}); err != nil {
				return nil, err
			}
			return beside(ctx, xu, uy, Effect, effect.Estimator{Treatment: "t", CompleteU: true},
				effect.Estimator{Treatment: "t", CompleteU: true, WeighU: true, X: []string{"x1", "x2"}})
		},
	}
}
