package features

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/encode"
	"mediant/internal/fixture"
	"mediant/tables"
)

// TestMapsOfWeightedSamples: a sample of rows with weights is, row by row, that of the rows written out, so that every map
// that is fitted on it is the same.
func TestMapsOfWeightedSamples(t *testing.T) {
	want := []tables.Column{{Name: "x"}, {Name: "far"}}
	specs := []Spec{
		{Size: 16}, {Kernel: "matern32", Multiple: 2, Size: 16}, {Kind: AdditiveFeatures, Kernel: "gaussian", Size: 16},
		{Kind: NystromFeatures, Kernel: "gaussian", Size: 12}, {Kind: PolynomialFeatures, Degree: 2}, {Kind: LinearFeatures},
	}
	for _, rule := range landmarkRules {
		specs = append(specs, Spec{Kind: NystromFeatures, Kernel: "gaussian", Size: 9, Landmarks: rule})
	}
	rapid.Check(t, func(r *rapid.T) {
		weighed, written := fixture.Weighted(r, t)
		size := rapid.SampledFrom([]int{30, 100, 1000}).Draw(r, "sample")
		e, err := encode.FitEncoder(context.Background(), want, encode.EncoderOptions{}, written)
		if err != nil {
			r.Fatal(err)
		}
		a, err := encode.Sample(context.Background(), e, e.SourceRows(), size, 3, "phi", weighed)
		if err != nil {
			r.Fatal(err)
		}
		b, err := encode.Sample(context.Background(), e, e.SourceRows(), size, 3, "phi", written)
		if err != nil {
			r.Fatal(err)
		}
		if !mat.Equal(a, b) {
			r.Fatal("other rows are drawn")
		}
		spec := rapid.SampledFrom(specs).Draw(r, "spec")
		m, _, err := spec.Fit(a, 5, "phi")
		if err != nil {
			r.Fatal(err)
		}
		n, _, err := spec.Fit(b, 5, "phi")
		if err != nil {
			r.Fatal(err)
		}
		if m.ID() != n.ID() {
			r.Fatalf("%s: another map", spec)
		}
	})
}
