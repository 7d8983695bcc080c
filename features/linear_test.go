package features_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
)

func TestLinear(t *testing.T) {
	x := fixture.NormalRows(300, 5)
	m := features.NewLinear(5)
	featurestest.Run(t, m, x)
	if d := fixture.Distance(mapped(m, x), x); d != 0 {
		t.Errorf("the identity map changed x by %g", d)
	}
	if m.ID() == features.NewLinear(4).ID() {
		t.Error("identity maps of different widths have one identity")
	}
}

func TestBias(t *testing.T) {
	featurestest.Run(t, features.NewBias(3), fixture.NormalRows(150, 3))
}

func TestWithBias(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	m := fixture.Must[*features.Concat](t)(features.WithBias(features.NewLinear(2)))
	featurestest.Run(t, m, x)
	want := mat.NewDense(2, 3, []float64{1, 2, 1, 3, 4, 1})
	if got := mapped(m, x); !mat.Equal(got, want) {
		t.Errorf("got %v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
}

func TestNoColumns(t *testing.T) {
	fixture.MustPanic(t, func() { features.NewLinear(0) })
	fixture.MustPanic(t, func() { features.NewBias(0) })
}
