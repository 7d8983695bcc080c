package features_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/kernels"
	"mediant/moments"
)

// TestSpecFrequencies of the frequencies: orthogonal, structured for many columns, unless another is asked for.
func TestSpecFrequencies(t *testing.T) {
	for _, c := range []struct {
		spec         features.Spec
		in           int
		distribution string
	}{
		{features.Spec{}, 1, "quasi"},
		{features.Spec{Kernel: "matern12", Size: 6}, 3, "quasi"},
		{features.Spec{}, 4, "orthogonal"},
		{features.Spec{Orthogonal: true}, 2, "orthogonal"},
		{features.Spec{Independent: true}, 2, "independent"},
		{features.Spec{Kernel: "laplacian"}, 2, "independent"},
		{features.Spec{Kernel: "periodic:3"}, 1, "independent"},
		{features.Spec{}, 128, "orthogonal"},
		{features.Spec{}, 129, "structured"},
		{features.Spec{Kernel: "matern12", Size: 256}, 300, "structured"},
		{features.Spec{Size: 254}, 300, "orthogonal"},
		{features.Spec{Independent: true}, 300, "independent"},
		{features.Spec{Kernel: "laplacian"}, 300, "independent"},
		{features.Spec{Kernel: "periodic:3"}, 300, "independent"},
		{features.Spec{Kernel: "matern:3.3"}, 100, "orthogonal"},
		{features.Spec{Kernel: "rq:2"}, 300, "structured"},
		{features.Spec{Orthogonal: true}, 300, "orthogonal"},
		{features.Spec{Quasi: true}, 60, "quasi"},
	} {
		m, _, err := c.spec.Fit(fixture.NormalRows(10, c.in), 1, "phi")
		if err != nil {
			t.Fatal(err)
		}
		if header, _ := must2(features.Marshal(m)); !strings.Contains(string(header), `"law":"`+c.distribution+`"`) {
			t.Errorf("%+v of %d columns: %s, want %s", c.spec, c.in, header, c.distribution)
		}
	}
}

// TestSpecManyColumns: the default size leaves every column of additive features a frequency.
func TestSpecManyColumns(t *testing.T) {
	spec := features.Spec{Kind: features.AdditiveFeatures}
	m, _, err := spec.Fit(fixture.NormalRows(20, 300), 1, "phi")
	if err != nil {
		t.Fatal(err)
	}
	if _, out := m.Dims(); out != 600 || spec.Estimate(300) != 600 {
		t.Errorf("%d features of 300 columns, estimated %d, want 600", out, spec.Estimate(300))
	}
}

func TestSpecBandwidths(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{0, 0, 3, 4, 0, 1})
	bandwidths := func(s features.Spec) []float64 {
		s.Size = 4
		m, _, err := s.Fit(x, 1, "phi")
		if err != nil {
			t.Fatal(err)
		}
		d := fixture.Must[kernels.Desc](t)(kernels.Describe(m.(interface{ Kernel() kernels.Kernel }).Kernel()))
		if d.Parts == nil {
			return []float64{d.Bandwidth}
		}
		var b []float64
		for _, p := range d.Parts {
			b = append(b, p.Bandwidth)
		}
		return b
	}
	root18 := math.Sqrt(18)
	for _, c := range []struct {
		spec features.Spec
		want []float64
	}{
		{features.Spec{}, []float64{root18}}, // of 5, sqrt 18, 1
		{features.Spec{Kernel: "matern52"}, []float64{root18}},
		{features.Spec{Kernel: "laplacian"}, []float64{6}},                                 // of 7, 6, 1
		{features.Spec{Kind: features.AdditiveFeatures}, []float64{3, 3}},                  // of 3, 3, 0 and 4, 3, 1
		{features.Spec{Kind: features.NystromFeatures}, []float64{root18}},                 //
		{features.Spec{Kind: features.NystromFeatures, Kernel: "expchi2"}, []float64{4.8}}, // of 7, 3 + 9/5, 1
		{features.Spec{Kind: features.NystromFeatures, Kernel: "rq:2"}, []float64{root18}},
		{features.Spec{Bandwidth: 0.3}, []float64{0.3}}, // exactly
		{features.Spec{Kind: features.AdditiveFeatures, Bandwidth: 2}, []float64{2, 2}},
	} {
		got := bandwidths(c.spec)
		for i, b := range got {
			if len(got) != len(c.want) || math.Abs(b-c.want[i]) > 1e-14*b {
				t.Errorf("%+v: bandwidths %v, want %v", c.spec, got, c.want)
				break
			}
		}
	}
}

