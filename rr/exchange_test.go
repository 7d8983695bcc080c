package rr_test

import (
	"bytes"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/moments"
	"mediant/rr"
	"mediant/solvers"
)

// Two organisations that may not share rows agree on the features phi of X and psi of U. One sends the sums
// of its rows of (X, U), the other those of its rows of (U, Y), and whoever has both solves for f.
func Example_exchange() {
	phi, err := features.NewPolynomial(1, 2)
	if err != nil {
		log.Fatal(err)
	}
	psi, err := features.NewPolynomial(1, 2)
	if err != nil {
		log.Fatal(err)
	}

	// Here U = X ± 1/2. The first organisation sends 9 sums and 6 means, however many rows it has.
	var first bytes.Buffer
	xu := moments.NewCoMoments(phi.ID(), psi.ID())
	x, u := mat.NewDense(6, 1, []float64{-1, -1, 0, 0, 1, 1}), mat.NewDense(6, 1, []float64{-1.5, -.5, -.5, .5, .5, 1.5})
	xu.Add(mapped(phi, x), mapped(psi, u), nil)
	if _, err := xu.WriteTo(&first); err != nil {
		log.Fatal(err)
	}

	// There Y = U².
	var second bytes.Buffer
	uy := moments.NewCoMoments(psi.ID(), moments.ID{})
	u, y := mat.NewDense(4, 1, []float64{-2, -1, 0, 1}), mat.NewDense(4, 1, []float64{4, 1, 0, 1})
	uy.Add(mapped(psi, u), y, nil)
	if _, err := uy.WriteTo(&second); err != nil {
		log.Fatal(err)
	}

	// Sums of other features than these would be refused.
	if xu, err = moments.Read(&first); err != nil {
		log.Fatal(err)
	}
	if uy, err = moments.Read(&second); err != nil {
		log.Fatal(err)
	}
	system, err := solvers.NewSystem(xu, uy, true)
	if err != nil {
		log.Fatal(err)
	}
	s := system.Solve(solvers.Params{W: 1, LambdaF: 1e-9, LambdaH: 1e-9})
	var f mat.Dense
	rr.NewLinear(phi, s.Alpha, s.InterceptF).PredictTo(&f, mat.NewDense(3, 1, []float64{0, .5, 1}))
	fmt.Printf("E[Y|X] = X² + 1/4 at 0, 1/2 and 1: %.3f\n", f.RawMatrix().Data)
	// Output:
	// E[Y|X] = X² + 1/4 at 0, 1/2 and 1: [0.250 0.500 1.250]
}

func mapped(m features.Map, rows *mat.Dense) *mat.Dense {
	var out mat.Dense
	m.MapTo(&out, rows)
	return &out
}
