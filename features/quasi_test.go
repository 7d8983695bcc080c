package features_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
	"mediant/kernels"
)

func quasi(t testing.TB, k kernels.Kernel, in, size int, seed uint64) *features.Fourier {
	t.Helper()
	return fixture.Must[*features.Fourier](t)(features.NewQuasi(k.(features.SpectralRadial), in, size, seed, "phi"))
}

func TestQuasi(t *testing.T) {
	for _, in := range []int{1, 5, features.MaxQuasiColumns} {
		t.Run(fmt.Sprint(in), func(t *testing.T) {
			featurestest.Run(t, quasi(t, byName(t, "matern32", 1.5), in, 34, 7), fixture.NormalRows(300, in))
		})
	}
}

// TestQuasiSpectrum: unbiased for every radial kernel, for 8 frequencies and for 7, and no worse than independent ones.
func TestQuasiSpectrum(t *testing.T) {
	for _, name := range []string{"gaussian", "matern12", "matern32", "matern52"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := byName(t, name, 1).(features.SpectralRadial)
			for _, size := range []int{14, 16} {
				for _, delta := range deltas {
					values := estimates(t, delta, func(seed uint64) (features.Map, error) {
						return features.NewQuasi(k, len(delta), size, seed, "phi")
					})
					once, _ := at(k, delta)
					checkMean(t, values, once)
					kurtosis := stat.ExKurtosis(values, nil) + 3
					most := independentVariance(k, delta, size) * (1 + 5*math.Sqrt((kurtosis-1)/draws))
					if got := stat.Variance(values, nil); got > most {
						t.Errorf("%d features: variance %g, at most that of independent frequencies, %g", size, got, most)
					}
				}
			}
		})
	}
}

// TestQuasiFallsFaster: from 64 features to 1,024 the mean square error over 20 maps falls by the 16 of independent
// frequencies and at least 16 times more in 2 columns, as 1/n² would, which is above the rate of scrambled nets for
// smooth functions, n^-3 but for logarithms, by a wide margin.
func TestQuasiFallsFaster(t *testing.T) {
	const maps = 20
	x, k := fixture.NormalRows(60, 2), gaussian(t, 2)
	want := gram(k, x)
	square := func(size int) (sum float64) {
		for seed := range uint64(maps) {
			var off mat.Dense
			off.Sub(products(quasi(t, k, 2, size, seed), x), want)
			norm := mat.Norm(&off, 2)
			sum += norm * norm
		}
		return sum
	}
	if ratio := square(64) / square(1024); ratio < 256 {
		t.Errorf("16 times the features: error squared falls by %g only", ratio)
	}
}

func TestQuasiGrows(t *testing.T) {
	x := fixture.NormalRows(20, 4)
	small, large := mapped(quasi(t, byName(t, "matern32", 1), 4, 12, 3), x), mapped(quasi(t, byName(t, "matern32", 1), 4, 300, 3), x)
	small.Scale(math.Sqrt(12.0/300), small)
	if d := fixture.Distance(small.Slice(0, 20, 0, 6), large.Slice(0, 20, 0, 6)); d > 1e-14 {
		t.Errorf("the cosines of 12 features differ from the first of 300 by %g", d)
	}
}

func TestQuasiRefuses(t *testing.T) {
	k := gaussian(t, 1)
	if _, err := features.NewQuasi(k, features.MaxQuasiColumns+1, 4, 1, "phi"); err == nil || !strings.Contains(err.Error(), "65 columns") {
		t.Errorf("65 columns: error %v", err)
	}
	if _, err := features.NewQuasi(k, 2, 3, 1, "phi"); err == nil || !strings.Contains(err.Error(), "even") {
		t.Errorf("3 features: error %v", err)
	}
	fixture.MustPanic(t, func() { features.NewQuasi(k, 0, 2, 1, "phi") })
}

func BenchmarkNewQuasi(b *testing.B) {
	for b.Loop() {
		quasi(b, gaussian(b, 1), 20, 512, 1)
	}
}
