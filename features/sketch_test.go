package features_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
	"mediant/kernels"
)

func countSketch(t testing.TB, in, size int, seed uint64) *features.CountSketch {
	t.Helper()
	return fixture.Must[*features.CountSketch](t)(features.NewCountSketch(in, size, seed, "phi"))
}

func tensorSketch(t testing.TB, in, degree, size int, seed uint64) *features.TensorSketch {
	t.Helper()
	return fixture.Must[*features.TensorSketch](t)(features.NewTensorSketch(in, degree, size, seed, "phi"))
}

func TestCountSketch(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {40, 7}, {7, 40}} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			featurestest.Run(t, countSketch(t, shape[0], shape[1], 3), fixture.NormalRows(200, shape[0]))
		})
	}
}

func TestTensorSketch(t *testing.T) {
	for _, c := range [][3]int{{5, 1, 16}, {5, 2, 64}, {4, 3, 45}, {1, 5, 7}, {3, 2, 1}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			featurestest.Run(t, tensorSketch(t, c[0], c[1], c[2], 3), fixture.NormalRows(200, c[0]))
		})
	}
}

// read makes the map of a header and buckets.
func read(t *testing.T, header string, buckets ...float64) features.Map {
	t.Helper()
	m, err := features.Unmarshal(json.RawMessage(header), buckets)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCountSketchByHand(t *testing.T) {
	m := read(t, `{"kind":"count sketch","in":4,"out":3,"arrays":[{"name":"buckets","rows":1,"cols":4}]}`, 1, -3, -1, 3)
	got := mapped(m, mat.NewDense(1, 4, []float64{1, 10, 100, 1000})).RawRowView(0)
	if want := []float64{1 - 100, 0, 1000 - 10}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestTensorSketchByHand: (x, 1) = (2, 1) goes to 2 in bucket 0 and -1 in bucket 1, then to -2 in bucket 2 and 1 in
// bucket 0. The products go to 0+2, 0+0, 1+2 = 0 and 1+0 modulo 3.
func TestTensorSketchByHand(t *testing.T) {
	m := read(t, `{"kind":"tensor sketch","in":1,"out":3,"degree":2,"arrays":[{"name":"buckets","rows":2,"cols":2}]}`, 1, -2, -3, 1)
	got := mapped(m, mat.NewDense(1, 1, []float64{2})).RawRowView(0)
	if want := []float64{2*1 + -1*-2, -1 * 1, 2 * -2}; floats.Distance(got, want, math.Inf(1)) > 1e-14 {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestTensorSketchIsItsDefinition: the count sketch of the tensor power, term by term.
func TestTensorSketchIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in, degree, size := rapid.IntRange(1, 4).Draw(rt, "in"), rapid.IntRange(1, 4).Draw(rt, "degree"), rapid.IntRange(1, 20).Draw(rt, "size")
		m, err := features.NewTensorSketch(in, degree, size, rapid.Uint64().Draw(rt, "seed"), "phi")
		if err != nil {
			rt.Fatal(err)
		}
		_, buckets := must2(features.Marshal(m))
		x := append(rapid.SliceOfN(rapid.Float64Range(-3, 3), in, in).Draw(rt, "x"), 1)
		want, total := make([]float64, size), 0.0
		var add func(factor, bucket int, product float64)
		add = func(factor, bucket int, product float64) {
			if factor == degree {
				want[bucket%size] += product
				total += math.Abs(product)
				return
			}
			for j, v := range x {
				b := buckets[factor*(in+1)+j]
				add(factor+1, bucket+int(math.Abs(b))-1, product*v*math.Copysign(1, b))
			}
		}
		add(0, 0, 1)
		got := mapped(m, mat.NewDense(1, in, x[:in])).RawRowView(0)
		// An element of a transform, and of its inverse, is a sum of at most 20 terms of a size of at most the sum of all; three
		// factors of rounding each in size and degree are room enough for twiddles.
		if d, tolerance := floats.Distance(got, want, math.Inf(1)), 3*20*float64(degree+1)*0x1p-52*total; d > tolerance {
			rt.Errorf("off by %g, tolerance %g", d, tolerance)
		}
	})
}

// sketchRows are two rows of 12 columns.
func sketchRows() (x, y []float64) {
	rows := fixture.NormalRows(2, 12)
	return rows.RawRowView(0), rows.RawRowView(1)
}

// sketched draws maps and returns their products phi(x)'phi(y).
func sketched(t *testing.T, x, y []float64, draw func(seed uint64) (features.Map, error)) []float64 {
	t.Helper()
	rows := mat.NewDense(2, len(x), slices.Concat(x, y))
	values := make([]float64, draws)
	for i := range values {
		m, err := draw(uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		values[i] = products(m, rows).At(0, 1)
	}
	return values
}

// TestCountSketchMoments: unbiased for x'y, with the variance of its comment: columns of a run of D do not meet, others
// with probability 1/D. With as many buckets as columns it is exact.
func TestCountSketchMoments(t *testing.T) {
	t.Parallel()
	x, y := sketchRows()
	for _, size := range []int{1, 5, 8} {
		values := sketched(t, x, y, func(seed uint64) (features.Map, error) {
			return features.NewCountSketch(len(x), size, seed, "phi")
		})
		checkMean(t, values, floats.Dot(x, y))
		var want float64
		for i := range x {
			for j := range x {
				if i/size != j/size {
					want += (x[i]*x[i]*y[j]*y[j] + x[i]*y[i]*x[j]*y[j]) / float64(size)
				}
			}
		}
		checkVariance(t, values, want)
	}
	exact := mapped(countSketch(t, 12, 12, 1), mat.NewDense(2, 12, slices.Concat(x, y)))
	// 12 products, the same ones in another order.
	if got, want := mat.Dot(exact.RowView(0), exact.RowView(1)), floats.Dot(x, y); math.Abs(got-want) > 24*0x1p-52*floats.Norm(x, 2)*floats.Norm(y, 2) {
		t.Errorf("12 buckets of 12 columns: %g, want %g", got, want)
	}
}

// TestTensorSketchMoments: unbiased for (x'y + 1)^degree, with at most the variance of independent buckets.
func TestTensorSketchMoments(t *testing.T) {
	x, y := sketchRows()
	x, y = x[:4], y[:4]
	for degree := 1; degree <= 3; degree++ {
		t.Run(fmt.Sprint(degree), func(t *testing.T) {
			t.Parallel()
			size := 32
			if degree == 1 {
				size = 3 // of 5 columns, so that some meet
			}
			values := sketched(t, x, y, func(seed uint64) (features.Map, error) {
				return features.NewTensorSketch(len(x), degree, size, seed, "phi")
			})
			want := math.Pow(floats.Dot(x, y)+1, float64(degree))
			checkMean(t, values, want)
			lengths := (floats.Dot(x, x) + 1) * (floats.Dot(y, y) + 1)
			var square float64
			for _, v := range values {
				square += (v - want) * (v - want) / draws
			}
			if most := (2 + math.Pow(3, float64(degree))) / float64(size) * math.Pow(lengths, float64(degree)); square > most {
				t.Errorf("variance %g, at most %g", square, most)
			}
		})
	}
}

// TestSketchBuckets: each run of as many columns as there are buckets has all of them, and signs are even: of 4,000
// no count may be off by 5 standard errors.
func TestSketchBuckets(t *testing.T) {
	const in, size = 4000, 50
	_, buckets := must2(features.Marshal(countSketch(t, in, size, 1)))
	positive := 0
	for lo := 0; lo < in; lo += size {
		seen := map[float64]bool{}
		for _, b := range buckets[lo : lo+size] {
			seen[math.Abs(b)] = true
			if b > 0 {
				positive++
			}
		}
		if len(seen) != size {
			t.Fatalf("%d of %d buckets in a run", len(seen), size)
		}
	}
	if off := math.Abs(float64(positive) - in/2); off > 5*math.Sqrt(in/4) {
		t.Errorf("%d of %d signs are positive", positive, in)
	}
	seen := map[string]bool{}
	for _, seed := range []uint64{1, 2} {
		for _, purpose := range []string{"phi", "psi"} {
			seen[fixture.Must[*features.CountSketch](t)(features.NewCountSketch(20, 20, seed, purpose)).ID().String()] = true
			seen[fixture.Must[*features.TensorSketch](t)(features.NewTensorSketch(20, 2, 20, seed, purpose)).ID().String()] = true
		}
	}
	if len(seen) != 8 {
		t.Errorf("2 seeds and 2 purposes give %d maps of two kinds", len(seen))
	}
}

func TestSketchesRefuse(t *testing.T) {
	for _, size := range []int{-1, 0, 1<<20 + 1} {
		if _, err := features.NewCountSketch(2, size, 1, "phi"); err == nil || !strings.Contains(err.Error(), fmt.Sprint(size)) {
			t.Errorf("size %d: error %v", size, err)
		}
		if _, err := features.NewTensorSketch(2, 2, size, 1, "phi"); err == nil || !strings.Contains(err.Error(), fmt.Sprint(size)) {
			t.Errorf("size %d: error %v", size, err)
		}
	}
	for _, degree := range []int{-1, 0, 65} {
		if _, err := features.NewTensorSketch(2, degree, 4, 1, "phi"); err == nil || !strings.Contains(err.Error(), "degree") {
			t.Errorf("degree %d: error %v", degree, err)
		}
	}
	fixture.MustPanic(t, func() { features.NewCountSketch(0, 4, 1, "phi") })
	fixture.MustPanic(t, func() { features.NewTensorSketch(0, 2, 4, 1, "phi") })
}

// TestSketchesReadRefuses what no sketch has written.
func TestSketchesReadRefuses(t *testing.T) {
	count := `{"kind":"count sketch","in":2,"out":3,"arrays":[{"name":"buckets","rows":1,"cols":2}]}`
	for _, c := range []struct {
		header, want string
		buckets      []float64
	}{
		{count, "bucket 0", []float64{1, 0}},
		{count, "bucket 4", []float64{1, 4}},
		{count, "bucket -4", []float64{1, -4}},
		{count, "bucket 1.5", []float64{1, 1.5}},
		{`{"kind":"count sketch","in":2,"out":3}`, "0 arrays", nil},
		{`{"kind":"count sketch","in":2,"out":2000000,"arrays":[{"name":"buckets","rows":1,"cols":2}]}`, "size 2000000", []float64{1, 1}},
		{`{"kind":"tensor sketch","in":1,"out":3,"arrays":[{"name":"buckets","rows":1,"cols":2}]}`, "degree", []float64{1, 1}},
		{`{"kind":"tensor sketch","in":1,"out":3,"degree":2,"arrays":[{"name":"buckets","rows":1,"cols":2}]}`, "want \"buckets\", 2×2", []float64{1, 1}},
	} {
		if _, err := features.Unmarshal(json.RawMessage(c.header), c.buckets); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %v: error %v, want one with %q", c.header, c.buckets, err, c.want)
		}
	}
}

func ExampleNewTensorSketch() {
	m, err := features.NewTensorSketch(100, 3, 4096, 1, "phi")
	if err != nil {
		panic(err)
	}
	x := mat.NewDense(2, 100, nil)
	x.Set(0, 7, 1)
	x.Set(1, 7, 1)
	x.Set(1, 50, 1)
	var phi mat.Dense
	m.MapTo(&phi, x)
	k, err := kernels.NewPolynomial(3)
	if err != nil {
		panic(err)
	}
	var want mat.Dense
	k.GramTo(&want, x, x)
	fmt.Printf("kernel %.0f, sketch %.0f\n", want.At(0, 1), mat.Dot(phi.RowView(0), phi.RowView(1)))
	// Output: kernel 8, sketch 8
}

func BenchmarkSketches(b *testing.B) {
	x, phi := fixture.NormalRows(1024, 100), new(mat.Dense)
	for name, m := range map[string]features.Map{"count/512": countSketch(b, 100, 512, 1), "tensor/3/512": tensorSketch(b, 100, 3, 512, 1)} {
		phi.Reset()
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m.MapTo(phi, x)
			}
		})
	}
}
