package kernels

import (
	"errors"
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
// takes one column too, or what a method CheckRows of k finds. GramTo and DiagTo panic with it. For other kernels it costs nothing,
// and returns nil. It panics if x has fewer columns than Width(k).
func CheckRows(k Kernel, x mat.Matrix) error {
	for _, l := range limitsOf(k, nil) {
		if err := l.check(x); err != nil {
			return err
		}
	}
	return nil
}

// Width returns the least number of columns that rows must have for k: 1, or more if k, or a kernel that it is made of, has a
// method Width that says so.
func Width(k Kernel) int {
	if own, ok := k.(interface{ Width() int }); ok {
		return own.Width()
	}
	width := 1
	for _, part := range partsOf(k) {
		width = max(width, Width(part))
	}
	return width
}

// A limit is a kernel that does not take all rows, a limited one or a rowChecker, and the columns it is for; nil stands for all.
type limit struct {
	kernel  any
	columns []int
}

// limitsOf lists the limits of the kernels that k is made of, k being for the given columns.
func limitsOf(k Kernel, columns []int) (all []limit) {
	switch k := k.(type) {
	case limited, rowChecker:
		return []limit{{k, columns}}
	case interface{ limits(columns []int) []limit }:
		return k.limits(columns)
	}
	for _, part := range partsOf(k) {
		all = append(all, limitsOf(part, columns)...)
	}
	return all
}

type rowChecker interface {
	CheckRows(x mat.Matrix) error
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

// check looks at the columns of x.
func (l limit) check(x mat.Matrix) error {
	k, ok := l.kernel.(rowChecker)
	n, width := x.Dims()
	switch {
	case !ok && l.columns == nil:
		return checkEntries(l.kernel.(limited), x, everyColumn(width))
	case !ok:
		return checkEntries(l.kernel.(limited), x, l.columns)
	case l.columns == nil:
		return k.CheckRows(x)
	}
	own := mat.NewDense(n, len(l.columns), nil)
	EachRow(x, func(i int, row []float64) {
		for t, j := range l.columns {
			own.Set(i, t, row[j])
		}
	})
	err := k.CheckRows(own)
	var entry *RowError
	if errors.As(err, &entry) {
		entry.Column = l.columns[entry.Column]
	}
	return err
}

// checkEntries looks at the given columns of x, row by row.
func checkEntries(k limited, x mat.Matrix, columns []int) (err error) {
	EachRow(x, func(i int, row []float64) {
		for _, j := range columns {
			if err == nil && !k.admits(row[j]) {
				err = &RowError{i, j, row[j], k.domain()}
			}
		}
	})
	return err
}

func everyColumn(width int) []int {
	columns := make([]int, width)
	for j := range columns {
		columns[j] = j
	}
	return columns
}

// mustAdmit panics unless k takes the rows.
func mustAdmit(k limited, rows ...mat.Matrix) {
	for _, x := range rows {
		_, width := x.Dims()
		if err := checkEntries(k, x, everyColumn(width)); err != nil {
			panic(err)
		}
	}
}
