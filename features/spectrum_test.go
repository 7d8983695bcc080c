package features_test

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/kernels"
)

// draws is the number of maps whose estimates of one kernel value are compared to its distribution. The
// relative standard error of a sample variance is sqrt((kurtosis - 1)/draws): 5 of them are 0.16 for
// a normal distribution and 0.32 at the kurtosis of 9 that TestSpectrum bounds, well below the 1 of a variance that
// is twice, and the 0.5 of one that is half of what it should be.
const draws = 2000

// deltas are differences x - y in 4 columns, near, middling and far in units of the bandwidth.
var deltas = [][]float64{{0.3, 0, -0.2, 0.1}, {0.5, -0.7, 0, 0.4}, {-1, 1, 0.8, 1.2}}

// estimates draws maps, seed after seed, and returns their products phi(x)'phi(x+delta).
func estimates(t *testing.T, delta []float64, draw func(seed uint64) (features.Map, error)) []float64 {
	t.Helper()
	x := mat.NewDense(2, len(delta), nil)
	for j := range delta {
		x.Set(0, j, []float64{0.25, -1, 3, 0.5}[j%4])
	}
	x.SetRow(1, floats.AddTo(make([]float64, len(delta)), x.RawRowView(0), delta))
	values := make([]float64, draws)
	phi := new(mat.Dense)
	for i := range values {
		m, err := draw(uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		phi.Reset()
		m.MapTo(phi, x)
		values[i] = floats.Dot(phi.RawRowView(0), phi.RawRowView(1))
	}
	return values
}

// at returns k at a difference and at twice of it.
func at(k kernels.Kernel, delta []float64) (once, twice float64) {
	x := mat.NewDense(3, len(delta), nil)
	x.SetRow(1, delta)
	x.SetRow(2, floats.ScaleTo(make([]float64, len(delta)), 2, delta))
	g := gram(k, x)
	return g.At(0, 1), g.At(0, 2)
}

// independentVariance is the variance of the mean of size/2 cosines.
func independentVariance(k kernels.Kernel, delta []float64, size int) float64 {
	once, twice := at(k, delta)
	return (1 + twice - 2*once*once) / float64(size)
}

// checkMean fails unless the sample mean is within 4 standard errors: by chance 6 times in 100,000.
// The seeds are fixed, so it is always the same chance that is taken.
func checkMean(t *testing.T, values []float64, want float64) {
	t.Helper()
	checkBias(t, values, want, 0)
}

// checkBias is checkMean for a distribution whose mean may be off by most.
func checkBias(t *testing.T, values []float64, want, most float64) {
	t.Helper()
	mean, std := stat.MeanStdDev(values, nil)
	if off, se := mean-want, std/math.Sqrt(draws); math.Abs(off) > 4*se+most {
		t.Errorf("mean estimate %g of a kernel value of %g: off by %g, %.1f standard errors", mean, want, off, off/se)
	}
}

// checkVariance fails unless the sample variance is within 5 standard errors of that of the distribution.
func checkVariance(t *testing.T, values []float64, want float64) {
	t.Helper()
	got := stat.Variance(values, nil)
	kurtosis := stat.ExKurtosis(values, nil) + 3
	tolerance := 5 * math.Sqrt((kurtosis-1)/draws)
	if tolerance > 1.0/3 {
		t.Fatalf("kurtosis %g: %d draws are too few to tell a factor of 2", kurtosis, draws)
	}
	if ratio := got / want; math.Abs(ratio-1) > tolerance {
		t.Errorf("variance %g, want %g: ratio %g, tolerance %g", got, want, ratio, tolerance)
	}
}

func TestSpectrum(t *testing.T) {
	const size = 16
	for _, name := range spectral {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := byName(t, name, 1)
			for _, delta := range deltas {
				values := estimates(t, delta, func(seed uint64) (features.Map, error) {
					return features.NewFourier(k, len(delta), size, seed, "phi")
				})
				once, _ := at(k, delta)
				checkMean(t, values, once)
				checkVariance(t, values, independentVariance(k, delta, size))
			}
		})
	}
}

// TestAdditiveSpectrum: estimates of the sum of the kernels, of three and two frequencies, whose
// variances add.
func TestAdditiveSpectrum(t *testing.T) {
	t.Parallel()
	first, second := gaussian(t, 0.7), byName(t, "laplacian", 1.5)
	k := sumOf(t, [][]int{{0, 3}, {1}}, first, second)
	for _, delta := range deltas {
		values := estimates(t, delta, func(seed uint64) (features.Map, error) {
			return features.NewAdditive(k, len(delta), 10, seed, "phi")
		})
		once, _ := at(k, delta)
		checkMean(t, values, once)
		own, other := []float64{delta[0], delta[3]}, []float64{delta[1]}
		checkVariance(t, values, independentVariance(first, own, 6)+independentVariance(second, other, 4))
	}
}

