package search

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/problem"
	"mediant/rr"
)

// pairColumns are the columns whose 55 pairs have some five frequencies each among 512 features. Of more columns, say 15 of which ten are idle, pairs of all were worse than a sum over columns (docs/measurements.md).
const pairColumns = 11

// PairCandidates returns the features of a sum of Gaussian kernels of two columns each that a search tries by default for rows of so many encoded columns: none of two, which a Gaussian kernel has, and none of more than eleven.
func PairCandidates(columns int) []features.Spec {
	if columns < 3 || columns > pairColumns {
		return nil
	}
	return bandwidths(pairFeatures)
}

var pairFeatures = features.Spec{Kind: features.AdditiveFeatures, Kernel: "gaussian", Pairs: true}

// A pairsChoice is features of the pairs of some encoded columns of X at a multiple of the median bandwidth, which won against all candidates for phi.
type pairsChoice struct {
	Columns  []int
	Multiple float64
}

// spec is the Spec of the choice.
func (p pairsChoice) spec(size int) features.Spec {
	s := pairFeatures
	s.Among, s.Multiple, s.Size = &p.Columns, p.Multiple, size
	return s
}

// choosePairs tries pairs of the columns of X that U depends on, where the best additive candidate tells that it does not depend on all, and returns the trials of the stage with theirs. A sum of
// functions of these columns alone, which fits by components make of the additive candidate later, is tried beside them, and they win only if they are better than that too.
func (s Search) choosePairs(ctx context.Context, m *problem.Mapped, j *comparison, learned learnedMaps, specs []features.Spec, trials []Trial) (*pairsChoice, []Trial, error) {
	width := m.X().Width()
	from := leastAdditive(specs, trials)
	if from < 0 || !s.triesPairs(m.X().Sparse(), width) {
		return nil, trials, nil
	}
	related, err := s.relatedColumns(ctx, m, learned.rows, specs[from])
	if err != nil || len(related) < 2 || len(related) > pairColumns || len(related) == width {
		return nil, trials, err
	}
	alone := specs[from]
	alone.Among = &related
	try := func(spec features.Spec) (Trial, error) {
		t := Trial{Stage: "phi", Name: candidateName(spec)}
		err := s.tryPhi(ctx, m, j, spec, &t, learned)
		return t, err
	}
	winner := slices.IndexFunc(trials, func(t Trial) bool { return t.Chosen })
	leaders := leaderboard{trials: trials, winner: winner, any: true}
	leaders.add(try(alone))
	rivals := leaders.winner
	var chosen *pairsChoice
	candidates := bandwidths(pairsChoice{Columns: related}.spec(s.Phi.Size))[1:]
	var tried round
	for _, i := range order(candidates) {
		if tried.skips(candidates[i], candidates) {
			continue
		}
		t, err := try(candidates[i])
		tried.record(candidates[i], t.Risk)
		if leaders.add(t, err) {
			chosen = &pairsChoice{related, candidates[i].Multiple}
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
	if chosen == nil && rivals != winner {
		leaders.winner = winner // which becomes that by components
	}
	return chosen, leaders.close(), nil
}

// triesPairs reports whether pairs of some columns of X may be tried. A plan's maps depend on no rows.
func (s Search) triesPairs(sparse bool, columns int) bool {
	return !s.planned && s.PhiCandidates == nil && s.Phi.IsAuto() && s.Components != Always && !sparse && columns > 2
}

// leastAdditive is the index of the additive candidate of single columns with the least risk, -1 if there is none.
func leastAdditive(specs []features.Spec, trials []Trial) int {
	at, least := -1, 0.
	for _, t := range trials {
		i := slices.IndexFunc(specs, func(s features.Spec) bool { return additive(s) && !s.Pairs && candidateName(s) == t.Name })
		if i >= 0 && t.Risk != nil && (at < 0 || *t.Risk < least) {
			at, least = i, *t.Risk
		}
	}
	return at
}

// relatedColumns are the encoded columns of X that U depends on, by the tests of fits by components with additive features of X.
func (s Search) relatedColumns(ctx context.Context, m *problem.Mapped, rows mat.Matrix, spec features.Spec) ([]int, error) {
	spec = sized(spec, s.comparedSize(m.X()), m.X().Width())
	phi, _, err := spec.FitContext(ctx, rows, m.Setup().Seed, "phi")
	if err != nil {
		return nil, err
	}
	if m, err = m.WithPhi(ctx, phi); err != nil {
		return nil, err
	}
	xu, err := m.CoMomentsXU(ctx, m.SidePsi())
	if err != nil {
		return nil, err
	}
	return rr.RelatedGroups(phi.(*features.Additive), xu), nil
}
