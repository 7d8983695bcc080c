package search

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/problem"
	"mediant/tables"
)

// ErrHoldsRows reports a plan whose maps have landmarks, which are rows.
var ErrHoldsRows = errors.New("search: the feature maps have landmarks, which are rows of the tables: a plan without rows has others")

// Plan chooses feature maps by stages 1 and 2 and returns the plan for parties that sum their rows. Either table may be nil. Without S_X the plan has no map
// of X, and its psi is chosen; without S_Y it has no Y, and psi is that of Setup or, unset, Gaussian features at the median bandwidth, since nothing tells which is better. Then U must be
// set, or X, or Y. A plan with landmarks is ErrHoldsRows unless allowRows.
func (s Search) Plan(ctx context.Context, xu, uy tables.Source, allowRows bool) (problem.Plan, error) {
	var plan problem.Plan
	if err := s.check(s.W); err != nil {
		return plan, err
	}
	if s.Folds < 2 {
		s.Folds = Folds
	}
	s.planned = true // landmarks are rows, and the optimism of metrics is measured on rows, which sums have not
	one, err := s.standIn(&xu, &uy)
	if err != nil {
		return plan, err
	}
	e, err := problem.EncodeFor(ctx, s.Setup, xu, uy, s.stages, searchMemory)
	if err != nil {
		return plan, err
	}
	if e, err = e.Loaded(ctx, s.stages); err != nil {
		return plan, err
	}
	if err := checkRows(ctx, e); err != nil {
		return plan, err
	}
	if e, err = s.chooseMaps(ctx, e, &Choice{}); err != nil {
		return plan, err
	}
	m, err := e.Map(ctx)
	if err != nil {
		return plan, err
	}
	if plan, err = m.Plan(ctx); err != nil {
		return plan, err
	}
	switch one {
	case problem.TableXU:
		plan.Y, plan.Roles.Y, plan.Grids[problem.TableUY] = nil, nil, nil
	case problem.TableUY:
		plan.X, plan.Phi, plan.Roles.X, plan.Grids[problem.TableXU] = nil, nil, nil, nil
	}
	if !allowRows && plan.HoldsRows() {
		return plan, ErrHoldsRows
	}
	return plan, nil
}

// standIn puts a table in the place of one that is nil, from the columns of the other, so that all else can be chosen as with two: what is made of it is no
// part of the plan. It returns the table that there is, -1 for both.
func (s *Search) standIn(xu, uy *tables.Source) (one int, err error) {
	switch {
	case *xu != nil && *uy != nil:
		return -1, nil
	case *xu == nil && *uy == nil:
		return -1, fmt.Errorf("search: a plan needs a table of (X, U) or one of (U, Y)")
	case *uy == nil:
		one = problem.TableXU
		if s.PsiCandidates == nil && s.Psi.IsAuto() {
			s.PsiCandidates = []features.Spec{{Kernel: "gaussian", Size: s.Psi.Size}}
		}
		s.PhiCandidates = firstOf(candidates(s.Phi, s.PhiCandidates), s.Phi)
		s.Roles, *uy, err = beside(*xu, s.Roles, "Y")
	default:
		one = problem.TableUY
		s.PhiCandidates = []features.Spec{{Kind: features.LinearFeatures}}
		s.Roles, *xu, err = beside(*uy, s.Roles, "X")
	}
	return one, err
}

// firstOf is the map that was asked for, or Gaussian features.
func firstOf(all []features.Spec, asked features.Spec) []features.Spec {
	if asked.IsAuto() {
		return []features.Spec{{Kernel: "gaussian", Size: asked.Size}}
	}
	return all[:1]
}

// beside is src with its columns a second time under other names, of which the first one of U is the missing role.
func beside(src tables.Source, roles tables.RoleOptions, missing string) (tables.RoleOptions, tables.Source, error) {
	assign := tables.AssignUY
	if missing == "Y" {
		assign = tables.AssignXU
	}
	own, err := assign(src.Columns(), roles)
	if err != nil {
		return roles, nil, err
	}
	again := make(map[string]string)
	for _, c := range src.Columns() {
		again[c.Name] = missing + " of a plan, " + c.Name
	}
	copied, err := tables.Rename(src, again)
	if err != nil {
		return roles, nil, err
	}
	both, err := tables.HStack(src, copied)
	if err != nil {
		return roles, nil, err
	}
	stand := []string{again[own.U[0]]}
	roles.U, roles.X, roles.Y = own.U, own.X, own.Y
	if missing == "X" {
		roles.X, roles.WeightsXU = stand, roles.WeightsUY
	} else {
		roles.Y, roles.WeightsUY = stand, roles.WeightsXU
	}
	return roles, both, nil
}

