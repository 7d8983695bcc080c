package moments

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// LeftTo stores in dst the p×p matrix of second moments of a: about its mean, Saa/W, if centred,
// else about 0, Saa/W + āā'. An empty dst is resized, a dst of another order panics, and so does a
// Pair without weight.
func (m *Pair) LeftTo(dst *mat.SymDense, centred bool) { m.symTo(dst, m.aa, m.meanA, centred) }

// RightTo is LeftTo for b.
func (m *Pair) RightTo(dst *mat.SymDense, centred bool) { m.symTo(dst, m.bb, m.meanB, centred) }

func (m *Pair) symTo(dst, s *mat.SymDense, mean []float64, centred bool) {
	m.mustWeigh()
	if dst.IsEmpty() {
		dst.ReuseAsSym(len(mean))
	}
	if dst.SymmetricDim() != len(mean) {
		panic(mat.ErrShape)
	}
	to, from := dst.RawSymmetric(), s.RawSymmetric()
	for i := range mean {
		row := to.Data[i*to.Stride+i : i*to.Stride+to.N]
		floats.ScaleTo(row, 1/m.weight, from.Data[i*from.Stride+i:i*from.Stride+from.N])
		if !centred {
			floats.AddScaled(row, mean[i], mean[i:])
		}
	}
}

// CrossTo stores in dst the p×q matrix of cross moments, Sab/W if centred, else Sab/W + āb̄'. An
// empty dst is resized, a dst of another shape panics, and so does a Pair without weight.
func (m *Pair) CrossTo(dst *mat.Dense, centred bool) {
	m.mustWeigh()
	p, q := m.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(p, q)
	}
	if r, c := dst.Dims(); r != p || c != q {
		panic(mat.ErrShape)
	}
	for i := range p {
		row := dst.RawRowView(i)
		floats.ScaleTo(row, 1/m.weight, m.ab.RawRowView(i))
		if !centred {
			floats.AddScaled(row, m.meanA[i], m.meanB)
		}
	}
}

func (m *Pair) mustWeigh() {
	if m.weight == 0 {
		panic("moments: no rows of positive weight")
	}
}

// Risk returns, for each of k outputs, the weighted mean over the rows of
//
//	(offset + wa'a - wb'b)²
//
// from the sums alone, in 2k(p²+pq+q²) flops. wa is p×k and wb q×k; nil stands for 0, a nil offset
// too. The result is clamped at 0: its rounding error is of the order of eps times the largest of
// the three terms wa'Saa wa/W, wb'Sbb wb/W and (offset + wa'ā - wb'b̄)².
func (m *Pair) Risk(wa, wb mat.Matrix, offset []float64) []float64 {
	m.mustWeigh()
	k := outputs(wa, wb, offset)
	mean := make([]float64, k)
	copy(mean, offset)
	risk := make([]float64, k)
	var sa, sb, cross mat.Dense
	if wa != nil {
		sa.Mul(m.aa, wa)
		addColumnDots(risk, 1/m.weight, wa, &sa)
		addMean(mean, 1, m.meanA, wa)
	}
	if wb != nil {
		sb.Mul(m.bb, wb)
		addColumnDots(risk, 1/m.weight, wb, &sb)
		addMean(mean, -1, m.meanB, wb)
	}
	if wa != nil && wb != nil {
		cross.Mul(m.ab, wb)
		addColumnDots(risk, -2/m.weight, wa, &cross)
	}
	for j := range risk {
		risk[j] = max(risk[j], 0) + mean[j]*mean[j]
	}
	return risk
}

// outputs returns the number of columns that wa, wb and offset agree on.
func outputs(wa, wb mat.Matrix, offset []float64) int {
	k := len(offset)
	for _, w := range []mat.Matrix{wa, wb} {
		if w == nil {
			continue
		}
		if _, c := w.Dims(); k == 0 {
			k = c
		} else if c != k {
			panic(mat.ErrShape)
		}
	}
	return k
}

// addColumnDots adds scale times the inner product of the j-th columns of a and b to dst[j].
func addColumnDots(dst []float64, scale float64, a mat.Matrix, b *mat.Dense) {
	r, _ := a.Dims()
	row := make([]float64, len(dst))
	for i := range r {
		mat.Row(row, i, a)
		floats.Mul(row, b.RawRowView(i))
		floats.AddScaled(dst, scale, row)
	}
}

// addMean adds scale·w'mean to dst.
func addMean(dst []float64, scale float64, mean []float64, w mat.Matrix) {
	var v mat.VecDense
	v.MulVec(w.T(), mat.NewVecDense(len(mean), mean))
	blas64.Axpy(scale, v.RawVector(), blas64.Vector{N: len(dst), Data: dst, Inc: 1})
}
