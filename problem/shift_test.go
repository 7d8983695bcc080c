package problem

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/moments"
)

func TestShiftedWeights(t *testing.T) {
	p := &Mapped{ratio: &crossfit.Affine{Coef: mat.NewDense(1, 1, []float64{2}), Intercept: []float64{1}}}
	psi := mat.NewDense(3, 1, []float64{-2, 0, 1})
	if got := p.shifted(psi, moments.Weights{}); !slices.Equal(got.Products(), []float64{0, 1, 3}) {
		t.Errorf("weights %v", got)
	}
	if got := p.shifted(psi, moments.Weights{Factor: []float64{5, 5, .5}}); !slices.Equal(got.Products(), []float64{0, 5, 1.5}) {
		t.Errorf("with weights of their own: %v", got)
	}
	if got := p.shifted(psi, moments.Weights{Frequency: []float64{5, 5, 2}}); !slices.Equal(got.Products(), []float64{0, 5, 6}) || got.FactorOf(2) != 3 {
		t.Errorf("with frequencies: %v", got)
	}
}
