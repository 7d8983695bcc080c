package solvers

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
)

// eps is the distance from 1 to the next float64.
const eps = 0x1p-52

// A Factor, made by NewFactor, is a factorisation R'R of a positive semidefinite matrix M: its Cholesky factor, or,
// when M is singular to rounding, an eigendecomposition without the directions of M's null space,
// so that solutions have minimum norm.
type Factor struct {
	n    int
	norm float64 // |M|₁
	// cond is estimated on first use, unless the choice of a solution depends on it.
	once sync.Once
	cond float64
	// chol is the upper triangular R; nil after the fallback.
	chol *mat.SymDense
	// memory is that of chol, for matrices of up to its order.
	memory []float64
	// Of the fallback: the kept eigenvectors, as columns, and the square roots of their eigenvalues.
	vectors *mat.Dense
	roots   []float64
}

// NewFactor factors the p×p matrix m + lambda I in p³/3 flops, and about 9p³ when its reciprocal condition number is below
// p·eps, where a solution by Cholesky's factor would have no correct digit. It panics if lambda is negative or not finite.
func NewFactor(m mat.Symmetric, lambda float64) *Factor {
	f := new(Factor)
	f.set(m.SymmetricDim(), copying(m), lambda, true)
	return f
}

// UseFactor calls use with the factor of m + lambda I, without Cond, in memory that later calls use again; form stores the upper triangle of m, of order n.
func UseFactor(n int, form func(dst *mat.SymDense), lambda float64, use func(f *Factor)) {
	useFactor(n, form, lambda, false, use)
}

// useFactor is UseFactor, with Cond if norm is true.
func useFactor(n int, form func(dst *mat.SymDense), lambda float64, norm bool, use func(f *Factor)) {
	f := spare.Get().(*Factor)
	defer spare.Put(f)
	f.set(n, func(dst *mat.SymDense) float64 {
		form(dst)
		return mat.Trace(dst)
	}, lambda, norm)
	use(f)
}

// spare are factors of no further use, whose memory the next ones take: new memory costs more than the copy of a matrix.
var spare = sync.Pool{New: func() any { return new(Factor) }}

// A former stores the upper triangle of a matrix m and returns the sum of the traces of the terms that it is formed from.
type former func(dst *mat.SymDense) (scale float64)

// copying forms m from itself.
func copying(m mat.Symmetric) former {
	return func(dst *mat.SymDense) float64 {
		dst.CopySym(m)
		return mat.Trace(dst)
	}
}

// set makes f the factor of m + lambda I in the memory that it has; form stores m, of order n. Without the norm, which takes
// a pass over m, there is no Cond, unless the choice of a solution depends on it.
func (f *Factor) set(n int, form former, lambda float64, norm bool) {
	if !(lambda >= 0) || math.IsInf(lambda, 1) {
		panic("solvers: lambda is not a finite number of at least 0")
	}
	if f.chol == nil || f.n != n {
		if cap(f.memory) < n*n {
			f.memory = make([]float64, n*n)
		}
		f.chol = mat.NewSymDense(n, f.memory[:n*n])
	}
	f.n, f.once, f.vectors, f.roots = n, sync.Once{}, nil, nil
	scale := form(f.chol)
	addDiagonal(f.chol, lambda)
	far := f.far(lambda, scale)
	if norm || !far {
		f.norm = oneNorm(f.chol)
	} else {
		f.norm = math.NaN()
	}
	if fast.Cholesky(upper(f.chol)) && (far || 1/f.Cond() >= float64(n)*eps) {
		return
	}
	form(f.chol)
	addDiagonal(f.chol, lambda)
	f.decompose(f.chol)
}

// far reports whether lambda alone keeps the reciprocal condition number above p·eps. The 2-norm of
// m + lambda I is at most lambda + scale, its least eigenvalue at least lambda less the rounding errors
// of m, of size p·eps·scale at most, and the condition number in the 1-norm at most p times that in
// the 2-norm.
func (f *Factor) far(lambda, scale float64) bool {
	n := float64(f.n)
	return lambda >= 4*n*n*eps*(lambda+scale)
}

