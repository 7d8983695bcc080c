package experiments

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"mediant/effect"
	"mediant/internal/draw"
	"mediant/problem"
	"mediant/tables"
)

// Clusters of the scenario of clusters, and their rows.
const clusterCount, clusterRows = 40, 30

func clustered() EffectScenario {
	return EffectScenario{
		Name: "clusters", Estimates: []string{"rows as independent", "clusters"},
		Definition: fmt.Sprintf("%d schools of %d rows in each table, all rows of a school in one arm: U ~ N(T (0.5, 0.3) + A, I), A ~ N(0, 0.4² I) of the school. The second table is of other schools and has U₁ ~ N(0.3, 1.8²), U₂ ~ N(0, 1.4²) and Y = U₁ + U₂² + B + N(0, 1), B ~ N(0, 1) of the school.", clusterCount, clusterRows),
		Draw: func(ctx context.Context, seed uint64) ([]EffectDraw, error) {
			rnd := draw.Rand(seed, "experiments/effects/clusters", 0)
			var schools [2][]string
			var t, u1, u2, ownU1, ownU2, y []float64
			for g := range clusterCount {
				arm, a1, a2, b := float64(g%2), .4*rnd.NormFloat64(), .4*rnd.NormFloat64(), rnd.NormFloat64()
				for range clusterRows {
					schools[0] = append(schools[0], fmt.Sprint("a", g))
					t, u1, u2 = append(t, arm), append(u1, .5*arm+a1+rnd.NormFloat64()), append(u2, .3*arm+a2+rnd.NormFloat64())
					v1, v2 := .3+1.8*rnd.NormFloat64(), 1.4*rnd.NormFloat64()
					schools[1] = append(schools[1], fmt.Sprint("b", g))
					ownU1, ownU2, y = append(ownU1, v1), append(ownU2, v2), append(y, v1+v2*v2+b+rnd.NormFloat64())
				}
			}
			xu, err := tables.FromColumns(tables.Strings("school", schools[0]), tables.Numbers("t", t), tables.Numbers("u1", u1), tables.Numbers("u2", u2))
			if err != nil {
				return nil, err
			}
			uy, err := tables.FromColumns(tables.Strings("school", schools[1]), tables.Numbers("u1", ownU1), tables.Numbers("u2", ownU2), tables.Numbers("y", y))
			if err != nil {
				return nil, err
			}
			of := func(r tables.RoleOptions) effect.Estimator {
				return effect.Estimator{Setup: problem.Setup{Roles: r}, Treatment: "t"}
			}
			return beside(ctx, xu, uy, Effect, of(tables.RoleOptions{Ignore: []string{"school"}}), of(tables.RoleOptions{ClusterXU: "school", ClusterUY: "school"}))
		},
	}
}

// Experiments of the scenario of a portfolio, and the rows of each.
const portfolioSize, portfolioRows = 100, 100

func portfolio() EffectScenario {
	return EffectScenario{
		Name: "portfolio", Estimates: []string{"error of an estimate", "error of a shrunken estimate", "coverage in the backtest"},
		Definition: fmt.Sprintf("%d experiments of %d rows, P(T = 1) = 1/2, U₁ ~ N(T E, 1) with the effect E ~ N(0.5, 0.4²) of the experiment, U₂ ~ N(0, 1). %s. The errors are those of one experiment, the backtest is of all; its interval holds 0.95 if that is within 1.96 standard errors.", portfolioSize, portfolioRows, cohort),
		Draw: func(ctx context.Context, seed uint64) ([]EffectDraw, error) {
			var truths []effect.Truth
			xu, uy, err := effectsIn(seed, "portfolio", func(rnd *rand.Rand) (tables.Source, error) {
				var names []string
				var t, u1, u2 []float64
				for g := range portfolioSize {
					of := effect.Truth{Experiment: fmt.Sprint("e", g), Output: "y", Effect: .5 + .4*rnd.NormFloat64()}
					truths = append(truths, of)
					for range portfolioRows {
						arm := float64(rnd.IntN(2))
						names, t = append(names, of.Experiment), append(t, arm)
						u1, u2 = append(u1, arm*of.Effect+rnd.NormFloat64()), append(u2, rnd.NormFloat64())
					}
				}
				return tables.FromColumns(tables.Strings("experiment", names), tables.Numbers("t", t), tables.Numbers("u1", u1), tables.Numbers("u2", u2))
			})
			if err != nil {
				return nil, err
			}
			p, err := effect.Estimator{Setup: problem.Setup{Psi: quadratic}, Treatment: "t"}.Portfolio(ctx, xu, uy, "experiment")
			if err != nil {
				return nil, err
			}
			if err := p.Backtest(truths); err != nil {
				return nil, err
			}
			coverage := p.Backtests[0].Raw.Coverage
			one := truths[0]
			i := slices.IndexFunc(p.Effects, func(e effect.ExperimentEffect) bool { return e.Group == one.Experiment })
			if i < 0 || p.Effects[i].Shrunken == nil {
				return nil, fmt.Errorf("experiments: no estimate of experiment %s", one.Experiment)
			}
			raw, shrunken := p.Effects[i].Interval, *p.Effects[i].Shrunken
			held := func(lo, hi float64) bool { return lo <= one.Effect && one.Effect <= hi }
			return []EffectDraw{
				{Value: raw.Value - one.Effect, SE: raw.SE, Held: held(raw.Lo, raw.Hi)},
				{Value: shrunken.Value - one.Effect, SE: shrunken.SE, Held: held(shrunken.Lo, shrunken.Hi)},
				{Truth: .95, Value: *coverage.Value, SE: *coverage.SE, Held: math.Abs(*coverage.Value-.95) <= 1.96**coverage.SE},
			}, nil
		},
	}
}
