package effect

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/problem"
	"mediant/tables"
)

// TestLandmarksOfRowsWithoutTreatment is that of an effect.
func TestLandmarksOfRowsWithoutTreatment(t *testing.T) {
	var u, treated, v, y []float64
	for i := range 24 {
		u, treated = append(u, float64(i)), append(treated, float64(i/2%2))
		v, y = append(v, 100+float64(i)), append(y, float64(i%5))
	}
	u, treated = append(u, 0), append(treated, math.NaN()) // equal to row 0
	xu, err := tables.FromColumns(tables.Numbers("t", treated), tables.Numbers("u", u))
	if err != nil {
		t.Fatal(err)
	}
	uy, err := tables.FromColumns(tables.Numbers("u", v), tables.Numbers("y", y))
	if err != nil {
		t.Fatal(err)
	}
	e := Estimator{Treatment: "t", Setup: problem.Setup{Psi: features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Bandwidth: 1, LandmarkRows: mat.NewDense(1, 1, []float64{0})}, Folds: 2, NoStandardize: true, AllRows: true}}
	e.Fold = func(_, row int) int { return min(row/12, 1) }
	run, err := e.prepare(context.Background(), nil, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	if l := run.p.Splitter().Landmarks[run.p.SidePsi().ID()]; !reflect.DeepEqual(l.Folds, [][]int{{0}}) {
		t.Errorf("the landmark is in folds %v, want 0 alone", l.Folds)
	}
}

// TestQuantilesOfWeights: the last quantile is the largest value, also where weights do not add up to their sum in order.
func TestQuantilesOfWeights(t *testing.T) {
	for seed := range uint64(50) {
		rnd, a := rand.New(rand.NewPCG(seed, 1)), &adjusted{}
		var of [][]float64
		largest := 0.
		for range 100 {
			p := rnd.Float64()
			largest = max(largest, p)
			a.arm, a.weight, of = append(a.arm, 0), append(a.weight, rnd.Float64()), append(of, []float64{p})
		}
		got := a.quantiles(of, 0, func(int) bool { return true })
		if last := got[len(got)-1]; last != largest {
			t.Errorf("seed %d: %g, want %g", seed, last, largest)
		}
	}
}
