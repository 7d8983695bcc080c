package features

import (
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// adaptiveMaker is that of monomials with scales that are learned from a target, so that ridge regression on them is an adaptive one (package metric).
func adaptiveMaker() *maker {
	return &maker{
		kind: AdaptiveFeatures, heads: []string{"adaptive"}, names: alone("adaptive:DEGREE"),
		parse: parseWithDegree(AdaptiveFeatures), write: writeWithDegree, degree: true,
		size:  func(s Spec, in int) int { return Monomials(in, s.Degree) },
		bytes: func(_ Spec, z Size) float64 { return 8 * (3*float64(z.Features) + 2*float64(z.In)) },
		fit:   (*specFit).adaptive,
	}
}

var errSparseAdaptive = errors.New("features: adaptive polynomials are for columns of numbers and levels, not for hashed text or sparse rows")

// adaptive makes the monomials with the scales of Spec.Metric; without it all have the scale 1.
func (f *specFit) adaptive() (Map, error) {
	if _, sparse := f.rows.(mat.RowNonZeroDoer); sparse {
		return nil, errSparseAdaptive
	}
	all, err := NewClippedPolynomial(f.rows, f.Degree)
	if err != nil {
		return nil, err
	}
	_, out := all.Dims()
	scales := f.Metric
	if scales == nil {
		scales = identityMetric(out)
		f.note("the scales of monomials are equal, since nothing is to be fitted yet")
	}
	if width, _ := scales.Dims(); width != out || !scales.IsDiagonal() {
		return nil, fmt.Errorf("features: %s: the scales are of %d monomials, want those of %d", f.Spec, width, out)
	}
	return NewChain(all, scales)
}

// NewClippedPolynomial returns the monomials up to a degree of columns that are clipped by NewFence of the rows. The errors are those of both.
func NewClippedPolynomial(rows mat.Matrix, degree int) (*Chain, error) {
	_, in := rows.Dims()
	all, err := NewPolynomial(in, degree)
	if err != nil {
		return nil, err
	}
	clip, err := NewFence(rows)
	if err != nil {
		return nil, err
	}
	return NewChain(clip, all)
}

// PolynomialOf returns the monomials of a map that a Spec of AdaptiveFeatures makes, and their scales; nil if it is none.
func PolynomialOf(m Map) (*Polynomial, *Metric) {
	whole, ok := m.(*Chain)
	if !ok {
		return nil, nil
	}
	clipped, _ := whole.first.(*Chain)
	scales, _ := whole.then.(*Metric)
	if clipped == nil || scales == nil {
		return nil, nil
	}
	if all, ok := clipped.then.(*Polynomial); ok {
		return all, scales
	}
	return nil, nil
}

// Names returns the monomials in names of the columns, "a·a·b" for the second power of a times b, of which there must be as many as the map has columns; the first is "1".
func (m *Polynomial) Names(columns []string) []string {
	if len(columns) != m.in {
		panic(mat.ErrShape)
	}
	out := make([]string, len(m.parent))
	out[0] = "1"
	for t := 1; t < len(out); t++ {
		out[t] = strings.TrimPrefix(out[m.parent[t]]+"·"+columns[m.factor[t]], "1·")
	}
	return out
}
