package solvers

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
)

// A SampledInverse, made by NewSampledInverse, applies
//
//	P⁻¹ = (S'S + mu I)⁻¹ = [I - S'(SS' + mu I)⁻¹S] / mu
//
// for the s×p matrix S of rows a over sqrt(s), where S'S estimates the second moment of all rows: a Nyström preconditioner of ridge regression [Frangella, Tropp and Udell, Randomized Nyström preconditioning, SIAM J. Matrix Anal. Appl. 44, 2023], from a sample of rows as
// in [Rudi, Carratino and Rosasco, FALKON, NIPS 2017]. It needs 8 s (p + s) bytes, and 8 s² more for each penalty.
type SampledInverse struct {
	rows    *mat.Dense
	gram    *mat.SymDense
	factors map[float64]*Factor
}

// leastPenalty is the least mu of preconditioners, in traces of the matrix: below it P⁻¹ has no digits left.
const leastPenalty = 1e-12

// NewSampledInverse takes over rows, and centres them if there is an intercept; s²p + s³/3 flops.
func NewSampledInverse(rows *mat.Dense, intercept bool) *SampledInverse {
	n, p := rows.Dims()
	centreScaled(rows, intercept)
	gram := mat.NewSymDense(n, nil)
	a, c := rows.RawMatrix(), gram.RawSymmetric()
	fast.Implementation{}.Dsyrk(blas.Upper, blas.NoTrans, n, p, 1, a.Data, a.Stride, 0, c.Data, c.Stride)
	return &SampledInverse{rows, gram, make(map[float64]*Factor)}
}

// ApplyTo stores P⁻¹r in dst, with the penalty mu of each column, in 4sp flops a column.
func (s *SampledInverse) ApplyTo(dst, r *mat.Dense, mu []float64) {
	least := leastPenalty * mat.Trace(s.gram)
	var t mat.Dense
	fast.MulTo(&t, blas.NoTrans, s.rows, blas.NoTrans, r)
	by := make([]float64, len(mu))
	for j, v := range mu {
		by[j] = max(v, least)
	}
	s.solve(&t, by)
	dst.Reset()
	fast.MulTo(dst, blas.Trans, s.rows, blas.NoTrans, &t)
	p, _ := r.Dims()
	for i := range p {
		row := dst.RawRowView(i)
		for j, v := range r.RawRowView(i) {
			row[j] = (v - row[j]) / by[j]
		}
	}
}

// solve replaces the columns of t by solutions with SS' + mu I.
func (s *SampledInverse) solve(t *mat.Dense, mu []float64) {
	solveColumns(t, mu, func(mu float64) *Factor {
		if s.factors[mu] == nil {
			s.factors[mu] = NewFactor(s.gram, mu)
		}
		return s.factors[mu]
	})
}

// solveColumns solves for runs of columns with the same penalty at a time.
func solveColumns(t *mat.Dense, mu []float64, factor func(mu float64) *Factor) {
	n, k := t.Dims()
	for lo := 0; lo < k; {
		hi := lo + 1
		for hi < k && mu[hi] == mu[lo] {
			hi++
		}
		own := mat.DenseCopyOf(t.Slice(0, n, lo, hi))
		factor(mu[lo]).SolveTo(own, own)
		t.Slice(0, n, lo, hi).(*mat.Dense).Copy(own)
		lo = hi
	}
}

// centreScaled centres rows, if there is an intercept, and divides them by the root of their number.
func centreScaled(rows *mat.Dense, intercept bool) {
	n, p := rows.Dims()
	if intercept {
		mean := make([]float64, p)
		for i := range n {
			floats.Add(mean, rows.RawRowView(i))
		}
		floats.Scale(1/float64(n), mean)
		for i := range n {
			floats.Sub(rows.RawRowView(i), mean)
		}
	}
	rows.Scale(1/math.Sqrt(float64(n)), rows)
}
