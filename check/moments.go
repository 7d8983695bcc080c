package check

import (
	"math"

	"mediant/tables"
)

// moments are those of the columns of numbers of a table, by Welford's recurrence.
type moments []moment

// A moment has the number of values, their mean and the sum of their squared distances from it.
type moment struct{ n, mean, m2 float64 }

// add takes one row after the other, since the divisions of different columns do not wait for each other.
func (m *moments) add(b tables.Batch) {
	if b.Num == nil {
		return
	}
	if *m == nil {
		_, width := b.Num.Dims()
		*m = make(moments, width)
	}
	for i := range b.Rows {
		for j, v := range b.Num.RawRowView(i) {
			if math.IsNaN(v) {
				continue
			}
			s := &(*m)[j]
			s.n++
			gap := v - s.mean
			s.mean += gap / s.n
			s.m2 += gap * (v - s.mean)
		}
	}
}
