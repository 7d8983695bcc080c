package export

import (
	"encoding/json"
	"fmt"
	"math"
)

// predictor adds the nodes of a predictor of encoded rows.
func (b *onnxBuilder) predictor(p *predictor, x tensor) (tensor, error) {
	switch p.Kind {
	case "linear":
		return b.linear(p, x)
	case "chain":
		u, err := b.predictor(p.Parts[0], x)
		if err != nil {
			return "", err
		}
		return b.predictor(p.Parts[1], u)
	case "linked":
		eta, err := b.predictor(p.Parts[0], x)
		if err != nil {
			return "", err
		}
		return b.mean(p.Loss, eta)
	case "network":
		return b.network(p, x)
	case "integral":
		return b.integral(p, x)
	}
	return "", notONNX("a predictor of the kind %q", p.Kind)
}

// linear is coef'map(x) + intercept.
func (b *onnxBuilder) linear(p *predictor, x tensor) (tensor, error) {
	phi, err := b.features(p.features, x)
	if err != nil {
		return "", err
	}
	return b.add(b.matmul(phi, b.matrix(p.coef)), b.row(p.intercept)), nil
}

// mean is the inverse link of a loss.
func (b *onnxBuilder) mean(loss string, eta tensor) (tensor, error) {
	switch loss {
	case "log":
		return b.op("Softmax", []tensor{eta}, intAttribute("axis", 1)), nil
	case "poisson":
		return b.exp(eta), nil
	case "squared":
		return b.div(eta, b.number(2)), nil
	}
	return "", notONNX("means of the loss %q", loss)
}

// network is a perceptron with rectifiers, of package mlp.
func (b *onnxBuilder) network(p *predictor, x tensor) (tensor, error) {
	layers, err := p.layers()
	if err != nil {
		return "", err
	}
	for l, layer := range layers {
		if l > 0 {
			x = b.rectified(x)
		}
		x = b.add(b.matmul(x, b.matrix(layer.weights)), b.row(layer.offsets))
	}
	var h struct {
		Output string `json:"output"`
	}
	if err := json.Unmarshal(p.Header, &h); err != nil {
		return "", fmt.Errorf("export: network: %w", err)
	}
	switch h.Output {
	case "identity":
		return x, nil
	case "softmax":
		return b.mean("log", x)
	case "square-softmax":
		squares := b.mul(x, x)
		total := b.sum(squares, 1, true)
		return b.where(b.op("Greater", []tensor{total, b.number(0)}), b.div(squares, total), b.number(1/float64(p.Outputs))), nil
	}
	return "", notONNX("the output %q of a network", h.Output)
}

// integral is the expectation under a conditional density, of package baselines: weights alpha exp(-|x - x_l|²/2b²), which sum to 1.
func (b *onnxBuilder) integral(p *predictor, x tensor) (tensor, error) {
	d, err := p.density()
	if err != nil {
		return "", err
	}
	logs := make([]float64, len(d.alpha))
	for l, a := range d.alpha {
		logs[l] = math.Log(a)
	}
	scale := 1 / (2 * d.bandwidth * d.bandwidth)
	eta := b.add(b.mul(b.squaredDistances(x, d.centres, scale), b.number(-scale)), b.row(logs))
	weights, err := b.mean("log", eta)
	return b.matmul(weights, b.matrix(d.values)), err
}
