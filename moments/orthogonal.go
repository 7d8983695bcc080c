package moments

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
)

// Orthogonal returns the moments of the parts of a and b that are orthogonal to the orthonormal columns of left (p×r) and
// right (q×s), nil for none: of a - left left'a and b - right right'b. What is fitted from them has coefficients orthogonal to
// these columns too. It costs 6p²r + 6q²s + 2pq(r+s) flops. Columns of another length panic. m stays as it is, and is returned
// if there are none.
func (m *CoMoments) Orthogonal(left, right *mat.Dense) *CoMoments {
	if left == nil && right == nil || len(m.meanA) == 0 {
		return m
	}
	out := &CoMoments{left: m.left, right: m.right, mixed: m.mixed, rows: m.rows, weight: m.weight}
	out.meanA, out.aa = orthogonal(m.meanA, m.aa, left)
	out.meanB, out.bb = orthogonal(m.meanB, m.bb, right)
	out.ab = mat.DenseCopyOf(m.ab)
	if left != nil {
		subtractProduct(out.ab, left, out.ab)
	}
	if right != nil {
		var back mat.Dense
		fast.MulTo(&back, blas.NoTrans, out.ab, blas.NoTrans, right)
		fast.Gemm(blas.NoTrans, blas.Trans, -1, back.RawMatrix(), right.RawMatrix(), 1, out.ab.RawMatrix())
	}
	return out
}

// subtractProduct subtracts n n'x from dst, which may be x.
func subtractProduct(dst, n, x *mat.Dense) {
	var along mat.Dense
	fast.MulTo(&along, blas.Trans, n, blas.NoTrans, x)
	fast.Gemm(blas.NoTrans, blas.NoTrans, -1, n.RawMatrix(), along.RawMatrix(), 1, dst.RawMatrix())
}

// orthogonal is the mean and the symmetric sum of one side.
func orthogonal(mean []float64, s *mat.SymDense, n *mat.Dense) ([]float64, *mat.SymDense) {
	if n == nil {
		return mean, s
	}
	if rows, _ := n.Dims(); rows != len(mean) {
		panic(mat.ErrShape)
	}
	moved := mat.NewDense(len(mean), 1, append([]float64(nil), mean...))
	subtractProduct(moved, n, moved)
	full := mat.DenseCopyOf(s)
	subtractProduct(full, n, full)
	var back mat.Dense
	fast.MulTo(&back, blas.NoTrans, full, blas.NoTrans, n)
	fast.Gemm(blas.NoTrans, blas.Trans, -1, back.RawMatrix(), n.RawMatrix(), 1, full.RawMatrix())
	out := mat.NewSymDense(len(mean), nil)
	for i := range mean {
		for j := i; j < len(mean); j++ {
			out.SetSym(i, j, (full.At(i, j)+full.At(j, i))/2)
		}
	}
	return moved.RawMatrix().Data, out
}
