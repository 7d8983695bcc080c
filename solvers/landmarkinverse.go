package solvers

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
)

// A LandmarkInverse, made by NewLandmarkInverse, is a preconditioner of kernel ridge regression on the sections of m landmarks z,
//
//	H = Cov(k_Z(x)) + lambda K_ZZ,   K_ZZ ≈ F F' + D
//
// for the m×s features F of the landmarks with regard to s of them (features.Nystrom), and the diagonal D of what is left. With D^{-1/2}F in the place of F, G = Cov(features of x) and E = F'F + I it applies
//
//	P⁻¹ = D^{-1/2} [F E⁻¹(G + lambda I)⁻¹E⁻¹ F' + (I - F E⁻¹F') (D/m + lambda I)⁻¹ (I - F E⁻¹F')] D^{-1/2}
//
// which is H⁻¹ where F spans the sections and x is distributed as it is in the sample of G, and positive definite anyhow. It needs 8 s (m + 2s) bytes and s² 8 more for each penalty.
type LandmarkInverse struct {
	f       *mat.Dense // D^{-1/2}F
	e       *Factor
	g       *mat.SymDense
	d, root []float64 // D, and its square roots
	factors map[float64]*Factor
}

// leastResidual is that of a landmark in means of all of them: those that F was made of have none.
const leastResidual = 1e-4

// NewLandmarkInverse takes over f and left, the diagonal of what is left of K_ZZ; rows are the features of a sample of x, which it centres if there is an intercept. It costs m s² + s³ flops.
func NewLandmarkInverse(f, rows *mat.Dense, left []float64, intercept bool) *LandmarkInverse {
	m, s := f.Dims()
	l := &LandmarkInverse{f: f, g: mat.NewSymDense(s, nil), d: left, root: make([]float64, m), factors: make(map[float64]*Factor)}
	largest := 0.
	for i := range m {
		row := f.RawRowView(i)
		largest = max(largest, floats.Dot(row, row)+left[i])
	}
	least := max(leastResidual*floats.Sum(left)/float64(m), leastPenalty*largest)
	for i, v := range left {
		left[i] = max(v, least)
		l.root[i] = math.Sqrt(left[i])
		floats.Scale(1/l.root[i], f.RawRowView(i))
	}
	gram := mat.NewSymDense(s, nil)
	fast.Syrk(1, f.RawMatrix(), upper(gram))
	l.e = NewFactor(gram, 1)
	centreScaled(rows, intercept)
	fast.Syrk(1, rows.RawMatrix(), upper(l.g))
	return l
}

// ApplyTo stores P⁻¹r in dst, with the penalty lambda of each column, in 12sm flops a column.
func (l *LandmarkInverse) ApplyTo(dst, r *mat.Dense, lambda []float64) {
	m, k := r.Dims()
	least := leastPenalty * mat.Trace(l.g)
	by := make([]float64, k)
	for j, v := range lambda {
		by[j] = max(v, least)
	}
	var u, v, left mat.Dense
	left.CloneFrom(r)
	l.divide(&left)
	fast.MulTo(&u, blas.Trans, l.f, blas.NoTrans, &left)
	l.e.SolveTo(&u, &u)
	v.CloneFrom(&u)
	solveColumns(&v, by, func(mu float64) *Factor {
		if l.factors[mu] == nil {
			l.factors[mu] = NewFactor(l.g, mu)
		}
		return l.factors[mu]
	})
	l.e.SolveTo(&v, &v)
	dst.Reset()
	fast.MulTo(dst, blas.NoTrans, l.f, blas.NoTrans, &v)
	// What F does not span is small beside r, so that rounding of r would dominate it: taking F out a second time leaves that of the rest.
	l.takeOut(&left, &u)
	for i := range m {
		for j := range k {
			left.Set(i, j, left.At(i, j)/(l.d[i]/float64(m)+by[j]))
		}
	}
	fast.MulTo(&u, blas.Trans, l.f, blas.NoTrans, &left)
	l.e.SolveTo(&u, &u)
	l.takeOut(&left, &u)
	dst.Add(dst, &left)
	l.divide(dst)
}

// divide divides the rows by the roots of D.
func (l *LandmarkInverse) divide(a *mat.Dense) {
	for i, root := range l.root {
		floats.Scale(1/root, a.RawRowView(i))
	}
}

// takeOut subtracts F u.
func (l *LandmarkInverse) takeOut(r, u *mat.Dense) {
	fast.Gemm(blas.NoTrans, blas.NoTrans, -1, l.f.RawMatrix(), u.RawMatrix(), 1, r.RawMatrix())
}
