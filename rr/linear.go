package rr

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/features"
	fast "mediant/internal/blas"
	"mediant/kernels"
	"mediant/tables"
)

// A Linear is the predictor coef'map(x) + intercept.
type Linear struct {
	Map       features.Map
	Coef      *mat.Dense // features × outputs
	Intercept []float64

	// Before its linear end was folded, where this was made here and not read from a file.
	whole     features.Map
	wholeCoef *mat.Dense
}

var _ Predictor = (*Linear)(nil)

// NewLinear returns the predictor coef'm(x) + intercept. The linear end of a map that has one
// (Nyström whitening) is folded into the coefficients, so that prediction skips it and a model
// file need not hold it.
func NewLinear(m features.Map, coef *mat.Dense, intercept []float64) *Linear {
	l := &Linear{Map: m, Coef: coef, Intercept: intercept, whole: m, wholeCoef: coef}
	if f, ok := m.(features.Folder); ok {
		l.Map, l.Coef = f.Fold(coef)
	}
	return l
}

// affineIn returns l as a function of the features m, if it was made as one.
func (l *Linear) affineIn(m features.Map) (f affine, ok bool) {
	if l.whole == nil || m == nil || l.whole.ID() != m.ID() {
		return affine{}, false
	}
	return affine{l.wholeCoef, l.Intercept}, true
}

// PredictTo implements Predictor, in blocks of rows, so that memory does not grow with them.
func (l *Linear) PredictTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	_, k := l.Coef.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, k)
	}
	if r, c := dst.Dims(); r != n || c != k {
		panic(mat.ErrShape)
	}
	_, p := l.Map.Dims()
	phi := mat.NewDense(min(n, tables.BlockRows), p, nil)
	for lo := 0; lo < n; lo += tables.BlockRows {
		hi := min(n, lo+tables.BlockRows)
		block := phi.Slice(0, hi-lo, 0, p).(*mat.Dense)
		l.Map.MapTo(block, kernels.Span(x, lo, hi))
		out := dst.Slice(lo, hi, 0, k).(*mat.Dense)
		fast.Gemm(blas.NoTrans, blas.NoTrans, 1, block.RawMatrix(), l.Coef.RawMatrix(), 0, out.RawMatrix())
		for i := range hi - lo {
			floats.Add(out.RawRowView(i), l.Intercept)
		}
	}
}

// A Chain predicts in two steps, Then(First(x)): the naive way from X over U to Y.
type Chain struct{ First, Then Predictor }

var _ Predictor = Chain{}

// PredictTo implements Predictor.
func (c Chain) PredictTo(dst *mat.Dense, x mat.Matrix) {
	var u mat.Dense
	c.First.PredictTo(&u, x)
	c.Then.PredictTo(dst, &u)
}
