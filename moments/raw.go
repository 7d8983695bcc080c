package moments

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Raw are sums of products of p and q columns about 0, not about means: Σ w, Σ w a, Σ w b, Σ w aa', Σ w ab' and Σ w bb'. Those of b may be about a centre.
type Raw struct {
	Rows    int
	Weight  float64 // above 0
	A, B    []float64
	AA, BB  *mat.SymDense
	AB      *mat.Dense
	CentreB []float64 // nil: 0
}

// FromRaw returns the co-moments of raw sums, which are overwritten and kept. A sum about 0 loses digits where columns are far from 0; sums that were made of rows belong in
// Add. With noise in them co-moments need not be positive semidefinite. Other shapes and a weight that is not above 0 panic.
func FromRaw(left, right ID, raw Raw) *CoMoments {
	p, q := len(raw.A), len(raw.B)
	if r, c := raw.AB.Dims(); r != p || c != q || raw.AA.SymmetricDim() != p || raw.BB.SymmetricDim() != q {
		panic(mat.ErrShape)
	}
	if !(raw.Weight > 0) {
		panic("moments: raw sums have no weight")
	}
	m := NewCoMoments(left, right)
	m.shape(p, q)
	m.rows, m.weight, m.meanA, m.meanB, m.aa, m.ab, m.bb = raw.Rows, raw.Weight, raw.A, raw.B, raw.AA, raw.AB, raw.BB
	floats.Scale(1/m.weight, m.meanA)
	floats.Scale(1/m.weight, m.meanB)
	subtractUpper(m.aa, m.weight, m.meanA)
	for i, mean := range m.meanA {
		floats.AddScaled(m.ab.RawRowView(i), -m.weight*mean, m.meanB)
	}
	subtractUpper(m.bb, m.weight, m.meanB)
	if raw.CentreB != nil {
		floats.Add(m.meanB, raw.CentreB)
	}
	return m
}

// subtractUpper takes w dd' from s.
func subtractUpper(s *mat.SymDense, w float64, d []float64) {
	i := 0
	eachUpper(s, func(row []float64) {
		floats.AddScaled(row, -w*d[i], d[i:])
		i++
	})
}

// PlusDiagonal returns the co-moments with left added to each diagonal element of Saa, and right to those of Sbb. m stays as it is, and shares what is the same.
func (m *CoMoments) PlusDiagonal(left, right float64) *CoMoments {
	plus := func(s *mat.SymDense, v float64) *mat.SymDense {
		if v == 0 || s == nil {
			return s
		}
		out := mat.NewSymDense(s.SymmetricDim(), nil)
		out.CopySym(s)
		for i := range s.SymmetricDim() {
			out.SetSym(i, i, out.At(i, i)+v)
		}
		return out
	}
	return &CoMoments{
		left: m.left, right: m.right, mixed: m.mixed, rows: m.rows, weight: m.weight, meanA: slices.Clip(m.meanA), meanB: slices.Clip(m.meanB),
		aa: plus(m.aa, left), ab: m.ab, bb: plus(m.bb, right),
	}
}
