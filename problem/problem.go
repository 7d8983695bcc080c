package problem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/moments"
	"mediant/solvers"
	"mediant/tables"
)

// A Problem, made by Prepare, Mapped.Sum or Sums.Problem, is a Mapped with sums of products by fold, from which solvers fit every method in closed form. It is immutable and
// safe for concurrent use. Only methods that need more than sums read the tables again. A Problem made by Sums has no rows,
// and such methods return ErrNeedsRows.
type Problem struct {
	Mapped
	foldsXU, foldsUY []*moments.CoMoments
	xu, uy           *moments.CoMoments
	fit              *fitSums   // of S_X in the fit of f; nil: those of all else
	fitOf            []*fitSums // of each output, in the place of fit; nil: all have the same
	blocks           *blocks    // of sums that were made elsewhere; nil: there are rows
	first            *FirstStep
	splitUY          crossfit.Splits // where there is a FirstStep and more than one fold
	system           func() (*solvers.System, error)
}

// Prepare reads the two tables into a Problem, by Encode, Map and Sum: once or twice for encoders and classes, once for what a model keeps of
// them, once for bandwidths and landmarks, and once for the sums, at (n+m)(p+q)² flops or so. An error names the table's
// column or row at fault.
func Prepare(ctx context.Context, s Setup, xu, uy tables.Source) (*Problem, error) {
	e, err := EncodeFor(ctx, s, xu, uy, Footprint.Preparing, "")
	if err != nil {
		return nil, err
	}
	m, err := e.Map(ctx)
	if err != nil {
		return nil, err
	}
	return m.Sum(ctx)
}

// Sum sums the products of both tables by fold, in one pass over each; density-ratio weights (Setup.Shift) need further passes.
func (m *Mapped) Sum(ctx context.Context) (*Problem, error) {
	p := Problem{Mapped: *m}
	p.inTurn = false
	if err := p.CheckMemory(0, ""); err != nil {
		return nil, err
	}
	var err error
	if p.foldsXU, _, err = p.CoMomentsByFold(ctx, TableXU, p.SidePhi(), p.SidePsi()); err != nil {
		return nil, TableError(TableXU, err)
	}
	var dropped int
	if p.foldsUY, dropped, err = p.CoMomentsUY(ctx, p.y); err != nil {
		return nil, TableError(TableUY, err)
	}
	if p.setup.Shift {
		p.dropped = dropped
		if err := p.weighShift(ctx); err != nil {
			return nil, err
		}
	}
	if err := p.noteDropped(ctx, dropped); err != nil {
		return nil, err
	}
	if p.xu, err = moments.Sum(p.foldsXU...); err != nil {
		return nil, err
	}
	if p.uy, err = moments.Sum(p.foldsUY...); err != nil {
		return nil, err
	}
	if err := p.RequireUY(ctx, p.uy.Weight()); err != nil {
		return nil, err
	}
	p.noteConstants(p.uy)
	return complete(p), nil
}

