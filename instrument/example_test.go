package instrument_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/instrument"
	"mediant/tables"
)

// Distance to a college (miles) changes the years of school, and only through them earnings. One table has distance and school, another distance and earnings.
func ExampleTS2SLS() {
	first, err := tables.FromMatrix([]string{"distance", "school"}, mat.NewDense(8, 2, []float64{0, 16, 5, 15, 10, 16, 15, 13, 20, 14, 25, 12, 30, 13, 35, 11}))
	if err != nil {
		panic(err)
	}
	second, err := tables.FromMatrix([]string{"distance", "earnings"}, mat.NewDense(8, 2, []float64{2, 52, 8, 48, 12, 50, 18, 43, 22, 44, 28, 38, 32, 41, 38, 35}))
	if err != nil {
		panic(err)
	}
	got, err := instrument.TS2SLS{}.Estimate(context.Background(), first, second)
	if err != nil {
		panic(err)
	}
	c := got.Coefficients[0]
	fmt.Printf("%s on %s: %.1f, standard error %.1f\n", c.Column, c.Output, c.Value, c.SE)
	fmt.Printf("F of the first stage: %.1f\n", *got.FirstStage[0].F)
	fmt.Println("assumed:", got.Assumptions.Instrument)
	// Output:
	// school on earnings: 3.4, standard error 0.6
	// F of the first stage: 42.9
	// assumed: X changes Y; Z affects Y only through X (and the controls) and is independent of the error; E[X|Z] is the same in both tables
}
