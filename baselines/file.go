package baselines

import (
	"encoding/json"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/rr"
)

var _ rr.Storer = (*expectation)(nil)

// integralKind is what model files call an expectation.
const integralKind = "integral"

// integralHeader is an expectation but for its centres, their coefficients and the integrals over components, which
// follow in this order, by rows. Centres of U are in the integrals.
type integralHeader struct {
	Centres   int     `json:"centres"`
	Columns   int     `json:"columns"`
	Outputs   int     `json:"outputs"`
	Bandwidth float64 `json:"bandwidth"`
}

// Format is the format of models of Integral in model files, for mediant.Load.
func Format() rr.Format { return rr.Format{Kind: integralKind, Read: readExpectation} }

// Dims implements rr.Storer.
func (e *expectation) Dims() (in, out int) {
	_, in = e.density.X.Dims()
	_, out = e.values.Dims()
	return in, out
}

// Store implements rr.Storer.
func (e *expectation) Store() (kind string, header any, numbers []float64) {
	in, out := e.Dims()
	d := e.density
	for _, part := range [][]float64{d.X.RawMatrix().Data, d.Alpha, e.values.RawMatrix().Data} { // none is a part of another
		numbers = append(numbers, part...)
	}
	return integralKind, integralHeader{len(d.Alpha), in, out, d.BandwidthX}, numbers
}

// String names the density for people.
func (e *expectation) String() string {
	return fmt.Sprintf("integral over %d components of bandwidth %.4g", len(e.density.Alpha), e.density.BandwidthX)
}

func readExpectation(text json.RawMessage, numbers []float64) (rr.Storer, error) {
	var h integralHeader
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, err
	}
	size := len(numbers)
	if min(h.Centres, h.Columns, h.Outputs) < 1 || max(h.Centres, h.Columns, h.Outputs) > size || size%h.Centres != 0 || size/h.Centres != h.Columns+1+h.Outputs {
		return nil, fmt.Errorf("%d centres of %d columns and %d outputs in %d numbers", h.Centres, h.Columns, h.Outputs, size)
	}
	if _, err := kernels.NewGaussian(h.Bandwidth); err != nil {
		return nil, err
	}
	x, rest := numbers[:h.Centres*h.Columns:h.Centres*h.Columns], numbers[h.Centres*h.Columns:]
	alpha, values := rest[:h.Centres:h.Centres], rest[h.Centres:]
	if floats.Min(alpha) <= 0 {
		return nil, fmt.Errorf("a coefficient is %g, want positive ones", floats.Min(alpha))
	}
	return &expectation{
		&Density{X: mat.NewDense(h.Centres, h.Columns, x), Alpha: alpha, BandwidthX: h.Bandwidth},
		mat.NewDense(h.Centres, h.Outputs, values),
	}, nil
}
