package rr

import (
	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/moments"
)

// A predictionMap is the feature map of the outputs of several predictors side by side, so that a pass over a table need not
// make sparse rows dense.
type predictionMap struct {
	in, outputs int
	of          []Predictor
}

var _ features.Map = predictionMap{}

// Predicted returns the side of a pass that consists of the outputs of predictors, side by side, for encoded rows.
func Predicted(e *encode.Encoder, outputs int, of ...Predictor) features.Mapped {
	return features.Mapped{Encoder: e, Map: predictionMap{e.Width(), outputs, of}}
}

// Dims implements features.Map.
func (p predictionMap) Dims() (in, out int) { return p.in, p.outputs * len(p.of) }

// MapTo implements features.Map. It panics with what fault.Recover recovers.
func (p predictionMap) MapTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	if _, out := p.Dims(); dst.IsEmpty() {
		dst.ReuseAs(n, out)
	}
	for i, f := range p.of {
		MustPredict(PredictionsOf(dst, i, p.outputs), f, x, p.outputs)
	}
}

// PredictionsOf returns the columns of predictor i among rows that hold the outputs of several predictors side by side.
func PredictionsOf(rows *mat.Dense, i, outputs int) *mat.Dense {
	n, _ := rows.Dims()
	return rows.Slice(0, n, i*outputs, (i+1)*outputs).(*mat.Dense)
}

// ID implements features.Map. Sums of predictions never leave the pass that made them.
func (p predictionMap) ID() moments.ID { return moments.ID{} }
