package crossfit

import (
	"context"
	"math"
	"slices"
)

// Descend returns, for each unit of outputs, the index of a penalty of a grid whose risk is finite and not above that of its neighbours in the grid, -1 where none that was tried is finite. It goes
// downhill from the middle, so that it evaluates four or five penalties where the risk has one minimum, as cross-validated risks nearly always have. Each unit has its own way: what others evaluate
// does not count. evaluate returns the risks by unit at each of some penalties.
func Descend(grid []float64, evaluate func(some []float64) ([][]float64, error)) ([]int, error) {
	n := len(grid)
	risk := make([][]float64, n) // by penalty and unit; nil where it is not evaluated
	need := neighbours(n/2, n)
	var best []int
	var seen [][]bool // by unit and penalty
	for len(need) > 0 {
		found, err := evaluate(pick(grid, need))
		if err != nil {
			return nil, err
		}
		for i, at := range need {
			risk[at] = found[i]
		}
		if best == nil {
			best, seen = make([]int, len(found[0])), make([][]bool, len(found[0]))
			for u := range seen {
				seen[u] = make([]bool, n)
				for _, at := range need {
					seen[u][at] = true
				}
			}
		}
		need = nil
		for u := range seen {
			for _, i := range descended(risk, seen[u], u, best) {
				if !slices.Contains(need, i) {
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

// descended sets the best of unit u among the penalties that it has seen, and sees its neighbours, as long as their risks are known; it returns those that are not.
func descended(risk [][]float64, seen []bool, u int, best []int) (need []int) {
	for {
		if best[u] = lowest(risk, seen, u); best[u] < 0 {
			return nil
		}
		moved := false
		for _, i := range neighbours(best[u], len(risk)) {
			if !seen[i] {
				seen[i], moved = true, true
				if risk[i] == nil {
					need = append(need, i)
				}
			}
		}
		if need != nil || !moved {
			return need
		}
	}
}

// neighbours are the index itself and those beside it in a grid of n.
func neighbours(at, n int) []int {
	var out []int
	for i := max(at-1, 0); i <= min(at+1, n-1); i++ {
		out = append(out, i)
	}
	return out
}

// lowest returns Best of the risks of a unit among those that it has seen.
func lowest(risk [][]float64, seen []bool, u int) int {
	own := make([]float64, len(risk))
	for i := range own {
		if own[i] = math.NaN(); seen[i] && risk[i] != nil {
			own[i] = risk[i][u]
		}
	}
	return Best(own)
}
