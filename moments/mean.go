package moments

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
)

// LeftTo stores in dst the p×p matrix of second moments of a: about its mean, Saa/W, if centred,
// else about 0, Saa/W + āā'. An empty dst is resized, a dst of another order panics, and so does a
// CoMoments without weight.
func (m *CoMoments) LeftTo(dst *mat.SymDense, centred bool) { m.symTo(dst, m.aa, m.meanA, centred) }

// LeftWithBias returns the (p+1)×(p+1) matrix of second moments about 0 of (a, 1). CoMoments without weight panics.
func (m *CoMoments) LeftWithBias() *mat.SymDense {
	dst := mat.NewSymDense(len(m.meanA)+1, nil)
	m.LeftWithBiasTo(dst)
	return dst
}

// LeftWithBiasTo is LeftWithBias in dst. A dst of another order panics.
func (m *CoMoments) LeftWithBiasTo(dst *mat.SymDense) { m.withBiasTo(dst, m.aa, m.meanA) }

// RightWithBias is LeftWithBias for b.
func (m *CoMoments) RightWithBias() *mat.SymDense {
	dst := mat.NewSymDense(len(m.meanB)+1, nil)
	m.withBiasTo(dst, m.bb, m.meanB)
	return dst
}

// withBiasTo adds the means of columns, and 1, to their second moments about 0.
func (m *CoMoments) withBiasTo(dst, s *mat.SymDense, means []float64) {
	m.mustWeigh()
	p := len(means)
	if dst.SymmetricDim() != p+1 {
		panic(mat.ErrShape)
	}
	m.secondMoments(dst.RawSymmetric(), s, means, false)
	for i, mean := range means {
		dst.SetSym(i, p, mean)
	}
	dst.SetSym(p, p, 1)
}

// RightTo is LeftTo for b.
func (m *CoMoments) RightTo(dst *mat.SymDense, centred bool) { m.symTo(dst, m.bb, m.meanB, centred) }

func (m *CoMoments) symTo(dst, s *mat.SymDense, mean []float64, centred bool) {
	m.mustWeigh()
	if dst.IsEmpty() {
		dst.ReuseAsSym(len(mean))
	}
	if dst.SymmetricDim() != len(mean) {
		panic(mat.ErrShape)
	}
	m.secondMoments(dst.RawSymmetric(), s, mean, centred)
}

// secondMoments stores those of the sums s, with these means, in the upper triangle of the first rows and columns of to.
func (m *CoMoments) secondMoments(to blas64.Symmetric, s *mat.SymDense, mean []float64, centred bool) {
	from := s.RawSymmetric()
	for i := range mean {
		row := to.Data[i*to.Stride+i : i*to.Stride+len(mean)]
		floats.ScaleTo(row, 1/m.weight, from.Data[i*from.Stride+i:i*from.Stride+from.N])
		if !centred {
			floats.AddScaled(row, mean[i], mean[i:])
		}
	}
}

