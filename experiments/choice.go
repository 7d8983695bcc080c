package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/features"
	"mediant/internal/draw"
	"mediant/internal/parallel"
	"mediant/problem"
	"mediant/rr"
	"mediant/search"
)

// Regression returns E[Y|X = x] = Σ (x_j⁶ + 1/12), or Σ x_j² where Y is made from X.
func (s Synthetic) Regression(x []float64) float64 {
	if s.Direct {
		return floats.Dot(x, x)
	}
	sum := float64(len(x)) / 12
	for _, v := range x {
		sum += v * v * v * v * v * v
	}
	return sum
}

// Excess returns the mean of (f(X) - E[Y|X])² over n draws of X: how much the error of the model is above
// that of the best prediction.
func (s Synthetic) Excess(m *rr.Model, n int, seed uint64) (float64, error) {
	return excessOf(m, s.D, s.Regression, n, seed)
}

// excessOf is Excess over draws of X uniform on [-1, 1]^d.
func excessOf(m *rr.Model, d int, regression func(x []float64) float64, n int, seed uint64) (float64, error) {
	rnd := draw.Rand(seed, "experiments/excess", 0)
	x := uniform(rnd, n, d)
	var f mat.Dense
	if err := m.PredictTo(&f, x); err != nil {
		return 0, fmt.Errorf("experiments: excess: %w", err)
	}
	sum := 0.0
	for i := range n {
		gap := f.At(i, 0) - regression(x.RawRowView(i))
		sum += gap * gap
	}
	return sum / float64(n), nil
}

func uniform(rnd *rand.Rand, n, d int) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = 2*rnd.Float64() - 1
		}
	}
	return x
}

// A Mean is an average over repetitions with its standard error.
type Mean struct {
	Value float64 `json:"mean"`
	SE    float64 `json:"se"`
}

func meanOf(v []float64) Mean {
	return Mean{stat.Mean(v, nil), stat.StdDev(v, nil) / math.Sqrt(float64(len(v)))}
}

// excessRows is the number of draws of X that an excess is measured on.
const excessRows = 20_000

// SelectionExcess returns the excess of what the tables choose by themselves, over repetitions on n rows in
// each.
func (s Synthetic) SelectionExcess(ctx context.Context, n, repetitions int, seed uint64) (Mean, error) {
	excess, err := s.repeat(ctx, n, n, repetitions, seed, func(seed uint64) []search.Search { return []search.Search{Automatic(seed)} })
	if err != nil {
		return Mean{}, err
	}
	return meanOf(excess[0]), nil
}

// A WChoice compares Joint-RR with the w that the uncoupled risk chooses to w = 1/2 and to w = 1, 2Step-RR;
// all three choose their penalties by it.
type WChoice struct {
	Distribution Synthetic `json:"distribution"`
	RowsXU       int       `json:"rows_xu"`
	RowsUY       int       `json:"rows_uy"`
	// Excess of each.
	Half    Mean `json:"half"`
	One     Mean `json:"one"`
	ChosenW Mean `json:"chosen_w"`
	// Loss is the mean excess of the chosen w over the better of the other two means, less 1; SE is its
	// standard error over repetitions, the denominator taken as known.
	Loss float64 `json:"loss"`
	SE   float64 `json:"se"`
}

// wFeatures is the size of the maps of a WChoice: Fourier features of an additive Gaussian kernel, to
// which the distribution is kind, so that w and the penalties are what matters.
const wFeatures = 200

// ChooseW makes a WChoice.
func (s Synthetic) ChooseW(ctx context.Context, nx, ny, repetitions int, seed uint64) (*WChoice, error) {
	spec := features.Spec{Kind: features.AdditiveFeatures, Size: wFeatures}
	one := []features.Spec{spec}
	excess, err := s.repeat(ctx, nx, ny, repetitions, seed, func(seed uint64) []search.Search {
		var all []search.Search
		for _, w := range []rr.Setting{rr.Value(.5), rr.Value(1), rr.Auto} {
			all = append(all, search.Search{Setup: problem.Setup{Seed: seed}, W: w, PhiCandidates: one, PsiCandidates: one})
		}
		return all
	})
	if err != nil {
		return nil, err
	}
	c := &WChoice{Distribution: s, RowsXU: nx, RowsUY: ny, Half: meanOf(excess[0]), One: meanOf(excess[1]), ChosenW: meanOf(excess[2])}
	better := excess[0]
	if c.One.Value < c.Half.Value {
		better = excess[1]
	}
	gap := meanOf(floats.SubTo(make([]float64, repetitions), excess[2], better))
	base := min(c.Half.Value, c.One.Value)
	c.Loss, c.SE = gap.Value/base, gap.SE/base
	return c, nil
}

// repeat fits methods to new draws and returns their excess, by method and repetition.
func (s Synthetic) repeat(ctx context.Context, nx, ny, repetitions int, seed uint64, methods func(seed uint64) []search.Search) ([][]float64, error) {
	excess := make([][]float64, len(methods(seed)))
	for i := range excess {
		excess[i] = make([]float64, repetitions)
	}
	errs := make([]error, repetitions)
	parallel.Blocks(repetitions, 1, func(r, _ int) {
		own := seed + uint64(r)
		xu, err := s.XU(nx, own)
		if err != nil {
			errs[r] = err
			return
		}
		uy, err := s.UY(ny, own)
		if err != nil {
			errs[r] = err
			return
		}
		for i, method := range methods(own) {
			c, err := method.Choose(ctx, xu, uy)
			if err != nil {
				errs[r] = err
				return
			}
			m, err := c.Fit(ctx)
			if err == nil {
				excess[i][r], err = s.Excess(m, excessRows, seed)
			}
			if err != nil {
				errs[r] = err
				return
			}
		}
	})
	return excess, errors.Join(errs...)
}
