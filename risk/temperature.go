package risk

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/weighted"
	"mediant/losses"
	"mediant/moments"
)

// Exponents that are compared are from 1/4 to 4, a factor of 1.05 apart.
const temperatureSteps, temperatureFactor = 28, 1.05

// Temperature returns the exponent T, for probabilities f of classes, at which f^T / Σ f^T has the least uncoupled log loss,
//
//	E_SX log Σ_k f_k^T - T E Σ_k Y_k log f_k
//
// whose last term is a functional that does not depend on T, so that one cross-fitting serves all. The loss is convex in T. It is 1 unless another is better by more than a standard error: then f is too flat (T > 1), as
// where h is shrunk, or too sharp. It reads S_X three times and S_Y once.
func (c *CrossFit) Temperature(ctx context.Context) (float64, error) {
	of, err := c.Functionals(ctx, Functionals{Count: 1, Of: func(g, in, f, _ *mat.Dense) {
		n, k := f.Dims()
		for i := range n {
			for j := range k {
				g.Set(i, j, math.Log(f.At(i, j)))
			}
			in.Set(i, 0, 1)
		}
	}})
	if err != nil {
		return 0, err
	}
	exponents := make([]float64, 2*temperatureSteps+1)
	for i := range exponents {
		exponents[i] = math.Pow(temperatureFactor, float64(i-temperatureSteps))
	}
	sums := weighted.NewAverages(len(exponents))
	values, scaled := make([]float64, len(exponents)), make([]float64, c.p.Y().Len())
	var f mat.Dense
	err = c.p.WalkXU(ctx, c.m.side, c.p.SidePsi(), func(k int, rows, _ *mat.Dense, w moments.Weights) {
		c.m.predict(k, &f, rows)
		n, _ := f.Dims()
		for i := range n {
			for at, t := range exponents {
				for j, p := range f.RawRowView(i) {
					scaled[j] = t * math.Log(p)
				}
				values[at] = losses.Log{}.Conjugate(scaled)
			}
			sums.Add(w.Of(i), values)
		}
	})
	if err != nil {
		return 0, err
	}
	loss := func(at int) float64 { return sums.Mean[at] - exponents[at]*of[0].Value }
	best := temperatureSteps
	for at := range exponents {
		if loss(at) < loss(best) {
			best = at
		}
	}
	gain := loss(temperatureSteps) - loss(best)
	if math.IsNaN(gain) {
		return 0, fmt.Errorf("%w: probabilities of 0", ErrNoRisk)
	}
	if gain <= math.Abs(exponents[best]-1)*of[0].SE { // the error of the functional is nearly all of that of the gain
		return 1, nil
	}
	return exponents[best], nil
}
