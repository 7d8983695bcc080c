package corruption

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// dependent reports whether a column shows a sign (p of 0.01 or less) that it depends on the other ones: a permutation test of the sum of
// squared rank correlations. Where it does not, the column in another order looks like any other of its kind.
func (s *Sheet) dependent(name string, others []string, rnd *rand.Rand) bool {
	const permutations = 199
	own := s.ranks(name)
	var rest [][]float64
	for _, other := range others {
		if other != name {
			rest = append(rest, s.ranks(other))
		}
	}
	strength := func() float64 {
		sum := 0.0
		for _, r := range rest {
			dot := 0.0
			for i, v := range own {
				dot += v * r[i]
			}
			sum += dot * dot
		}
		return sum
	}
	seen, above := strength(), 0
	for range permutations {
		rnd.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		if strength() >= seen {
			above++
		}
	}
	return above < 2 // p = (1 + above) / 200
}

// ranks are the ranks of the numbers of a column, or of the frequencies of its levels, less their mean, of length 1.
func (s *Sheet) ranks(name string) []float64 {
	sum := s.summary(name)
	keys := make([]float64, len(s.Rows))
	for i, cell := range s.column(name) {
		if sum.numbers == nil {
			keys[i] = float64(slices.Index(sum.levels, cell))
		} else {
			keys[i], _ = number(cell)
		}
	}
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	ranks := make([]float64, len(keys))
	for start := 0; start < len(order); {
		end := start
		for end < len(order) && keys[order[end]] == keys[order[start]] {
			end++
		}
		for _, i := range order[start:end] { // equal ones have their mean
			ranks[i] = float64(start+end-len(order)) / 2
		}
		start = end
	}
	norm := 0.0
	for _, v := range ranks {
		norm += v * v
	}
	if norm == 0 {
		return ranks
	}
	for i := range ranks {
		ranks[i] /= math.Sqrt(norm)
	}
	return ranks
}
