package check

import (
	"cmp"
	"math"
	"slices"
)

// counted are values that stand for several rows each.
type counted struct {
	of []struct {
		value float64
		times int
	}
	total int
}

func (c *counted) add(v float64, times int) {
	c.of = append(c.of, struct {
		value float64
		times int
	}{v, times})
	c.total += times
}

func (c *counted) sort() {
	slices.SortFunc(c.of, func(a, b struct {
		value float64
		times int
	}) int {
		return cmp.Compare(a.value, b.value)
	})
}

// quantile is that of the sorted values.
func (c *counted) quantile(p float64) float64 {
	at := int(p*float64(c.total-1) + .5)
	for _, v := range c.of {
		if at -= v.times; at < 0 {
			return v.value
		}
	}
	return math.NaN()
}

func (c *counted) deviation() float64 {
	mean, square := 0.0, 0.0
	for _, v := range c.of {
		mean += v.value * float64(v.times) / float64(c.total)
	}
	for _, v := range c.of {
		square += (v.value - mean) * (v.value - mean) * float64(v.times)
	}
	return math.Sqrt(square / float64(c.total))
}
