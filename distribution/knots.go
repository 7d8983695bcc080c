package distribution

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mediant/encode"
)

// DefaultThresholds is the number of thresholds of a CDF, unless Y has fewer values.
const DefaultThresholds = 50

// Knots are where a distribution function of Y is known. It is 0 below Min, 1 from the last threshold on, the largest Y of S_Y, and linear between Min and the thresholds. If Discrete is
// set, the thresholds are all values of Y, and it is a step function.
type Knots struct {
	Min        float64   `json:"min"`
	Thresholds []float64 `json:"thresholds"`
	Discrete   bool      `json:"discrete,omitempty"`
}

// newKnots returns the weighted quantiles of values, sorted, at the levels (i - 1/2)/count without equal ones, and the largest value; or all values, if there are no more than count of
// them. It is an error if there is only one.
func newKnots(values []weightedValue, count int) (Knots, error) {
	slices.SortFunc(values, func(a, b weightedValue) int { return cmp.Compare(a.value, b.value) })
	var distinct []float64
	for _, v := range values {
		if v.weight > 0 && (len(distinct) == 0 || v.value > distinct[len(distinct)-1]) && len(distinct) <= count {
			distinct = append(distinct, v.value)
		}
	}
	if len(distinct) < 2 {
		return Knots{}, fmt.Errorf("distribution: Y is the same in all rows: there is no distribution to learn")
	}
	if len(distinct) <= count {
		return Knots{Min: distinct[0], Thresholds: distinct, Discrete: true}, nil
	}
	values = slices.DeleteFunc(values, func(v weightedValue) bool { return v.weight <= 0 })
	k := Knots{Min: values[0].value}
	largest := values[len(values)-1].value
	for _, v := range quantilesOf(values, count) {
		if v < largest && (len(k.Thresholds) == 0 || v > k.Thresholds[len(k.Thresholds)-1]) {
			k.Thresholds = append(k.Thresholds, v)
		}
	}
	k.Thresholds = append(k.Thresholds, largest)
	return k, nil
}

// quantilesOf are the weighted quantiles of values, which it sorts, at the levels (i - 1/2)/count.
func quantilesOf(values []weightedValue, count int) []float64 {
	slices.SortFunc(values, func(a, b weightedValue) int { return cmp.Compare(a.value, b.value) })
	total := 0.
	for _, v := range values {
		total += v.weight
	}
	out := make([]float64, count)
	sum, at := 0., 0
	for i := range out {
		want := (float64(i) + .5) / float64(count) * total
		for at < len(values)-1 && sum+values[at].weight < want {
			sum += values[at].weight
			at++
		}
		out[i] = values[at].value
	}
	return out
}

// A weightedValue is a value of Y with the weight of its row.
type weightedValue struct{ value, weight float64 }

// Validate returns an error for knots that no fit can have made.
func (k Knots) Validate() error {
	if math.IsNaN(k.Min) || math.IsInf(k.Min, 0) || len(k.Thresholds) == 0 || k.Min > k.Thresholds[0] {
		return fmt.Errorf("distribution: the least Y is %g, must be finite and at most the first of %d thresholds", k.Min, len(k.Thresholds))
	}
	return k.outputs().Validate()
}

// before is the knot before threshold j.
func (k Knots) before(j int) float64 {
	if j == 0 {
		return k.Min
	}
	return k.Thresholds[j-1]
}

// outputs are scaled so that their squared error is the continuous ranked probability score, by the trapezoidal rule, or exactly if Y is discrete. The last one is 1 in all
// rows of S_Y and adds nothing there.
func (k Knots) outputs() encode.Thresholds {
	t := encode.Thresholds{At: k.Thresholds, Scale: make([]float64, len(k.Thresholds))}
	last := len(k.Thresholds) - 1
	for j := range t.Scale {
		lo, hi := k.before(j), k.Thresholds[min(j+1, last)]
		width := (hi - lo) / 2
		if k.Discrete {
			width = k.Thresholds[min(j+1, last)] - k.Thresholds[min(j, last-1)]
		}
		t.Scale[j] = math.Sqrt(width)
	}
	return t
}

// rearrange turns predictions for all thresholds into a distribution function: sorted, which brings none farther from the truth in sum [Chernozhukov, Fernández-Val and Galichon,
// Quantile and probability curves without crossing, Econometrica 78, 2010], and between 0 and 1.
func (k Knots) rearrange(row []float64) {
	slices.Sort(row)
	for j, v := range row {
		row[j] = min(max(v, 0), 1)
	}
	row[len(row)-1] = 1
}

// A point is a value v of Y between threshold j-1 (or Min) and threshold j, at the share a of the way: 1{Y <= v} is taken as (1-a) 1{Y <= t_(j-1)} + a 1{Y <= t_j}.
type point struct {
	value, share float64
	at           int
}

// quantile returns the point where the distribution function cdf reaches p in (0, 1).
func (k Knots) quantile(cdf []float64, p float64) point {
	j, _ := slices.BinarySearch(cdf, p) // the first that is at least p
	j = min(j, len(cdf)-1)
	low := 0.
	if j > 0 {
		low = cdf[j-1]
	}
	from, to := k.before(j), k.Thresholds[j]
	if k.Discrete || from == to {
		return point{to, 1, j}
	}
	share := (p - low) / (cdf[j] - low) // low < p
	return point{from + share*(to-from), share, j}
}

// addUpTo adds scale times the weights of 1{Y <= v} to those of the indicators.
func (v point) addUpTo(c []float64, scale float64) {
	c[v.at] += scale * v.share
	if v.at > 0 {
		c[v.at-1] += scale * (1 - v.share)
	}
}

// addBelow is addUpTo for 1{Y < v}, which differs where Y has values of positive probability: at each value if Y is discrete, and at the least.
func (k Knots) addBelow(v point, c []float64, scale float64) {
	switch {
	case k.Discrete && v.at > 0:
		c[v.at-1] += scale
	case k.Discrete || v.value <= k.Min:
	default:
		v.addUpTo(c, scale)
	}
}

// mean is the mean of the distribution with these values at the thresholds.
func (k Knots) mean(cdf []float64) float64 {
	sum, low := k.Min, 0.
	for j, v := range cdf {
		width := k.Thresholds[j] - k.before(j)
		if k.Discrete {
			sum += width * (1 - low)
		} else {
			sum += width * (1 - (low+v)/2)
		}
		low = v
	}
	return sum
}
