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
	var h struct {
		Widths []int  `json:"widths"`
		Output string `json:"output"`
	}
	if err := json.Unmarshal(p.Header, &h); err != nil {
		return "", fmt.Errorf("export: network: %w", err)
	}
	rest := p.numbers
	for l := range len(h.Widths) - 1 {
		in, out := h.Widths[l], h.Widths[l+1]
		weights, err := take(&rest, in*out)
		if err != nil {
			return "", err
		}
		offsets, err := take(&rest, out)
		if err != nil {
			return "", err
		}
		if l > 0 {
			x = b.rectified(x)
		}
		x = b.add(b.matmul(x, b.numbers(weights, in, out)), b.row(offsets))
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
	var h struct {
		Centres   int     `json:"centres"`
		Columns   int     `json:"columns"`
		Outputs   int     `json:"outputs"`
		Bandwidth float64 `json:"bandwidth"`
	}
	if err := json.Unmarshal(p.Header, &h); err != nil {
		return "", fmt.Errorf("export: integral: %w", err)
	}
	centres, alpha, values := p.numbers[:h.Centres*h.Columns], p.numbers[h.Centres*h.Columns:][:h.Centres], p.numbers[h.Centres*(h.Columns+1):]
	logs := make([]float64, len(alpha))
	for l, a := range alpha {
		logs[l] = math.Log(a)
	}
	distances := b.squaredDistances(x, array{Rows: h.Centres, Cols: h.Columns, data: centres}, 1/(2*h.Bandwidth*h.Bandwidth))
	eta := b.add(b.mul(distances, b.number(-1/(2*h.Bandwidth*h.Bandwidth))), b.row(logs))
	weights, err := b.mean("log", eta)
	return b.matmul(weights, b.numbers(values, h.Centres, h.Outputs)), err
}
