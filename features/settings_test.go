package features_test

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/settingstest"
)

// TestSettingsOutOfRange: each is an error of what they are for.
func TestSettingsOutOfRange(t *testing.T) {
	x := fixture.NormalRows(12, 3)
	types := map[reflect.Type][]any{
		reflect.TypeFor[mat.Matrix](): {mat.NewDense(2, 3, nil), mat.NewDense(2, 1, nil)}, // not of Fourier features
		reflect.TypeFor[[]string]():   {[]string{"\xff"}},
	}
	for _, good := range []features.Spec{{Size: 4}, {Kind: features.LinearFeatures}, {Kind: features.AdditiveFeatures, Size: 8}} {
		fields := map[string][]any{"Size": {1 << 40}, "Degree": {2, 1 << 40}, "Bandwidth": {1e-320}, "Multiple": {1e7}, "Landmarks": {features.Uniform}}
		if good.Kind == features.LinearFeatures {
			fields["Bandwidth"], fields["Multiple"] = []any{1.}, []any{1.}
		}
		settingstest.Run(t, settingstest.Case[features.Spec]{
			Good: good, Types: types, Fields: fields,
			Use: func(s features.Spec) error { _, _, err := s.Fit(x, 1, "phi"); return err },
		})
	}
	settingstest.Run(t, settingstest.Case[features.Spec]{
		Good:   features.Spec{Kind: features.NystromFeatures, Kernel: "polynomial", Degree: 2, Size: 3},
		Fields: map[string][]any{"Size": {1 << 40}, "Degree": {0, 1 << 40}, "Bandwidth": {1.}, "Multiple": {1.}, "Landmarks": {features.Landmarks("best")}, "LandmarkRows": {mat.NewDense(2, 1, nil)}},
		Use:    func(s features.Spec) error { _, _, err := s.Fit(x, 1, "phi"); return err },
	})
	settingstest.Run(t, settingstest.Case[features.PatchSpec]{
		Good:   features.PatchSpec{Image: features.ImageShape{Planes: 1, Height: 4, Width: 4}, Side: 2, Filters: 2},
		Fields: map[string][]any{"Image.Height": {0, 1 << 40}, "Side": {0, 9, 1 << 40}, "Filters": {0, 1 << 40}, "Grid": {9, 1 << 40}, "Threshold": {1e200}, "Contrast": {1e200}},
		Use:    func(s features.PatchSpec) error { return s.Validate() },
	})
}

// An uncomparable matrix, of which two are not equal or unequal: Go panics.
type uncomparable struct {
	mat.Matrix
	_ []int
}

// TestSpecOfUncomparableLandmarks is no panic where specs are compared.
func TestSpecOfUncomparableLandmarks(t *testing.T) {
	s := features.Spec{LandmarkRows: uncomparable{Matrix: fixture.NormalRows(3, 2)}}
	if s.IsAuto() || !(features.Spec{Size: 3}).IsAuto() || (features.Spec{Kernel: "gaussian"}).IsAuto() {
		t.Error("given landmarks are auto, or a size alone is not")
	}
	s.Kind = features.NystromFeatures
	if _, _, err := s.Fit(encode.CSROf(fixture.NormalRows(9, 2)), 1, "phi"); err != nil {
		t.Error(err)
	}
}
