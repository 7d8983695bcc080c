package features_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/encode"
	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
	"mediant/kernels"
)

func ExampleNewDiagonalMetric() {
	m, _ := features.NewDiagonalMetric([]float64{9, 0}) // the second column does not count
	var z mat.Dense
	m.MapTo(&z, mat.NewDense(2, 2, []float64{1, 5, 2, -5}))
	fmt.Println(z.RawMatrix().Data, m.Shares())
	// Output: [3 0 6 -0] [1 0]
}

// symmetric is M = A A' for a seeded A of this rank.
func symmetric(d, rank int) *mat.SymDense {
	a := fixture.NormalRows(d, rank)
	m := mat.NewSymDense(d, nil)
	m.SymOuterK(1, a)
	return m
}

func TestMetricsAreMaps(t *testing.T) {
	x := fixture.NormalRows(90, 5)
	full := fixture.Must[*features.Metric](t)(features.NewMetric(symmetric(5, 5)))
	diagonal := fixture.Must[*features.Metric](t)(features.NewDiagonalMetric([]float64{1, 0, 2, 3, .5}))
	featurestest.Run(t, full, x)
	featurestest.Run(t, diagonal, x)
	for _, name := range []string{"metric:gaussian", "fullmetric:matern32", "metric:nystrom:matern52", "fullmetric:nystrom:gaussian"} {
		s := fixture.Must[features.Spec](t)(features.ParseSpec(name))
		s.Size, s.Metric = 16, full
		m, _, err := s.Fit(x, 1, "phi")
		if err != nil {
			t.Fatal(err)
		}
		featurestest.Run(t, m, x)
		if features.MetricOf(m) != full || s.String() != name {
			t.Errorf("%s: the metric is %v, the name %s", name, features.MetricOf(m), s)
		}
	}
	if features.MetricOf(features.NewLinear(3)) != nil {
		t.Error("linear features have a metric")
	}
}

// TestMetricDistances: distances of features are those of M, to the millionth of its mean diagonal that NewMetric adds, and to rounding.
func TestMetricDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 6).Draw(t, "columns")
		of := symmetric(d, rapid.IntRange(1, 6).Draw(t, "rank"))
		m, err := features.NewMetric(of)
		if err != nil {
			t.Fatal(err)
		}
		x := mat.NewVecDense(d, rapid.SliceOfN(rapid.Float64Range(-3, 3), d, d).Draw(t, "x"))
		var z mat.Dense
		m.MapTo(&z, x.T())
		got, want := mat.Norm(&z, 2), mat.Inner(x, of, x)
		got *= got
		more := 1e-6 * mat.Trace(of) / float64(d) * mat.Dot(x, x)
		// The root and products round relative to tr M |x|², which may be far above x'Mx.
		if diff := math.Abs(got - want - more); diff > 32*float64(d)*0x1p-52*mat.Trace(of)*mat.Dot(x, x)+1e-300 {
			t.Errorf("|R'x|² is %g, want %g", got, want+more)
		}
		if gap := mat.Norm(differenceOf(m.Matrix(), of), 1); gap > 2e-6*mat.Trace(of) {
			t.Errorf("M is off by %g", gap)
		}
	})
}

func differenceOf(a, b mat.Matrix) *mat.Dense {
	var d mat.Dense
	d.Sub(a, b)
	return &d
}

// TestMetricDirections of a metric made of two orthogonal ones with shares 3/4 and 1/4.
func TestMetricDirections(t *testing.T) {
	m := fixture.Must[*features.Metric](t)(features.NewMetric(mat.NewSymDense(2, []float64{2, -1, -1, 2})))
	shares, directions, err := m.Directions(5)
	if err != nil {
		t.Fatal(err)
	}
	root := math.Sqrt(.5)
	want := mat.NewDense(2, 2, []float64{root, -root, root, root})
	if math.Abs(shares[0]-.75) > 1e-5 || math.Abs(shares[1]-.25) > 1e-5 {
		t.Errorf("shares are %v", shares)
	}
	for i := range 2 { // up to sign, which is that of the first of two largest elements
		if math.Abs(math.Abs(mat.Dot(directions.RowView(i), want.RowView(i)))-1) > 1e-9 || directions.At(i, 0) < 0 && directions.At(i, 1) < 0 {
			t.Errorf("direction %d is %v", i, directions.RawRowView(i))
		}
	}
}