// SumXU returns the sums of a table of (X, U) for sums of S_Y whose plan lacks X: it encodes the columns X (nil: all that are neither U nor weights), and chooses phi by stage 2, at the cost of a pass
// for each candidate. Where the plan has X it is Plan.SumXU.
func (s Search) SumXU(ctx context.Context, uy *problem.Sums, xu tables.Source) (*problem.Sums, []Trial, error) {
	if uy.Plan.X != nil {
		sums, err := uy.Plan.SumXU(ctx, xu)
		return sums, nil, err
	}
	if err := s.check(s.W); err != nil {
		return nil, nil, err
	}
	x, err := uy.Plan.EncodeX(ctx, s.Setup, xu)
	if err != nil {
		return nil, nil, err
	}
	rows, err := encode.Sample(ctx, x, x.SourceRows(), problem.MapRows, uy.Plan.Seed, "phi", xu)
	if err != nil {
		return nil, nil, err
	}
	specs := candidatesFor(x.Sparse(), x.Width(), 0, s.Phi, s.PhiCandidates) // for a metric h needs rows of S_Y
	chosen := specs[0]
	var trials []Trial
	if len(specs) > 1 {
		if chosen, trials, err = s.choosePhiOf(ctx, uy, xu, x, rows, specs); err != nil {
			return nil, nil, err
		}
	}
	plan, err := withPhi(ctx, uy.Plan, x, rows, sized(chosen, finalSize(x, chosen), x.Width()))
	if err != nil {
		return nil, nil, err
	}
	sums, err := plan.SumXU(ctx, xu)
	return sums, trials, err
}

// withPhi is the plan with X and a map of this spec.
func withPhi(ctx context.Context, plan problem.Plan, x *encode.Encoder, rows mat.Matrix, spec features.Spec) (problem.Plan, error) {
	phi, _, err := spec.FitContext(ctx, rows, plan.Seed, "phi")
	plan.X, plan.Phi, plan.Roles.X = x, phi, tables.ColumnNames(x.Columns())
	return plan, err
}

// choosePhiOf is stage 2 for sums of S_Y.
func (s Search) choosePhiOf(ctx context.Context, uy *problem.Sums, xu tables.Source, x *encode.Encoder, rows mat.Matrix, specs []features.Spec) (features.Spec, []Trial, error) {
	xu, err := problem.SampleTable(ctx, xu, x.SourceRows()[0], comparedRows, uy.Plan.Seed, "maps")
	if err != nil {
		return features.Spec{}, nil, err
	}
	var leaders leaderboard
	var j *comparison
	for _, spec := range specs {
		t := Trial{Stage: "phi", Name: candidateName(spec)}
		err := func() error {
			plan, err := withPhi(ctx, uy.Plan, x, rows, sized(spec, searchSize(x.Rows()), x.Width()))
			if err != nil {
				return err
			}
			part, err := plan.SumXU(ctx, xu)
			if err != nil {
				return err
			}
			both, err := problem.MergeSums(part, uy)
			if err != nil {
				return err
			}
			p, err := both.Problem()
			if err != nil {
				return err
			}
			if j == nil {
				if j, err = comparisonOf(ctx, &p.Mapped, p.FoldsUY(), s.LambdaH.Grid(searchLambdas), func(problem.Footprint) float64 { return 0 }); err != nil {
					return err
				}
			}
			folds, err := p.Splitter().Split(ctx, p.FoldsXU())
			if err != nil {
				return err
			}
			return s.scorePhi(ctx, &p.Mapped, j, folds, &t)
		}()
		if ctx.Err() != nil {
			return spec, nil, ctx.Err()
		}
		leaders.add(t, err)
	}
	if leaders.winner < 0 {
		return features.Spec{}, nil, fmt.Errorf("search: no candidate for phi can be fitted: %s", leaders.trials[0].Error)
	}
	return specs[leaders.winner], leaders.close(), nil
}
