package rr

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/losses"
)

// A Linked predicts the means of a loss: Loss.MeanTo(coef'm(x) + intercept), such as probabilities of classes. Both fields must be set.
type Linked struct {
	Linear *Linear // eta
	Loss   losses.Canonical
}

var _ Predictor = Linked{}

// PredictTo implements Predictor.
func (l Linked) PredictTo(dst *mat.Dense, x mat.Matrix) {
	l.Linear.PredictTo(dst, x)
	n, _ := dst.Dims()
	for i := range n {
		row := dst.RawRowView(i)
		l.Loss.MeanTo(row, row)
	}
}

// MeansTo stores in an empty dst the means for rows of features, those that Linear was fitted on.
func (l Linked) MeansTo(dst, phi *mat.Dense) {
	l.Linear.affine().ApplyTo(dst, phi)
	n, _ := dst.Dims()
	for i := range n {
		row := dst.RawRowView(i)
		l.Loss.MeanTo(row, row)
	}
}

// LinearOf returns the linear part of a predictor: a Linear itself, that of a Linked, or of the first step of a Chain; nil for others.
func LinearOf(p Predictor) *Linear {
	switch p := p.(type) {
	case *Linear:
		return p
	case Linked:
		return p.Linear
	case Chain:
		return LinearOf(p.First)
	}
	return nil
}

// Tempered returns l with its linear part multiplied by t, which makes probabilities f of classes f^t / Σ f^t; 0 means 1.
func (l Linked) Tempered(t float64) Linked {
	if t == 0 || t == 1 {
		return l
	}
	a, of := l.Linear.affine(), l.Linear.whole
	if of == nil {
		of = l.Linear.Map
	}
	coef := mat.DenseCopyOf(a.Coef)
	coef.Scale(t, coef)
	intercept := slices.Clone(a.Intercept)
	floats.Scale(t, intercept)
	return Linked{NewLinear(of, coef, intercept), l.Loss}
}
