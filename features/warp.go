package features

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// A Warp moves each column by a step function of its own that does not fall,
//
//	phi_j(x) = Σ_{b: t_jb < x_j} w_jb,   w_jb >= 0
//
// so that the L1 distance of two rows is the weight of all thresholds between them. The Laplacian kernel after it (Chain) is then that of partitions of the rows by infinitely many Mondrian trees whose
// splits are at threshold t_jb at the rate w_jb [Roy and Teh, The Mondrian process, NIPS 2009; Balog, Lakshminarayanan, Ghahramani, Roy and Teh, The Mondrian kernel, UAI 2016]: two
// rows are in one cell with probability exp(-Σ w/b). A learned Warp (LearnWarp) has its weights where the function to be fitted has steps. The zero value is not usable; use NewWarp.
type Warp struct {
	thresholds [][]float64 // by column, ascending
	weights    [][]float64
	sums       [][]float64 // by column, of the first b weights
	id         lazyID
}

var _ stored = (*Warp)(nil)

func init() {
	register[*Warp](kind{name: "warp", read: (*reader).warp, made: warpMaker()})
}

// NewWarp returns the map with these thresholds of each column and their weights, which are copied. It panics if there is no column, or the lengths differ. The error says that
// thresholds of a column are not finite or do not ascend strictly, that a weight is negative or not finite, or that all are 0.
func NewWarp(thresholds, weights [][]float64) (*Warp, error) {
	if len(thresholds) == 0 {
		panic(mat.ErrZeroLength)
	}
	if len(weights) != len(thresholds) {
		panic(mat.ErrShape)
	}
	m := &Warp{sums: make([][]float64, len(thresholds))}
	total := 0.
	for j := range thresholds {
		if len(thresholds[j]) != len(weights[j]) {
			panic(mat.ErrShape)
		}
		m.thresholds, m.weights = append(m.thresholds, slices.Clone(thresholds[j])), append(m.weights, slices.Clone(weights[j]))
		m.sums[j] = make([]float64, len(weights[j])+1)
		for b, w := range weights[j] {
			t := thresholds[j]
			if math.IsNaN(t[b]) || math.IsInf(t[b], 0) || b > 0 && !(t[b-1] < t[b]) {
				return nil, fmt.Errorf("features: warp: threshold %d of column %d is %g, want finite ones that ascend", b, j, t[b])
			}
			if !(w >= 0) || math.IsInf(w, 1) {
				return nil, fmt.Errorf("features: warp: weight %d of column %d is %g, want a number of at least 0", b, j, w)
			}
			m.sums[j][b+1] = m.sums[j][b] + w
		}
		total += m.sums[j][len(weights[j])]
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return nil, fmt.Errorf("features: warp: the weights add up to %g, want a positive number", total)
	}
	return m, nil
}

// Dims returns the number of columns twice.
func (m *Warp) Dims() (in, out int) { return len(m.sums), len(m.sums) }

// ID returns the map's identity.
func (m *Warp) ID() moments.ID { return m.id.of(m) }

// MapTo stores the moved columns of each row of x in dst, at the cost of a binary search an element.
func (m *Warp) MapTo(dst *mat.Dense, x mat.Matrix) {
	mapRows(m, dst, x, func(phi, x []float64) {
		for j, sums := range m.sums {
			phi[j] = sums[sort.SearchFloat64s(m.thresholds[j], x[j])]
		}
	})
}

// Shares returns the weight of each column divided by that of all: how much of what a learned Warp explains is explained by splits of the column.
func (m *Warp) Shares() []float64 {
	shares, total := make([]float64, len(m.sums)), 0.
	for j, sums := range m.sums {
		shares[j] = sums[len(sums)-1]
		total += shares[j]
	}
	for j := range shares {
		shares[j] /= total
	}
	return shares
}

// WarpOf returns the warp that comes first in a map that a Spec of WarpedFeatures makes; nil if there is none.
func WarpOf(m Map) *Warp {
	if c, ok := m.(*Concat); ok {
		m = c.parts[0]
	}
	if c, ok := m.(*Chain); ok {
		first, _ := c.first.(*Warp)
		return first
	}
	return nil
}

func (m *Warp) header() header {
	count := 0
	for _, t := range m.thresholds {
		count += len(t)
	}
	in, out := m.Dims()
	return header{Kind: "warp", In: in, Out: out, Arrays: []array{
		{Name: "counts", Rows: 1, Cols: in}, {Name: "thresholds", Rows: 1, Cols: count}, {Name: "weights", Rows: 1, Cols: count},
	}}
}

func (m *Warp) appendWeights(dst []float64) []float64 {
	for _, t := range m.thresholds {
		dst = append(dst, float64(len(t)))
	}
	return append(append(dst, slices.Concat(m.thresholds...)...), slices.Concat(m.weights...)...)
}

// String names the map for people.
func (m *Warp) String() string { return fmt.Sprintf("%d warped columns", len(m.sums)) }

func (r *reader) warp(h header) (Map, error) {
	if len(h.Arrays) != 3 {
		return nil, fmt.Errorf("%d arrays, want 3", len(h.Arrays))
	}
	var values [3][]float64
	for i, a := range []array{{Name: "counts", Rows: 1, Cols: h.In}, {Name: "thresholds", Rows: 1, Cols: -1}, {Name: "weights", Rows: 1, Cols: h.Arrays[1].Cols}} {
		var err error
		if values[i], err = r.take(h.Arrays[i], a); err != nil {
			return nil, err
		}
	}
	counts, thresholds, weights := values[0], values[1], values[2]
	split := [2][][]float64{make([][]float64, len(counts)), make([][]float64, len(counts))}
	at := 0
	for j, count := range counts {
		if count != math.Trunc(count) || count < 0 || count > float64(len(thresholds)-at) {
			return nil, fmt.Errorf("column %d has %g thresholds of %d", j, count, len(thresholds))
		}
		next := at + int(count)
		split[0][j], split[1][j] = thresholds[at:next], weights[at:next]
		at = next
	}
	if at < len(thresholds) {
		return nil, fmt.Errorf("%d thresholds, the columns have %d", len(thresholds), at)
	}
	return NewWarp(split[0], split[1])
}
