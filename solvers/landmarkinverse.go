package solvers

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
)

// A LandmarkInverse, made by NewLandmarkInverse, is a preconditioner of kernel ridge regression on the sections of m landmarks z,
//
//	H = Cov(k_Z(x)) + lambda K_ZZ,   K_ZZ ≈ F F' + delta I
//
// for the m×s features F of the landmarks with regard to s of them (features.Nystrom), and delta, what is left of the diagonal in the mean. With G = Cov(features of x) and E = F'F + delta I it applies
//
//	P⁻¹ = F E⁻¹(G + lambda I)⁻¹E⁻¹ F' + (I - F E⁻¹F')² / (delta (delta/m + lambda))
//
// which is H⁻¹ where F spans the sections and x is distributed as it is in the sample of G, and positive definite anyhow. It needs 8 s (m + 2s) bytes and s² 8 more for each penalty.
type LandmarkInverse struct {
	f       *mat.Dense
	e       *Factor
	g       *mat.SymDense
	delta   float64
	factors map[float64]*Factor
}

// NewLandmarkInverse takes over f; rows are the features of a sample of x, which it centres if there is an intercept. It costs m s² + s³ flops.
func NewLandmarkInverse(f, rows *mat.Dense, delta float64, intercept bool) *LandmarkInverse {
	m, s := f.Dims()
	gram := mat.NewSymDense(s, nil)
	fast.Syrk(1, f.RawMatrix(), upper(gram))
	delta = max(delta, leastPenalty*mat.Trace(gram)/float64(m))
	centreScaled(rows, intercept)
	g := mat.NewSymDense(s, nil)
	fast.Syrk(1, rows.RawMatrix(), upper(g))
	return &LandmarkInverse{f, NewFactor(gram, delta), g, delta, make(map[float64]*Factor)}
}

// ApplyTo stores P⁻¹r in dst, with the penalty lambda of each column, in 12sm flops a column.
func (l *LandmarkInverse) ApplyTo(dst, r *mat.Dense, lambda []float64) {
	m, k := r.Dims()
	least := leastPenalty * mat.Trace(l.g)
	by, rest := make([]float64, k), make([]float64, k)
	for j, v := range lambda {
		by[j] = max(v, least)
		rest[j] = 1 / (l.delta * (l.delta/float64(m) + by[j]))
	}
	var u, v, left mat.Dense
	fast.MulTo(&u, blas.Trans, l.f, blas.NoTrans, r)
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
	left.CloneFrom(r)
	l.takeOut(&left, &u)
	fast.MulTo(&u, blas.Trans, l.f, blas.NoTrans, &left)
	l.e.SolveTo(&u, &u)
	l.takeOut(&left, &u)
	addScaled(dst, rest, &left)
}

// takeOut subtracts F u.
func (l *LandmarkInverse) takeOut(r, u *mat.Dense) {
	fast.Gemm(blas.NoTrans, blas.NoTrans, -1, l.f.RawMatrix(), u.RawMatrix(), 1, r.RawMatrix())
}
