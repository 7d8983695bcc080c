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
	var a mat.SymDense
	m.LeftTo(&a, false)
	return withBias(&a, m.meanA)
}

// RightWithBias is LeftWithBias for b.
func (m *CoMoments) RightWithBias() *mat.SymDense {
	var b mat.SymDense
	m.RightTo(&b, false)
	return withBias(&b, m.meanB)
}

// withBias adds the means of columns, and 1, to their second moments about 0.
func withBias(a *mat.SymDense, means []float64) *mat.SymDense {
	p := len(means)
	d := mat.NewSymDense(p+1, nil)
	for i, mean := range means {
		for j := i; j < p; j++ {
			d.SetSym(i, j, a.At(i, j))
		}
		d.SetSym(i, p, mean)
	}
	d.SetSym(p, p, 1)
	return d
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
	to, from := dst.RawSymmetric(), s.RawSymmetric()
	for i := range mean {
		row := to.Data[i*to.Stride+i : i*to.Stride+to.N]
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
		addProducts(inner, 1/m.weight, dense(x.A), symmetric(m.aa), dense(y.A))
	}
	if x.B != nil && y.B != nil {
		addProducts(inner, 1/m.weight, dense(x.B), symmetric(m.bb), dense(y.B))
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

// apart is how much longer rows of a copy are than they need be, a line of the cache: rows of a power of two would
// push each other's columns out of it.
const apart = 8

// symmetric returns a full copy of s, for products to run at full speed.
func symmetric(s *mat.SymDense) blas64.General {
	raw := s.RawSymmetric()
	stride := raw.N + apart
	full := blas64.General{Rows: raw.N, Cols: raw.N, Stride: stride, Data: make([]float64, raw.N*stride)}
	const side = 32 // of a block whose columns stay in the first cache
	for i0 := 0; i0 < raw.N; i0 += side {
		for j0 := i0; j0 < raw.N; j0 += side {
			for i := i0; i < min(i0+side, raw.N); i++ {
				for j := max(i, j0); j < min(j0+side, raw.N); j++ {
					v := raw.Data[i*raw.Stride+j]
					full.Data[i*full.Stride+j], full.Data[j*full.Stride+i] = v, v
				}
			}
		}
	}
	return full
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
