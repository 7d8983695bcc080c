package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/rowops"
	"mediant/kernels"
	"mediant/moments"
)

// Columns is a map of some columns of x,
//
//	phi(x) = part((x_c1, …, x_ck)),   k(x, y) = k_part(x_c, y_c)
//
// NewConcat of several gives groups of columns a map each: the sum of their kernels. (Additive does that for Fourier
// features in fewer passes.) The zero value is not usable; use NewColumns.
type Columns struct {
	in      int
	columns []int
	part    Map
	id      lazyID
}

var (
	_ stored = (*Columns)(nil)
	_ Folder = (*Columns)(nil)
)

func init() {
	register[*Columns](kind{
		name: "columns", read: (*reader).columns,
	})
}

// NewColumns returns part of the named columns of rows of in columns, in the order given. It panics if part has
// another width than there are columns, or a column is named that x does not have. The error names a part whose type is not registered, or says that a column is named twice or that maps are
// nested more than 16 deep.
func NewColumns(in int, columns []int, part Map) (*Columns, error) {
	if width, _ := part.Dims(); width != len(columns) {
		panic(mat.ErrShape)
	}
	seen := make(map[int]bool, len(columns))
	for _, j := range columns {
		if j < 0 || j >= in {
			panic(mat.ErrColAccess)
		}
		if seen[j] {
			return nil, fmt.Errorf("features: columns: column %d is named twice", j)
		}
		seen[j] = true
	}
	if _, err := storedOf(part); err != nil {
		return nil, fmt.Errorf("features: columns: %w", err)
	}
	m := newColumns(in, slices.Clone(columns), part)
	if d := depthOf(m); d > maxDepth {
		return nil, fmt.Errorf("features: columns: maps nested %d deep, want at most %d", d, maxDepth)
	}
	return m, nil
}

func newColumns(in int, columns []int, part Map) *Columns {
	return &Columns{in: in, columns: columns, part: part}
}

// Dims returns the number of columns of x and of the part's features.
func (m *Columns) Dims() (in, out int) {
	_, out = m.part.Dims()
	return m.in, out
}

// ID returns the map's identity.
func (m *Columns) ID() moments.ID { return m.id.of(m) }

// Part returns the map of the columns.
func (m *Columns) Part() Map { return m.part }

// Columns returns a copy of the columns.
func (m *Columns) Columns() []int { return slices.Clone(m.columns) }

// MapTo stores the part's features of the columns of each row of x in dst. It copies the columns, 4,096 rows at a time.
func (m *Columns) MapTo(dst *mat.Dense, x mat.Matrix) {
	n := prepare(m, dst, x)
	_, out := m.part.Dims()
	s, own := rowops.Scratches.Get().(*rowops.Scratch), rowops.Scratches.Get().(*rowops.Scratch)
	defer rowops.Scratches.Put(s)
	defer rowops.Scratches.Put(own)
	at := m.positions(x)
	for lo := 0; lo < n; lo += columnRows {
		hi := min(n, lo+columnRows)
		group := own.Matrix(hi-lo, len(m.columns))
		if at != nil {
			scatterColumns(group, x.(mat.RowNonZeroDoer), lo, at)
		} else {
			gather(group, rowops.Dense(x, lo, hi, s), m.columns)
		}
		m.part.MapTo(dst.Slice(lo, hi, 0, out).(*mat.Dense), rowops.View(group))
	}
}

// columnRows is the number of rows copied at a time: enough for the part to share them out between threads in blocks
// of its own.
const columnRows = 4096

// positions returns the place of each column of x in the group, -1 for those outside, or nil if x is not sparse.
func (m *Columns) positions(x mat.Matrix) []int {
	if _, ok := x.(mat.RowNonZeroDoer); !ok {
		return nil
	}
	at := make([]int, m.in)
	for j := range at {
		at[j] = -1
	}
	for t, j := range m.columns {
		at[j] = t
	}
	return at
}

