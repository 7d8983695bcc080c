package mlp

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A trainee is a network with the state of its training.
type trainee struct {
	*network
	pass *pass
	grad []float64
	adam *adam
}

func newTrainee(n *network, batch int, rate float64) *trainee {
	return &trainee{network: n, pass: newPass(n, batch), grad: make([]float64, len(n.theta)), adam: newAdam(len(n.theta), rate)}
}

// outputs are those for the rows of x, valid until the next call.
func (t *trainee) outputs(x *mat.Dense) blas64.General { return t.pass.forward(x.RawMatrix()) }

// pull adds the gradient of Σ_i scale·shares_i |f_i - target_i|² by the parameters, f being the latest
// outputs.
func (t *trainee) pull(target blas64.General, shares []float64, scale float64) {
	g := t.pass.gradient()
	for i := range g.Rows {
		to, f, y := rowOf(g, i), rowOf(t.pass.out, i), rowOf(target, i)
		for j := range to {
			to[j] = 2 * scale * shares[i] * (f[j] - y[j])
		}
	}
	t.pass.backward(t.grad)
}

// step moves the parameters and forgets the gradient.
func (t *trainee) step() {
	t.adam.step(t.theta, t.grad)
	clear(t.grad)
}
