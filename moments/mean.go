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

// A Form is the k values offset + A'a - B'b of a row (a, b) of a Pair: A is p×k, B q×k; nil stands for
// 0.
type Form struct {
	A, B   mat.Matrix
	Offset []float64
}

// Inner returns, for each of the k outputs of both forms, the weighted mean over the rows of the
// product x·y, from the sums alone: the inner product in L2 of the sample, in 2k(p²+2pq+q²) flops.
// Rounding errors are of the order of eps times the sizes of the terms, Saa, Sab and Sbb with the
// coefficients about them.
func (m *Pair) Inner(x, y Form) []float64 {
	m.mustWeigh()
	k := x.outputs(y)
	inner, mx, my := make([]float64, k), m.Mean(x), m.Mean(y)
	add := func(sign float64, left mat.Matrix, s mat.Matrix, right mat.Matrix) {
		if left == nil || right == nil {
			return
		}
		var sr mat.Dense
		sr.Mul(s, right)
		addColumnDots(inner, sign/m.weight, left, &sr)
	}
	add(1, x.A, m.aa, y.A)
	add(1, x.B, m.bb, y.B)
	add(-1, x.A, m.ab, y.B)
	add(-1, y.A, m.ab, x.B)
	for j := range inner {
		inner[j] += mx[j] * my[j]
	}
	return inner
}

// Mean returns the weighted mean over the rows of each output of a form.
func (m *Pair) Mean(x Form) []float64 {
	m.mustWeigh()
	mean := make([]float64, x.outputs(x))
	copy(mean, x.Offset)
	if x.A != nil {
		addMean(mean, 1, m.meanA, x.A)
	}
	if x.B != nil {
		addMean(mean, -1, m.meanB, x.B)
	}
	return mean
}

// Risk returns, for each output, the weighted mean over the rows of (offset + wa'a - wb'b)²: Inner of
// a form with itself, of which the part about the mean is clamped at 0.
func (m *Pair) Risk(wa, wb mat.Matrix, offset []float64) []float64 {
	x := Form{A: wa, B: wb, Offset: offset}
	risk, mean := m.Inner(x, x), m.Mean(x)
	for j, v := range mean {
		risk[j] = max(risk[j]-v*v, 0) + v*v
	}
	return risk
}

// outputs returns the number of outputs that x and y agree on.
func (x Form) outputs(y Form) int {
	k := 0
	see := func(c int) {
		if k != 0 && c != k {
			panic(mat.ErrShape)
		}
		k = c
	}
	for _, f := range []Form{x, y} {
		if f.Offset != nil {
			see(len(f.Offset))
		}
		for _, w := range []mat.Matrix{f.A, f.B} {
			if w != nil {
				_, c := w.Dims()
				see(c)
			}
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
