package rr

import (
	"encoding/json"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
)

// Kinds of predictors of this package.
const (
	linearKind = "linear"
	chainKind  = "chain"
)

// A StoredPredictor describes a Linear (Map, Weights, Outputs), a Chain (Parts) or a predictor of another package (Header,
// Numbers, Outputs) in the header of a model file.
type StoredPredictor struct {
	Kind string `json:"kind"`
	// Of a linear one: the map, the number of its weights, which come first, and the number of
	// outputs; then follow coefficients, by rows, and intercepts.
	Map     json.RawMessage    `json:"map,omitempty"`
	Weights int                `json:"map_weights,omitempty"`
	Outputs int                `json:"outputs,omitempty"`
	Parts   []*StoredPredictor `json:"parts,omitempty"`
	// Of a Storer: its header, and the number of its numbers.
	Header  json.RawMessage `json:"header,omitempty"`
	Numbers int             `json:"numbers,omitempty"`
}

// Describe returns the description of p, and weights with those of p appended.
func Describe(p Predictor, weights []float64) (*StoredPredictor, []float64, error) {
	switch p := p.(type) {
	case *Linear:
		text, own, err := features.Marshal(p.Map)
		if err != nil {
			return nil, nil, err
		}
		weights = append(weights, own...)
		d := &StoredPredictor{Kind: linearKind, Map: text, Weights: len(own), Outputs: len(p.Intercept)}
		return d, p.AppendCoefficients(weights), nil
	case Chain:
		d := &StoredPredictor{Kind: chainKind}
		for _, part := range []Predictor{p.First, p.Then} {
			var own *StoredPredictor
			var err error
			if own, weights, err = Describe(part, weights); err != nil {
				return nil, nil, err
			}
			d.Parts = append(d.Parts, own)
		}
		return d, weights, nil
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

// A NumberReader, made by NewNumberReader, returns the weights of a model file in order.
type NumberReader struct {
	left    []float64
	formats []Format
}

// NewNumberReader returns a reader of weights. Predictors of other packages are read by the formats.
func NewNumberReader(weights []float64, formats []Format) *NumberReader {
	return &NumberReader{weights, formats}
}

// Rest is the number of weights that are left.
func (r *NumberReader) Rest() int { return len(r.left) }

func (r *NumberReader) take(n int) ([]float64, error) {
	if n < 0 || n > len(r.left) {
		return nil, fmt.Errorf("%d weights are needed, %d are left", n, len(r.left))
	}
	own := r.left[:n:n]
	r.left = r.left[n:]
	return own, nil
}

// Build makes the predictor that d describes from the next weights. It must take in encoded columns and give out outputs;
// out is 0 for any number, which the first part of a chain may have.
func (r *NumberReader) Build(d *StoredPredictor, in, out, depth int) (Predictor, error) {
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
		first, err := r.Build(d.Parts[0], in, 0, depth+1)
		if err != nil {
			return nil, err
		}
		then, err := r.Build(d.Parts[1], d.Parts[0].Outputs, out, depth+1)
		if err != nil {
			return nil, err
		}
		return Chain{First: first, Then: then}, nil
	}
	p, err := r.stored(d)
	if err != nil {
		return nil, err
	}
	got, _ := p.Dims()
	return p, d.check(got, in, out)
}

// check returns an error unless d has the outputs that are wanted, if not 0, of rows of so many columns.
func (d *StoredPredictor) check(got, in, out int) error {
	if got != in || out != 0 && d.Outputs != out {
		return fmt.Errorf("predicts %d outputs from %d columns, want %d from %d", d.Outputs, got, out, in)
	}
	return nil
}

func (r *NumberReader) linear(d *StoredPredictor) (*Linear, error) {
	own, err := r.take(d.Weights)
	if err != nil {
		return nil, err
	}
	m, err := features.Unmarshal(d.Map, own)
	if err != nil {
		return nil, err
	}
	return r.Coefficients(m, d.Outputs)
}

// Coefficients reads the coefficients and intercepts of k outputs of the features of m.
func (r *NumberReader) Coefficients(m features.Map, k int) (*Linear, error) {
	_, p := m.Dims()
	if k < 1 || k > len(r.left) || p > len(r.left)/k {
		return nil, fmt.Errorf("%d features and %d outputs with %d weights left", p, k, len(r.left))
	}
	coef, err := r.take(p * k)
	if err != nil {
		return nil, err
	}
	intercept, err := r.take(k)
	if err != nil {
		return nil, err
	}
	return &Linear{Map: m, Coef: mat.NewDense(p, k, coef), Intercept: intercept}, nil
}
