package features_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/asm"
	"mediant/internal/fixture"
	"mediant/kernels"
)

func TestFourier(t *testing.T) {
	x := fixture.NormalRows(300, 5)
	for _, name := range spectral {
		t.Run(name, func(t *testing.T) {
			m := fixture.Must[*features.Fourier](t)(features.NewFourier(byName(t, name, 1.5), 5, 34, 7, "phi"))
			featurestest.Run(t, m, x)
			if m.Kernel() != kernels.Kernel(byName(t, name, 1.5)) {
				t.Errorf("the kernel is %v", m.Kernel())
			}
		})
	}
	t.Run("orthogonal", func(t *testing.T) {
		m := fixture.Must[*features.Fourier](t)(features.NewOrthogonal(gaussian(t, 1.5), 5, 34, 7, "phi"))
		featurestest.Run(t, m, x)
	})
}

func TestStructured(t *testing.T) {
	for _, shape := range [][2]int{{1, 2}, {5, 34}, {64, 128}, {70, 300}, {200, 20}} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			m := fixture.Must[*features.Fourier](t)(features.NewStructured(gaussian(t, 1.5), shape[0], shape[1], 7, "phi"))
			featurestest.Run(t, m, fixture.NormalRows(300, shape[0]))
		})
	}
}

// TestStructuredIsTheSameAtEveryLevel of the processor, to the last bit.
func TestStructuredIsTheSameAtEveryLevel(t *testing.T) {
	defer asm.SetLevel(asm.Current())
	m := fixture.Must[*features.Fourier](t)(features.NewStructured(gaussian(t, 10), 100, 600, 7, "phi"))
	x := fixture.NormalRows(40, 100)
	want := mapped(m, x)
	for _, l := range asm.Levels() {
		asm.SetLevel(l)
		if d := fixture.Distance(mapped(m, x), want); d != 0 {
			t.Errorf("%v: off by %g", l, d)
		}
	}
}

// TestStructuredIsSmall: four numbers for each frequency, not one for each column.
func TestStructuredIsSmall(t *testing.T) {
	m := fixture.Must[*features.Fourier](t)(features.NewStructured(gaussian(t, 20), 784, 4096, 1, "phi"))
	if _, weights := must2(features.Marshal(m)); len(weights) != 4*2048 {
		t.Errorf("%d weights for 2048 frequencies", len(weights))
	}
}

// TestFourierDigits has the numbers of scikit-learn pull request 3656, whose weights had been drawn
// with the wrong variance: exp(-2 d²) at four points, by 20,000 features. The standard error of a
// cosine's mean over 10,000 frequencies is at most 0.01 and so 0.035 is beyond 3.5 of them; the
// wrong distribution is 0.23 off at d = 1.
func TestFourierDigits(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{0, 0.25, 0.5, 1})
	want := mat.NewDense(4, 4, []float64{
		1, 0.8824969025845955, 0.6065306597126334, 0.1353352832366127,
		0.8824969025845955, 1, 0.8824969025845955, 0.32465246735834974,
		0.6065306597126334, 0.8824969025845955, 1, 0.6065306597126334,
		0.1353352832366127, 0.32465246735834974, 0.6065306597126334, 1,
	})
	for seed := range uint64(5) {
		m := fixture.Must[*features.Fourier](t)(features.NewFourier(gaussian(t, 0.5), 1, 20000, seed, "phi"))
		if d := fixture.Distance(products(m, x), want); d > 0.035 {
			t.Errorf("seed %d: off by %g, want at most 0.035", seed, d)
		}
	}
}

// TestFourierDiagonal: a cosine and a sine of the same phase give exactly the norm 1.
func TestFourierDiagonal(t *testing.T) {
	x := fixture.NormalRows(50, 3)
	k := products(fixture.Must[*features.Fourier](t)(features.NewFourier(byName(t, "matern12", 1), 3, 100, 1, "phi")), x)
	for i := range 50 {
		// 100 squares of at most 1/50 with a rounding each.
		if d := math.Abs(k.At(i, i) - 1); d > 100*0x1p-52 {
			t.Errorf("phi(x)'phi(x) - 1 is %g", d)
		}
	}
}

