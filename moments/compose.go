package moments

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
)

// Swapped returns the moments of (b, a), which share the memory of m.
func (m *CoMoments) Swapped() *CoMoments {
	out := &CoMoments{left: m.right, right: m.left, mixed: m.mixed, rows: m.rows, weight: m.weight, meanA: m.meanB, meanB: m.meanA, aa: m.bb, bb: m.aa}
	if m.ab != nil {
		out.ab = mat.DenseCopyOf(m.ab.T())
	}
	return out
}

// Composed returns the moments of (a, W'b + c), the right side having the given identity, for W (q×k) and c of k elements. It costs 2(p+q)qk flops.
// Another shape panics. m stays as it is; empty moments stay empty.
func (m *CoMoments) Composed(w *mat.Dense, c []float64, right ID) *CoMoments {
	out := &CoMoments{left: m.left, right: right, mixed: m.mixed, rows: m.rows, weight: m.weight}
	if len(m.meanA) == 0 {
		return out
	}
	q, k := w.Dims()
	if q != len(m.meanB) || k != len(c) {
		panic(mat.ErrShape)
	}
	out.meanA, out.aa = m.meanA, m.aa
	out.meanB = make([]float64, k)
	if m.weight > 0 { // else there is no mean
		copy(out.meanB, c)
	}
	for j, mean := range m.meanB {
		for i := range out.meanB {
			out.meanB[i] += float64(mean * w.At(j, i))
		}
	}
	out.ab = new(mat.Dense)
	fast.MulTo(out.ab, blas.NoTrans, m.ab, blas.NoTrans, w)
	var half, full mat.Dense
	fast.MulTo(&half, blas.NoTrans, mat.DenseCopyOf(m.bb), blas.NoTrans, w)
	fast.MulTo(&full, blas.Trans, w, blas.NoTrans, &half)
	out.bb = mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			out.bb.SetSym(i, j, (full.At(i, j)+full.At(j, i))/2)
		}
	}
	return out
}
