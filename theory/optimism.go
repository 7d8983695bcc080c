package theory

import (
	"context"
	"math"
)

// docs/theory.md, 20: R_k(c) is the risk of candidate c on fold k, c* the least of their sum over folds, c_k the least of the sum over
// the folds but k. With T(c) = Σ_k R_k(c), c_k minimises T - R_k, so that
//
//	R_k(c_k) - R_k(c*) >= T(c_k) - T(c*) >= 0
//
// for each fold: what choosing adds is never negative, and cutting it at 0 changes nothing, if every sum gives the folds the same
// weights. If the folds are weighted when c* is chosen and not when c_k is, or c* is not the least, it may be negative.
//
// Measured on random tables of risks.

// An optimism holds the formula.
type optimism struct {
	// gap is what fold k adds, from its own risks of c_k and c*.
	gap func(ofOthers, ofAll float64) float64
	// others is the sum by which c_k is chosen, from the sum over all folds and fold k's own.
	others func(all, own float64) float64
	// floor is what the sum over folds cannot be below, from T(c_k) - T(c*).
	floor func(excess float64) float64
}

var rightOptimism = optimism{
	gap:    func(ofOthers, ofAll float64) float64 { return ofOthers - ofAll },
	others: func(all, own float64) float64 { return all - own },
	floor:  func(excess float64) float64 { return excess },
}

func (k optimism) claim() Claim {
	return Claim{
		Name:      "What choosing the best adds is not negative",
		Reference: "docs/theory.md, 20",
		Statement: "What the choice of the best of many candidates adds to the risk is measured on the fold that the choice did not see, and is never negative in the mean where folds weigh the same.",
		Formulas: []string{
			`R_k(c_k) - R_k(c^*) \ge T(c_k) - T(c^*) \ge 0`,
		},
		Assumptions: "c* minimises the sum T of the folds' risks, c_k the sum without fold k.",
		Method:      "Random tables of 2 to 10 candidates and 2 to 10 folds; an example in which folds of different weight make it negative.",
		Run:         k.run,
	}
}

type optimismTallies struct{ byFold, mean, weighted tally }

func (k optimism) run(ctx context.Context, o Options) (Result, error) {
	var t optimismTallies
	for i := range o.distributionCount() {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		k.onTable(&t, newSampler(o, "optimism", i))
	}
	t.weighted.below(k.weightedExample(), -1e-3, 1)
	return Result{Checks: t.checks()}, nil
}

func (t *optimismTallies) checks() []Check {
	return []Check{
		t.byFold.inequality("T(c_k) - T(c*) <= R_k(c_k) - R_k(c*)"),
		t.mean.inequality("0 <= mean over folds of R_k(c_k) - R_k(c*)"),
		t.weighted.inequality("example: < 0 where folds weigh differently when c* is chosen"),
	}
}

func leastOf(v []float64) int {
	at := 0
	for i, x := range v {
		if x < v[at] {
			at = i
		}
	}
	return at
}

// added returns Σ_k R_k(c_k) - R_k(c*) and the least of its terms less T(c_k) - T(c*); risks[c][k], with weights of the folds in the
// choice of c*.
func (k optimism) added(risks [][]float64, weights []float64) (sum, least float64) {
	all, weighted := make([]float64, len(risks)), make([]float64, len(risks))
	for c, row := range risks {
		for fold, v := range row {
			all[c] += v
			weighted[c] += weights[fold] * v
		}
	}
	best := leastOf(weighted)
	least = math.Inf(1)
	for fold := range risks[0] {
		others := make([]float64, len(risks))
		for c := range others {
			others[c] = k.others(all[c], risks[c][fold])
		}
		at := leastOf(others)
		gap := k.gap(risks[at][fold], risks[best][fold])
		sum += gap
		least = math.Min(least, gap-k.floor(all[at]-all[best]))
	}
	return sum, least
}

func (k optimism) onTable(t *optimismTallies, s sampler) {
	risks := make([][]float64, s.integer(2, 10))
	folds := s.integer(2, 10)
	for c := range risks {
		risks[c] = s.values(folds)
	}
	weights := make([]float64, folds)
	for i := range weights {
		weights[i] = 1
	}
	sum, least := k.added(risks, weights)
	t.mean.below(0, sum/float64(folds), 2)
	t.byFold.below(0, least, 40)
}

// weightedExample is a table of two candidates whose folds have the weights 8, 1 and 1 in the choice of c*, and equal ones in that of
// c_k: c* is the first (6 against 8), every c_k the second, and the sum is 1 - 3 - 3.
func (k optimism) weightedExample() float64 {
	sum, _ := k.added([][]float64{{0, 3, 3}, {1, 0, 0}}, []float64{8, 1, 1})
	return sum
}
