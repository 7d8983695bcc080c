package mlp

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"mediant/losses"
)

// An Output is the function of the values a of the last layer that a network returns.
type Output int

const (
	// Identity returns a itself.
	Identity Output = iota
	// SquareSoftmax is a_y² / Σ a², a distribution over classes [Yamane21, section 6.2]; equal shares where
	// all a are 0.
	SquareSoftmax
	// Softmax returns exp(a_y) / Σ exp(a), and is trained by the cross-entropy -Σ_y t_y log f_y of targets t that sum to 1: indicators of classes, or probabilities such as h(U).
	Softmax
)

// outputNames are those of model files.
var outputNames = []string{Identity: "identity", SquareSoftmax: "square-softmax", Softmax: "softmax"}

// String returns the name of o.
func (o Output) String() string {
	if o >= 0 && int(o) < len(outputNames) {
		return outputNames[o]
	}
	return fmt.Sprintf("Output(%d)", int(o))
}

// apply stores the outputs for raw values in dst, which may be raw itself.
func (o Output) apply(dst, raw blas64.General) {
	for i := range raw.Rows {
		to, a := rowOf(dst, i), rowOf(raw, i)
		switch o {
		case Identity:
			copy(to, a)
			continue
		case Softmax:
			losses.Log{}.MeanTo(to, a)
			continue
		}
		sum := floats.Dot(a, a)
		for j, v := range a {
			to[j] = 1 / float64(len(a))
			if sum > 0 {
				to[j] = v * v / sum
			}
		}
	}
}

// back turns the gradient g of a loss by the outputs into that by the raw values:
//
//	d/da_k Σ_y g_y a_y²/S = 2 a_k/S (g_k - Σ_y g_y p_y),  S = Σ a², p the outputs
//
// and 0 where all a are 0. The loss of Softmax has a gradient by the raw values in the first place.
func (o Output) back(g, raw, out blas64.General) {
	if o != SquareSoftmax {
		return
	}
	for i := range raw.Rows {
		to, a, p := rowOf(g, i), rowOf(raw, i), rowOf(out, i)
		sum := floats.Dot(a, a)
		mean := floats.Dot(to, p)
		for k, v := range a {
			if sum > 0 {
				to[k] = 2 * v / sum * (to[k] - mean)
			} else {
				to[k] = 0
			}
		}
	}
}

func rowOf(m blas64.General, i int) []float64 { return m.Data[i*m.Stride : i*m.Stride+m.Cols] }
