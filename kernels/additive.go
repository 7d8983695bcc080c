package kernels

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var _ Kernel = Additive{}

// maxColumns bounds the columns that groups may name, well before the number of columns overflows.
const maxColumns = 1 << 30

// Additive is the kernel
//
//	k(x, x') = Σ_g k_g(x_g, x'_g)
//
// where x_g are the columns of group g [Kandasamy15, eq. 3]. A function in its space is a sum of
// functions of few columns each, which is what data of many columns can afford. The zero value is
// not usable; use NewAdditive.
type Additive struct {
	groups [][]int
	parts  []Kernel
}

// NewAdditive returns the sum of one kernel for each group of columns. Without groups (nil), part i
// is for column i alone. Groups hold distinct columns and may overlap each other.
func NewAdditive(groups [][]int, parts []Kernel) (Additive, error) {
	if err := checkParts("additive", parts); err != nil {
		return Additive{}, err
	}
	if groups == nil {
		groups = singletons(len(parts))
	}
	if len(groups) != len(parts) {
		return Additive{}, fmt.Errorf("kernels: additive: %d groups for %d parts, must be as many", len(groups), len(parts))
	}
	k := Additive{make([][]int, len(groups)), slices.Clone(parts)}
	for g, group := range groups {
		if err := checkGroup(group, parts[g]); err != nil {
			return Additive{}, fmt.Errorf("kernels: additive: group %d %w", g, err)
		}
		k.groups[g] = slices.Clone(group)
	}
	return k, nil
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

// Groups returns the columns of each part.
func (k Additive) Groups() [][]int {
	groups := slices.Clone(k.groups)
	for g, group := range groups {
		groups[g] = slices.Clone(group)
	}
	return groups
}

// Parts returns the kernel of each group.
func (k Additive) Parts() []Kernel { return slices.Clone(k.parts) }

// GramTo implements Kernel, at the cost of each part on its columns; sparse rows are unpacked. It
// panics if x has fewer columns than Width(k).
func (k Additive) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("Additive", len(k.parts) > 0)
	n, m, width := prepare(dst, x, y)
	if width < Width(k) {
		panic(mat.ErrShape)
	}
	var unpacked scratch
	columns := mat.NewDense(m, width, nil)
	columns.SetRawMatrix(rowsOf(&unpacked, y, 0, m))
	for lo := 0; lo < n; lo += spanRows {
		hi := min(lo+spanRows, n)
		k.addTo(dst.Slice(lo, hi, 0, m).(*mat.Dense), x, lo, columns)
	}
}

// addTo stores in dst the Gram matrix of y and the rows of x from lo on.
func (k Additive) addTo(dst *mat.Dense, x mat.Matrix, lo int, y *mat.Dense) {
	n, _ := dst.Dims()
	next := grams.Get().(*mat.Dense)
	defer grams.Put(next)
	var unpacked scratch
	var rows, xg, yg mat.Dense
	rows.SetRawMatrix(rowsOf(&unpacked, x, lo, lo+n))
	for g, part := range k.parts {
		columnsTo(&xg, &rows, k.groups[g])
		columnsTo(&yg, y, k.groups[g])
		if g == 0 {
			part.GramTo(dst, &xg, &yg)
			continue
		}
		next.Reset()
		part.GramTo(next, &xg, &yg)
		dst.Add(dst, next)
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

// DiagTo implements Kernel. It panics if x has fewer columns than Width(k).
func (k Additive) DiagTo(dst []float64, x mat.Matrix) {
	mustBeSet("Additive", len(k.parts) > 0)
	prepareDiag(dst, x)
	if _, width := x.Dims(); width < Width(k) {
		panic(mat.ErrShape)
	}
	var unpacked scratch
	var rows, xg mat.Dense
	rows.SetRawMatrix(rowsOf(&unpacked, x, 0, len(dst)))
	clear(dst)
	next := make([]float64, len(dst))
	for g, part := range k.parts {
		columnsTo(&xg, &rows, k.groups[g])
		part.DiagTo(next, &xg)
		floats.Add(dst, next)
	}
}

// Width returns the least number of columns that rows must have for k: 1, or more if an Additive
// kernel within it names more.
func Width(k Kernel) int {
	switch k := k.(type) {
	case Sum:
		return widest(k.parts)
	case Product:
		return widest(k.parts)
	case Scale:
		return Width(k.part)
	case Additive:
		width := 1
		for _, group := range k.groups {
			width = max(width, slices.Max(group)+1)
		}
		return width
	}
	return 1
}

func widest(parts []Kernel) int {
	width := 1
	for _, part := range parts {
		width = max(width, Width(part))
	}
	return width
}