// TestOrthogonalSpectrum: unbiased for every radial kernel, also in a last block that is not whole, and
// for the Gaussian kernel better than independent frequencies.
func TestOrthogonalSpectrum(t *testing.T) {
	for _, name := range []string{"gaussian", "matern12", "matern32", "matern52", "matern:0.8", "matern:4", "rq:1.5"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := byName(t, name, 1).(features.SpectralRadial)
			for _, delta := range deltas {
				values := estimates(t, delta, func(seed uint64) (features.Map, error) {
					return features.NewOrthogonal(k, len(delta), 12, seed, "phi")
				})
				once, _ := at(k, delta)
				checkMean(t, values, once)
			}
		})
	}
}

func TestOrthogonalVariance(t *testing.T) {
	t.Parallel()
	const in, size = 8, 32
	k := gaussian(t, 2)
	x := mat.NewDense(2, in, nil)
	for _, step := range []float64{0.3, 0.7, 1.1} {
		delta := make([]float64, in)
		for j := range delta {
			delta[j] = step * float64(1-2*(j%2))
			x.Set(1, j, delta[j])
		}
		values := make([]float64, draws)
		for i := range values {
			m := fixture.Must[*features.Fourier](t)(features.NewOrthogonal(k, in, size, uint64(i), "phi"))
			values[i] = products(m, x).At(0, 1)
		}
		once, _ := at(k, delta)
		checkMean(t, values, once)
		most := independentVariance(k, delta, size) * (1 + 5*math.Sqrt(2.0/draws))
		if got := stat.Variance(values, nil); got > most {
			t.Errorf("variance %g at |x - y| = %g, want at most that of independent frequencies, %g", got, step*math.Sqrt(in), most)
		}
	}
}

// TestStructuredSpectrum: in blocks of 64, 128 and 1,024, whole ones and a part of one, along an axis, where
// signs are mixed worst, and across all columns. The mean may be off by the 1/n² of NewStructured; with
// lengths that do not vary it would be off by up to 0.54/n, four to six standard errors for whole
// blocks of 64. The variance may not be above that of independent frequencies; of whole blocks it tends to
// that of orthogonal ones, 0.02 and 0.28 of it for the Gaussian kernel at the first two distances.
func TestStructuredSpectrum(t *testing.T) {
	for _, l := range []structuredEstimate{
		{32, "gaussian", 0.5, 0.5}, {32, "gaussian", 2, 0.5}, {32, "gaussian", 4, 1},
		{100, "gaussian", 0.5, 0.5}, {100, "gaussian", 2, 0.5}, {100, "gaussian", 4, 1},
		{784, "gaussian", 2, 0.5},
		{32, "matern12", 2, 1}, {100, "matern32", 2, 1}, {100, "matern52", 0.5, 1},
		{32, "matern:4", 2, 1}, {100, "rq:1.5", 0.5, 1},
	} {
		t.Run(fmt.Sprintf("%d/%s/%g", l.in, l.kernel, l.squared), l.check)
	}
}

// A structuredEstimate is what estimates in so many columns, at a squared distance, are held to.
type structuredEstimate struct {
	in      int
	kernel  string
	squared float64
	part    float64 // of the variance of independent frequencies, for whole blocks
}

func (l structuredEstimate) check(t *testing.T) {
	t.Parallel()
	width := 1 << bits.Len(uint(max(l.in, 64)-1))
	k := byName(t, l.kernel, 1).(features.SpectralRadial)
	axis, across := make([]float64, l.in), make([]float64, l.in)
	axis[1] = math.Sqrt(l.squared)
	for j := range across {
		across[j] = math.Sqrt(l.squared/float64(l.in)) * float64(1-2*(j%3%2))
	}
	for size, part := range map[int]float64{48: 1, 2 * width: l.part} {
		for direction, delta := range map[string][]float64{"axis": axis, "across": across} {
			t.Run(fmt.Sprintf("%d/%s", size, direction), func(t *testing.T) {
				values := estimates(t, delta, func(seed uint64) (features.Map, error) {
					return features.NewStructured(k, l.in, size, seed, "phi")
				})
				once, _ := at(k, delta)
				checkBias(t, values, once, 1/float64(width*width))
				kurtosis := stat.ExKurtosis(values, nil) + 3
				most := part * independentVariance(k, delta, size) * (1 + 5*math.Sqrt((kurtosis-1)/draws))
				if got := stat.Variance(values, nil); got > most {
					t.Errorf("variance %g, at most %g", got, most)
				}
			})
		}
	}
}
