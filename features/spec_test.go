package features_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
	"mediant/kernels"
)

func TestParseSpec(t *testing.T) {
	for text, want := range map[string]features.Spec{
		"auto":                 {},
		"linear":               {Kind: features.LinearFeatures},
		"gaussian":             {Kernel: "gaussian"},
		"laplacian":            {Kernel: "laplacian"},
		"matern12":             {Kernel: "matern12"},
		"matern32":             {Kernel: "matern32"},
		"matern52":             {Kernel: "matern52"},
		"additive:gaussian":    {Kind: features.AdditiveFeatures, Kernel: "gaussian"},
		"additive:laplacian":   {Kind: features.AdditiveFeatures, Kernel: "laplacian"},
		"pairs:matern32":       {Kind: features.AdditiveFeatures, Kernel: "matern32", Pairs: true},
		"nystrom:matern52":     {Kind: features.NystromFeatures, Kernel: "matern52"},
		"nystrom:linear":       {Kind: features.NystromFeatures, Kernel: "linear"},
		"nystrom:polynomial:3": {Kind: features.NystromFeatures, Kernel: "polynomial", Degree: 3},
		"polynomial:2":         {Kind: features.PolynomialFeatures, Degree: 2},
		"quasi:matern52":       {Kernel: "matern52", Quasi: true},
		"tensorsketch:3":       {Kind: features.TensorSketchFeatures, Degree: 3},
		"warped:laplacian":     {Kind: features.WarpedFeatures, Kernel: "laplacian"},
		"countsketch":          {Kind: features.CountSketchFeatures},
		"matern:0.7":           {Kernel: "matern:0.7"},
		"rq:2":                 {Kernel: "rq:2"},
		"periodic:24":          {Kernel: "periodic:24"},
		"chi2":                 {Kind: features.ChiSquaredFeatures},
		"additive:matern:3":    {Kind: features.AdditiveFeatures, Kernel: "matern:3"},
		"additive:rq:0.5":      {Kind: features.AdditiveFeatures, Kernel: "rq:0.5"},
		"nystrom:matern:0.3":   {Kind: features.NystromFeatures, Kernel: "matern:0.3"},
		"nystrom:rq:2":         {Kind: features.NystromFeatures, Kernel: "rq:2"},
		"nystrom:periodic:7":   {Kind: features.NystromFeatures, Kernel: "periodic:7"},
		"nystrom:cosine":       {Kind: features.NystromFeatures, Kernel: "cosine"},
		"nystrom:chi2":         {Kind: features.NystromFeatures, Kernel: "chi2"},
		"nystrom:expchi2":      {Kind: features.NystromFeatures, Kernel: "expchi2"},
	} {
		got, err := features.ParseSpec(text)
		if err != nil || got != want {
			t.Errorf("%q is %+v with error %v, want %+v", text, got, err, want)
		}
		if got.String() != text {
			t.Errorf("%q came back as %q", text, got)
		}
	}
	if got := (features.Spec{Kind: features.NystromFeatures}).String(); got != "nystrom:gaussian" {
		t.Errorf("the default kernel is written %q", got)
	}
}

func TestParseSpecRefuses(t *testing.T) {
	for _, text := range []string{
		"", "Gaussian", "rbf", "polynomial", "polynomial:", "polynomial:0", "polynomial:-1", "polynomial:2.5", "polynomial:03", "polynomial:2:2",
		"additive", "additive:", "additive:linear", "pairs", "pairs:linear", "pairs:additive:gaussian", "additive:polynomial:2", "additive:additive:gaussian",
		"nystrom", "nystrom:", "nystrom:rbf", "nystrom:polynomial", "nystrom:polynomial:x", "linear:gaussian", "gaussian:2", ":gaussian", "auto:",
		"quasi", "quasi:", "quasi:laplacian", "quasi:linear", "tensorsketch", "tensorsketch:0", "tensorsketch:02", "countsketch:2",
		"matern", "matern:", "matern:0", "matern:x", "matern:1.0", "rq", "rq:-1", "periodic:0", "cosine", "expchi2", "chi2:3", "additive:chi2", "additive:cosine",
		"additive:matern", "nystrom:rq", "nystrom:matern:2000", "nystrom:chi2:2", "additive:rq:", "matern:3:3",
	} {
		if s, err := features.ParseSpec(text); err == nil || !strings.Contains(err.Error(), "additive:KERNEL") {
			t.Errorf("%q is %+v with error %v", text, s, err)
		}
	}
}

