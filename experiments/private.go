package experiments

import (
	"context"
	"math"

	"mediant/features"
	"mediant/internal/parallel"
	"mediant/problem"
	"mediant/risk"
	"mediant/search"
	"mediant/tables"
)

// A PrivateStudy measures models of sums with noise for privacy. The plan is made of other rows of the same distribution, as of public ones.
type PrivateStudy struct {
	Distribution Distribution
	// Rows of each of the two tables, coupled rows for the truth, rows of each table that the plan is made of, and repetitions, at least 2.
	Rows, TestRows, PublicRows, Repetitions int
	Features                                int     // of each side, Gaussian
	Multiple                                float64 // of the median bandwidth; 0 is 1
	Blocks                                  int     // of each of 5 folds
	Epsilon, Delta                          float64 // of each table; an Epsilon of +Inf is no noise
	Clip                                    []problem.Range
	Seed                                    uint64
}

// PrivateResult is the outcome of a PrivateStudy.
type PrivateResult struct {
	// MSE is the mean squared error of the models on the coupled rows, SE its standard error over repetitions.
	MSE, SE float64
	// Covered is the share of 95 % intervals that contain the mean error of the models of the folds, which they are for. MeanMSE and MeanSE are the mean estimate and standard error, SD is
	// the standard deviation of estimate - truth.
	Covered, MeanMSE, MeanSE, SD float64
}

// Run draws tables, sums and fits them in all repetitions. Noise is from crypto/rand, so that no two runs agree.
func (s PrivateStudy) Run(ctx context.Context) (*PrivateResult, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	xy, err := s.Distribution.XY(s.TestRows, s.Seed)
	if err != nil {
		return nil, err
	}
	choose := func(ctx context.Context, xu, uy tables.Source, seed uint64) (*search.Choice, error) {
		return s.choose(ctx, xu, uy, seed)
	}
	all := make([]repetition, s.Repetitions)
	parallel.Blocks(s.Repetitions, 1, func(lo, _ int) {
		all[lo] = repeat(ctx, s.Distribution, [2]int{s.Rows, s.Rows}, choose, risk.SameDistribution, xy, s.Seed+1+uint64(lo))
	})
	var out PrivateResult
	n := float64(len(all))
	squares, gap, gaps := 0., 0., 0.
	for _, r := range all {
		if r.err != nil {
			return nil, r.err
		}
		out.MSE += r.final / n
		out.MeanMSE += r.a.Risk.MSE / n
		out.MeanSE += r.a.Risk.SE / n
		gap += (r.a.Risk.MSE - r.truth) / n
		if r.a.Risk.Lo <= r.truth && r.truth <= r.a.Risk.Hi {
			out.Covered += 1 / n
		}
	}
	for _, r := range all {
		squares += (r.final - out.MSE) * (r.final - out.MSE)
		d := r.a.Risk.MSE - r.truth - gap
		gaps += d * d
	}
	out.SE, out.SD = math.Sqrt(squares/(n-1)/n), math.Sqrt(gaps/(n-1))
	return &out, nil
}

// choose fits 2Step-RR or Joint-RR to sums by a plan of public rows.
func (s PrivateStudy) choose(ctx context.Context, xu, uy tables.Source, seed uint64) (*search.Choice, error) {
	plan, err := s.plan(ctx, seed)
	if err != nil {
		return nil, err
	}
	p, err := s.problem(ctx, plan, xu, uy)
	if err != nil {
		return nil, err
	}
	return search.Search{Setup: problem.Setup{Seed: seed}}.ChooseOf(ctx, p)
}

// plan is made of rows that no repetition has.
func (s PrivateStudy) plan(ctx context.Context, seed uint64) (problem.Plan, error) {
	const apart = 1 << 40
	xu, err := s.Distribution.XU(s.PublicRows, seed+apart)
	if err != nil {
		return problem.Plan{}, err
	}
	uy, err := s.Distribution.UY(s.PublicRows, seed+apart)
	if err != nil {
		return problem.Plan{}, err
	}
	spec := features.Spec{Kernel: "gaussian", Size: s.Features, Multiple: s.Multiple}
	e, err := problem.Encode(ctx, problem.Setup{Phi: spec, Psi: spec, Seed: seed, Folds: problem.DefaultFolds}, xu, uy)
	if err != nil {
		return problem.Plan{}, err
	}
	m, err := e.Map(ctx)
	if err != nil {
		return problem.Plan{}, err
	}
	plan, err := m.Plan(ctx)
	plan.Blocks = s.Blocks
	return plan, err
}

// problem is that of both tables' sums.
func (s PrivateStudy) problem(ctx context.Context, plan problem.Plan, xu, uy tables.Source) (*problem.Problem, error) {
	if math.IsInf(s.Epsilon, 1) {
		return summed(ctx, plan, xu, uy)
	}
	x, err := plan.SumPrivately(ctx, problem.TableXU, xu, problem.Privacy{Epsilon: s.Epsilon, Delta: s.Delta})
	if err != nil {
		return nil, err
	}
	y, err := plan.SumPrivately(ctx, problem.TableUY, uy, problem.Privacy{Epsilon: s.Epsilon, Delta: s.Delta, Clip: s.Clip})
	if err != nil {
		return nil, err
	}
	both, err := problem.MergeSums(x, y)
	if err != nil {
		return nil, err
	}
	return both.Problem()
}