// CrossTo stores in dst the p×q matrix of cross moments, Sab/W if centred, else Sab/W + āb̄'. An empty dst is resized, a dst
// of another shape panics, and so do co-moments without weight.
func (m *CoMoments) CrossTo(dst *mat.Dense, centred bool) {
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

// CrossTransposeTimes returns the transpose of the matrix of CrossTo times the p×k matrix w.
func (m *CoMoments) CrossTransposeTimes(w *mat.Dense, centred bool) *mat.Dense {
	m.mustWeigh()
	out := new(mat.Dense)
	fast.MulTo(out, blas.Trans, m.ab, blas.NoTrans, w)
	out.Scale(1/m.weight, out)
	if !centred {
		_, k := w.Dims()
		of := make([]float64, k)
		addMean(of, 1, m.meanA, w)
		for i, mean := range m.meanB {
			floats.AddScaled(out.RawRowView(i), mean, of)
		}
	}
	return out
}

func (m *CoMoments) mustWeigh() {
	if m.weight == 0 {
		panic("moments: no rows of positive weight")
	}
}

// A Form is the k values offset + A'a - B'b of a row (a, b) of co-moments: A is p×k, B q×k; nil stands for
// 0. One of fewer columns, a divisor of k, is repeated: value j takes its column j modulo their number.
type Form struct {
	A, B   mat.Matrix
	Offset []float64
}

// Inner returns, for each of the k outputs of both forms, the weighted mean over the rows of the
// product x·y, from the sums alone: the inner product in L2 of the sample, in 2k(p²+2pq+q²) flops, or
// fewer where a form repeats itself. Rounding errors are of the order of eps times the sizes of the terms,
// Saa, Sab and Sbb with the coefficients about them.
func (m *CoMoments) Inner(x, y Form) []float64 {
	m.mustWeigh()
	k := x.outputs(y)
	inner, mx, my := make([]float64, k), m.Mean(x), m.Mean(y)
	if x.A != nil && y.A != nil {
		addSymmetric(inner, 1/m.weight, dense(x.A), m.aa, dense(y.A))
	}
	if x.B != nil && y.B != nil {
		addSymmetric(inner, 1/m.weight, dense(x.B), m.bb, dense(y.B))
	}
	if x.A != nil && y.B != nil {
		addProducts(inner, -1/m.weight, dense(x.A), m.ab.RawMatrix(), dense(y.B))
	}
	if x.B != nil && y.A != nil {
		addProducts(inner, -1/m.weight, dense(y.A), m.ab.RawMatrix(), dense(x.B))
	}
	for j := range inner {
		inner[j] += mx[j%len(mx)] * my[j%len(my)]
	}
	return inner
}

// Mean returns the weighted mean over the rows of each output of a form.
func (m *CoMoments) Mean(x Form) []float64 {
	m.mustWeigh()
	mean := make([]float64, x.outputs(x))
	if x.Offset != nil {
		repeat(mean, x.Offset)
	}
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
func (m *CoMoments) Risk(wa, wb mat.Matrix, offset []float64) []float64 {
	x := Form{A: wa, B: wb, Offset: offset}
	for _, w := range []mat.Matrix{wa, wb} {
		if w == nil {
			continue
		}
		if _, c := w.Dims(); c != x.outputs(x) || offset != nil && c != len(offset) {
			panic(mat.ErrShape)
		}
	}
	risk, mean := m.Inner(x, x), m.Mean(x)
	for j, v := range mean {
		risk[j] = max(risk[j]-v*v, 0) + v*v
	}
	return risk
}

// outputs returns the number of outputs of x and y together, of which that of each part is a divisor.
func (x Form) outputs(y Form) int {
	var counts []int
	for _, f := range []Form{x, y} {
		if f.Offset != nil {
			counts = append(counts, len(f.Offset))
		}
		for _, w := range []mat.Matrix{f.A, f.B} {
			if w != nil {
				_, c := w.Dims()
				counts = append(counts, c)
			}
		}
	}
	if len(counts) == 0 {
		return 0
	}
	k := slices.Max(counts)
	for _, c := range counts {
		if c == 0 || k%c != 0 {
			panic(mat.ErrShape)
		}
	}
	return k
}

// dense returns the values of w, copied only if they are not stored as rows.
func dense(w mat.Matrix) blas64.General {
	if d, ok := w.(*mat.Dense); ok {
		return d.RawMatrix()
	}
	return mat.DenseCopyOf(w).RawMatrix()
}

// addSymmetric is addProducts for a symmetric s, of which the upper triangle is read.
func addSymmetric(dst []float64, scale float64, left blas64.General, s *mat.SymDense, right blas64.General) {
	raw := s.RawSymmetric()
	if raw.N == 0 {
		return
	}
	ofLeft := fast.AboveTransposeTimes(raw, left)
	addColumnDots(dst, scale, ofLeft, right)
	if &left.Data[0] != &right.Data[0] {
		ofLeft = fast.AboveTransposeTimes(raw, right)
	}
	addColumnDots(dst, scale, ofLeft, left)
	row := make([]float64, len(dst))
	for i := range raw.N {
		repeat(row, left.Data[i*left.Stride:][:left.Cols])
		mulRepeated(row, right.Data[i*right.Stride:][:right.Cols])
		floats.AddScaled(dst, scale*raw.Data[i*raw.Stride+i], row)
	}
}

// addProducts adds scale left_j's right_j to dst[j] for the j-th columns of left and right, modulo their
// numbers.
func addProducts(dst []float64, scale float64, left, s, right blas64.General) {
	if right.Cols <= left.Cols {
		addColumnDots(dst, scale, left, times(blas.NoTrans, s, right))
	} else {
		addColumnDots(dst, scale, times(blas.Trans, s, left), right)
	}
}

// times returns op(s) w.
func times(t blas.Transpose, s, w blas64.General) blas64.General {
	rows := s.Rows
	if t == blas.Trans {
		rows = s.Cols
	}
	c := blas64.General{Rows: rows, Cols: w.Cols, Stride: w.Cols, Data: make([]float64, rows*w.Cols)}
	fast.Gemm(t, blas.NoTrans, 1, s, w, 0, c)
	return c
}

// addColumnDots adds scale times the inner product of the j-th columns of a and b, modulo their
// numbers, to dst[j].
func addColumnDots(dst []float64, scale float64, a, b blas64.General) {
	row := make([]float64, len(dst))
	for i := range a.Rows {
		repeat(row, a.Data[i*a.Stride:][:a.Cols])
		mulRepeated(row, b.Data[i*b.Stride:][:b.Cols])
		floats.AddScaled(dst, scale, row)
	}
}

// repeat fills dst with copies of v.
func repeat(dst, v []float64) {
	for lo := 0; lo < len(dst); lo += len(v) {
		copy(dst[lo:], v)
	}
}

// mulRepeated multiplies dst by copies of v.
func mulRepeated(dst, v []float64) {
	if len(v) == 1 {
		floats.Scale(v[0], dst)
		return
	}
	for lo := 0; lo < len(dst); lo += len(v) {
		floats.Mul(dst[lo:lo+len(v)], v)
	}
}

// addMean adds scale·w'mean to dst, over and over if w has fewer columns.
func addMean(dst []float64, scale float64, mean []float64, w mat.Matrix) {
	var v mat.VecDense
	v.MulVec(w.T(), mat.NewVecDense(len(mean), mean))
	for j := range dst {
		dst[j] += scale * v.AtVec(j%v.Len())
	}
}
