package metric

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
)

// A Column is an encoded column with what it has in a metric.
type Column struct {
	Name string
	// Value is the share of the column in the diagonal of M, or its element of a direction.
	Value float64
}

// A Direction is an eigenvector of M.
type Direction struct {
	Share   float64  // of its eigenvalue in their sum
	Columns []Column // the largest elements, by size
}

// A Summary, made by Summarize, says which columns and directions count in distances.
type Summary struct {
	Columns    []Column    // by share, the largest first
	Directions []Direction // of a full metric, up to three
}

const (
	listedDirections = 3
	listedElements   = 5
)

// Summarize returns the summary of the metric of encoded columns with these names, of which there must be as many as the metric has. It costs 10 d³ flops where the metric is full.
func Summarize(m *features.Metric, names []string) (Summary, error) {
	var s Summary
	shares := m.Shares()
	if len(shares) != len(names) {
		return s, fmt.Errorf("metric: %d names of %d columns", len(names), len(shares))
	}
	s.Columns = largest(shares, names, len(names))
	if m.IsDiagonal() {
		return s, nil
	}
	of, directions, err := m.Directions(listedDirections)
	if err != nil {
		return s, err
	}
	for i, share := range of {
		s.Directions = append(s.Directions, Direction{share, largest(directions.RawRowView(i), names, listedElements)})
	}
	return s, nil
}

// Shares lists the columns of a warp of columns with these names by what splits of them explain, the largest first.
func Shares(w *features.Warp, names []string) ([]Column, error) {
	shares := w.Shares()
	if len(shares) != len(names) {
		return nil, fmt.Errorf("metric: %d names of %d columns", len(names), len(shares))
	}
	return largest(shares, names, len(names)), nil
}

// Terms lists the monomials of a map that a features.Spec of AdaptiveFeatures makes by the size of their coefficients, the largest first, for a function coef'map(x) of columns with these names: coefficients of monomials of the encoded columns, of several outputs the root of the
// sum of squares. The constant is not listed, nor are monomials of coefficient 0. It is nil for other maps.
func Terms(of features.Map, coef mat.Matrix, names []string) ([]Column, error) {
	all, scales := features.PolynomialOf(of)
	if all == nil {
		return nil, nil
	}
	if in, _ := all.Dims(); in != len(names) {
		return nil, fmt.Errorf("metric: %d names of %d columns", len(names), in)
	}
	_, _, weights := all.Terms()
	factors := scales.Diagonal()
	monomials := all.Names(names)
	_, outputs := coef.Dims()
	var values []float64
	var listed []string
	for j := 1; j < len(monomials); j++ {
		v := coef.At(j, 0)
		for c := 1; c < outputs; c++ {
			v = math.Hypot(v, coef.At(j, c))
		}
		if v *= weights[j] * math.Sqrt(factors[j]); v != 0 {
			values, listed = append(values, v), append(listed, monomials[j])
		}
	}
	return largest(values, listed, len(values)), nil
}

// largest are columns by the size of their values.
func largest(values []float64, names []string, most int) []Column {
	var all []Column
	for j, v := range values {
		all = append(all, Column{names[j], v})
	}
	slices.SortStableFunc(all, func(a, b Column) int { return cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)) })
	return all[:min(most, len(all))]
}

// String lists the columns of a direction: "0.71 a - 0.7 b".
func (d Direction) String() string {
	var b strings.Builder
	for i, c := range d.Columns {
		switch {
		case i == 0:
			fmt.Fprintf(&b, "%.2g %s", c.Value, c.Name)
		case c.Value < 0:
			fmt.Fprintf(&b, " - %.2g %s", -c.Value, c.Name)
		default:
			fmt.Fprintf(&b, " + %.2g %s", c.Value, c.Name)
		}
	}
	return b.String()
}