func TestSpecNotes(t *testing.T) {
	same := mat.NewDense(3, 1, []float64{2, 2, 2})
	for _, c := range []struct {
		spec features.Spec
		want []string
	}{
		{features.Spec{}, []string{"bandwidth 1"}},
		{features.Spec{Kind: features.AdditiveFeatures}, []string{"bandwidth 1"}},
		{features.Spec{Kind: features.NystromFeatures}, []string{"bandwidth 1", "all 3 rows", "span"}},
		{features.Spec{Kind: features.NystromFeatures, Landmarks: features.Uniform, Size: 2}, []string{"bandwidth 1", "1 of 2 landmarks"}},
	} {
		_, notes, err := c.spec.Fit(same, 1, "psi")
		if err != nil || len(notes) != len(c.want) {
			t.Errorf("%s: error %v, notes %q, want %q", c.spec, err, notes, c.want)
			continue
		}
		for i, note := range notes {
			if !strings.HasPrefix(note, "psi: ") || !strings.Contains(note, c.want[i]) {
				t.Errorf("%s: note %q, want one with %q", c.spec, note, c.want[i])
			}
		}
	}
}

// TestDefaultBandwidth: with it in the place of the multiple Fit makes the same map, and so for landmarks and in a metric.
func TestDefaultBandwidth(t *testing.T) {
	x := fixture.NormalRows(60, 3)
	for _, name := range []string{"gaussian", "laplacian", "nystrom:matern32", "metric:gaussian", "metric:nystrom:gaussian", "additive:gaussian", "linear", "warped:laplacian", "adaptive:2"} {
		s := fixture.Must[features.Spec](t)(features.ParseSpec(name))
		if s.HasSize() {
			s.Size = 16
		}
		if s.Kind == features.MetricFeatures {
			s.Metric = fixture.Must[*features.Metric](t)(features.NewDiagonalMetric([]float64{1, 0, 4}))
		}
		bandwidth := s.DefaultBandwidth(x, 3, "psi")
		if shared := strings.HasPrefix(name, "additive") || name == "linear" || s.Kind == features.WarpedFeatures || s.Kind == features.AdaptiveFeatures; shared != (bandwidth == 0) {
			t.Errorf("%s: a bandwidth of %g", name, bandwidth)
		}
		if bandwidth == 0 {
			continue
		}
		one, other := s, s
		one.Multiple, other.Bandwidth = 2, 2*bandwidth
		var ids [2]moments.ID
		for i, spec := range []features.Spec{one, other} {
			m, _, err := spec.Fit(x, 3, "psi")
			if err != nil {
				t.Fatal(err)
			}
			ids[i] = m.ID()
		}
		if ids[0] != ids[1] {
			t.Errorf("%s: another map", name)
		}
		if other.DefaultBandwidth(x, 3, "psi") != 0 {
			t.Errorf("%s: a bandwidth where one is set", name)
		}
	}
	s := features.Spec{Kind: features.MetricFeatures}
	if s.DefaultBandwidth(x, 3, "psi") != 0 {
		t.Error("a bandwidth without a metric")
	}
	s.Metric = fixture.Must[*features.Metric](t)(features.NewDiagonalMetric([]float64{1}))
	if s.DefaultBandwidth(x, 3, "psi") != 0 {
		t.Error("a bandwidth in a metric of other columns")
	}
}