// TestParseSpecNamesTheNumber that is out of range.
func TestParseSpecNamesTheNumber(t *testing.T) {
	for text, want := range map[string]string{"matern:0.01": "order is 0.01, must be from 0.1", "nystrom:rq:0": "alpha is 0", "additive:periodic:-2": "period is -2"} {
		if _, err := features.ParseSpec(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

// specs are one of each kind, with the number of features of 4 columns.
var specs = []struct {
	spec features.Spec
	size int
}{
	{features.Spec{}, 512},
	{features.Spec{Size: 40}, 40},
	{features.Spec{Kernel: "laplacian", Size: 40}, 40},
	{features.Spec{Kernel: "matern32", Size: 40, Orthogonal: true}, 40},
	{features.Spec{Kind: features.LinearFeatures, Size: 40}, 4},
	{features.Spec{Kind: features.PolynomialFeatures, Degree: 2}, 15},
	{features.Spec{Kind: features.AdditiveFeatures, Kernel: "matern12", Size: 40}, 40},
	{features.Spec{Kind: features.AdditiveFeatures}, 512},
	{features.Spec{Kernel: "matern32", Size: 40, Quasi: true}, 40},
	{features.Spec{Kind: features.TensorSketchFeatures, Degree: 2, Size: 40}, 40},
	{features.Spec{Kind: features.TensorSketchFeatures, Degree: 3}, 512},
	{features.Spec{Kind: features.CountSketchFeatures, Size: 3}, 3},
	{features.Spec{Kind: features.NystromFeatures, Size: 40, Landmarks: features.RidgeLeverage}, 40},
	{features.Spec{Kind: features.NystromFeatures, Size: 40}, 40},
	{features.Spec{Kind: features.NystromFeatures, Size: 40, Landmarks: features.Uniform}, 40},
	{features.Spec{Kind: features.NystromFeatures, Size: 40, Landmarks: features.KMeansPlusPlus, Bandwidth: 1}, 40},
	{features.Spec{Kind: features.NystromFeatures, Kernel: "polynomial", Degree: 2, Size: 10}, 10},
	{features.Spec{Kernel: "matern:0.7", Size: 40}, 40},
	{features.Spec{Kernel: "rq:2", Size: 40}, 40},
	{features.Spec{Kernel: "periodic:3", Size: 40}, 40},
	{features.Spec{Kind: features.AdditiveFeatures, Kernel: "periodic:3", Size: 40}, 40},
	{features.Spec{Kind: features.AdditiveFeatures, Kernel: "rq:0.5", Size: 40}, 40},
	{features.Spec{Kind: features.NystromFeatures, Kernel: "matern:1", Size: 40}, 40},
	{features.Spec{Kind: features.NystromFeatures, Kernel: "periodic:3", Size: 40}, 40},
	{features.Spec{Kind: features.NystromFeatures, Kernel: "cosine", Size: 4}, 4},
}

// counts are those for rows without negative entries.
var counts = []struct {
	spec features.Spec
	size int
}{
	{features.Spec{Kind: features.ChiSquaredFeatures}, 28},
	{features.Spec{Kind: features.NystromFeatures, Kernel: "chi2", Size: 20}, 20},
	{features.Spec{Kind: features.NystromFeatures, Kernel: "expchi2", Size: 20}, 20},
}

func TestSpecFitOfCounts(t *testing.T) {
	x := countRows(200, 4)
	for _, c := range counts {
		t.Run(c.spec.String(), func(t *testing.T) {
			m, notes, err := c.spec.Fit(x, 1, "phi")
			if err != nil || notes != nil {
				t.Fatalf("error %v, notes %q", err, notes)
			}
			featurestest.Run(t, m, x)
			if _, out := m.Dims(); out != c.size || c.spec.Estimate(4) != c.size {
				t.Errorf("%d features, estimated %d, want %d", out, c.spec.Estimate(4), c.size)
			}
			negative := mat.DenseCopyOf(x)
			negative.Set(7, 2, -1)
			const want = "row 7 column 2 is -1"
			if _, _, err := c.spec.Fit(negative, 1, "phi"); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("fit to a negative entry: error %v, want one with %q", err, want)
			}
			if err := features.CheckRows(m, negative); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("features of a negative entry: error %v, want one with %q", err, want)
			}
			both := fixture.Must[*features.Concat](t)(features.NewConcat(features.NewBias(4), m))
			if err := features.CheckRows(both, negative); err == nil {
				t.Error("features beside others of a negative entry: no error")
			}
			if err := features.CheckRows(both, x); err != nil {
				t.Error(err)
			}
			fixture.MustPanic(t, func() { mapped(m, negative) })
		})
	}
}

func TestSpecFit(t *testing.T) {
	x := fixture.NormalRows(200, 4)
	for _, c := range specs {
		t.Run(c.spec.String(), func(t *testing.T) {
			m, notes, err := c.spec.Fit(x, 1, "phi")
			if err != nil || notes != nil {
				t.Fatalf("error %v, notes %q", err, notes)
			}
			featurestest.Run(t, m, x)
			if _, out := m.Dims(); out != c.size || c.spec.Estimate(4) != c.size {
				t.Errorf("%d features, estimated %d, want %d", out, c.spec.Estimate(4), c.size)
			}
			again, _, _ := c.spec.Fit(x, 1, "phi")
			if again.ID() != m.ID() {
				t.Error("a seed does not fix the map")
			}
			random := c.spec.Kind != features.LinearFeatures && c.spec.Kind != features.PolynomialFeatures
			if other, _, _ := c.spec.Fit(x, 1, "psi"); random == (other.ID() == m.ID()) {
				t.Errorf("phi and psi have one map: %v", !random)
			}
		})
	}
}

func TestSpecRefuses(t *testing.T) {
	x := fixture.NormalRows(10, 2)
	for _, c := range []struct {
		spec features.Spec
		want string
	}{
		{features.Spec{Kind: "wavelet"}, "wavelet"},
		{features.Spec{Kernel: "rbf"}, "rbf"},
		{features.Spec{Kernel: "linear"}, "fourier"},
		{features.Spec{Kind: features.LinearFeatures, Kernel: "laplacian"}, "laplacian"},
		{features.Spec{Degree: 2}, "degree 2"},
		{features.Spec{Kind: features.PolynomialFeatures}, "degree 0"},
		{features.Spec{Kind: features.PolynomialFeatures, Degree: -1}, "degree -1"},
		{features.Spec{Kind: features.PolynomialFeatures, Degree: 2, Bandwidth: 1}, "bandwidth 1"},
		{features.Spec{Kind: features.PolynomialFeatures, Degree: 1 << 20}, "65536"},
		{features.Spec{Kind: features.LinearFeatures, Bandwidth: 1}, "bandwidth 1"},
		{features.Spec{Size: -2}, "size -2"},
		{features.Spec{Size: 7}, "even"},
		{features.Spec{Kind: features.AdditiveFeatures, Size: 2}, "2 groups"},
		{features.Spec{Bandwidth: -1}, "bandwidth"},
		{features.Spec{Bandwidth: math.NaN()}, "bandwidth"},
		{features.Spec{Kernel: "laplacian", Orthogonal: true}, "radial"},
		{features.Spec{Kernel: "periodic:2", Orthogonal: true}, "radial"},
		{features.Spec{Kind: features.NystromFeatures, Kernel: "cosine", Bandwidth: 1}, "bandwidth 1"},
		{features.Spec{Kind: features.ChiSquaredFeatures, Bandwidth: 1}, "bandwidth 1"},
		{features.Spec{Kind: features.ChiSquaredFeatures, Kernel: "chi2"}, "chi2"},
		{features.Spec{Kind: features.AdditiveFeatures, Orthogonal: true}, "radial"},
		{features.Spec{Orthogonal: true, Independent: true}, "both"},
		{features.Spec{Kind: features.NystromFeatures, Independent: true}, "independent"},
		{features.Spec{Kernel: "laplacian", Quasi: true}, "radial"},
		{features.Spec{Kind: features.NystromFeatures, Quasi: true}, "quasi"},
		{features.Spec{Quasi: true, Independent: true}, "another distribution"},
		{features.Spec{Quasi: true, Orthogonal: true}, "another distribution"},
		{features.Spec{Kind: features.TensorSketchFeatures}, "degree 0"},
		{features.Spec{Kind: features.TensorSketchFeatures, Degree: 2, Bandwidth: 1}, "bandwidth 1"},
		{features.Spec{Kind: features.CountSketchFeatures, Bandwidth: 1}, "bandwidth 1"},
		{features.Spec{Kind: features.CountSketchFeatures, Degree: 2}, "degree 2"},
		{features.Spec{LandmarkRows: x}, "given landmarks"},
		{features.Spec{Kind: features.NystromFeatures, LandmarkRows: x, Landmarks: features.Uniform}, "given landmarks"},
		{features.Spec{Kind: features.NystromFeatures, LandmarkRows: fixture.NormalRows(3, 5)}, "5 columns, want 2"},
		{features.Spec{Landmarks: features.Uniform}, "landmarks"},
		{features.Spec{Kind: features.NystromFeatures, Landmarks: "best"}, "best"},
	} {
		if _, _, err := c.spec.Fit(x, 1, "phi"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.spec, err, c.want)
		}
	}
	missing := mat.NewDense(2, 1, []float64{1, math.NaN()})
	for _, kind := range []features.Kind{features.FourierFeatures, features.AdditiveFeatures, features.NystromFeatures} {
		if _, _, err := (features.Spec{Kind: kind}).Fit(missing, 1, "phi"); err == nil || !strings.Contains(err.Error(), "bandwidth") {
			t.Errorf("%q features of missing values: error %v", kind, err)
		}
	}
	zeros := features.Spec{Kind: features.NystromFeatures, Kernel: "linear"}
	for _, rule := range rules {
		zeros.Landmarks = rule
		if _, _, err := zeros.Fit(mat.NewDense(3, 1, nil), 1, "phi"); err == nil || !strings.Contains(err.Error(), "zero on all") {
			t.Errorf("%q landmarks of rows of zeros: error %v", rule, err)
		}
	}
}

