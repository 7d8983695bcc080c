package experiments

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/baselines"
	"mediant/internal/draw"
	"mediant/problem"
	"mediant/rr"
	"mediant/search"
)

// A RegressionResult is one method that estimates E[h(U)|X] from h, over repetitions on n rows of each table: 2Step-RR, or the
// conditional density of U given X.
type RegressionResult struct {
	Name   string `json:"name"`
	Excess Mean   `json:"excess"`
	// Seconds are those of a fit, h and its features left out, and of a prediction on one processor.
	FitSeconds     float64 `json:"fit_seconds"`
	PredictSeconds float64 `json:"predict_seconds"`
}

// CompareRegressions compares 2Step-RR with baselines.Integral by both estimators. h, its features and all penalties are
// what a search chose for 2Step-RR, so that the methods differ in nothing else.
func (s Synthetic) CompareRegressions(ctx context.Context, n, repetitions int, seed uint64) ([]RegressionResult, error) {
	names := []string{"2Step-RR", "integral, least squares", "integral, Nadaraya-Watson"}
	results, excess := make([]RegressionResult, len(names)), make([][]float64, len(names))
	for r := range repetitions {
		own := seed + uint64(r)
		solvers, p, err := s.regressionMethods(ctx, n, own)
		if err != nil {
			return nil, err
		}
		for i, solver := range solvers {
			start := time.Now()
			m, err := solver.Fit(ctx, p)
			if err != nil {
				return nil, fmt.Errorf("experiments: %s: %w", names[i], err)
			}
			results[i].FitSeconds += time.Since(start).Seconds() / float64(repetitions)
			results[i].PredictSeconds += predictSeconds(m, s.D) / float64(repetitions)
			e, err := s.Excess(m, excessRows, seed)
			if err != nil {
				return nil, err
			}
			excess[i] = append(excess[i], e)
		}
	}
	for i := range results {
		results[i].Name, results[i].Excess = names[i], meanOf(excess[i])
	}
	return results, nil
}

// regressionMethods returns the methods for one draw of the tables.
func (s Synthetic) regressionMethods(ctx context.Context, n int, seed uint64) ([]rr.Method, *problem.Problem, error) {
	xu, err := s.XU(n, seed)
	if err != nil {
		return nil, nil, err
	}
	uy, err := s.UY(n, seed)
	if err != nil {
		return nil, nil, err
	}
	c, err := search.Search{Setup: problem.Setup{Seed: seed}, W: rr.Value(1)}.Choose(ctx, xu, uy)
	if err != nil {
		return nil, nil, err
	}
	two, ok := c.Method.(rr.TwoStep)
	if !ok {
		return nil, nil, fmt.Errorf("experiments: a search at w = 1 chose %T, want 2Step-RR", c.Method)
	}
	return []rr.Method{
		two,
		baselines.Integral{LambdaH: two.LambdaH},
		baselines.Integral{LambdaH: two.LambdaH, Estimator: baselines.NadarayaWatson},
	}, c.Problem, nil
}

// predictSeconds is the time of one of many predictions, a block at a time on one goroutine.
func predictSeconds(m *rr.Model, d int) float64 {
	const block, blocks = 100, 20
	x := uniform(draw.Rand(0, "experiments/time", 0), block, d)
	var f mat.Dense
	start := time.Now()
	for range blocks {
		m.F.PredictTo(&f, x)
	}
	return time.Since(start).Seconds() / (block * blocks)
}

// Slope is the least-squares slope of log error, the root of an excess, against log n.
func Slope(rows []int, excess []float64) float64 {
	x, y := make([]float64, len(rows)), make([]float64, len(rows))
	for i, n := range rows {
		x[i], y[i] = math.Log(float64(n)), math.Log(excess[i])/2
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	return slope
}
