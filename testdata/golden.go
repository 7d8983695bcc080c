// Package testdata holds numbers that tests must reproduce, with the programs that made them.
package testdata

import (
	_ "embed"
	"encoding/json"
	"testing"

	"gonum.org/v1/gonum/mat"
)

//go:embed golden/golden.json
var golden []byte

// Matrix is a matrix written as a JSON list of rows.
type Matrix [][]float64

// Dense returns the matrix; it panics on no rows or ragged ones.
func (m Matrix) Dense() *mat.Dense {
	d := mat.NewDense(len(m), len(m[0]), nil)
	for i, row := range m {
		d.SetRow(i, row)
	}
	return d
}

// Golden is what golden/make.py wrote: Input are 14 rows of S_X and 11 of S_Y, already features,
// and each Fit is a solution of the full system.
type Golden struct {
	Input struct {
		Phi, Psi, Psi2, Y Matrix
		WeightsXU         []float64 `json:"weights_xu"`
		WeightsUY         []float64 `json:"weights_uy"`
		PhiQuery          Matrix    `json:"phi_query"`
	}
	Fit []struct {
		Penalty             string
		W                   float64
		LambdaF             float64 `json:"lambda_f"`
		LambdaH             float64 `json:"lambda_h"`
		Intercept, Weighted bool
		Alpha, Beta         Matrix
		A0, B0              []float64
		FQuery              Matrix `json:"f_query"`
	}
}

// ReadGolden returns the golden numbers, or fails the test.
func ReadGolden(t testing.TB) *Golden {
	t.Helper()
	var g Golden
	if err := json.Unmarshal(golden, &g); err != nil {
		t.Fatal(err)
	}
	return &g
}
