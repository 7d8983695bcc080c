package kernels

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

var _ Kernel = Precomputed{}

func init() {
	Register(Registration[Precomputed]{
		Name:     "precomputed",
		Describe: Precomputed.describe,
		Restore:  restorePrecomputed,
	})
}

// asymmetry is how far apart two halves of a training block may be, relative to the larger of their
// diagonal elements: what sums of a hundred thousand terms, formed in other orders, leave.
const asymmetry = 1e-10

// Precomputed is a kernel known by its values: those of n training rows with each other and of m query
// rows with the training rows. Its rows have one column, the number of the row: 0 to n-1 are training
// rows, n to n+m-1 queries. Values of two different queries are not known, and asking for them panics;
// landmarks of Nyström features are therefore to be training rows. The zero value is not usable; use
// NewPrecomputed.
type Precomputed struct {
	training int
	values   *mat.Dense // (n+m) × n
}

// NewPrecomputed returns the kernel of an n×n training block and an m×n query block, nil for none; both are
// copied. The error says that the training block is not square, not symmetric, or has a negative element
// on its diagonal, that the query block has other than n columns, or which value is not finite. That the
// training block is positive semidefinite is not checked.
func NewPrecomputed(training, query mat.Matrix) (Precomputed, error) {
	n, columns := training.Dims()
	if n == 0 || n != columns {
		return Precomputed{}, fmt.Errorf("kernels: precomputed: the training block is %d×%d, must be square", n, columns)
	}
	m := 0
	if query != nil {
		if m, columns = query.Dims(); columns != n {
			return Precomputed{}, fmt.Errorf("kernels: precomputed: the query block is %d×%d, must have a column for each of %d training rows", m, columns, n)
		}
	}
	k := Precomputed{n, mat.NewDense(n+m, n, nil)}
	k.values.Slice(0, n, 0, n).(*mat.Dense).Copy(training)
	if m > 0 {
		k.values.Slice(n, n+m, 0, n).(*mat.Dense).Copy(query)
	}
	return k, k.check()
}

// check looks for values that no kernel has.
func (k Precomputed) check() error {
	rows, n := k.values.Dims()
	for i := range rows {
		for j, v := range k.values.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("kernels: precomputed: the value of rows %d and %d is %v, must be finite", i, j, v)
			}
		}
	}
	for i := range n {
		if v := k.values.At(i, i); v < 0 {
			return fmt.Errorf("kernels: precomputed: the value of row %d and itself is %v, must not be negative", i, v)
		}
		for j := range i {
			a, b := k.values.At(i, j), k.values.At(j, i)
			if math.Abs(a-b) > asymmetry*max(k.values.At(i, i), k.values.At(j, j)) {
				return fmt.Errorf("kernels: precomputed: the values of rows %d and %d are %v and %v, must be equal", i, j, a, b)
			}
		}
	}
	return nil
}

// Len returns the number of training rows and of queries.
func (k Precomputed) Len() (training, queries int) {
	rows, n := k.values.Dims()
	return n, rows - n
}

// GramTo looks values up. Rows of more than one column, two queries and numbers of no row panic, the last
// with the *RowError of CheckRows.
func (k Precomputed) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("Precomputed", k.training > 0)
	n, m, width := prepare(dst, x, y)
	if width != 1 {
		panic(mat.ErrShape)
	}
	mustAdmit(k, x, y)
	left, right := numbers(x, n), numbers(y, m)
	for i, a := range left {
		row := dst.RawRowView(i)
		for j, b := range right {
			row[j] = k.value(a, b)
		}
	}
}

// numbers reads the only column of x.
func numbers(x mat.Matrix, n int) []int {
	list := make([]int, n)
	EachRow(x, func(i int, row []float64) { list[i] = int(row[0]) })
	return list
}

// value is that of two rows. The training block is read by its lower triangle, so that values are symmetric
// whatever rounding its halves differ by.
func (k Precomputed) value(a, b int) float64 {
	a, b = max(a, b), min(a, b)
	if b >= k.training {
		panic(fmt.Sprintf("kernels: precomputed: rows %d and %d are both queries", b, a))
	}
	return k.values.At(a, b)
}

// DiagTo implements Kernel, for training rows: a query panics.
func (k Precomputed) DiagTo(dst []float64, x mat.Matrix) {
	mustBeSet("Precomputed", k.training > 0)
	prepareDiag(dst, x)
	if _, width := x.Dims(); width != 1 {
		panic(mat.ErrShape)
	}
	mustAdmit(k, x)
	for i, a := range numbers(x, len(dst)) {
		dst[i] = k.value(a, a)
	}
}

func (k Precomputed) admits(v float64) bool {
	rows, _ := k.values.Dims()
	return v >= 0 && v < float64(rows) && v == math.Trunc(v)
}

func (k Precomputed) domain() string {
	rows, _ := k.values.Dims()
	return fmt.Sprintf("precomputed: want numbers of rows below %d", rows)
}

// CheckRows returns an error unless rows have one column, and a *RowError for the first that is the number of no row.
func (k Precomputed) CheckRows(x mat.Matrix) error {
	if _, width := x.Dims(); width != 1 {
		return fmt.Errorf("kernels: precomputed: rows of %d columns, want one, the number of the row", width)
	}
	return checkEntries(k, x, []int{0})
}

func (k Precomputed) describe() (Desc, error) {
	if k.training == 0 {
		return Desc{}, errors.New("kernels: precomputed: no values")
	}
	rows, _ := k.values.Dims()
	d := Desc{Values: make([][]float64, rows)}
	for i := range rows {
		d.Values[i] = slices.Clone(k.values.RawRowView(i))
	}
	return d, nil
}

// restorePrecomputed takes the values apart into the training block, as many rows as there are columns, and queries.
func restorePrecomputed(d Desc) (Precomputed, error) {
	n := 0
	if len(d.Values) > 0 {
		n = len(d.Values[0])
	}
	if n == 0 || len(d.Values) < n {
		return Precomputed{}, fmt.Errorf("kernels: precomputed: %d rows of %d values, must be at least as many as columns", len(d.Values), n)
	}
	values := mat.NewDense(len(d.Values), n, nil)
	for i, row := range d.Values {
		if len(row) != n {
			return Precomputed{}, fmt.Errorf("kernels: precomputed: row %d has %d values, must have %d", i, len(row), n)
		}
		values.SetRow(i, row)
	}
	k := Precomputed{n, values}
	return k, k.check()
}
