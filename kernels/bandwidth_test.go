package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/kernels"
	"mediant/kernels/kerneltest"
)

func source() rand.Source { return rand.NewPCG(1, 2) }

// slowMedian is the median of the distances of all pairs, by definition.
func slowMedian(x *mat.Dense, dist func(a, b []float64) float64) float64 {
	n, _ := x.Dims()
	var all, unequal []float64
	for i := range n {
		for j := range i {
			d := dist(x.RawRowView(i), x.RawRowView(j))
			all = append(all, d)
			if d > 0 {
				unequal = append(unequal, d)
			}
		}
	}
	if len(unequal) == 0 {
		return 1
	}
	if m := medianOf(all); m > 0 {
		return m
	}
	return medianOf(unequal)
}

func medianOf(v []float64) float64 {
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func euclidean(a, b []float64) float64 { return math.Sqrt(slowSqDist(a, b)) }

func manhattan(a, b []float64) float64 {
	var sum float64
	for k := range a {
		sum += math.Abs(a[k] - b[k])
	}
	return sum
}

func TestMediansByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 4).Draw(t, "columns")
		x := drawMatrix(t, d, rapid.SampledFrom([]float64{0, 5}).Draw(t, "offset"), "x")
		n, _ := x.Dims()
		perColumn, _ := kernels.MedianPerColumn(x, nil)
		for _, rows := range []mat.Matrix{x, kerneltest.Sparse(x)} {
			got, _ := kernels.Median(rows, nil)
			close(t, "Median", got, slowMedian(x, euclidean))
			got, _ = kernels.MedianL1(rows, nil)
			close(t, "MedianL1", got, slowMedian(x, manhattan))
			sparse, _ := kernels.MedianPerColumn(rows, nil)
			if !slices.Equal(sparse, perColumn) {
				t.Fatalf("MedianPerColumn of sparse rows is %v, of dense %v", sparse, perColumn)
			}
		}
		for j, got := range perColumn {
			close(t, "MedianPerColumn", got, slowMedian(mat.DenseCopyOf(x.Slice(0, n, j, j+1)), manhattan))
		}
	})
}

// close allows for the error of a distance that is above a thousandth of the rows' size: 1e-10, see
// the constant near.
func close(t *rapid.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-10*want {
		t.Fatalf("%s is %v, want %v", what, got, want)
	}
}

func TestMedianSpecialCases(t *testing.T) {
	const allEqual = "all rows looked at are equal: bandwidth 1 is used"
	for _, test := range []struct {
		name      string
		column    []float64
		want      float64
		note      string
		constants string
	}{
		{"one row", []float64{7}, 1, allEqual, "1 of 1 columns are constant in the rows looked at: bandwidth 1 is used for them"},
		{"equal rows", []float64{3, 3, 3, 3}, 1, allEqual, "1 of 1 columns are constant in the rows looked at: bandwidth 1 is used for them"},
		{"zero rows", []float64{0, 0}, 1, allEqual, "1 of 1 columns are constant in the rows looked at: bandwidth 1 is used for them"},
		{"mostly equal", []float64{0, 0, 0, 0, 0, 5}, 5, "", ""},
		{"two", []float64{-1, 1}, 2, "", ""},
		{"three", []float64{0, 1, 3}, 2, "", ""}, // of 1, 2, 3
		{"four", []float64{0, 1, 3, 7}, 3.5, "", ""},
		{"huge", []float64{-1e300, 1e300}, 2e300, "", ""},
		{"tiny", []float64{0, 0x1p-1060}, 0x1p-1060, "", ""},
		{"largest", []float64{-math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64, "", ""},
	} {
		x := mat.NewDense(len(test.column), 1, test.column)
		if got, note := kernels.Median(x, nil); got != test.want || note != test.note {
			t.Errorf("%s: Median is %v (%q), want %v (%q)", test.name, got, note, test.want, test.note)
		}
		if got, note := kernels.MedianL1(x, nil); got != test.want || note != test.note {
			t.Errorf("%s: MedianL1 is %v (%q), want %v (%q)", test.name, got, note, test.want, test.note)
		}
		if got, note := kernels.MedianPerColumn(x, nil); got[0] != test.want || note != test.constants {
			t.Errorf("%s: MedianPerColumn is %v (%q), want %v (%q)", test.name, got, note, test.want, test.constants)
		}
	}
}

func TestBandwidthOfNaNIsRefused(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x := mat.NewDense(3, 1, []float64{1, v, 2})
		perColumn, note := kernels.MedianPerColumn(x, nil)
		if note == "" {
			t.Errorf("%v: MedianPerColumn says nothing", v)
		}
		bandwidths := []float64{perColumn[0]}
		for _, rule := range []func() (float64, string){
			func() (float64, string) { return kernels.Median(x, nil) },
			func() (float64, string) { return kernels.MedianL1(x, nil) },
			func() (float64, string) { return kernels.ScaleRule(x) },
		} {
			b, note := rule()
			bandwidths = append(bandwidths, b)
			if note == "" {
				t.Errorf("%v: a rule says nothing", v)
			}
		}
		for _, b := range bandwidths {
			if _, err := kernels.NewGaussian(b); err == nil {
				t.Errorf("%v: bandwidth %v is accepted", v, b)
			}
		}
	}
}

