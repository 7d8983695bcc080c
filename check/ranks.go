package check

import (
	"cmp"
	"math"
	"slices"
)

// ranksOf are the places of values among each other, above 0 and below 1, ties with their mean place, NaN where missing (NaN).
func ranksOf(values []float64) []float64 {
	order := make([]int, 0, len(values))
	ranks := make([]float64, len(values))
	for i, v := range values {
		if ranks[i] = math.NaN(); !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && values[order[hi]] == values[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			ranks[i] = float64(lo+hi) / 2 / float64(len(order))
		}
		lo = hi
	}
	return ranks
}
