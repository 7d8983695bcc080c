package features

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// A Clip moves values outside a range of their column to its end, so that a polynomial of them does not grow without bound. The zero value is not usable; use NewClip.
type Clip struct {
	lo, hi []float64
	id     lazyID
}

var _ stored = (*Clip)(nil)

func init() {
	register[*Clip](kind{name: "clip", read: (*reader).clip})
}

// NewClip returns the map to the ranges [lo_j, hi_j], which are copied. It panics if there is no column, or the lengths differ. The error says that an end is not finite, or that a range is empty.
func NewClip(lo, hi []float64) (*Clip, error) {
	if len(lo) == 0 {
		panic(mat.ErrZeroLength)
	}
	if len(lo) != len(hi) {
		panic(mat.ErrShape)
	}
	for j := range lo {
		if !(lo[j] <= hi[j]) || math.IsInf(lo[j], 0) || math.IsInf(hi[j], 0) {
			return nil, fmt.Errorf("features: clip: the range of column %d is %g to %g, want finite ends in order", j, lo[j], hi[j])
		}
	}
	return &Clip{lo: slices.Clone(lo), hi: slices.Clone(hi)}, nil
}

// fence is the number of interquartile ranges beyond the quartiles from which on values are clipped: those that Tukey [Exploratory Data Analysis, 1977] called far out. Normal values are so once in 400,000.
const fence = 3

// NewFence returns the Clip of each column of x to the range of its rows, as far as that lies within three interquartile ranges of the quartiles; columns whose quartiles are equal have the range of their rows. The error says that an element is not finite.
func NewFence(x mat.Matrix) (*Clip, error) {
	n, d := x.Dims()
	lo, hi := make([]float64, d), make([]float64, d)
	column := make([]float64, n)
	for j := range d {
		slices.Sort(mat.Col(column, j, x))
		first, third := column[(n-1)/4], column[n-1-(n-1)/4]
		lo[j], hi[j] = column[0], column[n-1]
		if far := fence * (third - first); far > 0 {
			lo[j], hi[j] = max(lo[j], first-far), min(hi[j], third+far)
		}
	}
	return NewClip(lo, hi)
}

// Dims returns the number of columns twice.
func (m *Clip) Dims() (in, out int) { return len(m.lo), len(m.lo) }

// ID returns the map's identity.
func (m *Clip) ID() moments.ID { return m.id.of(m) }

// MapTo stores the clipped rows of x in dst.
func (m *Clip) MapTo(dst *mat.Dense, x mat.Matrix) {
	mapRows(m, dst, x, func(phi, x []float64) {
		for j, v := range x {
			phi[j] = min(max(v, m.lo[j]), m.hi[j])
		}
	})
}

func (m *Clip) header() header {
	in, out := m.Dims()
	return header{Kind: "clip", In: in, Out: out, Arrays: []array{{Name: "least", Rows: 1, Cols: in}, {Name: "most", Rows: 1, Cols: in}}}
}

func (m *Clip) appendWeights(dst []float64) []float64 { return append(append(dst, m.lo...), m.hi...) }

// String names the map for people.
func (m *Clip) String() string { return "clipped columns" }

func (r *reader) clip(h header) (Map, error) {
	if len(h.Arrays) != 2 {
		return nil, fmt.Errorf("%d arrays, want 2", len(h.Arrays))
	}
	var ends [2][]float64
	for i, name := range []string{"least", "most"} {
		var err error
		if ends[i], err = r.take(h.Arrays[i], array{Name: name, Rows: 1, Cols: h.In}); err != nil {
			return nil, err
		}
	}
	return NewClip(ends[0], ends[1])
}
