package rr

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/moments"
	"mediant/problem"
	"mediant/solvers"
)

// Penalties returns the ridge penalty of each output for the sums that a problem has: lambda_h for those of S_Y, lambda_f for those of both tables.
type Penalties func(*problem.Problem) ([]float64, error)

// errInexact reports sums in mixed arithmetic that are too inexact for a penalty.
var errInexact = errors.New("rr: the sums are too inexact for the penalty")

// leastContraction is the bound on the factor of a step of refinement (moments.CoMoments.MixedContraction) up to which Auto is Mixed: models of folds, which are not refined, are then far closer to those of exact sums than to each other.
const leastContraction = 1. / 32

// SumInTurn sums both tables for 2Step-RR by ridge regression alone (problem.Mapped.SumInTurn), with penalties that may depend on the sums. Auto of Setup.Arithmetic is Mixed where that pays, unless a penalty turns out to be so small
// that it takes sums in float64: then the tables are summed once more.
func SumInTurn(ctx context.Context, m *problem.Mapped, lambdaH, lambdaF Penalties) (*problem.Problem, error) {
	side := func(coef *mat.Dense, intercept []float64) encode.Side { return hOf(m, coef, intercept) }
	if m.Setup().Arithmetic.IsAuto() && m.MixedPays() {
		enough := func(of Penalties, sums func(*problem.Problem) *moments.CoMoments) Penalties {
			return func(p *problem.Problem) ([]float64, error) {
				lambdas, err := of(p)
				if err == nil && !(contraction(sums(p), slices.Min(lambdas)) <= leastContraction) {
					err = errInexact
				}
				return lambdas, err
			}
		}
		p, err := m.WithArithmetic(moments.Mixed).SumInTurn(ctx, enough(lambdaH, (*problem.Problem).UY), side)
		if err == nil {
			_, err = enough(lambdaF, (*problem.Problem).XU)(p)
		}
		if !errors.Is(err, errInexact) {
			return p, err
		}
	}
	if m.Setup().Arithmetic.IsAuto() {
		m = m.WithArithmetic(moments.Float64)
	}
	p, err := m.SumInTurn(ctx, lambdaH, side)
	if err == nil {
		_, err = lambdaF(p)
	}
	return p, err
}

func contraction(sums *moments.CoMoments, lambda float64) float64 {
	_, typical := sums.MixedContraction(lambda)
	return typical
}

// hOf is the side of S_X of affine functions of psi.
func hOf(m *problem.Mapped, coef *mat.Dense, intercept []float64) encode.Side {
	return features.Mapped{Encoder: m.U(), Map: outputs{NewLinear(m.Psi(), coef, intercept)}}
}

// fitF is the second step. Models of folds are not refined, since each would take passes of its own over S_X.
func fitF(ctx context.Context, p *problem.Problem, first *problem.FirstStep, lambda float64) (f *solvers.Linear, off float64, err error) {
	if !p.HasAllFolds() {
		f, err = solvers.Ridge(p.XU(), lambda, !p.Setup().NoIntercept)
		return f, 0, err
	}
	return p.RidgeRefined(ctx, problem.TableXU, hOf(&p.Mapped, first.H.Coef, first.H.Intercept), p.XU(), lambda)
}

// farFromExact is the distance to predictions of exact sums, in standard deviations of an output, from which on a warning says so.
const farFromExact = 1e-6

// noteRefined warns of predictions that refinement has not brought close to those of exact sums.
func (m *Model) noteRefined(off float64) {
	if off > farFromExact {
		m.Warnings = append(m.Warnings, fmt.Sprintf("sums in mixed arithmetic are too inexact for these penalties: predictions may differ from those of float64 by %.1g of the standard deviation of Y (--arithmetic float64 avoids it)", off))
	}
}