// TestGradients of Fourier features agree with central differences, whose error is h² = 1e-10 times third derivatives of some 1e2, and rounding of 1e-16/h.
func TestGradients(t *testing.T) {
	const n, d, outputs, h = 40, 4, 2, 1e-5
	x := fixture.NormalRows(n, d)
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(i % 3)
	}
	k := gaussian(t, 1.5)
	for _, m := range []*features.Fourier{
		fixture.Must[*features.Fourier](t)(features.NewOrthogonal(k, d, 20, 1, "phi")),
		fixture.Must[*features.Fourier](t)(features.NewStructured(k, d, 20, 1, "phi")),
	} {
		coef := fixture.NormalRows(20, outputs)
		got, want := mat.NewSymDense(d, nil), mat.NewDense(d, d, nil)
		if err := m.AddGradients(got, coef, x, w); err != nil {
			t.Fatal(err)
		}
		at := func(i, j int, by float64) *mat.Dense {
			moved := mat.NewDense(1, d, append([]float64(nil), x.RawRowView(i)...))
			moved.Set(0, j, moved.At(0, j)+by)
			var phi, f mat.Dense
			m.MapTo(&phi, moved)
			f.Mul(&phi, coef)
			return &f
		}
		for i := range n {
			gradients := mat.NewDense(outputs, d, nil)
			for j := range d {
				up, down := at(i, j, h), at(i, j, -h)
				for c := range outputs {
					gradients.Set(c, j, (up.At(0, c)-down.At(0, c))/(2*h))
				}
			}
			var products mat.Dense
			products.Mul(gradients.T(), gradients)
			products.Scale(w[i], &products)
			want.Add(want, &products)
		}
		if gap := mat.Norm(differenceOf(got, want), 1); gap > 1e-7*mat.Norm(want, 1) {
			t.Errorf("%s: products of gradients are off by %g of %g", m, gap, mat.Norm(want, 1))
		}
		if m.AddGradients(got, mat.NewDense(3, 1, nil), x, w) == nil || m.AddGradients(mat.NewSymDense(2, nil), coef, x, w) == nil {
			t.Error("another shape is no error")
		}
	}
}

// TestMetricsRefused: each wrong metric, and each wrong use of one.
func TestMetricsRefused(t *testing.T) {
	for _, diagonal := range [][]float64{{0, 0}, {1, -1}, {math.NaN()}, {math.Inf(1)}} {
		if _, err := features.NewDiagonalMetric(diagonal); err == nil {
			t.Errorf("%v is no error", diagonal)
		}
	}
	for _, of := range [][]float64{{0, 0, 0, 0}, {1, 2, 2, 1}, {1, 0, 0, math.NaN()}, {1, 0, 0, math.Inf(1)}} {
		if _, err := features.NewMetric(mat.NewSymDense(2, of)); err == nil {
			t.Errorf("%v is no error", of)
		}
	}
	two := fixture.Must[*features.Metric](t)(features.NewDiagonalMetric([]float64{1, 1}))
	x := fixture.NormalRows(9, 3)
	for _, s := range []features.Spec{
		{Kind: features.MetricFeatures, Metric: two, Size: 4},
		{Kind: features.MetricFeatures, Size: 5},
		{Kind: features.MetricFeatures, Kernel: "cosine"},
		{Kind: features.LinearFeatures, Metric: two},
		{Kind: features.LinearFeatures, Full: true},
	} {
		if _, _, err := s.Fit(x, 1, "phi"); err == nil {
			t.Errorf("%+v is no error", s)
		}
	}
	sparse := fixture.Must[features.Spec](t)(features.ParseSpec("metric:gaussian"))
	if _, _, err := sparse.Fit(encode.CSROf(x), 1, "phi"); err == nil {
		t.Error("sparse rows are no error")
	}
	for _, text := range []string{"metric", "metric:", "fullmetric", "metric:cosine"} {
		if _, err := features.ParseSpec(text); err == nil {
			t.Errorf("%q is no error", text)
		}
	}
}

// TestMetricOfNoTarget is the identity: the features are those of the kernel alone.
func TestMetricOfNoTarget(t *testing.T) {
	x := fixture.NormalRows(50, 3)
	var maps []*mat.Dense
	for _, s := range []features.Spec{{Size: 12}, {Kind: features.MetricFeatures, Size: 12}} {
		m, notes, err := s.Fit(x, 1, "phi")
		if err != nil || s.LearnsMetric() != (len(notes) == 1) {
			t.Fatal(err, notes)
		}
		maps = append(maps, mapped(m, x))
	}
	if !mat.Equal(maps[0], maps[1]) {
		t.Error("they differ")
	}
}

// TestMetricScalesTheKernel: products of features are the kernel of distances in the metric, with a standard error of at most 1/sqrt(D/2).
func TestMetricScalesTheKernel(t *testing.T) {
	x := fixture.NormalRows(12, 4)
	of := symmetric(4, 2)
	metric := fixture.Must[*features.Metric](t)(features.NewMetric(of))
	m, _, err := features.Spec{Kind: features.MetricFeatures, Metric: metric, Bandwidth: 2, Size: 20000}.Fit(x, 1, "phi")
	if err != nil {
		t.Fatal(err)
	}
	got := products(m, x)
	for i := range 12 {
		for j := range 12 {
			var gap mat.VecDense
			gap.SubVec(x.RowView(i), x.RowView(j))
			d2 := []float64{mat.Inner(&gap, of, &gap)}
			k := fixture.Must[kernels.Gaussian](t)(kernels.NewGaussian(2))
			k.FromSqDist(d2)
			if math.Abs(got.At(i, j)-d2[0]) > .035 { // 5 standard errors of at most sqrt(1/2/10,000)
				t.Errorf("k(%d, %d) is %g, want %g", i, j, got.At(i, j), d2[0])
			}
		}
	}
}

func BenchmarkGradients(b *testing.B) {
	x := fixture.NormalRows(10_000, 50)
	m := fixture.Must[*features.Fourier](b)(features.NewOrthogonal(gaussian(b, 5), 50, 512, 1, "phi"))
	coef := fixture.NormalRows(512, 1)
	for b.Loop() {
		if err := m.AddGradients(mat.NewSymDense(50, nil), coef, x, nil); err != nil {
			b.Fatal(err)
		}
	}
}