// scatterColumns stores the rows of x from lo on, the columns that have a position, in dst.
func scatterColumns(dst blas64.General, x mat.RowNonZeroDoer, lo int, at []int) {
	clear(dst.Data)
	for i := range dst.Rows {
		to := rowops.Row(dst, i)
		x.DoRowNonZero(lo+i, func(_, j int, v float64) {
			if at[j] >= 0 {
				to[at[j]] += v
			}
		})
	}
}

// Fold folds the part, if it can be folded.
func (m *Columns) Fold(coef *mat.Dense) (Map, *mat.Dense) {
	raw, folded := fold(m.part, coef)
	return newColumns(m.in, m.columns, raw), folded
}

func (m *Columns) header() header {
	in, out := m.Dims()
	return header{Kind: "columns", In: in, Out: out,
		Parts:  []json.RawMessage{canonical(m.part).header().bytes()},
		Arrays: []array{{Name: "columns", Rows: 1, Cols: len(m.columns)}}}
}

func (m *Columns) appendWeights(dst []float64) []float64 {
	for _, j := range m.columns {
		dst = append(dst, float64(j))
	}
	return canonical(m.part).appendWeights(dst)
}

// columns reads a Columns.
func (r *reader) columns(h header) (Map, error) {
	if len(h.Parts) != 1 || len(h.Arrays) != 1 {
		return nil, fmt.Errorf("%d maps and %d arrays, want 1 of each", len(h.Parts), len(h.Arrays))
	}
	values, err := r.take(h.Arrays[0], array{Name: "columns", Rows: 1, Cols: -1})
	if err != nil {
		return nil, err
	}
	columns := make([]int, len(values))
	for t, v := range values {
		if v != math.Trunc(v) || v < 0 || v >= float64(h.In) {
			return nil, fmt.Errorf("column %g, want an integer from 0 to %d", v, h.In-1)
		}
		columns[t] = int(v)
	}
	part, err := r.read(h.Parts[0])
	if err != nil {
		return nil, err
	}
	if width, _ := part.Dims(); width != len(columns) {
		return nil, fmt.Errorf("a map of %d columns for %d", width, len(columns))
	}
	return NewColumns(h.In, columns, part)
}

// CheckRows is that of the part for its columns.
func (m *Columns) CheckRows(x mat.Matrix) error {
	var part mat.Matrix = columnsOf{x, m.columns}
	if at := m.positions(x); at != nil {
		part = nonzerosOf{columnsOf{x, m.columns}, at}
	}
	err := CheckRows(m.part, part)
	var entry *kernels.RowError
	if errors.As(err, &entry) {
		entry.Column = m.columns[entry.Column]
	}
	return err
}

// columnsOf is some columns of a matrix.
type columnsOf struct {
	of      mat.Matrix
	columns []int
}

func (c columnsOf) Dims() (r, n int) {
	r, _ = c.of.Dims()
	return r, len(c.columns)
}

func (c columnsOf) At(i, j int) float64 { return c.of.At(i, c.columns[j]) }

func (c columnsOf) T() mat.Matrix { return mat.Transpose{Matrix: c} }

// nonzerosOf is columnsOf of a mat.RowNonZeroDoer. Columns have the positions at, -1 for those left out.
type nonzerosOf struct {
	columnsOf
	at []int
}

func (c nonzerosOf) T() mat.Matrix { return mat.Transpose{Matrix: c} }

func (c nonzerosOf) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	c.of.(mat.RowNonZeroDoer).DoRowNonZero(i, func(i, j int, v float64) {
		if c.at[j] >= 0 {
			fn(i, c.at[j], v)
		}
	})
}

func (m *Columns) within() []Map { return []Map{m.part} }

// String names the map for people.
func (m *Columns) String() string {
	return fmt.Sprintf("%s of %d columns", Describe(m.part), len(m.columns))
}
