package distribution

import (
	"encoding/json"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/rowops"
	"mediant/rr"
)

// fileHeader is what a CDF is but for its coefficients, in a model file.
type fileHeader struct {
	Knots
	LambdaF float64 `json:"lambda_f"`
	LambdaH float64 `json:"lambda_h"`
	// Knots of the hats of f(X) and of h(U).
	Index struct {
		X []float64 `json:"x"`
		U []float64 `json:"u"`
	} `json:"index_knots"`
	Assessment *Assessment `json:"assessment,omitempty"`
}

// Store returns the CDF of the model m for a model file: a header, which package json writes for people to read, and the coefficients. It is an error if its features are not those of m.
func (d *CDF) Store(m *rr.Model) (header any, numbers []float64, err error) {
	if f := rr.LinearOf(m.F); f == nil || f.Map.ID() != d.base.Map.ID() {
		return nil, nil, fmt.Errorf("distribution: the features of X are not those of the model, a %T", m.F)
	}
	h := fileHeader{Knots: d.Knots, LambdaF: d.LambdaF, LambdaH: d.LambdaH, Assessment: d.Assessment}
	h.Index.X, h.Index.U = d.hats, d.hatsU
	return h, append(d.base.AppendCoefficients(nil), d.coef.RawMatrix().Data...), nil
}

// Read reads the CDF of the model m that Store returned, and returns the remaining numbers. Content that is inconsistent is an error.
func Read(header json.RawMessage, numbers []float64, m *rr.Model) (d *CDF, rest []float64, err error) {
	var h fileHeader
	if err := json.Unmarshal(header, &h); err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	if err := h.Knots.Validate(); err != nil {
		return nil, nil, err
	}
	for _, v := range [][]float64{h.Index.X, h.Index.U} {
		if len(v) == 0 || !rowops.Finite(v) || !increases(v) {
			return nil, nil, fmt.Errorf("distribution: knots of an index are missing or do not increase")
		}
	}
	if _, err := m.Y.Below(h.outputs()); err != nil {
		return nil, nil, err
	}
	f := rr.LinearOf(m.F)
	if f == nil {
		return nil, nil, fmt.Errorf("distribution: f is a %T, which has no features", m.F)
	}
	d = &CDF{Knots: h.Knots, LambdaF: h.LambdaF, LambdaH: h.LambdaH, hats: h.Index.X, hatsU: h.Index.U, Assessment: h.Assessment}
	k := len(h.Thresholds)
	if d.base, numbers, err = rr.ReadCoefficients(f.Map, 1+k, numbers); err != nil {
		return nil, nil, err
	}
	if len(numbers)/k < len(h.Index.X) {
		return nil, nil, fmt.Errorf("distribution: %d hats of %d outputs with %d numbers left", len(h.Index.X), k, len(numbers))
	}
	of := len(h.Index.X) * k
	d.coef = mat.NewDense(len(h.Index.X), k, numbers[:of:of])
	return d.complete(), numbers[of:], nil
}

// increases reports whether each value is above the one before.
func increases(v []float64) bool {
	for i := 1; i < len(v); i++ {
		if !(v[i] > v[i-1]) {
			return false
		}
	}
	return true
}