// decompose keeps the eigenvectors whose eigenvalues are above p·eps times the largest.
func (f *Factor) decompose(m *mat.SymDense) {
	var eig mat.EigenSym
	if !eig.Factorize(m, true) {
		// LAPACK's QL iteration fails on nothing but NaN and Inf, which moments.CoMoments.Check refuses.
		panic("solvers: eigenvalues of a matrix with entries that are not finite")
	}
	values := eig.Values(nil)
	largest := max(values[f.n-1], 0)
	first := 0
	for first < f.n && values[first] <= float64(f.n)*eps*largest {
		first++
	}
	f.chol, f.cond = nil, math.Inf(1)
	f.once.Do(func() {})
	if first == f.n {
		return
	}
	f.vectors = eig.RawQ().(*mat.Dense).Slice(0, f.n, first, f.n).(*mat.Dense) // not a copy: it may be large
	f.roots = values[first:]
	for i, v := range f.roots {
		f.roots[i] = math.Sqrt(v)
	}
}

func addDiagonal(s *mat.SymDense, lambda float64) {
	r := s.RawSymmetric()
	for i := range r.N {
		r.Data[i*r.Stride+i] += lambda
	}
}

func upper(s *mat.SymDense) blas64.General {
	r := s.RawSymmetric()
	return blas64.General{Rows: r.N, Cols: r.N, Stride: r.Stride, Data: r.Data}
}

// Rank returns the order of M, or the number of directions kept by the fallback.
func (f *Factor) Rank() int {
	if f.chol != nil {
		return f.n
	}
	return len(f.roots)
}

// Cond returns an estimate, from below, of the condition number of M in the 1-norm, exact up to order
// 8; +Inf for a matrix that is singular to rounding. Solutions lose about log10(Cond) digits. The first
// call may cost 50p² flops.
func (f *Factor) Cond() float64 {
	f.once.Do(func() {
		f.cond = f.norm * inverseNorm(f.n, func(x *mat.Dense) { f.SolveTo(x, x) })
	})
	return f.cond
}

// SolveTo stores in dst the p×k minimum-norm solution of M X = B, in 2p²k flops. An empty dst is
// resized, a dst of another shape panics. dst may be b.
func (f *Factor) SolveTo(dst, b *mat.Dense) {
	if r, _ := b.Dims(); r != f.n {
		panic(mat.ErrShape)
	}
	copyTo(dst, b)
	switch {
	case f.chol != nil:
		fast.SolveLeft(blas.Trans, upper(f.chol), dst.RawMatrix())
		fast.SolveLeft(blas.NoTrans, upper(f.chol), dst.RawMatrix())
	case f.Rank() == 0:
		dst.Zero()
	default:
		half := f.half(b)
		f.scaleRows(half)
		fast.MulTo(dst, blas.NoTrans, f.vectors, blas.NoTrans, half)
	}
}

// RootTimes returns R⁻¹ B, where R⁻¹R'⁻¹ is M⁺, for the first Rank rows of the p×k matrix B: columns whose mean square is I, in the place of B, have M⁺.
func (f *Factor) RootTimes(b *mat.Dense) *mat.Dense {
	r, k := b.Dims()
	if r != f.n {
		panic(mat.ErrShape)
	}
	if f.chol != nil {
		out := mat.DenseCopyOf(b)
		fast.SolveLeft(blas.NoTrans, upper(f.chol), out.RawMatrix())
		return out
	}
	out := mat.NewDense(r, k, nil)
	if f.Rank() > 0 {
		half := mat.DenseCopyOf(b.Slice(0, f.Rank(), 0, k))
		f.scaleRows(half)
		out.Mul(f.vectors, half)
	}
	return out
}

// subtract takes B'M⁺B from the q×q matrix s, in p²q + pq² flops.
func (f *Factor) subtract(s *mat.SymDense, b *mat.Dense) {
	if f.Rank() > 0 {
		fast.Syrk(-1, f.half(b).RawMatrix(), upper(s))
	}
}

// half returns R'⁻¹ B, of Rank rows, whose outer product is B'M⁺B.
func (f *Factor) half(b *mat.Dense) *mat.Dense {
	var h mat.Dense
	if f.chol != nil {
		h.CloneFrom(b)
		fast.SolveLeft(blas.Trans, upper(f.chol), h.RawMatrix())
		return &h
	}
	fast.MulTo(&h, blas.Trans, f.vectors, blas.NoTrans, b)
	f.scaleRows(&h)
	return &h
}

// scaleRows divides the rows of a by the square roots of the eigenvalues.
func (f *Factor) scaleRows(a *mat.Dense) {
	for i, root := range f.roots {
		floats.Scale(1/root, a.RawRowView(i))
	}
}

func copyTo(dst, b *mat.Dense) {
	if dst == b {
		return
	}
	r, c := b.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(r, c)
	}
	if dr, dc := dst.Dims(); dr != r || dc != c {
		panic(mat.ErrShape)
	}
	dst.Copy(b)
}
