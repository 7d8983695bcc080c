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

// Estimate is an estimated risk, accuracy or effect with its standard error.
type Estimate struct {
	MSE      float64 // risks
	Estimate float64 // accuracy
	Tau      float64 // effects
	SE       float64
}

// Golden is what golden/make.py wrote: Input are 14 rows of S_X and 11 of S_Y, already features, and
// each Fit is a solution of the full system. Risk, Accuracy, Effect and Sandwich are described in
// make.py; coefficients of h, v, r and omega have the bias last.
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
	Risk struct {
		TrainXU      []int   `json:"train_xu"`
		HeldXU       []int   `json:"held_xu"`
		TrainUY      []int   `json:"train_uy"`
		HeldUY       []int   `json:"held_uy"`
		LambdaF      float64 `json:"lambda_f"`
		LambdaHOfF   float64 `json:"lambda_h_of_f"`
		LambdaH      float64 `json:"lambda_h"`
		Mu           float64
		BetaH        Matrix `json:"beta_h"`
		BetaV        Matrix `json:"beta_v"`
		Gamma        Matrix
		Omega        []float64
		Form1, Form2 Estimate
		Bracket      struct{ Lo, Hi float64 }
		Tight        struct {
			Centre    float64
			HalfWidth float64 `json:"half_width"`
		}
	}
	Sandwich []struct {
		W       float64
		LambdaF float64 `json:"lambda_f"`
		LambdaH float64 `json:"lambda_h"`
		Output  int
		SEQuery []float64 `json:"se_query"`
	}
	Effect struct {
		Estimate
		Treatment []float64
		Output    int
		LambdaH   float64 `json:"lambda_h"`
		Mu        float64
	}
	// Accuracy is of the folds and penalties of Risk; Labels are the classes of the rows of S_Y.
	Accuracy struct {
		Estimate
		Labels []int
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
