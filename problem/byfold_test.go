package problem_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/moments"
	"mediant/problem"
	"mediant/tables"
)

// numbered is a map whose one feature is the number of the fold that it was learned without.
type numbered struct{ features.Map }

func (numbered) OfFold(fold int) features.Map {
	return sameFeature{features.NewLinear(1), float64(fold)}
}

// sameFeature is a map of one number.
type sameFeature struct {
	features.Map
	value float64
}

func (c sameFeature) MapTo(dst *mat.Dense, _ mat.Matrix) {
	for i := range dst.RawMatrix().Rows {
		dst.Set(i, 0, c.value)
	}
}

// TestMapsByFold: rows of a fold get the features that were learned without it.
func TestMapsByFold(t *testing.T) {
	src := fixture.Columns(t, tables.Numbers("x", fixture.Ramp(2000)))
	e := fixture.Must[*encode.Encoder](t)(encode.FitEncoder(t.Context(), src.Columns(), encode.EncoderOptions{}, src))
	side := features.Mapped{Encoder: e, Map: numbered{features.NewLinear(1)}}
	rows := 0
	_, err := problem.Walk(t.Context(), src, side, e, problem.PassOptions{Folds: 3, Seed: 1}, func(fold int, a, _ *mat.Dense, _ moments.Weights) {
		for i := range a.RawMatrix().Rows {
			rows++
			if a.At(i, 0) != float64(fold) {
				t.Fatalf("a row of fold %d has the features of fold %g", fold, a.At(i, 0))
			}
		}
	})
	if err != nil || rows != 2000 {
		t.Errorf("%d rows, %v", rows, err)
	}
}
