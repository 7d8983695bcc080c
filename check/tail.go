package check

import (
	"cmp"
	"math"
	"slices"
)

// A tail keeps the largest values, descending.
type tail struct{ values []float64 }

func (t *tail) add(v float64) {
	if n := len(t.values); n > tailValues && v <= t.values[n-1] {
		return
	}
	at, _ := slices.BinarySearchFunc(t.values, v, func(have, v float64) int { return cmp.Compare(v, have) })
	t.values = slices.Insert(t.values, at, v)
	t.values = t.values[:min(len(t.values), tailValues+1)]
}

func (t *tail) largest() float64 {
	if len(t.values) == 0 {
		return math.Inf(-1)
	}
	return t.values[0]
}

// beyond is by how much the value that others exceed with probability p is above the largest of n, at least 0: from the generalised
// Pareto distribution of the largest tenth, at most 100 of them, less the centre, by moments of logarithms (Dekkers, Einmahl and de Haan,
// Annals of Statistics 17, 1989). Tails that end are taken for exponential ones.
func (t *tail) beyond(centre float64, n int, p float64) float64 {
	k := min(len(t.values)-1, max(5, n/10))
	if k < 5 || t.values[k]-centre <= 0 {
		return 0
	}
	base := t.values[k] - centre
	var first, second float64
	for _, v := range t.values[:k] {
		l := math.Log((v - centre) / base)
		first += l / float64(k)
		second += l * l / float64(k)
	}
	if second == 0 || second <= first*first {
		return 0
	}
	negative := 1 - .5/(1-first*first/second)
	shape := max(first+negative, 0)
	size := base * first * (1 - min(negative, 0))
	steps := math.Log(float64(k) / (float64(n) * p))
	at := size * steps
	if shape > 1e-6 {
		at = size * math.Expm1(shape*steps) / shape
	}
	return max(base+at-(t.values[0]-centre), 0)
}
