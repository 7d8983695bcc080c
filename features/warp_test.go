package features_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/encode"
	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
)

func ExampleNewWarp() {
	m, _ := features.NewWarp([][]float64{{0, 2}}, [][]float64{{1, .5}}) // one column with two thresholds
	var z mat.Dense
	m.MapTo(&z, mat.NewDense(4, 1, []float64{-3, 0, 1, 7}))
	fmt.Println(z.RawMatrix().Data)
	// Output: [0 0 1 1.5]
}

func warp(t testing.TB, thresholds, weights [][]float64) *features.Warp {
	return fixture.Must[*features.Warp](t)(features.NewWarp(thresholds, weights))
}

func TestWarpsAreMaps(t *testing.T) {
	x := fixture.NormalRows(90, 3)
	featurestest.Run(t, warp(t, [][]float64{{-1, 0, 1}, nil, {.5}}, [][]float64{{1, 0, 2}, nil, {3}}), x)
	s := fixture.Must[features.Spec](t)(features.ParseSpec("warped:laplacian"))
	s.Size = 20
	m, _, err := s.Fit(x, 1, "phi")
	if err != nil {
		t.Fatal(err)
	}
	featurestest.Run(t, m, x)
	if of := features.WarpOf(m); of == nil || of.ID() != fixture.Must[*features.Warp](t)(features.QuantileWarp(x)).ID() {
		t.Errorf("the warp is %v, want that of quantiles", of)
	}
	if features.WarpOf(features.NewLinear(3)) != nil {
		t.Error("linear features have a warp")
	}
}

// TestWarpDistances: the L1 distance of two rows is the weight of the thresholds between them.
func TestWarpDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 3).Draw(t, "columns")
		thresholds, weights := make([][]float64, d), make([][]float64, d)
		number := rapid.Float64Range(-2, 2)
		for j := range d {
			at := -3.
			for range rapid.IntRange(1, 5).Draw(t, "thresholds") {
				at += rapid.Float64Range(.1, 2).Draw(t, "step")
				thresholds[j], weights[j] = append(thresholds[j], at), append(weights[j], rapid.Float64Range(.1, 3).Draw(t, "weight"))
			}
		}
		x := mat.NewDense(2, d, rapid.SliceOfN(number, 2*d, 2*d).Draw(t, "rows"))
		want := 0.
		for j := range d {
			for b, at := range thresholds[j] {
				if (x.At(0, j) > at) != (x.At(1, j) > at) {
					want += weights[j][b]
				}
			}
		}
		m, err := features.NewWarp(thresholds, weights)
		if err != nil {
			t.Fatal(err)
		}
		var z mat.Dense
		m.MapTo(&z, x)
		got := 0.
		for j := range d {
			got += math.Abs(z.At(0, j) - z.At(1, j))
		}
		if math.Abs(got-want) > 1e-13*45 { // of sums of at most 15 weights of at most 3
			t.Errorf("distance %g, want %g", got, want)
		}
	})
}

