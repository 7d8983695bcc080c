package mlp

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A training is a network with its gradient and the state of its optimiser.
type training struct {
	*network
	pass *pass
	grad []float64
	adam *adam
}

func newTraining(n *network, batch int, rate float64) *training {
	return &training{network: n, pass: newPass(n, batch), grad: make([]float64, len(n.theta)), adam: newAdam(len(n.theta), rate)}
}

// outputs are those for the rows of x, valid until the next call.
func (t *training) outputs(x *mat.Dense) blas64.General { return t.pass.forward(x.RawMatrix()) }

// addGradient adds the gradient of Σ_i scale·shares_i |f_i - target_i|² by the parameters, f being the latest
// outputs. Of Softmax it is that of the cross-entropy, which by the raw values is scale·shares_i (f_i - target_i).
func (t *training) addGradient(target blas64.General, shares []float64, scale float64) {
	g := t.pass.gradient()
	if t.output != Softmax {
		scale *= 2
	}
	for i := range g.Rows {
		to, f, y := rowOf(g, i), rowOf(t.pass.out, i), rowOf(target, i)
		for j := range to {
			to[j] = scale * shares[i] * (f[j] - y[j])
		}
	}
	t.pass.backward(t.grad)
}

// step moves the parameters and forgets the gradient.
func (t *training) step() {
	t.adam.step(t.theta, t.grad)
	clear(t.grad)
}
