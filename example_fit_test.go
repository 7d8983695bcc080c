package mediant_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/tables"
)

// curved draws two tables that share no row: U is X with noise, and Y is U², so that E[Y|X] = X² + 0.09.
func curved(rows int) (xu, uy tables.Source) {
	rnd := rand.New(rand.NewPCG(1, 2))
	draw := func() (x, u, y []float64) {
		for range rows {
			a := 2*rnd.Float64() - 1
			b := a + .3*rnd.NormFloat64()
			x, u, y = append(x, a), append(u, b), append(y, b*b)
		}
		return x, u, y
	}
	x, u, _ := draw()
	xu, _ = tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", u))
	_, u, y := draw()
	uy, _ = tables.FromColumns(tables.Numbers("u", u), tables.Numbers("y", y))
	return xu, uy
}

func Example() {
	ctx := context.Background()
	xu, uy := curved(500) // or csv.Open
	model, err := mediant.Fit(ctx, xu, uy, mediant.Options{})
	if err != nil {
		panic(err)
	}
	risk := model.Assessment.Risk
	fmt.Printf("mean squared error %.2f (95 %% interval %.2f to %.2f)\n", risk.MSE, risk.Lo, risk.Hi)
	var file bytes.Buffer
	if err := model.Save(&file); err != nil {
		panic(err)
	}
	loaded, err := mediant.Load(&file)
	if err != nil {
		panic(err)
	}
	var y mat.Dense
	if err := loaded.PredictTo(&y, mat.NewDense(2, 1, []float64{0, .8})); err != nil {
		panic(err)
	}
	fmt.Printf("f(0) = %.1f, f(0.8) = %.1f\n", y.At(0, 0), y.At(1, 0))
	// Output:
	// mean squared error 0.12 (95 % interval 0.10 to 0.14)
	// f(0) = 0.1, f(0.8) = 0.7
}
