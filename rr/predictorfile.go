package rr

import (
	"encoding/json"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/losses"
)

// Kinds of predictors of this package.
const (
	linearKind = "linear"
	chainKind  = "chain"
	linkedKind = "linked"
)

// A storedPredictor describes a Linear (Map, Weights, Outputs), a Chain (Parts) or a predictor of another package (Header,
// Numbers, Outputs) in the header of a model file.
type storedPredictor struct {
	Kind string `json:"kind"`
	// Of a linear one: the map, the number of its weights, which come first, and the number of
	// outputs; then follow coefficients, by rows, and intercepts.
	Map     json.RawMessage    `json:"map,omitempty"`
	Weights int                `json:"map_weights,omitempty"`
	Outputs int                `json:"outputs,omitempty"`
	Parts   []*storedPredictor `json:"parts,omitempty"`
	// Of a Linked: its loss; the linear predictor is its one part.
	Loss string `json:"loss,omitempty"`
	// Of a Storer: its header, and the number of its numbers.
	Header  json.RawMessage `json:"header,omitempty"`
	Numbers int             `json:"numbers,omitempty"`
}

// describe returns the description of p, and weights with those of p appended.
func describe(p Predictor, weights []float64) (*storedPredictor, []float64, error) {
	switch p := p.(type) {
	case *Linear:
		text, own, err := features.Marshal(p.Map)
		if err != nil {
			return nil, nil, err
		}
		weights = append(weights, own...)
		d := &storedPredictor{Kind: linearKind, Map: text, Weights: len(own), Outputs: len(p.Intercept)}
		return d, p.AppendCoefficients(weights), nil
	case Chain:
		d := &storedPredictor{Kind: chainKind}
		for _, part := range []Predictor{p.First, p.Then} {
			var own *storedPredictor
			var err error
			if own, weights, err = describe(part, weights); err != nil {
				return nil, nil, err
			}
			d.Parts = append(d.Parts, own)
		}
		return d, weights, nil
	case Linked:
		if _, ok := losses.ByName(p.Loss.Name()); !ok {
			return nil, nil, fmt.Errorf("rr: a predictor of the loss %s cannot be saved: it is not one of package losses", p.Loss.Name())
		}
		own, weights, err := describe(p.Linear, weights)
		if err != nil {
			return nil, nil, err
		}
		return &storedPredictor{Kind: linkedKind, Loss: p.Loss.Name(), Outputs: own.Outputs, Parts: []*storedPredictor{own}}, weights, nil
	case Storer:
		return describeStored(p, weights)
	}
	return nil, nil, fmt.Errorf("rr: a predictor of type %T cannot be saved: let it implement rr.Storer (methods Dims and Store), and give its rr.Format to Load", p)
}

// AppendCoefficients appends coefficients, by rows, and intercepts.
func (l *Linear) AppendCoefficients(weights []float64) []float64 {
	r, _ := l.Coef.Dims()
	for i := range r {
		weights = append(weights, l.Coef.RawRowView(i)...)
	}
	return append(weights, l.Intercept...)
}

// A numberReader hands out the numbers that no predictor has claimed yet; predictors of other packages are read by the formats.
type numberReader struct {
	left    []float64
	formats []Format
}

func (r *numberReader) take(n int) ([]float64, error) {
	if n < 0 || n > len(r.left) {
		return nil, fmt.Errorf("%d weights are needed, %d are left", n, len(r.left))
	}
	own := r.left[:n:n]
	r.left = r.left[n:]
	return own, nil
}

// build makes the predictor that d describes from the next weights. It must take in encoded columns and give out outputs;
// out is 0 for any number, which the first part of a chain may have.
func (r *numberReader) build(d *storedPredictor, in, out, depth int) (Predictor, error) {
	switch {
	case d == nil || depth > 2:
		return nil, errors.New("no predictor, or too many within each other")
	case d.Kind == linearKind:
		l, err := r.linear(d)
		if err != nil {
			return nil, err
		}
		got, _ := l.Map.Dims()
		return l, d.check(got, in, out)
	case d.Kind == chainKind && len(d.Parts) == 2:
		first, err := r.build(d.Parts[0], in, 0, depth+1)
		if err != nil {
			return nil, err
		}
		then, err := r.build(d.Parts[1], d.Parts[0].Outputs, out, depth+1)
		if err != nil {
			return nil, err
		}
		return Chain{First: first, Then: then}, nil
	case d.Kind == linkedKind && len(d.Parts) == 1 && d.Parts[0] != nil && d.Parts[0].Kind == linearKind:
		loss, ok := losses.ByName(d.Loss)
		if !ok {
			return nil, fmt.Errorf("unknown loss %q", d.Loss)
		}
		part, err := r.build(d.Parts[0], in, out, depth+1)
		if err != nil {
			return nil, err
		}
		return Linked{part.(*Linear), loss}, d.check(in, in, out)
	}
	p, err := r.stored(d)
	if err != nil {
		return nil, err
	}
	got, _ := p.Dims()
	return p, d.check(got, in, out)
}

// check returns an error unless d has the outputs that are wanted, if not 0, of rows of so many columns.
func (d *storedPredictor) check(got, in, out int) error {
	if got != in || out != 0 && d.Outputs != out {
		return fmt.Errorf("predicts %d outputs from %d columns, want %d from %d", d.Outputs, got, out, in)
	}
	return nil
}

func (r *numberReader) linear(d *storedPredictor) (*Linear, error) {
	own, err := r.take(d.Weights)
	if err != nil {
		return nil, err
	}
	m, err := features.Unmarshal(d.Map, own)
	if err != nil {
		return nil, err
	}
	l, rest, err := ReadCoefficients(m, d.Outputs, r.left)
	r.left = rest
	return l, err
}

// ReadCoefficients reads, from the front of numbers, the coefficients of k outputs that AppendCoefficients wrote for the
// features of m, and returns the remaining numbers.
func ReadCoefficients(m features.Map, k int, numbers []float64) (l *Linear, rest []float64, err error) {
	_, p := m.Dims()
	if k < 1 || k > len(numbers) || p > len(numbers)/k-1 {
		return nil, nil, fmt.Errorf("%d features and %d outputs with %d weights left", p, k, len(numbers))
	}
	coef, numbers := numbers[:p*k:p*k], numbers[p*k:]
	l = &Linear{Map: m, Coef: mat.NewDense(p, k, coef), Intercept: numbers[:k:k]}
	return l.combined(), numbers[k:], nil
}
