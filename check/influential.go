package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// InfluentialRows is the code of few rows that have most of the squared errors.
const InfluentialRows Code = "influential-rows"

const (
	// fewShare of the rows, and fewLeast of them, are few; fewErrors is the share of the squared errors from which the result is one of these rows. Of normal errors they have
	// a seventh, of Laplace's a quarter, of exponentials of normal variables of deviation 1 two thirds.
	fewShare, fewLeast, fewErrors = .02, 5, .8
)

// influential notes that a few rows of Y have most of the squared errors of what U says of it.
func (c *checker) influential(p *Profile, l *uLine) {
	n := len(l.values)
	k := int(fewShare * float64(n))
	if k < fewLeast || !(l.sd > 0) {
		return
	}
	order := make([]int, n)
	errors := make([]float64, n)
	all := 0.
	for i, v := range l.values {
		order[i], errors[i] = i, math.Abs(v-l.fits[i])
		all += errors[i] * errors[i]
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(errors[j], errors[i]) })
	few, low, high := 0., math.Inf(1), math.Inf(-1)
	for _, i := range order[:k] {
		few += errors[i] * errors[i]
		low, high = min(low, l.values[i]), max(high, l.values[i])
	}
	if few < fewErrors*all {
		return
	}
	rows := l.ofAll(k, p)
	c.add(Finding{Code: InfluentialRows, Severity: Note, Table: UY, Columns: []string{p.Name}, Rows: rows, Of: p.Rows,
		What: fmt.Sprintf("%q of %d of %d rows of %s (%.6g to %.6g) is so far from what U says of it that they have %.0f %% of the squared errors",
			p.Name, rows, p.Rows, UY.words(), low, high, 100*few/all),
		Effect: "the result is mostly one of these rows: if they are typing errors, errors and intervals of rows without them are far smaller",
		Remedy: fmt.Sprintf("write what was meant, or --accept %s:%q if they were measured", InfluentialRows, p.Name)})
}
