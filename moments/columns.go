package moments

import "gonum.org/v1/gonum/mat"

// RightColumns returns the moments of (a, columns lo to hi of b), the right side having the given identity. They share the sums of a with m, which stays as it is. Columns that m does not have panic; empty moments
// stay empty.
func (m *CoMoments) RightColumns(lo, hi int, right ID) *CoMoments {
	out := &CoMoments{left: m.left, right: right, mixed: m.mixed, rows: m.rows, weight: m.weight}
	if m.aa == nil {
		return out
	}
	p, _ := m.Dims()
	out.meanA, out.aa = m.meanA, m.aa
	out.meanB = m.meanB[lo:hi]
	out.ab = mat.DenseCopyOf(m.ab.Slice(0, p, lo, hi)) // whose rows lie next to each other, as other methods take them
	out.bb = mat.NewSymDense(hi-lo, nil)
	out.bb.CopySym(m.bb.SliceSym(lo, hi))
	return out
}
