package kernels

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// A RowError says which entry of some rows a kernel cannot take. Rows and columns count from 0.
type RowError struct {
	Row, Column int
	Value       float64
	Want        string // the kernel's name and what it takes
}

// Error implements error.
func (e *RowError) Error() string {
	return fmt.Sprintf("kernels: %s, row %d column %d is %v", e.Want, e.Row, e.Column, e.Value)
}

// A limited kernel takes some entries only.
type limited interface {
	admits(v float64) bool
	domain() string
}

// CheckRows returns a *RowError for the first entry of x that k, or a kernel that it is made of, cannot
// take: a negative one for chi-squared kernels, one that is no row number for a precomputed one, which
// takes one column too. GramTo and DiagTo panic with it. For other kernels it costs nothing, and returns nil. It panics if x has fewer
// columns than Width(k).
func CheckRows(k Kernel, x mat.Matrix) error {
	_, width := x.Dims()
	for _, l := range limitsOf(k, nil) {
		if _, ok := l.kernel.(Precomputed); ok && l.width(width) != 1 {
			return fmt.Errorf("kernels: precomputed: rows of %d columns, want one, the number of the row", l.width(width))
		}
		if err := l.check(x); err != nil {
			return err
		}
	}
	return nil
}

// A limit is a limited kernel and the columns it is for; nil stands for all.
type limit struct {
	kernel  limited
	columns []int
}

// limitsOf lists the limited kernels that k is made of, k being for the given columns.
func limitsOf(k Kernel, columns []int) []limit {
	switch k := k.(type) {
	case limited:
		return []limit{{k, columns}}
	case Sum:
		return limitsOfParts(k.parts, columns)
	case Product:
		return limitsOfParts(k.parts, columns)
	case Scale:
		return limitsOf(k.part, columns)
	case Additive:
		return k.groups.limits(columns)
	case Tensor:
		return k.groups.limits(columns)
	}
	return nil
}

func limitsOfParts(parts []Kernel, columns []int) (all []limit) {
	for _, part := range parts {
		all = append(all, limitsOf(part, columns)...)
	}
	return all
}

// limits are those of the parts, whose columns are some of the given ones.
func (g groups) limits(columns []int) (all []limit) {
	for i, part := range g.parts {
		own := g.columns[i]
		if columns != nil {
			own = make([]int, len(g.columns[i]))
			for t, j := range g.columns[i] {
				own[t] = columns[j]
			}
		}
		all = append(all, limitsOf(part, own)...)
	}
	return all
}

// width is the number of columns that the kernel sees of so many.
func (l limit) width(all int) int {
	if l.columns == nil {
		return all
	}
	return len(l.columns)
}

// check looks at the columns of x, row by row.
func (l limit) check(x mat.Matrix) (err error) {
	eachRow(x, func(i int, row []float64) {
		columns := l.columns
		if columns == nil {
			columns = everyColumn(len(row), &l)
		}
		for _, j := range columns {
			if err == nil && !l.kernel.admits(row[j]) {
				err = &RowError{i, j, row[j], l.kernel.domain()}
			}
		}
	})
	return err
}

// everyColumn lists so many columns, and keeps the list.
func everyColumn(width int, l *limit) []int {
	l.columns = make([]int, width)
	for j := range l.columns {
		l.columns[j] = j
	}
	return l.columns
}

// mustAdmit panics unless k takes the rows.
func mustAdmit(k limited, rows ...mat.Matrix) {
	for _, x := range rows {
		if err := (limit{k, nil}).check(x); err != nil {
			panic(err)
		}
	}
}
