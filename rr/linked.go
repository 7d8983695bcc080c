package rr

import (
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
