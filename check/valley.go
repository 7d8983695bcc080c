package check

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
)

// A valley splits ascending values in two humps.
type valley struct {
	low, high []float64
	// logP is a bound of the logarithm of the probability that values of a density with one mode have such a valley there.
	logP float64
}

// cutsTried is about how many places of a sample are tried as a cut.
const cutsTried = 128

// deepest is the valley of the least probability among those with least values or more on either side.
func deepest(t []float64, least int) (best valley) {
	n := len(t)
	step := max(1, n/cutsTried)
	widest, different := 0, differentBefore(t)
	for i := least; i <= n-least; i++ {
		if i > 0 && (widest == 0 || t[i]-t[i-1] > t[widest]-t[widest-1]) {
			widest = i
		}
	}
	try := func(i int) {
		if v := (valley{low: t[:i], high: t[i:]}); v.fill(t, different) < best.logP {
			best = v
		}
	}
	for i := max(1, least); i <= n-least; i += step {
		try(i)
	}
	if widest > 0 {
		try(widest)
	}
	return best.atBottom(t)
}

// atBottom cuts the values where they are farthest from each other between the medians of the humps. The probability stays, which is lowest
// where the humps are not whole.
func (v valley) atBottom(t []float64) valley {
	if v.logP == 0 {
		return v
	}
	k := min(len(v.low), len(v.high)) / 20
	from, to := len(v.low)/2, len(v.low)+len(v.high)/2
	cut, widest := len(v.low), 0.
	for i := max(from, k+1); i <= min(to, len(t)-k-1); i++ {
		if width := t[i+k] - t[i-1-k]; width > widest {
			cut, widest = i, width
		}
	}
	for i, middle := cut-k, cut; i <= middle+k; i++ {
		if t[i]-t[i-1] > t[cut]-t[cut-1] {
			cut = i
		}
	}
	v.low, v.high = t[:cut], t[cut:]
	return v
}

// fill sets and returns logP, by what differentBefore counts. A density with one mode rises towards it or falls from it in the valley and the hump on one of its two sides, whichever
// side the mode is on. Of rows in two intervals, the one beyond the other, each is then in the outer one with a probability of at most the
// share of its width, and their number is bounded by Chernoff's inequality. The larger of the bounds of both sides holds wherever the mode is.
func (v *valley) fill(t []float64, different []int) float64 {
	m1, m2 := quantile(v.low, .5), quantile(v.high, .5)
	d := m2 - m1
	sides := [2]float64{}
	cut := len(v.low)
	step := max(meanStep(v.low, different[cut-1]), meanStep(v.high, different[len(t)-1]-different[cut])) // no interval is known better: of whole numbers all are empty in between
	for _, bottom := range [][2]float64{{m1 + d/3, m2 - d/3}, {m1 + d/4, m2 - d/4}, {v.low[len(v.low)-1], v.high[0]}} {
		if !(bottom[1]-bottom[0] > step) {
			continue
		}
		empty := within(t, bottom[0], bottom[1])
		for side, part := range [][]float64{v.low, v.high} {
			for _, core := range [][2]float64{{.25, .75}, {.05, .95}, {0, 1}} {
				from, to := quantile(part, core[0]), quantile(part, core[1])
				if side == 0 {
					to = min(to, bottom[0])
				} else {
					from = max(from, bottom[1])
				}
				if to < from {
					continue
				}
				width := to - from + step
				rows := countIn(part, from, to)
				sides[side] = min(sides[side], chernoff(rows, empty, width/(width+bottom[1]-bottom[0]-step)))
			}
		}
	}
	v.logP = max(sides[0], sides[1])
	return v.logP
}

// differentBefore counts, up to each of ascending values, those that are not the one before.
func differentBefore(t []float64) []int {
	counts := make([]int, len(t))
	for i := 1; i < len(t); i++ {
		counts[i] = counts[i-1]
		if t[i] != t[i-1] {
			counts[i]++
		}
	}
	return counts
}

// meanStep is the mean distance of neighbours among ascending values, so many of which are not the one before.
func meanStep(t []float64, different int) float64 {
	return (t[len(t)-1] - t[0]) / float64(max(1, different))
}

// chernoff bounds the logarithm of the probability that of k+l independent rows k or more are in an interval that each is in with probability p.
func chernoff(k, l int, p float64) float64 {
	n := float64(k + l)
	q := float64(k) / n
	if n == 0 || q <= p {
		return 0
	}
	kl := q * math.Log(q/p)
	if l > 0 {
		kl += (1 - q) * math.Log((1-q)/(1-p))
	}
	return -n * kl
}

// within counts ascending values between two, these apart.
func within(t []float64, from, to float64) int {
	return max(0, sort.SearchFloat64s(t, to)-sort.Search(len(t), func(i int) bool { return t[i] > from }))
}

// countIn counts ascending values from one to another.
func countIn(t []float64, from, to float64) int {
	return sort.Search(len(t), func(i int) bool { return t[i] > to }) - sort.SearchFloat64s(t, from)
}

// clear reports that hardly any value is between the humps, from one distance behind the median of the lower one to the same before that of the
// other; the distance is a share of that of the medians.
func (v valley) clear(share float64) bool {
	m1, m2 := quantile(v.low, .5), quantile(v.high, .5)
	d := share * (m2 - m1)
	between := countIn(v.low, m1+d, m2-d) + countIn(v.high, m1+d, m2-d)
	return float64(between) <= clearShare*float64(min(len(v.low), len(v.high)))
}

// clearShare is the most that is near the middle, of the smaller hump.
const clearShare = .1

// manyValues reports that both humps have as many different values as a unit needs.
func (v valley) manyValues() bool {
	distinct := func(t []float64) int { return len(slices.Compact(slices.Clone(t))) }
	return len(v.low) > 0 && min(distinct(v.low), distinct(v.high)) >= leastOfUnit
}

// apartError is the standard error of the difference of the medians of both humps, if each is normal.
func (v valley) apartError() float64 {
	of := func(t []float64) float64 { return 1.2533 * stat.PopStdDev(t, nil) / math.Sqrt(float64(len(t))) }
	return math.Hypot(of(v.low), of(v.high))
}
