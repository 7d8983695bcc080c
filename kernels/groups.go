package kernels

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// maxColumns bounds the columns that groups may name, well before the number of columns overflows.
const maxColumns = 1 << 30

// groups are kernels of some columns each, which Additive and Tensor combine.
type groups struct {
	columns [][]int
	parts   []Kernel
}

// newGroups copies what a combination of the given kind is made of; without columns (nil), part i is for
// column i alone.
func newGroups(kind string, columns [][]int, parts []Kernel) (groups, error) {
	if err := checkParts(kind, parts); err != nil {
		return groups{}, err
	}
	if columns == nil {
		columns = singletons(len(parts))
	}
	if len(columns) != len(parts) {
		return groups{}, fmt.Errorf("kernels: %s: %d groups for %d parts, must be as many", kind, len(columns), len(parts))
	}
	g := groups{make([][]int, len(columns)), slices.Clone(parts)}
	for i, group := range columns {
		if err := checkGroup(group, parts[i]); err != nil {
			return groups{}, fmt.Errorf("kernels: %s: group %d %w", kind, i, err)
		}
		g.columns[i] = slices.Clone(group)
	}
	return g, nil
}

func singletons(n int) [][]int {
	groups := make([][]int, n)
	for i := range groups {
		groups[i] = []int{i}
	}
	return groups
}

// checkGroup returns an error unless group is a set of columns that part can work on.
func checkGroup(group []int, part Kernel) error {
	if need := Width(part); len(group) < need {
		return fmt.Errorf("has %d columns, its kernel needs %d", len(group), need)
	}
	sorted := slices.Sorted(slices.Values(group))
	for i, column := range sorted {
		if column < 0 || column >= maxColumns {
			return fmt.Errorf("has column %d, must be from 0 to %d", column, maxColumns-1)
		}
		if i > 0 && column == sorted[i-1] {
			return fmt.Errorf("has column %d twice", column)
		}
	}
	return nil
}

// clone returns the columns of each part.
func (g groups) clone() [][]int {
	columns := slices.Clone(g.columns)
	for i, group := range columns {
		columns[i] = slices.Clone(group)
	}
	return columns
}

// Width returns one more than the last column named.
func (g groups) Width() int {
	width := 1
	for _, group := range g.columns {
		width = max(width, slices.Max(group)+1)
	}
	return width
}

// gramTo stores the parts' Gram matrices in dst, combined one after the other by into(acc, acc, next).
func (g groups) gramTo(dst *mat.Dense, x, y mat.Matrix, into func(acc *mat.Dense, a, b mat.Matrix)) {
	n, m, width := prepare(dst, x, y)
	if width < g.Width() {
		panic(mat.ErrShape)
	}
	var unpacked scratch
	columns := mat.NewDense(m, width, nil)
	columns.SetRawMatrix(rowsOf(&unpacked, y, 0, m))
	for lo := 0; lo < n; lo += spanRows {
		hi := min(lo+spanRows, n)
		g.spanTo(dst.Slice(lo, hi, 0, m).(*mat.Dense), x, lo, columns, into)
	}
}

// spanTo stores in dst the Gram matrix of y and the rows of x from lo on.
func (g groups) spanTo(dst *mat.Dense, x mat.Matrix, lo int, y *mat.Dense, into func(acc *mat.Dense, a, b mat.Matrix)) {
	n, _ := dst.Dims()
	next := grams.Get().(*mat.Dense)
	defer grams.Put(next)
	var unpacked scratch
	var rows, xg, yg mat.Dense
	rows.SetRawMatrix(rowsOf(&unpacked, x, lo, lo+n))
	for i, part := range g.parts {
		columnsTo(&xg, &rows, g.columns[i])
		columnsTo(&yg, y, g.columns[i])
		if i == 0 {
			part.GramTo(dst, &xg, &yg)
			continue
		}
		next.Reset()
		part.GramTo(next, &xg, &yg)
		into(dst, dst, next)
	}
}

// columnsTo resizes dst to hold the given columns of x.
func columnsTo(dst, x *mat.Dense, columns []int) {
	n, _ := x.Dims()
	dst.Reset()
	dst.ReuseAs(n, len(columns))
	from, to := x.RawMatrix(), dst.RawMatrix()
	for i := range n {
		row := line(from, i)
		for t, j := range columns {
			to.Data[i*to.Stride+t] = row[j]
		}
	}
}

// diagTo stores the parts' diagonals in dst, combined one after the other by into(dst, next).
func (g groups) diagTo(dst []float64, x mat.Matrix, into func(acc, next []float64)) {
	prepareDiag(dst, x)
	if _, width := x.Dims(); width < g.Width() {
		panic(mat.ErrShape)
	}
	var unpacked scratch
	var rows, xg mat.Dense
	rows.SetRawMatrix(rowsOf(&unpacked, x, 0, len(dst)))
	next := make([]float64, len(dst))
	for i, part := range g.parts {
		columnsTo(&xg, &rows, g.columns[i])
		if i == 0 {
			part.DiagTo(dst, &xg)
			continue
		}
		part.DiagTo(next, &xg)
		into(dst, next)
	}
}