// complete gives a problem its solver.
func complete(p Problem) *Problem {
	p.system = sync.OnceValues(func() (*solvers.System, error) {
		if p.first != nil {
			return nil, errInTurn(p.first)
		}
		if p.fitOf != nil {
			return nil, errors.New("problem: outputs have weights of their own in the fit of f: there are no sums for all")
		}
		xu, uy := p.Fitting(), p.uy
		return solvers.NewSystem(p.Splitter().NoiseOf(xu).Solvable(xu, len(p.foldsXU)), p.Splitter().NoiseOf(uy).Solvable(uy, len(p.foldsUY)), !p.setup.NoIntercept)
	})
	return &p
}

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
	rest.setup.Reserve = nil // models of folds get no standard errors
	rest.kept = slices.Delete(p.Folds(), fold, fold+1)
	rest.foldsXU = moments.Without(p.foldsXU, fold)
	rest.foldsUY = moments.Without(p.foldsUY, fold)
	rest.blocks = p.blocks.without(fold)
	var err error
	if rest.xu, err = moments.Sum(rest.foldsXU...); err != nil {
		return nil, err
	}
	if p.splitUY.Train != nil {
		rest.uy, rest.splitUY = p.splitUY.Train[fold], crossfit.Splits{}
	} else if rest.uy, err = moments.Sum(rest.foldsUY...); err != nil {
		return nil, err
	}
	if p.first != nil {
		if rest.first = p.first.withoutFold(fold); rest.first == nil {
			return nil, fmt.Errorf("problem: sums of 2Step-RR alone without fold %d: there is no h without it, or a fold was taken out before", fold+1)
		}
		rest.xu = p.first.columns(rest.xu, 1+fold, p.y.Len())
	}
	sp := rest.Splitter()
	rest.xu, rest.uy = sp.Training(rest.xu), sp.Training(rest.uy)
	if rest.fit, err = p.fit.without(fold, sp); err != nil {
		return nil, err
	}
	rest.fitOf = slices.Clone(p.fitOf)
	for j, f := range p.fitOf {
		if rest.fitOf[j], err = f.without(fold, sp); err != nil {
			return nil, err
		}
	}
	if rest.xu.Weight() == 0 || rest.uy.Weight() == 0 {
		return nil, fmt.Errorf("problem: without fold %d no row of positive weight is left: too few rows", fold+1)
	}
	return complete(rest), nil
}

// Split returns p if it has folds, else p with its sums computed again by fold. Every fold has rows.
func (p *Problem) Split(ctx context.Context) (*Problem, error) {
	s := p
	if len(p.foldsUY) < 2 {
		own := *p
		own.setup.Folds = DefaultFolds
		own.limitFolds()
		if err := own.checkClusters(); err != nil {
			return nil, err
		}
		if err := own.findAllLandmarks(ctx); err != nil {
			return nil, err
		}
		var err error
		if own.foldsXU, _, err = own.CoMomentsByFold(ctx, TableXU, own.SidePhi(), own.SidePsi()); err != nil {
			return nil, err
		}
		if own.foldsUY, _, err = own.CoMomentsUY(ctx, own.y); err != nil {
			return nil, err
		}
		s = complete(own)
	}
	for k := range s.foldsUY {
		if s.foldsXU[k].Weight() == 0 || s.foldsUY[k].Weight() == 0 {
			return nil, fmt.Errorf("problem: weights of rows: fold %d has no row of positive weight: too few rows", k+1)
		}
	}
	return s, nil
}

// XU returns the moments of (phi, psi) over S_X, or of (phi, h) where there is a FirstStep, which must not be changed.
func (p *Problem) XU() *moments.CoMoments { return p.xu }

// UY returns the moments of (psi, y) over S_Y, which must not be changed.
func (p *Problem) UY() *moments.CoMoments { return p.uy }

// FoldsXU returns the moments of (phi, psi) over S_X of each remaining fold; a single one if the Setup has no folds. Where there is a FirstStep the right side is h of all folds and without each. They must not be changed.
func (p *Problem) FoldsXU() []*moments.CoMoments { return p.foldsXU }

// FoldsUY returns the moments of (psi, y) over S_Y likewise.
func (p *Problem) FoldsUY() []*moments.CoMoments { return p.foldsUY }

// System returns the solver of these moments. It is shared: methods that solve with one lambda_f
// after another reuse its factor.
func (p *Problem) System() (*solvers.System, error) { return p.system() }

// EmptyXU returns empty co-moments of (phi, right) for each fold; a nil right is one column without an identity.
func (p *Problem) EmptyXU(right encode.Side) []*moments.CoMoments {
	var id moments.ID
	if right != nil {
		id = right.ID()
	}
	folds := make([]*moments.CoMoments, len(p.foldsXU))
	for k := range folds {
		folds[k] = p.setup.Arithmetic.NewCoMoments(p.SidePhi().ID(), id)
	}
	return folds
}