// The median of a sample of 1,000 of 5,000 normal rows. Its standard error is that of a U-statistic
// of 1,000 rows, at most 2 sqrt(1/4/1000) = 0.032 in rank; |x - x'| has its median at 0.954 and
// density 0.45 there, so that 5 standard errors are 0.35.
func TestMedianOfSample(t *testing.T) {
	x := drawn(5000, 1, 3)
	got, note := kernels.Median(x, source())
	if math.Abs(got-0.954) > 0.35 || note != "" {
		t.Errorf("got %v (%q), want about 0.954", got, note)
	}
	if again, _ := kernels.Median(x, source()); again != got {
		t.Errorf("the same source gave %v, then %v", got, again)
	}
	if other, _ := kernels.Median(x, rand.NewPCG(5, 5)); other == got {
		t.Errorf("another source gave %v too", got)
	}
	if b, _ := kernels.MedianPerColumn(x, source()); math.Abs(b[0]-got) > 1e-10 {
		t.Errorf("MedianPerColumn is %v, Median %v", b[0], got)
	}
}

// The rule must use the variance, not the deviation, so that units do not matter: scikit-learn#12741.
func TestScaleRule(t *testing.T) {
	rows := mat.NewDense(2, 2, []float64{0, 0, 2, 4})
	for _, unit := range []float64{1, 1000, 1e-180, 1e180} {
		var x mat.Dense
		x.Scale(unit, rows)
		for _, m := range []mat.Matrix{&x, kerneltest.Sparse(&x)} {
			b, note := kernels.ScaleRule(m)
			if gamma := 1 / 2.0 / (b / unit) / (b / unit); math.Abs(gamma-0.18181818181818182) > 1e-15 || note != "" {
				t.Errorf("unit %v: gamma is %v (%q), want 0.1818", unit, gamma, note)
			}
			if unit > 1000 || unit < 1 {
				continue // out of the range of the constructors
			}
			if got := gram(gaussian(t, b), m, m).At(0, 1); math.Abs(got-0.026347980814448734) > 1e-15 {
				t.Errorf("unit %v: kernel is %v, want 0.02635", unit, got)
			}
		}
	}
	for _, v := range []float64{0, 3, 0.1} {
		x := mat.NewDense(4, 2, []float64{v, v, v, v, v, v, v, v})
		b, note := kernels.ScaleRule(x)
		if b != 1 || note != "all entries are equal: bandwidth 1 is used" {
			t.Errorf("equal entries: bandwidth is %v (%q), want 1", b, note)
		}
		if !mat.Equal(gram(gaussian(t, b), x, x), mat.NewDense(4, 4, slices.Repeat([]float64{1}, 16))) {
			t.Error("equal entries: the kernel is not exactly 1")
		}
	}
}

func ExampleMedian() {
	x := mat.NewDense(3, 2, []float64{
		0, 0,
		3, 4,
		6, 8,
	})
	bandwidth, note := kernels.Median(x, nil) // of 5, 5 and 10; three rows need no sample
	fmt.Println(bandwidth, note == "")

	same := mat.NewDense(2, 1, []float64{3, 3})
	fmt.Println(kernels.Median(same, nil))
	// Output:
	// 5 true
	// 1 all rows looked at are equal: bandwidth 1 is used
}

func BenchmarkMedianPerColumn(b *testing.B) {
	x := drawn(1000, 100, 1)
	for b.Loop() {
		kernels.MedianPerColumn(x, nil)
	}
}
