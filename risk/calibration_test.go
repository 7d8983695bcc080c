package risk_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"mediant/internal/fixture"
	"mediant/losses"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// ofClasses are the probabilities of k classes at u; predicted are those of a predictor whose probabilities are wrong in some bins.
func ofClasses(k int, u float64) []float64 {
	eta := make([]float64, k)
	for j := range eta {
		eta[j] = 3 * u * float64(j)
	}
	losses.Log{}.MeanTo(eta, eta)
	return eta
}

func predicted(k int, x float64) []float64 { return ofClasses(k, 1.3*x-.1) }

// truthInBins is the share of each bin and the probability of the class of its rows, by sums over X and over the noise of U.
func truthInBins(k int) (share, right []float64) {
	share, right = make([]float64, 10), make([]float64, 10)
	for x := -.9995; x < 1; x += .001 {
		output, bin := losses.BinOf(predicted(k, x))
		of, weight := 0., 0.
		for z := -4.; z <= 4; z += .1 {
			w := math.Exp(-z * z / 2)
			of += w * ofClasses(k, x+.3*z)[output]
			weight += w
		}
		share[bin] += 1. / 2000
		right[bin] += of / weight / 2000
	}
	for b := range right {
		right[b] /= max(share[b], 1e-9)
	}
	return share, right
}

// TestCalibration: over 60 draws the probabilities of bins are estimated without bias, within 4 standard errors, and their intervals contain the truth in 95 % of all, in 89 to 99 % here: bins of one draw are dependent, so
// that 500 of them count as some 60 to 500.
func TestCalibration(t *testing.T) {
	const draws, n = 60, 500
	for _, k := range []int{2, 3} {
		share, right := truthInBins(k)
		gaps := make([][]float64, 10)
		covered, all, mean, chance := 0., 0., 0., 0.
		names := make([]string, k)
		for j := range names {
			names[j] = fmt.Sprintf("p%d", j)
		}
		for seed := range uint64(draws) {
			xu, uy := classTables(t, k, n, seed, names)
			a, err := risk.AssessPredictions(t.Context(), setupOf, xu, uy, risk.Predictions{Columns: names}, risk.AssessOptions{Loss: losses.Log{}, H: &risk.FoldH{Lambda: rr.Value(1e-4)}})
			if err != nil {
				t.Fatal(err)
			}
			total := 0.
			for _, b := range a.Calibration.Bins {
				at := int(math.Round(b.Lo * 10))
				total += b.Share
				if share[at] < .04 { // of some rows, whose intervals are of few
					continue
				}
				all++
				if b.RightLo <= right[at] && right[at] <= b.RightHi {
					covered++
				}
				gaps[at] = append(gaps[at], b.Right-right[at])
			}
			if math.Abs(total-1) > 1e-9 {
				t.Errorf("the bins have %g of the rows", total)
			}
			mean += a.Calibration.Error / draws
			chance += a.Calibration.ByChance / draws
		}
		for b, of := range gaps {
			if len(of) == 0 {
				continue
			}
			bias := floats.Sum(of) / float64(len(of))
			sd := floats.Norm(of, 2) / math.Sqrt(float64(len(of)))
			if math.Abs(bias) > 4*sd/math.Sqrt(draws)+.003 { // .003: f of a row is within its bin, and h is a ridge regression
				t.Errorf("%d classes, bin %d: bias %.4f, sd %.4f", k, b, bias, sd)
			}
		}
		t.Logf("%d classes: covered %.1f %% of %g, error %.4f, by chance %.4f", k, 100*covered/all, all, mean, chance)
		if covered/all < .89 || covered/all > .99 {
			t.Errorf("%d classes: covered %.1f %% of %g", k, 100*covered/all, all)
		}
		if mean < chance {
			t.Errorf("%d classes: wrong probabilities have the calibration error %.4f, and %.4f by chance", k, mean, chance)
		}
	}
}

// classTables draws n rows of X and U, with columns of predictions, and n of U and Y.
func classTables(t *testing.T, k, n int, seed uint64, names []string) (xu, uy tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 12))
	x, u, v, y := make([]float64, n), make([]float64, n), make([]float64, n), make([]string, n)
	of := make([][]float64, k)
	for range n {
		for j := range of {
			of[j] = append(of[j], 0)
		}
	}
	for i := range n {
		x[i] = 2*rnd.Float64() - 1
		u[i] = x[i] + .3*rnd.NormFloat64()
		for j, p := range predicted(k, x[i]) {
			of[j][i] = p
		}
		v[i] = 2*rnd.Float64() - 1 + .3*rnd.NormFloat64()
		at, cut := 0, rnd.Float64()
		for p := ofClasses(k, v[i]); cut > p[at] && at < k-1; at++ {
			cut -= p[at]
		}
		y[i] = fmt.Sprint("class ", at)
	}
	columns := []any{"x", x, "u", u}
	for j, name := range names {
		columns = append(columns, name, of[j])
	}
	return fixture.Table(t, columns...), fixture.Table(t, "u", v, "y", y)
}