// TestSpecGivenLandmarks are those of the map, in an order of its own, whatever the size.
func TestSpecGivenLandmarks(t *testing.T) {
	given := fixture.NormalRows(7, 3)
	spec := features.Spec{Kind: features.NystromFeatures, LandmarkRows: given, Size: 512, Bandwidth: 1}
	m, notes, err := spec.Fit(fixture.NormalRows(50, 3), 1, "phi")
	if err != nil || notes != nil || spec.Estimate(3) != 7 {
		t.Fatalf("error %v, notes %q, estimate %d", err, notes, spec.Estimate(3))
	}
	want := fixture.Must[*features.Nystrom](t)(features.NewNystrom(gaussian(t, 1), given))
	if m.ID() != want.ID() {
		t.Error("the map is not that of the landmarks given")
	}
	twice := mat.NewDense(2, 1, []float64{1, 1})
	spec = features.Spec{Kind: features.NystromFeatures, LandmarkRows: twice, Bandwidth: 1}
	if _, notes, err = spec.Fit(fixture.NormalRows(9, 1), 1, "psi"); err != nil || len(notes) != 1 || !strings.Contains(notes[0], "1 of 2 landmarks") {
		t.Errorf("the same landmark twice: error %v, notes %q", err, notes)
	}
}

func TestMultipleScalesTheMedianRule(t *testing.T) {
	rows := mat.NewDense(4, 2, []float64{0, 1, 2, 3, 5, 8, 13, 21})
	for _, kind := range []features.Kind{features.FourierFeatures, features.AdditiveFeatures, features.NystromFeatures} {
		bandwidth := func(multiple float64) float64 {
			m, _, err := features.Spec{Kind: kind, Kernel: "gaussian", Size: 4, Multiple: multiple}.Fit(rows, 1, "phi")
			if err != nil {
				t.Fatal(err)
			}
			d, err := kernels.Describe(m.(interface{ Kernel() kernels.Kernel }).Kernel())
			if err != nil {
				t.Fatal(err)
			}
			if kind == features.AdditiveFeatures {
				d = d.Parts[0]
			}
			return d.Bandwidth
		}
		if one := bandwidth(0); bandwidth(1) != one || bandwidth(4) != 4*one {
			t.Errorf("%q: bandwidths %g, %g and %g at multiples 0, 1 and 4", kind, one, bandwidth(1), bandwidth(4))
		}
	}
	for _, bad := range []features.Spec{{Multiple: -1}, {Multiple: 2, Bandwidth: 1}, {Kind: features.LinearFeatures, Multiple: 2}} {
		if bad.Validate() == nil {
			t.Errorf("accepted %+v", bad)
		}
	}
}
