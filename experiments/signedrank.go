package experiments

import (
	"math"
	"slices"
)

// SignedRank returns the two-sided p-value of Wilcoxon's signed-rank test that the differences a_i - b_i are
// as likely d as -d, exact for any ties: the probability, over all signs of the differences, that the
// sum of the ranks of the positive ones is as far from its mean as it is. Differences of 0 are left
// out [Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1, 1945]; 1 if none is
// left. It costs n³ additions. Lengths that differ panic.
func SignedRank(a, b []float64) float64 {
	if len(a) != len(b) {
		panic("experiments: signed rank: lengths differ")
	}
	var d []float64
	for i := range a {
		if a[i] != b[i] {
			d = append(d, a[i]-b[i])
		}
	}
	ranks := doubledRanks(d)
	total, positive := 0, 0
	for i, r := range ranks {
		total += r
		if d[i] > 0 {
			positive += r
		}
	}
	// chance[s] is the probability that positive ranks add up to s.
	chance := make([]float64, total+1)
	chance[0] = 1
	for _, r := range ranks {
		for s := total; s >= 0; s-- {
			chance[s] /= 2
			if s >= r {
				chance[s] += chance[s-r] / 2
			}
		}
	}
	p := 0.0
	for s, c := range chance {
		// Twice the distance from the mean, total/2, so that all is in integers.
		if abs(2*s-total) >= abs(2*positive-total) {
			p += c
		}
	}
	return min(p, 1)
}

func abs(v int) int { return max(v, -v) }

// doubledRanks returns twice the rank of each |d|, equal ones sharing the mean of theirs.
func doubledRanks(d []float64) []int {
	order := make([]int, len(d))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch x, y := math.Abs(d[i]), math.Abs(d[j]); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	ranks := make([]int, len(d))
	for lo := 0; lo < len(order); {
		hi := lo
		for hi < len(order) && math.Abs(d[order[hi]]) == math.Abs(d[order[lo]]) {
			hi++
		}
		for _, i := range order[lo:hi] {
			ranks[i] = lo + 1 + hi // twice the mean of lo+1 .. hi
		}
		lo = hi
	}
	return ranks
}
