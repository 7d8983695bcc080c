package features

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/stat"

	"mediant/internal/rowops"
	"mediant/kernels"
)

// drawOnly is a mixture that tells no quantiles.
type drawOnly struct{ mixture kernels.ScaleMixture }

func (d drawOnly) Draw(rnd *rand.Rand) float64 { return d.mixture.Draw(rnd) }

// TestQuasiScalesAreDrawn where the mixture has no quantiles: still unbiased for the kernel, to 4 standard errors of the
// mean over maps (by chance 6e-5, of fixed seeds).
func TestQuasiScalesAreDrawn(t *testing.T) {
	const maps = 2000
	k, err := kernels.NewMatern(1.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	delta := []float64{.5, -.7}
	want := []float64{delta[0]*delta[0] + delta[1]*delta[1]}
	k.FromSqDist(want)
	values := make([]float64, maps)
	for seed := range values {
		w := drawQuasi(drawOnly{k.Mixture()}, 2, 8, uint64(seed), "phi")
		values[seed] = meanOfCosines(w, delta)
	}
	mean, std := stat.MeanStdDev(values, nil)
	if off := mean - want[0]; math.Abs(off) > 4*std/math.Sqrt(maps) {
		t.Errorf("mean %g, want %g", mean, want[0])
	}
}

// meanOfCosines is the mean of cos(omega'delta) over the columns omega of w.
func meanOfCosines(w blas64.General, delta []float64) (mean float64) {
	for t := range w.Cols {
		var phase float64
		for j, v := range delta {
			phase += v * rowops.Row(w, j)[t]
		}
		mean += math.Cos(phase) / float64(w.Cols)
	}
	return mean
}
