package check

import (
	"math"
	"slices"
)

// extremeValues is how many distinct values are kept at either end.
const extremeValues = 4

// extremes are the least and the greatest distinct values of a column with their counts, outermost first.
type extremes struct{ low, high []valueCount }

type valueCount struct {
	value float64
	rows  int
}

// between is the interval of values that are surely none of them, its ends not among these; none are while there are few.
func (e *extremes) between() (low, high float64) {
	if len(e.low) < extremeValues {
		return math.Inf(1), math.Inf(-1)
	}
	return e.low[extremeValues-1].value, e.high[extremeValues-1].value
}

func (e *extremes) add(v float64) {
	if n := len(e.low); n < extremeValues || v <= e.low[n-1].value {
		e.low = keepExtreme(e.low, v, 1)
	}
	if n := len(e.high); n < extremeValues || v >= e.high[n-1].value {
		e.high = keepExtreme(e.high, v, -1)
	}
}

// keepExtreme counts v in a list of the outermost values, those with the least sign·value.
func keepExtreme(list []valueCount, v, sign float64) []valueCount {
	for i := range list {
		switch {
		case list[i].value == v:
			list[i].rows++
			return list
		case sign*v < sign*list[i].value:
			list = slices.Insert(list, i, valueCount{v, 1})
			return list[:min(len(list), extremeValues)]
		}
	}
	if len(list) < extremeValues {
		list = append(list, valueCount{v, 1})
	}
	return list
}
