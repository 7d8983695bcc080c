package crossfit

import (
	"context"
	"math"
	"slices"
)

// Descend returns, for each unit of outputs, the index of a penalty of a grid whose risk is finite and not above that of its neighbours in the grid, -1 where none that was tried is finite. It goes
// downhill from the middle, so that it evaluates four or five penalties where the risk has one minimum, as cross-validated risks nearly always have. evaluate returns the risks by unit at each of some penalties.
func Descend(grid []float64, evaluate func(some []float64) ([][]float64, error)) ([]int, error) {
	n := len(grid)
	risk := make([][]float64, n) // by penalty and unit; nil where it is not evaluated
	need := neighbours(n/2, n)
	var best []int
	for len(need) > 0 {
		found, err := evaluate(pick(grid, need))
		if err != nil {
			return nil, err
		}
		for i, at := range need {
			risk[at] = found[i]
		}
		best = lowest(risk, len(found[0]))
		need = nil
		for _, at := range best {
			if at < 0 {
				continue
			}
			for _, i := range neighbours(at, n) {
				if risk[i] == nil && !slices.Contains(need, i) {
					need = append(need, i)
				}
			}
		}
		slices.Sort(need)
	}
	return best, nil
}

// LeastPenalty returns the penalty of a grid with the least cross-validated error of all units together (Descend), 0 where no error is finite.
func LeastPenalty(ctx context.Context, uy Splits, u Units, lambdas []float64, intercept bool) (float64, error) {
	best, err := Descend(lambdas, func(some []float64) ([][]float64, error) {
		c, err := CrossValidate(ctx, uy, u, some, intercept)
		if err != nil {
			return nil, err
		}
		var all [][]float64
		for _, total := range c.Totals(c.Risk) {
			all = append(all, []float64{total})
		}
		return all, nil
	})
	if err != nil || best[0] < 0 {
		return 0, err
	}
	return lambdas[best[0]], nil
}

// neighbours are the index itself and those beside it in a grid of n.
func neighbours(at, n int) []int {
	var out []int
	for i := max(at-1, 0); i <= min(at+1, n-1); i++ {
		out = append(out, i)
	}
	return out
}

// lowest returns Best of the risks of each unit among those that are evaluated.
func lowest(risk [][]float64, units int) []int {
	best := make([]int, units)
	for u := range best {
		own := make([]float64, len(risk))
		for i, of := range risk {
			if own[i] = math.NaN(); of != nil {
				own[i] = of[u]
			}
		}
		best[u] = Best(own)
	}
	return best
}
