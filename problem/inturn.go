package problem

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/moments"
	"mediant/solvers"
)

// A FirstStep, made by Mapped.SumInTurn, is h of 2Step-RR, by ridge regression with the penalty Lambda: of all folds of a problem, and without each of them, of which methods of the problem without that fold take theirs.
type FirstStep struct {
	Lambda float64
	H      *solvers.Linear
	// Off is the distance of H to what sums in float64 would give, as RidgeRefined estimates it; 0 where the sums are in float64.
	Off     float64
	without []*solvers.Linear // nil for a fold without which there are no rows of S_Y
}

// SumInTurn is Sum for 2Step-RR with one lambda_h alone, which lambdaH returns for a problem that has sums of S_Y only: h is fitted to the sums of S_Y, and the sums of S_X are those of phi with h(U) in the place of psi, at m q² + n p² flops instead of (n+m)(p+q)² or so.
// Cross-fitting has what it needs, since h without each fold is on the right side too. outputs makes that side from the coefficients of psi and the intercepts of all of them. The problem has a FirstStep, its XU is of (phi, h), and
// its System is an error. It is not for problems that weigh rows for covariate shift.
func (m *Mapped) SumInTurn(ctx context.Context, lambdaH func(*Problem) (float64, error), outputs func(coef *mat.Dense, intercept []float64) encode.Side) (*Problem, error) {
	p := Problem{Mapped: *m}
	p.inTurn = true
	if p.setup.Shift {
		panic("problem: SumInTurn of a problem with weights for covariate shift")
	}
	if err := p.CheckMemory(0, ""); err != nil {
		return nil, err
	}
	var dropped int
	var err error
	if p.foldsUY, dropped, err = p.CoMomentsUY(ctx, p.y); err != nil {
		return nil, TableError(TableUY, err)
	}
	if err := p.noteDropped(ctx, dropped); err != nil {
		return nil, err
	}
	if p.uy, err = total(p.foldsUY); err != nil {
		return nil, err
	}
	if err := p.RequireUY(ctx, p.uy.Weight()); err != nil {
		return nil, err
	}
	p.noteConstants(p.uy)
	if len(p.foldsUY) > 1 {
		if p.splitUY, err = p.Splitter().Split(ctx, p.foldsUY); err != nil {
			return nil, err
		}
	}
	lambda, err := lambdaH(&p)
	if err != nil {
		return nil, err
	}
	if err := p.fitFirst(ctx, lambda); err != nil {
		return nil, err
	}
	side := outputs(p.first.together(p.y.Len()))
	if p.foldsXU, _, err = p.CoMomentsByFold(ctx, TableXU, p.SidePhi(), side); err != nil {
		return nil, TableError(TableXU, err)
	}
	whole, err := total(p.foldsXU)
	if err != nil {
		return nil, err
	}
	p.xu = p.first.columns(whole, 0, p.y.Len())
	return complete(p), nil
}

// total is moments.Sum without a copy of a single fold.
func total(folds []*moments.CoMoments) (*moments.CoMoments, error) {
	if len(folds) == 1 {
		return folds[0], nil
	}
	return moments.Sum(folds...)
}

// fitFirst fits h with all rows of S_Y, and without each fold.
func (p *Problem) fitFirst(ctx context.Context, lambda float64) error {
	first := &FirstStep{Lambda: lambda}
	var err error
	if first.H, first.Off, err = p.RidgeRefined(ctx, TableUY, p.y, p.uy, lambda); err != nil {
		return err
	}
	if len(p.foldsUY) > 1 {
		first.without = make([]*solvers.Linear, len(p.foldsUY))
		for k, others := range p.splitUY.Train {
			if others.Weight() == 0 {
				continue
			}
			if first.without[k], err = solvers.Ridge(others, lambda, !p.setup.NoIntercept); err != nil {
				return err
			}
		}
	}
	p.first = first
	return nil
}

// together are the coefficients and intercepts of all h side by side, first that of all folds.
func (f *FirstStep) together(outputs int) (coef *mat.Dense, intercept []float64) {
	q, _ := f.H.Coef.Dims()
	coef = mat.NewDense(q, (1+len(f.without))*outputs, nil)
	intercept = make([]float64, (1+len(f.without))*outputs)
	for i, h := range append([]*solvers.Linear{f.H}, f.without...) {
		if h != nil {
			coef.Slice(0, q, i*outputs, (i+1)*outputs).(*mat.Dense).Copy(h.Coef)
			copy(intercept[i*outputs:], h.Intercept)
		}
	}
	return coef, intercept
}

// columns are the sums with the h at an index of together.
func (f *FirstStep) columns(sums *moments.CoMoments, at, outputs int) *moments.CoMoments {
	if sums.Weight() == 0 {
		return sums
	}
	return sums.RightColumns(at*outputs, (at+1)*outputs, sums.Right())
}

// withoutFold is the first step without a fold; nil where there was one before.
func (f *FirstStep) withoutFold(k int) *FirstStep {
	if k >= len(f.without) || f.without[k] == nil {
		return nil
	}
	return &FirstStep{Lambda: f.Lambda, H: f.without[k]}
}

// HeldOut returns the moments of (phi, h without fold k) over the rows of S_X of that fold, of a problem made by SumInTurn.
func (p *Problem) HeldOut(k int) *moments.CoMoments {
	return p.first.columns(p.foldsXU[k], 1+k, p.y.Len())
}

// SplitUY returns the moments of S_Y of each fold and of the others.
func (p *Problem) SplitUY(ctx context.Context) (crossfit.Splits, error) {
	if p.splitUY.Held != nil {
		return p.splitUY, nil
	}
	return p.Splitter().Split(ctx, p.foldsUY)
}

// FirstStep returns the h of a problem made by SumInTurn, nil for others.
func (p *Problem) FirstStep() *FirstStep { return p.first }

// Full returns p, or, where there is a FirstStep, the problem with the sums of phi and psi that all methods fit from.
func (p *Problem) Full(ctx context.Context) (*Problem, error) {
	if p.first == nil {
		return p, nil
	}
	return p.Mapped.Sum(ctx)
}

// errInTurn is of a method that needs other sums.
func errInTurn(f *FirstStep) error {
	return fmt.Errorf("problem: the sums are those of 2Step-RR with lambda_h = %g alone; other methods need the sums that Mapped.Sum makes", f.Lambda)
}
