package moments

import "gonum.org/v1/gonum/mat"

// RightColumns returns the moments of (a, the columns of b at these indices, in this order), the right side having the given identity. They share the sums of a with m, which stays as it is. Columns that m does not have panic; empty moments
// stay empty.
func (m *CoMoments) RightColumns(at []int, right ID) *CoMoments {
	out := &CoMoments{left: m.left, right: right, mixed: m.mixed, rows: m.rows, weight: m.weight}
	if m.aa == nil {
		return out
	}
	p, _ := m.Dims()
	out.meanA, out.aa = m.meanA, m.aa
	out.meanB, out.ab, out.bb = make([]float64, len(at)), mat.NewDense(p, len(at), nil), mat.NewSymDense(len(at), nil)
	for i, from := range at {
		out.meanB[i] = m.meanB[from]
		for row := range p {
			out.ab.Set(row, i, m.ab.At(row, from))
		}
		for j := i; j < len(at); j++ {
			out.bb.SetSym(i, j, m.bb.At(from, at[j]))
		}
	}
	return out
}
