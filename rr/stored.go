package rr

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A Storer is a Predictor of another package that can be saved in a model file.
type Storer interface {
	Predictor
	// Dims returns the numbers of encoded columns and of outputs.
	Dims() (in, out int)
	// Store returns the name of the kind, a header that package json writes into the file for people to read, and the
	// predictor's numbers, all finite.
	Store() (kind string, header any, numbers []float64)
}

// A Format reads predictors of a kind that another package stores; both fields must be set. mediant.Load takes the formats
// of all packages whose models it has to read. Read must return an error for any input that does not fit, and keep memory
// within a few times that of its arguments. It may retain numbers.
type Format struct {
	Kind string
	Read func(header json.RawMessage, numbers []float64) (Storer, error)
}

// describeStored appends the numbers of p.
func describeStored(p Storer, weights []float64) (*storedPredictor, []float64, error) {
	kind, header, numbers := p.Store()
	text, err := json.Marshal(header)
	if err != nil {
		return nil, nil, fmt.Errorf("rr: a predictor of type %T: %w", p, err)
	}
	if kind == "" || kind == linearKind || kind == chainKind || kind == linkedKind {
		return nil, nil, fmt.Errorf("rr: a predictor of type %T has the kind %q, want a name of its own", p, kind)
	}
	_, out := p.Dims()
	return &storedPredictor{Kind: kind, Header: text, Numbers: len(numbers), Outputs: out}, append(weights, numbers...), nil
}

// stored reads a predictor by the format for its kind.
func (r *numberReader) stored(d *storedPredictor) (Storer, error) {
	for _, f := range r.formats {
		if f.Kind != d.Kind {
			continue
		}
		numbers, err := r.take(d.Numbers)
		if err != nil {
			return nil, err
		}
		p, err := f.Read(d.Header, numbers)
		if err != nil {
			return nil, err
		}
		return p, sameHeader(p, d)
	}
	return nil, fmt.Errorf("unknown kind %q: a program that reads it gives its format to Load", d.Kind)
}

// sameHeader returns an error for a header with more or other content than that of the predictor made from it.
func sameHeader(p Storer, d *storedPredictor) error {
	own, _, err := describeStored(p, nil)
	if err != nil {
		return err
	}
	want, got := sorted(own.Header), sorted(d.Header)
	if !bytes.Equal(got, want) || own.Outputs != d.Outputs || own.Numbers != d.Numbers {
		return fmt.Errorf("the header %s with %d outputs and %d numbers makes %s with %d and %d", got, d.Outputs, d.Numbers, want, own.Outputs, own.Numbers)
	}
	return nil
}

// sorted is JSON with the keys of objects in order, nil if it is none.
func sorted(text json.RawMessage) []byte {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return nil
	}
	out, err := json.Marshal(v)
	if err != nil {
		panic("rr: header: " + err.Error()) // it was JSON
	}
	return out
}