func TestNewWarpRefuses(t *testing.T) {
	for want, c := range map[string][2][][]float64{
		"ascend":          {{{1, 1}}, {{1, 1}}},
		"finite ones":     {{{math.Inf(1)}}, {{1}}},
		"at least 0":      {{{1}}, {{-1}}},
		"weight 1":        {{{1, 2}}, {{1, math.NaN()}}},
		"positive number": {{{1}}, {{0}}},
		"add up to +Inf":  {{{1, 2}}, {{math.MaxFloat64, math.MaxFloat64}}},
	} {
		if _, err := features.NewWarp(c[0], c[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one with %q", c, err, want)
		}
	}
	fixture.MustPanic(t, func() { features.NewWarp(nil, nil) })
	fixture.MustPanic(t, func() { features.NewWarp([][]float64{{1}}, nil) })
	fixture.MustPanic(t, func() { features.NewWarp([][]float64{{1}}, [][]float64{{1, 2}}) })
}

// TestQuantileWarp: rows move to their quantiles, ties together, and constant columns not at all.
func TestQuantileWarp(t *testing.T) {
	x := mat.NewDense(4, 3, []float64{
		1, 5, 0,
		2, 5, 0,
		2, 5, 1,
		9, 5, 0,
	})
	m := fixture.Must[*features.Warp](t)(features.QuantileWarp(x))
	// Middles of the shares of equal values: 1/8, 1/2, 7/8; 3/8, 7/8.
	want := mat.NewDense(4, 3, []float64{
		0, 0, 0,
		.375, 0, 0,
		.375, 0, .5,
		.75, 0, 0,
	})
	if got := mapped(m, x); !mat.Equal(got, want) {
		t.Errorf("got %v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
	if _, err := features.QuantileWarp(mat.NewDense(3, 1, []float64{2, 2, 2})); err == nil {
		t.Error("a constant column was warped")
	}
	// Neighbours and the largest numbers have a threshold that parts them.
	edge := mat.NewDense(4, 1, []float64{math.Nextafter(1, 0), 1, -math.MaxFloat64, math.MaxFloat64})
	far := mapped(fixture.Must[*features.Warp](t)(features.QuantileWarp(edge)), edge)
	if far.At(2, 0) >= far.At(0, 0) || far.At(0, 0) >= far.At(1, 0) || far.At(1, 0) >= far.At(3, 0) {
		t.Errorf("got %v, want four different values in order", far.RawMatrix().Data)
	}
}

// stepped is a function of steps at 0 in the first column and at 1/2 in the third, without noise.
func stepped(n int) (x, y *mat.Dense) {
	x, y = fixture.NormalRows(n, 4), mat.NewDense(n, 1, nil)
	for i := range n {
		if x.At(i, 0) > 0 {
			y.Set(i, 0, 2)
		}
		if x.At(i, 2) > .5 {
			y.Set(i, 0, y.At(i, 0)+1)
		}
	}
	return x, y
}

// TestLearnWarpFindsSteps: rows on the two sides of a step are far from each other, rows on one side are near. Without noise a tree splits nowhere else but where a split leaves
// the step within a gap between bins.
func TestLearnWarpFindsSteps(t *testing.T) {
	x, y := stepped(500)
	m := fixture.Must[*features.Warp](t)(features.LearnWarp(x, y, nil, nil, 1, "phi"))
	at := mapped(m, mat.NewDense(4, 4, []float64{
		-.2, 0, 0, 0,
		.2, 0, 0, 0,
		.2, 0, .3, 0,
		.2, 0, .7, 0,
	}))
	first, within, second := at.At(1, 0)-at.At(0, 0), at.At(2, 2)-at.At(1, 2), at.At(3, 2)-at.At(2, 2)
	if first < 5*within || second < 2*within || first < second {
		t.Errorf("steps of 2 and 1 are %g and %g wide, and a part without step %g", first, second, within)
	}
	shares := m.Shares()
	if even := shares[1] + shares[3]; even > .15 { // 2 × .15/4 for columns without effect, and more for chance
		t.Errorf("shares %v, want those of columns 1 and 3 to be small", shares)
	}
	if _, err := features.LearnWarp(mat.NewDense(3, 1, []float64{2, 2, 2}), mat.NewDense(3, 1, nil), nil, nil, 1, "phi"); err == nil {
		t.Error("a constant column was warped")
	}
	fixture.MustPanic(t, func() { features.LearnWarp(x, y, []float64{1}, nil, 1, "phi") })
}

// TestLearnWarpOfConstant: where there is nothing to learn the quantiles are left.
func TestLearnWarpOfConstant(t *testing.T) {
	x := fixture.NormalRows(50, 2)
	y := mat.NewDense(50, 1, nil)
	learned := fixture.Must[*features.Warp](t)(features.LearnWarp(x, y, nil, nil, 1, "phi"))
	if even := fixture.Must[*features.Warp](t)(features.QuantileWarp(x)); learned.ID() != even.ID() {
		t.Error("a constant target moves columns otherwise than to their quantiles")
	}
}

// TestLearnWarpOfOutputs: two equal outputs of half the scale are one, and an output of scale 0 is none.
func TestLearnWarpOfOutputs(t *testing.T) {
	x, y := stepped(300)
	alone := fixture.Must[*features.Warp](t)(features.LearnWarp(x, y, nil, nil, 1, "phi"))
	both := mat.NewDense(300, 2, nil)
	for i := range 300 {
		both.SetRow(i, []float64{y.At(i, 0), math.Sin(float64(i))})
	}
	with := fixture.Must[*features.Warp](t)(features.LearnWarp(x, both, nil, []float64{4, 0}, 1, "phi"))
	// Signs are drawn, so that trees are others: the shares are means over 64 trees, whose standard deviations are below 0.1.
	for j, share := range with.Shares() {
		if math.Abs(share-alone.Shares()[j]) > .05 {
			t.Errorf("shares %v with an output of scale 0, %v without", with.Shares(), alone.Shares())
		}
	}
}

// TestLearnWarpWeights: rows of weight 0 do not count.
func TestLearnWarpWeights(t *testing.T) {
	x, y := stepped(400)
	w := make([]float64, 400)
	for i := range w {
		if i%2 == 0 {
			w[i] = 1
		} else {
			y.Set(i, 0, 100*math.Sin(float64(i)))
		}
	}
	shares := fixture.Must[*features.Warp](t)(features.LearnWarp(x, y, w, nil, 1, "phi")).Shares()
	if shares[1]+shares[3] > .25 {
		t.Errorf("shares %v, want those of columns 1 and 3 to be small", shares)
	}
}

func TestLearnWarpThreads(t *testing.T) {
	x, y := stepped(300)
	want := fixture.Must[*features.Warp](t)(features.LearnWarp(x, y, nil, nil, 1, "phi")).ID()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, threads := range []int{1, 3} {
		runtime.GOMAXPROCS(threads)
		if got := fixture.Must[*features.Warp](t)(features.LearnWarp(x, y, nil, nil, 1, "phi")).ID(); got != want {
			t.Errorf("another map with %d threads", threads)
		}
	}
}

func TestWarpedRefuses(t *testing.T) {
	s := features.Spec{Kind: features.WarpedFeatures, Kernel: "laplacian", Warp: warp(t, [][]float64{{0}}, [][]float64{{1}})}
	if _, _, err := s.Fit(fixture.NormalRows(9, 2), 1, "phi"); err == nil || !strings.Contains(err.Error(), "1 columns, want 2") {
		t.Errorf("a warp of another width: error %v", err)
	}
	if err := (features.Spec{Warp: s.Warp}).Validate(); err == nil {
		t.Error("a warp with Gaussian features was not refused")
	}
	s.Size = 2
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "at least 3") {
		t.Errorf("two features: error %v", err)
	}
	s = features.Spec{Kind: features.WarpedFeatures, Kernel: "laplacian"}
	if _, _, err := s.Fit(encode.CSROf(fixture.NormalRows(9, 2)), 1, "phi"); err == nil || !strings.Contains(err.Error(), "sparse") {
		t.Errorf("sparse rows: error %v", err)
	}
}

// TestWarpedIsASum: products of features are those of the kernel of the quantiles and those of the Gaussian kernel, at rows that are landmarks.
func TestWarpedIsASum(t *testing.T) {
	x := fixture.NormalRows(40, 2)
	s := features.Spec{Kind: features.WarpedFeatures, Kernel: "laplacian", Bandwidth: .7, Size: 80}
	m, _, err := s.Fit(x, 1, "phi")
	if err != nil {
		t.Fatal(err)
	}
	smooth, _, err := (features.Spec{Size: 40}).Fit(x, 1, "phi")
	if err != nil {
		t.Fatal(err)
	}
	even := fixture.Must[*features.Warp](t)(features.QuantileWarp(x))
	var want, got, gaussian mat.Dense
	want.ReuseAs(40, 40)
	q := mapped(even, x)
	byName(t, "laplacian", .7).GramTo(&want, q, q)
	gaussian.Mul(mapped(smooth, x), mapped(smooth, x).T())
	want.Add(&want, &gaussian)
	got.Mul(mapped(m, x), mapped(m, x).T())
	// Landmarks whose residual is at most 8 m eps are left out.
	if d := fixture.Distance(&got, &want); d > 1e-7 {
		t.Errorf("products are off by %g", d)
	}
}

func BenchmarkLearnWarp(b *testing.B) {
	x, y := stepped(2000)
	for b.Loop() {
		if _, err := features.LearnWarp(x, y, nil, nil, 1, "phi"); err != nil {
			b.Fatal(err)
		}
	}
}
