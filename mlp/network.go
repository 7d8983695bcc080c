package mlp

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/parallel"
	"mediant/kernels"
)

// A network is the function
//
//	x -> output(W_L' a_{L-1} + b_L),  a_l = max(0, W_l' a_{l-1} + b_l),  a_0 = x
//
// whose parameters lie in one vector, layer by layer, the weights of each before its offsets, so that
// gradients and the optimiser are vectors too.
type network struct {
	widths []int // of the input, of each hidden layer, of the output
	output Output
	theta  []float64
}

// newNetwork draws weights and offsets of a layer with d inputs uniformly from ±1/√d, as PyTorch does,
// with which the paper's experiments were made.
func newNetwork(widths []int, output Output, rnd *rand.Rand) *network {
	n := &network{widths: widths, output: output}
	n.theta = make([]float64, n.start(n.layers()))
	for l := range n.layers() {
		bound := 1 / math.Sqrt(float64(widths[l]))
		for i := n.start(l); i < n.start(l+1); i++ {
			n.theta[i] = bound * (2*rnd.Float64() - 1)
		}
	}
	return n
}

func (n *network) layers() int { return len(n.widths) - 1 }

// start is the place of the first parameter of layer l, or of what follows the last.
func (n *network) start(l int) int {
	at := 0
	for i := range l {
		at += (n.widths[i] + 1) * n.widths[i+1]
	}
	return at
}

// layer returns the weights, inputs × outputs, and the offsets of layer l in v, the parameters or their
// gradient.
func (n *network) layer(v []float64, l int) (weights blas64.General, offsets []float64) {
	in, out := n.widths[l], n.widths[l+1]
	v = v[n.start(l):n.start(l+1)]
	return blas64.General{Rows: in, Cols: out, Stride: out, Data: v[:in*out]}, v[in*out:]
}

// stretch makes the network give scale·f + shift in place of its identity output f.
func (n *network) stretch(scale float64, shift []float64) {
	weights, offsets := n.layer(n.theta, n.layers()-1)
	floats.Scale(scale, weights.Data)
	floats.Scale(scale, offsets)
	floats.Add(offsets, shift)
}

// finite reports whether all parameters are numbers.
func (n *network) finite() bool {
	sum := floats.Norm(n.theta, 1)
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// predictRows is the number of rows predicted at a time, so that memory does not grow with them.
const predictRows = 256

// PredictTo implements rr.Predictor.
func (n *network) PredictTo(dst *mat.Dense, x mat.Matrix) {
	rows, in := x.Dims()
	k := n.widths[n.layers()]
	if dst.IsEmpty() {
		dst.ReuseAs(rows, k)
	}
	if r, c := dst.Dims(); r != rows || c != k || in != n.widths[0] {
		panic(mat.ErrShape)
	}
	dense := features.NewLinear(in) // rows as they are, sparse ones by their nonzeros
	parallel.Blocks(rows, predictRows, func(lo, hi int) {
		var block mat.Dense
		dense.MapTo(&block, kernels.Span(x, lo, hi))
		out := newPass(n, hi-lo).forward(block.RawMatrix())
		for i := range hi - lo {
			copy(dst.RawRowView(lo+i), rowOf(out, i))
		}
	})
}
