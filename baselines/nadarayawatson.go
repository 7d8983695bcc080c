package baselines

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/internal/parallel"
)

// watsonX are the multiples of the median distance of rows of X that Nadaraya-Watson weights choose from.
var watsonX = []float64{1. / 32, 1. / 16, 1. / 8, 1. / 4, 1. / 2, 1}

// watsonRows is the number of rows left out at a time: their distances to all others are held in memory.
const watsonRows = 128

// nadarayaWatson is the Density of points u_i with weights that kernels of x alone give,
//
//	w_i(x) = s_i k(x, x_i) / Σ_j s_j k(x, x_j),
//
// s_i being the rows' own weights (Nadaraya, 1964; Watson, 1964). The bandwidth has the least squared error of
// Σ w_j(x_i) h(u_j) as a prediction of h(u_i), row i left out. Cost: n² kernel values a bandwidth.
func nadarayaWatson(ctx context.Context, x, u *mat.Dense, weights []float64, h *mat.Dense, seed uint64) (*Density, error) {
	order := weighted(weights, sequence(rowsOf(x)))
	d := &Density{X: pick(x, order), U: pick(u, order), Alpha: make([]float64, len(order))}
	for i, r := range order {
		d.Alpha[i] = 1
		if weights != nil {
			d.Alpha[i] = weights[r]
		}
	}
	if len(order) < 2 {
		return nil, fmt.Errorf("baselines: integral: %d rows of positive weight, want at least 2 to choose a bandwidth", len(order))
	}
	values := pick(h, order)
	least := math.Inf(1)
	var own []float64
	if weights != nil {
		own = d.Alpha
	}
	candidates := bandwidths(d.X, own, watsonX, seed, "integral/x")
	errors, err := leftOut(ctx, d, values, candidates)
	if err != nil {
		return nil, err
	}
	for i, e := range errors {
		if e < least {
			least, d.BandwidthX = e, candidates[i]
		}
	}
	if math.IsInf(least, 1) {
		return nil, fmt.Errorf("baselines: integral: values of h are not finite")
	}
	return d, nil
}

// standardise divides columns, if there are several, by the deviations of the rows with their weights, nil for ones, so that errors of one count as much as those of
// another whatever they are measured in.
func standardise(x *mat.Dense, weights []float64) {
	n, k := x.Dims()
	if k < 2 {
		return
	}
	for j := range k {
		mean, variance := stat.PopMeanVariance(mat.Col(nil, j, x), weights)
		scale := 0.0
		if deviation := math.Sqrt(variance); deviation > 1e-14*math.Abs(mean) {
			scale = 1 / deviation
		}
		for i := range n {
			x.Set(i, j, x.At(i, j)*scale)
		}
	}
}

func sequence(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// leftOut returns the weighted sum of squared errors, each row left out, for every bandwidth.
func leftOut(ctx context.Context, d *Density, values *mat.Dense, candidates []float64) ([]float64, error) {
	n := rowsOf(d.X)
	blocks := make([][]float64, (n+watsonRows-1)/watsonRows)
	parallel.Blocks(n, watsonRows, func(lo, hi int) {
		if ctx.Err() == nil {
			blocks[lo/watsonRows] = leftOutBlock(d, values, candidates, lo, hi)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	total := make([]float64, len(candidates))
	for _, b := range blocks {
		floats.Add(total, b)
	}
	return total, nil
}

func leftOutBlock(d *Density, values *mat.Dense, candidates []float64, lo, hi int) []float64 {
	var d2 mat.Dense
	squaredDistances(&d2, span(d.X, lo, hi), d.X)
	n, k := values.Dims()
	w, mean := make([]float64, n), make([]float64, k)
	out := make([]float64, len(candidates))
	for i := lo; i < hi; i++ {
		d2.Set(i-lo, i, math.Inf(1)) // its kernel is 0
		for c, bandwidth := range candidates {
			copy(w, d2.RawRowView(i-lo))
			weigh(w, d.Alpha, bandwidth)
			clear(mean)
			for j, v := range w {
				floats.AddScaled(mean, v, values.RawRowView(j))
			}
			floats.Sub(mean, values.RawRowView(i))
			out[c] += d.Alpha[i] * floats.Dot(mean, mean)
		}
	}
	return out
}