// TestFourierGrows: more features extend fewer, so that size can be raised without starting anew.
func TestFourierGrows(t *testing.T) {
	const in = 4
	x := fixture.NormalRows(20, in)
	for distribution, make := range map[string]func(size int) (*features.Fourier, error){
		"independent": func(size int) (*features.Fourier, error) {
			return features.NewFourier(gaussian(t, 1), in, size, 3, "phi")
		},
		"orthogonal": func(size int) (*features.Fourier, error) {
			return features.NewOrthogonal(byName(t, "matern32", 1).(features.SpectralRadial), in, size, 3, "phi")
		},
		"structured": func(size int) (*features.Fourier, error) {
			return features.NewStructured(byName(t, "matern32", 1).(features.SpectralRadial), in, size, 3, "phi")
		},
	} {
		for _, few := range []int{2, 12, 140} {
			const many = 300
			small := mapped(fixture.Must[*features.Fourier](t)(make(few)), x)
			large := mapped(fixture.Must[*features.Fourier](t)(make(many)), x)
			small.Scale(math.Sqrt(float64(few)/many), small)
			if d := fixture.Distance(small.Slice(0, 20, 0, few/2), large.Slice(0, 20, 0, few/2)); d > 1e-14 {
				t.Errorf("%s: the cosines of %d features differ from the first of %d by %g", distribution, few, many, d)
			}
		}
	}
}

func TestFourierStreams(t *testing.T) {
	id := func(seed uint64, purpose string) string {
		return fixture.Must[*features.Fourier](t)(features.NewFourier(gaussian(t, 1), 2, 4, seed, purpose)).ID().String()
	}
	seen := map[string]bool{}
	for _, seed := range []uint64{0, 1} {
		for _, purpose := range []string{"phi", "psi"} {
			seen[id(seed, purpose)] = true
		}
	}
	if len(seen) != 4 {
		t.Errorf("2 seeds and 2 purposes give %d maps", len(seen))
	}
	if a, again := id(1, "phi"), id(1, "phi"); a != again {
		t.Error("a seed does not fix the map")
	}
}

func TestFourierRefuses(t *testing.T) {
	for _, size := range []int{-2, 0, 1, 7} {
		if _, err := features.NewFourier(gaussian(t, 1), 2, size, 0, "phi"); err == nil || !strings.Contains(err.Error(), "even") {
			t.Errorf("size %d: error %v", size, err)
		}
	}
	if _, err := features.NewFourier(kernels.Gaussian{}, 2, 2, 0, "phi"); err == nil {
		t.Error("a kernel without a bandwidth was not refused")
	}
	fixture.MustPanic(t, func() { features.NewFourier(gaussian(t, 1), 0, 2, 0, "phi") })
	fixture.MustPanic(t, func() { features.NewStructured(gaussian(t, 1), 0, 2, 0, "phi") })
	if _, err := features.NewStructured(gaussian(t, 1), 2, 3, 0, "phi"); err == nil || !strings.Contains(err.Error(), "even") {
		t.Errorf("3 structured features: error %v", err)
	}
}

// TestMapToAllocates: a call makes some closures, and nothing for each row or block.
func TestMapToAllocates(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector lets sync.Pool forget")
	}
	const n, in = 2000, 6
	x := fixture.NormalRows(n, in)
	rows := map[string]mat.Matrix{"dense": x, "sparse": encode.CSROf(x)}
	fourier := fixture.Must[*features.Fourier](t)(features.NewFourier(gaussian(t, 1), in, 20, 1, "phi"))
	fast := fixture.Must[*features.Fourier](t)(features.NewStructured(gaussian(t, 1), in, 20, 1, "phi"))
	poly := fixture.Must[*features.Polynomial](t)(features.NewPolynomial(in, 2))
	for _, m := range []features.Map{fourier, fast, additive(t, in, 20), poly, features.NewLinear(in)} {
		for kind, x := range rows {
			phi := mapped(m, x)
			perBlock := 0.0
			if kind == "sparse" {
				perBlock = 3 // closures for the nonzeros
			}
			if got, most := testing.AllocsPerRun(5, func() { m.MapTo(phi, x) }), 4+perBlock*(n/128+1); got > most {
				t.Errorf("%T, %s: %g allocations, want at most %g", m, kind, got, most)
			}
		}
	}
}

