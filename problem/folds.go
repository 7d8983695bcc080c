package problem

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/fault"
	"mediant/moments"
)

// Without returns the problem of all folds but one, for cross-fitting: the same encoders and maps,
// the sums of the other folds, and tables of which methods that read rows see only those. fold
// counts the folds that p has; a problem without can be taken apart further. The other folds are
// summed, which keeps the digits that a subtraction from the total would lose. An error says that no
// row is left.
func (p *Problem) Without(fold int) (*Problem, error) {
	if fold < 0 || fold >= len(p.foldsUY) {
		panic(fmt.Sprintf("problem: fold %d of %d", fold, len(p.foldsUY)))
	}
	rest := *p
	rest.system = nil
	rest.Setup.Reserve = nil // nobody asks for standard errors of the models of folds
	rest.Kept = slices.Delete(p.Folds(), fold, fold+1)
	rest.foldsXU = moments.Without(p.foldsXU, fold)
	rest.foldsUY = moments.Without(p.foldsUY, fold)
	var err error
	if rest.xu, err = moments.Sum(rest.foldsXU...); err != nil {
		return nil, err
	}
	if rest.uy, err = moments.Sum(rest.foldsUY...); err != nil {
		return nil, err
	}
	sp := rest.Splitter()
	rest.xu, rest.uy = sp.Training(rest.xu), sp.Training(rest.uy)
	if p.Fit != nil {
		folds := moments.Without(p.Fit.Folds, fold)
		sum, err := moments.Sum(folds...)
		if err != nil {
			return nil, err
		}
		rest.Fit = &FitSums{folds, sp.Training(sum), p.Fit.Times}
	}
	if rest.xu.Weight() == 0 || rest.uy.Weight() == 0 {
		return nil, fmt.Errorf("problem: without fold %d no row of positive weight is left: too few rows", fold+1)
	}
	return &rest, nil
}

// Folds returns a new list of the numbers of the folds that are left.
func (p *Problem) Folds() []int {
	if p.Kept != nil {
		return slices.Clone(p.Kept)
	}
	all := make([]int, max(1, p.Setup.Folds))
	for i := range all {
		all[i] = i
	}
	return all
}

// pass says how rows of a table, tableXU or tableUY, are split and left out.
func (p *Problem) pass(table int) PassOptions {
	opt := PassOptions{Folds: max(1, p.Setup.Folds), Seed: p.Setup.Seed}
	if fixed := p.Setup.Fold; fixed != nil {
		opt.Fold = func(row int) int { return fixed(table, row) }
	}
	if p.Kept != nil {
		opt.Keep = func(fold int) bool { return slices.Contains(p.Kept, fold) }
	}
	return opt
}

// WalkXU calls do for the rows of S_X that are left, with the place of their fold in FoldsXU.
func (p *Problem) WalkXU(ctx context.Context, left, right encode.Side, do func(k int, a, b *mat.Dense, w moments.Weights)) error {
	if err := p.walk(ctx, TableXU, left, right, do); err != nil {
		return fmt.Errorf("table of X and U: %w", err)
	}
	return nil
}

// WalkUY is walkXU for the rows of S_Y. Where the ratio of the distributions of U weighs them, left must be
// features of U, p.psi().
func (p *Problem) WalkUY(ctx context.Context, left, right encode.Side, do func(k int, a, b *mat.Dense, w moments.Weights)) error {
	if p.ratio != nil {
		with := do
		do = func(k int, a, b *mat.Dense, w moments.Weights) { with(k, a, b, p.shifted(a, w)) }
	}
	if err := p.walk(ctx, TableUY, left, right, do); err != nil {
		return fmt.Errorf("table of U and Y: %w", err)
	}
	return nil
}

func (p *Problem) walk(ctx context.Context, table int, left, right encode.Side, do func(k int, a, b *mat.Dense, w moments.Weights)) (err error) {
	defer fault.Recover(&err)
	folds := p.Folds()
	_, err = Walk(ctx, p.Sources[table], left, right, p.pass(table), func(fold int, a, b *mat.Dense, w moments.Weights) {
		do(slices.Index(folds, fold), a, b, w)
	})
	return err
}

// SidePhi and psi are the sides of features of X and of U.
func (p *Problem) SidePhi() features.Mapped { return features.Mapped{Encoder: p.X, Map: p.Phi} }

func (p *Problem) SidePsi() features.Mapped { return features.Mapped{Encoder: p.U, Map: p.Psi} }

// Constant is the side that is 1 in each row of S_X.
func (p *Problem) Constant() features.Mapped {
	return features.Mapped{Encoder: p.U, Map: features.NewBias(p.U.Width())}
}
