package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/internal/parallel"
	"mediant/rr"
)

// A Reproduction is the synthetic experiment of [Yamane21, section 6.1]: every method on new draws of both
// tables, by distributions that satisfy and that violate conditional mean independence, in several dimensions.
type Reproduction struct {
	Dims        []int   `json:"dims"`
	Noise       float64 `json:"noise"`
	Rows        int     `json:"rows"`      // of each table
	TestRows    int     `json:"test_rows"` // coupled
	Repetitions int     `json:"repetitions"`
	Seed        uint64  `json:"seed"`
}

// PaperReproduction is the experiment as the paper describes it. The 20 repetitions are ours: the paper states no number.
func PaperReproduction() Reproduction {
	return Reproduction{Dims: []int{2, 5, 10, 20}, Noise: .1, Rows: 1000, TestRows: 10000, Repetitions: 20}
}

// An Outcome is one method on one draw.
type Outcome struct {
	D          int    `json:"d"`
	Direct     bool   `json:"direct"` // Y is made from X: conditional mean independence is violated
	Repetition int    `json:"repetition"`
	Method     string `json:"method"`
	Learner    string `json:"learner"` // Kernels or Networks
	// MSE is that on the coupled rows, Excess the mean of (f(x) - E[Y|x])² over them, without their noise.
	MSE    float64  `json:"mse"`
	Excess float64  `json:"excess"`
	W      *float64 `json:"w,omitempty"`
	// Seconds of the fit, which are not the same for the same seed, are not part of the raw results.
	Seconds float64 `json:"-"`
}

func (r Reproduction) distribution(d int, direct bool) Synthetic {
	return Synthetic{D: d, Noise: r.Noise, Direct: direct}
}

// tablesOf names one draw of both tables.
type tablesOf struct {
	distribution Synthetic
	repetition   int
}

// Run fits all methods to all draws, several at a time, and calls show after each with the number done and of
// all. The outcomes do not depend on the number of threads.
func (r Reproduction) Run(ctx context.Context, show func(done, all int)) ([]Outcome, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	var all []tablesOf
	for _, direct := range []bool{false, true} {
		for _, d := range r.Dims {
			for i := range r.Repetitions {
				all = append(all, tablesOf{r.distribution(d, direct), i})
			}
		}
	}
	outcomes, errs := make([][]Outcome, len(all)), make([]error, len(all))
	done := 0
	var mutex sync.Mutex
	parallel.Blocks(len(all), 1, func(i, _ int) {
		if ctx.Err() != nil {
			return
		}
		outcomes[i], errs[i] = r.repeat(ctx, all[i])
		mutex.Lock()
		defer mutex.Unlock()
		done++
		show(done, len(all))
	})
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return nil, err
	}
	var out []Outcome
	for _, list := range outcomes {
		out = append(out, list...)
	}
	return out, nil
}

// repeat is one draw.
func (r Reproduction) repeat(ctx context.Context, t tablesOf) ([]Outcome, error) {
	seed := r.Seed + uint64(t.repetition)
	xu, err := t.distribution.XU(r.Rows, seed)
	if err != nil {
		return nil, err
	}
	uy, err := t.distribution.UY(r.Rows, seed)
	if err != nil {
		return nil, err
	}
	test := r.test(t.distribution, seed)
	c := &comparison{ctx: ctx, xu: xu, uy: uy, seed: seed}
	var out []Outcome
	for _, entry := range c.entries() {
		start := time.Now()
		m, err := entry.fit()
		if err != nil {
			return nil, fmt.Errorf("experiments: d = %d, repetition %d, %s by %s: %w", t.distribution.D, t.repetition, entry.method, entry.learner, err)
		}
		o := Outcome{
			D: t.distribution.D, Direct: t.distribution.Direct, Repetition: t.repetition, Method: entry.method, Learner: entry.learner,
			W: m.Params.W, Seconds: time.Since(start).Seconds(),
		}
		if o.MSE, o.Excess, err = test.score(m); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// A test has coupled rows.
type test struct {
	x, y         *mat.Dense
	distribution Synthetic
}

func (r Reproduction) test(distribution Synthetic, seed uint64) *test {
	rnd := draw.Rand(seed, "experiments/test", 0)
	t := &test{distribution: distribution, x: uniform(rnd, r.TestRows, distribution.D), y: mat.NewDense(r.TestRows, 1, nil)}
	for i := range r.TestRows {
		sum := math.Sqrt(distribution.Noise) * rnd.NormFloat64()
		for _, x := range t.x.RawRowView(i) {
			v := x
			if !distribution.Direct {
				v = x*x*x + rnd.Float64() - .5
			}
			sum += v * v
		}
		t.y.Set(i, 0, sum)
	}
	return t
}

// score returns the mean squared errors against Y and against E[Y|X].
func (t *test) score(m *rr.Model) (mse, excess float64, err error) {
	var f mat.Dense
	if err := m.PredictTo(&f, t.x); err != nil {
		return 0, 0, err
	}
	n, _ := f.Dims()
	for i := range n {
		e, g := f.At(i, 0)-t.y.At(i, 0), f.At(i, 0)-t.distribution.Regression(t.x.RawRowView(i))
		mse += e * e / float64(n)
		excess += g * g / float64(n)
	}
	return mse, excess, nil
}

// Means averages the outcomes of one method over repetitions.
func Means(outcomes []Outcome, d int, direct bool, method, learner string) (mse, excess Mean, seconds float64) {
	var a, b []float64
	for _, o := range outcomes {
		if o.D == d && o.Direct == direct && o.Method == method && o.Learner == learner {
			a, b = append(a, o.MSE), append(b, o.Excess)
			seconds += o.Seconds
		}
	}
	return meanOf(a), meanOf(b), seconds / float64(len(a))
}
