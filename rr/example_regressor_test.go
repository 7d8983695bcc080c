package rr_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// Nearest predicts the mean of the K nearest rows that it has learned.
type Nearest struct {
	K    int
	x, y *mat.Dense
}

// Fit implements rr.Regressor; weights are left out here.
func (n Nearest) Fit(_ context.Context, x, y *mat.Dense, _ []float64) (rr.Predictor, error) {
	n.x, n.y = x, y
	return n, nil
}

// PredictTo implements rr.Predictor.
func (n Nearest) PredictTo(dst *mat.Dense, x mat.Matrix) {
	rows, _ := x.Dims()
	learned, outputs := n.y.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(rows, outputs)
	}
	distances, order := make([]float64, learned), make([]int, learned)
	for i := range rows {
		row := mat.Row(nil, i, x)
		for j := range distances {
			distances[j], order[j] = floats.Distance(row, n.x.RawRowView(j), 2), j
		}
		floats.Argsort(distances, order)
		mean := make([]float64, outputs)
		for _, j := range order[:n.K] {
			floats.AddScaled(mean, 1/float64(n.K), n.y.RawRowView(j))
		}
		dst.SetRow(i, mean)
	}
}

// 2Step-RR with a learner of one's own in both steps: U is X with noise, and Y is U², so that E[Y|X=x] = x² + 0.09.
func ExampleRegressor() {
	rnd := rand.New(rand.NewPCG(1, 2))
	var x, u, v, y []float64
	for range 2000 {
		x = append(x, 2*rnd.Float64()-1)
		u = append(u, x[len(x)-1]+.3*rnd.NormFloat64())
		v = append(v, 2.4*rnd.Float64()-1.2)
		y = append(y, math.Pow(v[len(v)-1], 2))
	}
	xu, _ := tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", u))
	uy, _ := tables.FromColumns(tables.Numbers("u", v), tables.Numbers("y", y))
	model, err := rr.Fit(context.Background(), problem.Setup{}, rr.TwoStep{F: Nearest{K: 200}, H: Nearest{K: 10}}, xu, uy)
	if err != nil {
		panic(err)
	}
	var f mat.Dense
	if err := model.PredictTo(&f, mat.NewDense(2, 1, []float64{0, .7})); err != nil {
		panic(err)
	}
	fmt.Printf("f(0) = %.1f, f(0.7) = %.1f\n", f.At(0, 0), f.At(1, 0))
	// Output: f(0) = 0.1, f(0.7) = 0.6
}
