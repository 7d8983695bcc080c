package features

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"mediant/internal/asm"
	"mediant/internal/rowops"
)

// TestStructuredBias: the mean of cosines of one frequency, given D2 and D3, is the mean of the
// product of cos(a v_j) over lengths a (docs/theory.md, section 7). It is off by at most 1/n², and 4
// standard errors of the mean over maps; without lengths that vary it would be off by 23/n² and more,
// with two products by 15/n² and more along an axis.
func TestStructuredBias(t *testing.T) {
	const n, maps = 64, 3000
	for _, squared := range []float64{2, 6} {
		axis, all := make([]float64, n), make([]float64, n)
		axis[0] = math.Sqrt(squared)
		for j := range all {
			all[j] = math.Sqrt(squared / n)
		}
		for direction, delta := range map[string][]float64{"axis": axis, "all": all} {
			t.Run(fmt.Sprintf("%s/%g", direction, squared), func(t *testing.T) {
				t.Parallel()
				values := make([]float64, maps)
				for i := range values {
					p := drawStructured(unit{}, n, n, uint64(i), "phi")
					values[i] = meanCosine(p, delta)
				}
				mean, std := stat.MeanStdDev(values, nil)
				off, se := mean-math.Exp(-squared/2), std/math.Sqrt(maps)
				t.Logf("bias %.2g ± %.2g", off, se)
				if math.Abs(off) > 1.0/(n*n)+4*se {
					t.Errorf("off by %g, standard error %g, at most 1/n² = %g", off, se, 1.0/(n*n))
				}
			})
		}
	}
}

// meanCosine is the mean of cos(omega'delta) over D1 and lengths.
func meanCosine(p product, delta []float64) float64 {
	n := len(delta)
	v := append([]float64(nil), delta...)
	for k := range 2 {
		asm.Hadamard(v, rowops.Row(p.diagonals, k))
	}
	floats.Scale(1/float64(n), v)
	lengths, weights := lengthRule(n)
	var mean float64
	for q, a := range lengths {
		cosines := 1.0
		for _, z := range v {
			cosines *= math.Cos(a * z)
		}
		mean += weights[q] * cosines
	}
	return mean
}

// lengthRule is the trapezoidal rule for |N(0, I_n)|/sqrt(n), 10 nodes each way at half a standard
// deviation from each other. For so smooth a density its error is below that of cutting off 5 of them.
func lengthRule(n int) (lengths, weights []float64) {
	step := 0.5 / math.Sqrt(2*float64(n))
	for q := -10; q <= 10; q++ {
		a := 1 + float64(q)*step
		lengths = append(lengths, a)
		// the density but for a factor
		weights = append(weights, math.Exp(float64(n)*((1-a*a)/2+math.Log(a)))/a)
	}
	floats.Scale(1/floats.Sum(weights), weights)
	return lengths, weights
}

// unit is the mixture of the Gaussian kernel of bandwidth 1.
type unit struct{}

func (unit) Draw(*rand.Rand) float64 { return 1 }
