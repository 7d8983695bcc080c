package check

import (
	"math"
	"slices"
)

// ranksOf are the places of values among each other, above 0 and below 1, ties with their mean place, NaN where missing (NaN).
func ranksOf(values []float64) []float64 {
	type place struct {
		value float64
		row   int
	}
	order := make([]place, 0, len(values))
	ranks := make([]float64, len(values))
	for i, v := range values {
		if ranks[i] = math.NaN(); !math.IsNaN(v) {
			order = append(order, place{v, i})
		}
	}
	slices.SortFunc(order, func(a, b place) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && order[hi].value == order[lo].value {
			hi++
		}
		for _, p := range order[lo:hi] {
			ranks[p.row] = float64(lo+hi) / 2 / float64(len(order))
		}
		lo = hi
	}
	return ranks
}
