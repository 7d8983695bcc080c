package effect

import (
	"context"
	"math"
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