func BenchmarkFourierMapTo(b *testing.B) {
	for _, in := range []int{10, 200} {
		m := fixture.Must[*features.Fourier](b)(features.NewFourier(gaussian(b, 1), in, 512, 1, "phi"))
		x, phi := fixture.NormalRows(1024, in), new(mat.Dense)
		rows := map[string]mat.Matrix{"dense": x, "sparse": encode.CSROf(x)}
		for kind, x := range rows {
			b.Run(fmt.Sprintf("%s/%d", kind, in), func(b *testing.B) {
				for b.Loop() {
					m.MapTo(phi, x)
				}
			})
		}
	}
}

// TestCombineIsAsExactAsFeatures: it keeps to the bound of its comment beside the combination of features, for which the
// frequencies are read from the map's weights.
func TestCombineIsAsExactAsFeatures(t *testing.T) {
	const n, in, count = 50, 6, 40
	for _, scale := range []float64{1, 1e5} {
		x := fixture.NormalRows(n, in)
		x.Scale(scale, x)
		m := fixture.Must[*features.Fourier](t)(features.NewFourier(gaussian(t, 1.5), in, 2*count, 7, "phi"))
		_, weights := must2(features.Marshal(m))
		var phases, phi, want, got mat.Dense
		phases.Mul(x, mat.NewDense(in, count, weights))
		coef := make([]float64, 2*count)
		for j := range coef {
			coef[j] = math.Sin(float64(j * j))
		}
		coef[3], coef[count+3], coef[4], coef[count+5] = 0, 0, 0, 0 // no amplitude, a sine alone, a cosine alone
		m.MapTo(&phi, x)
		want.Mul(&phi, mat.NewDense(2*count, 1, coef))
		got.ReuseAs(n, 1)
		m.Combine(coef).CombineTo(&got, x)
		for i := range n {
			tolerance := 0.
			for j := range count {
				amplitude := math.Hypot(coef[j], coef[count+j]) / math.Sqrt(count)
				// A partial sum of features is at most sqrt(2) times the sum of amplitudes.
				tolerance += amplitude * 0x1p-52 * (math.Abs(phases.At(i, j)) + 14 + math.Sqrt2*2*count)
			}
			if d := math.Abs(got.At(i, 0) - want.At(i, 0)); !(d <= tolerance) {
				t.Errorf("rows of size %g: row %d is %g off, tolerance %g", scale, i, d, tolerance)
			}
		}
	}
}

// TestCombineIsTheSameAtEveryLevel of the processor, to the last bit.
func TestCombineIsTheSameAtEveryLevel(t *testing.T) {
	defer asm.SetLevel(asm.Current())
	m := fixture.Must[*features.Fourier](t)(features.NewOrthogonal(gaussian(t, 3), 10, 130, 7, "phi"))
	coef := make([]float64, 130)
	for j := range coef {
		coef[j] = math.Cos(float64(j * j))
	}
	sum, x := m.Combine(coef), fixture.NormalRows(40, 10)
	want, got := mat.NewDense(40, 1, nil), mat.NewDense(40, 1, nil)
	sum.CombineTo(want, x)
	for _, l := range asm.Levels() {
		asm.SetLevel(l)
		sum.CombineTo(got, x)
		if d := fixture.Distance(got, want); d != 0 {
			t.Errorf("%v: off by %g", l, d)
		}
	}
}

func ExampleFourier_Combine() {
	k, err := kernels.NewGaussian(1)
	if err != nil {
		panic(err)
	}
	m, err := features.NewFourier(k, 1, 4, 1, "phi")
	if err != nil {
		panic(err)
	}
	x, coef := mat.NewDense(2, 1, []float64{0.5, -2}), []float64{1, -1, 2, 0}
	var phi, slow mat.Dense
	m.MapTo(&phi, x)
	slow.Mul(&phi, mat.NewDense(4, 1, coef))
	fast := mat.NewDense(2, 1, nil)
	m.Combine(coef).CombineTo(fast, x)
	fmt.Println(mat.EqualApprox(fast, &slow, 1e-14))
	// Output: true
}
