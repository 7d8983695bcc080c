package features_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/tables"
)

// Two tables share the columns of U; one encoder and one map serve both.
func Example() {
	ctx := context.Background()
	xu, err := tables.FromColumns(tables.Numbers("dose", []float64{1, 2, 3, 4}), tables.Strings("stage", []string{"I", "II", "II", ""}))
	if err != nil {
		log.Fatal(err)
	}
	uy, err := tables.FromColumns(tables.Strings("stage", []string{"III", "I"}), tables.Numbers("dose", []float64{5, math.NaN()}))
	if err != nil {
		log.Fatal(err)
	}
	encoder, err := encode.FitEncoder(ctx, xu.Columns(), encode.EncoderOptions{}, xu, uy)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", encoder.Names())

	sample, err := encode.Sample(ctx, encoder, encoder.SourceRows(), 1000, 1, "psi", xu, uy)
	if err != nil {
		log.Fatal(err)
	}
	psi, _, err := features.Spec{Size: 100}.Fit(sample, 1, "psi")
	if err != nil {
		log.Fatal(err)
	}
	for rows, err := range encoder.Encode(ctx, uy) {
		if err != nil {
			log.Fatal(err)
		}
		var phi mat.Dense
		psi.MapTo(&phi, rows)
		fmt.Println(phi.Dims())
	}
	// Output:
	// ["dose" "dose missing" "stage=" "stage=I" "stage=II" "stage=III"]
	// 2 100
}

func ExamplePolynomial() {
	m, err := features.NewPolynomial(1, 3)
	if err != nil {
		log.Fatal(err)
	}
	var phi, k mat.Dense
	m.MapTo(&phi, mat.NewDense(2, 1, []float64{2, 3}))
	k.Mul(&phi, phi.T())
	fmt.Printf("%.0f\n", k.At(0, 1)) // (2·3 + 1)³
	// Output: 343
}

// A map that there is already takes the place of one that is fitted, as in problem.Setup{Phi: spec}.
func ExampleFixed() {
	quadratic, err := features.NewPolynomial(2, 2)
	if err != nil {
		log.Fatal(err)
	}
	spec := features.Fixed(quadratic)
	fmt.Println(spec)
	_, _, err = spec.Fit(mat.NewDense(5, 3, nil), 1, "phi")
	fmt.Println(err)
	// Output:
	// polynomial of degree 2
	// features: polynomial of degree 2: the map takes 2 columns, encoded rows have 3
}

func ExampleParseSpec() {
	spec, err := features.ParseSpec("nystrom:matern32")
	if err != nil {
		log.Fatal(err)
	}
	spec.Size = 3
	m, notes, err := spec.Fit(mat.NewDense(3, 1, []float64{0, 1, 1}), 1, "phi")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Dims())
	fmt.Println(notes[0])
	// Output:
	// 1 2
	// phi: 3 landmarks asked for, 2 rows span the others to rounding
}
