package mlp

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	fast "mediant/internal/blas"
)

// A pass is the memory for one batch of rows through a network and back.
type pass struct {
	net    *network
	values []blas64.General // values[0] is the input, values[l] the output of layer l-1
	out    blas64.General   // outputs
	deltas []blas64.General // gradient of the loss by values[l], before the rectifier
}

// newPass makes room for batches of up to rows rows.
func newPass(n *network, rows int) *pass {
	p := &pass{net: n, values: make([]blas64.General, len(n.widths)), deltas: make([]blas64.General, len(n.widths))}
	for l := 1; l < len(n.widths); l++ {
		p.values[l], p.deltas[l] = matrix(rows, n.widths[l]), matrix(rows, n.widths[l])
	}
	p.out = p.values[n.layers()]
	if n.output != Identity {
		p.out = matrix(rows, n.widths[n.layers()])
	}
	return p
}

func matrix(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}

// resize makes the matrices fit a batch of so many rows.
func (p *pass) resize(rows int) {
	for l := 1; l < len(p.values); l++ {
		p.values[l], p.deltas[l] = first(p.values[l], rows), first(p.deltas[l], rows)
	}
	p.out = first(p.out, rows)
}

// first is m with that many rows, for which it has room.
func first(m blas64.General, rows int) blas64.General {
	m.Rows, m.Data = rows, m.Data[:rows*m.Cols]
	return m
}

// forward returns the outputs for the rows of x, valid until the next call. It costs 2 flops a row and
// weight.
func (p *pass) forward(x blas64.General) blas64.General {
	p.resize(x.Rows)
	p.values[0] = x
	last := p.net.layers() - 1
	for l := range p.net.layers() {
		weights, offsets := p.net.layer(p.net.theta, l)
		to := p.values[l+1]
		for i := range to.Rows {
			copy(rowOf(to, i), offsets)
		}
		fast.Gemm(blas.NoTrans, blas.NoTrans, 1, p.values[l], weights, 1, to)
		if l < last {
			rectify(to.Data)
		}
	}
	if p.net.output != Identity {
		p.net.output.apply(p.out, p.values[last+1])
	}
	return p.out
}

func rectify(v []float64) {
	for i, x := range v {
		v[i] = max(0, x)
	}
}

// gradient is where the gradient of a loss by the outputs of the last forward is to be put before
// backward.
func (p *pass) gradient() blas64.General { return p.deltas[p.net.layers()] }

// backward adds the gradient by the parameters to grad, at 4 flops a row and weight, and overwrites
// gradient().
func (p *pass) backward(grad []float64) {
	last := p.net.layers()
	p.net.output.back(p.deltas[last], p.values[last], p.out)
	for l := last - 1; l >= 0; l-- {
		weights, _ := p.net.layer(p.net.theta, l)
		byWeights, byOffsets := p.net.layer(grad, l)
		delta := p.deltas[l+1]
		fast.Gemm(blas.Trans, blas.NoTrans, 1, p.values[l], delta, 1, byWeights)
		addRows(byOffsets, delta)
		if l > 0 {
			fast.Gemm(blas.NoTrans, blas.Trans, 1, delta, weights, 0, p.deltas[l])
			stopAtZero(p.deltas[l].Data, p.values[l].Data)
		}
	}
}

// addRows adds each row of m to sum.
func addRows(sum []float64, m blas64.General) {
	for i := range m.Rows {
		for j, v := range rowOf(m, i) {
			sum[j] += v
		}
	}
}

// stopAtZero clears the gradient of rectifiers that gave 0. Half of them do, in no order, so that a branch would be
// foreseen wrongly as often as not: a mask of all bits, or none where the value has none, takes its place.
func stopAtZero(delta, value []float64) {
	delta = delta[:len(value)]
	for i, v := range value {
		bits := int64(math.Float64bits(v))
		delta[i] = math.Float64frombits(math.Float64bits(delta[i]) & uint64((bits|-bits)>>63))
	}
}
