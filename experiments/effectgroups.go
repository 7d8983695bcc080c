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

// Replicate weights of the scenario of them, and the strata of two clusters each, with their rows.
const replicateCount, replicateStrata, replicateRows = 24, 20, 20

// replicates is a survey of strata of two schools: half-samples take one school of each stratum, by the signs of a Hadamard matrix, whose orthogonal columns make the variance that of all half-samples.
func replicates() EffectScenario {
	return EffectScenario{
		Name: "replicates", Estimates: []string{"rows as independent", "replicate weights"},
		Definition: fmt.Sprintf("A survey: as clusters, of %d strata of two schools of %d rows in each table, one school of each stratum in either arm, with sampling weights between 0.5 and 1.5 of the schools, by which U and Y do not differ, and %d replicate weights of balanced half-samples (Fay's method, K = 0.3). No column of schools is used.", replicateStrata, replicateRows, replicateCount),
		Draw: func(ctx context.Context, seed uint64) ([]EffectDraw, error) {
			rnd := draw.Rand(seed, "experiments/effects/replicates", 0)
			const fay = .3
			signs := hadamard24()
			weights, columns := [2][]float64{}, [2][replicateCount][]float64{}
			var t, u1, u2, ownU1, ownU2, y []float64
			for g := range 2 * replicateStrata {
				arm, a1, a2, b := float64(g%2), .4*rnd.NormFloat64(), .4*rnd.NormFloat64(), rnd.NormFloat64()
				weight := [2]float64{.5 + rnd.Float64(), .5 + rnd.Float64()}
				for range replicateRows {
					t, u1, u2 = append(t, arm), append(u1, .5*arm+a1+rnd.NormFloat64()), append(u2, .3*arm+a2+rnd.NormFloat64())
					v1, v2 := .3+1.8*rnd.NormFloat64(), 1.4*rnd.NormFloat64()
					ownU1, ownU2, y = append(ownU1, v1), append(ownU2, v2), append(y, v1+v2*v2+b+rnd.NormFloat64())
					for side, w := range weight {
						weights[side] = append(weights[side], w)
						for r := range columns[side] {
							times := fay
							if (g%2 == 0) == (signs[r][1+g/2] > 0) {
								times = 2 - fay
							}
							columns[side][r] = append(columns[side][r], w*times)
						}
					}
				}
			}
			xu, err := tables.FromColumns(append(replicateColumns(weights[0], columns[0]), tables.Numbers("t", t), tables.Numbers("u1", u1), tables.Numbers("u2", u2))...)
			if err != nil {
				return nil, err
			}
			uy, err := tables.FromColumns(append(replicateColumns(weights[1], columns[1]), tables.Numbers("u1", ownU1), tables.Numbers("u2", ownU2), tables.Numbers("y", y))...)
			if err != nil {
				return nil, err
			}
			rows := tables.RoleOptions{WeightsXU: "weight", WeightsUY: "weight", Ignore: []string{"repwt*"}}
			survey := tables.RoleOptions{WeightsXU: "weight", WeightsUY: "weight", ReplicatesXU: []string{"repwt*"}, ReplicatesUY: []string{"repwt*"}}
			of := effect.Replicates{Method: effect.Fay, Fay: fay}
			return beside(ctx, xu, uy, Effect, effect.Estimator{Setup: problem.Setup{Roles: rows}, Treatment: "t"},
				effect.Estimator{Setup: problem.Setup{Roles: survey}, Treatment: "t", ReplicatesXU: of, ReplicatesUY: of})
		},
	}
}

// replicateColumns are the columns of weights and replicate weights.
func replicateColumns(weights []float64, columns [replicateCount][]float64) []tables.ColumnData {
	all := []tables.ColumnData{tables.Numbers("weight", weights)}
	for r, column := range columns {
		all = append(all, tables.Numbers(fmt.Sprint("repwt", r+1), column))
	}
	return all
}

// hadamard24 is the Hadamard matrix of order 24 of Paley [Journal of Mathematics and Physics 12, 1933], from the squares modulo 23. Its rows are orthogonal, and so are its columns.
func hadamard24() [replicateCount][replicateCount]int {
	square := make(map[int]bool)
	for i := 1; i < 23; i++ {
		square[i*i%23] = true
	}
	var h [replicateCount][replicateCount]int
	for i := range h {
		for j := range h {
			switch d := (j - i + 23) % 23; {
			case i == 0 || i == j:
				h[i][j] = 1
			case j == 0:
				h[i][j] = -1
			case square[d]:
				h[i][j] = 1
			default:
				h[i][j] = -1
			}
		}
	}
	return h
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
