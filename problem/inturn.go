package problem

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/moments"
	"mediant/solvers"
)

// A FirstStep, made by Mapped.SumInTurn, is h of 2Step-RR, by ridge regression with the penalties Lambdas, one for each output: of all folds of a problem, and without each of them, of which methods of the problem without that fold take theirs.
type FirstStep struct {
	Lambdas []float64
	H       *solvers.Linear
	// Off is the distance of H to what sums in float64 would give, as RidgeRefined estimates it; 0 where the sums are in float64.
	Off     float64
	without []*solvers.Linear // nil for a fold without which there are no rows of S_Y
}

// SumInTurn is Sum for 2Step-RR with one lambda_h for each output alone, which lambdaH returns for a problem that has sums of S_Y only: h is fitted to the sums of S_Y, and the sums of S_X are those of phi with h(U) in the place of psi, at m q² + n p² flops instead of (n+m)(p+q)² or so.
// Cross-fitting has what it needs, since h without each fold is on the right side too. outputs makes that side from the coefficients of psi and the intercepts of all of them. The problem has a FirstStep, its XU is of (phi, h), and
// its System is an error. It is not for problems that weigh rows for covariate shift.
func (m *Mapped) SumInTurn(ctx context.Context, lambdaH func(*Problem) ([]float64, error), outputs func(coef *mat.Dense, intercept []float64) encode.Side) (*Problem, error) {
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
	lambdas, err := lambdaH(&p)
	if err != nil {
		return nil, err
	}
	if err := p.fitFirst(ctx, lambdas); err != nil {
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
func (p *Problem) fitFirst(ctx context.Context, lambdas []float64) error {
	if k := p.y.Len(); len(lambdas) != k {
		panic(fmt.Sprintf("problem: %d penalties of h for %d outputs", len(lambdas), k))
	}
	first := &FirstStep{Lambdas: lambdas}
	if len(p.foldsUY) > 1 {
		first.without = make([]*solvers.Linear, len(p.foldsUY))
	}
	for lambda, at := range alike(lambdas) {
		y, pick := p.y, func(m *moments.CoMoments) *moments.CoMoments { return m }
		if len(at) < len(lambdas) {
			y = p.y.Only(at)
			pick = func(m *moments.CoMoments) *moments.CoMoments { return m.RightColumns(at, y.ID()) }
		}
		h, off, err := p.RidgeRefined(ctx, TableUY, y, pick(p.uy), lambda)
		if err != nil {
			return err
		}
		first.H, first.Off = withOutputs(first.H, h, at, len(lambdas)), max(first.Off, off)
		for k := range first.without {
			others := p.splitUY.Train[k]
			if others.Weight() == 0 {
				continue
			}
			if h, err = solvers.Ridge(pick(others), lambda, !p.setup.NoIntercept); err != nil {
				return err
			}
			first.without[k] = withOutputs(first.without[k], h, at, len(lambdas))
		}
	}
	p.first = first
	return nil
}

// alike yields each of some values once, in the order of its first place, with the indices of those that are equal to it.
func alike(values []float64) iter.Seq2[float64, []int] {
	return func(yield func(float64, []int) bool) {
		for i, v := range values {
			if slices.Index(values, v) < i {
				continue
			}
			var at []int
			for j, other := range values {
				if other == v {
					at = append(at, j)
				}
			}
			if !yield(v, at) {
				return
			}
		}
	}
}

// withOutputs sets the outputs at these indices of all, of so many, to those of some; a nil all has none yet. The condition is that of the worst system, the rank the least.
func withOutputs(all, some *solvers.Linear, at []int, outputs int) *solvers.Linear {
	if len(at) == outputs {
		return some
	}
	p, _ := some.Coef.Dims()
	if all == nil {
		all = &solvers.Linear{Coef: mat.NewDense(p, outputs, nil), Intercept: make([]float64, outputs), Cond: some.Cond, Rank: some.Rank}
	}
	for i, j := range at {
		all.Coef.SetCol(j, mat.Col(nil, i, some.Coef))
		all.Intercept[j] = some.Intercept[i]
	}
	all.Cond, all.Rank = max(all.Cond, some.Cond), min(all.Rank, some.Rank)
	return all
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
	columns := make([]int, outputs)
	for i := range columns {
		columns[i] = at*outputs + i
	}
	return sums.RightColumns(columns, sums.Right())
}

// withoutFold is the first step without a fold; nil where there was one before.
func (f *FirstStep) withoutFold(k int) *FirstStep {
	if k >= len(f.without) || f.without[k] == nil {
		return nil
	}
	return &FirstStep{Lambdas: f.Lambdas, H: f.without[k]}
}

// only is the first step of the outputs at these indices.
func (f *FirstStep) only(at []int) *FirstStep {
	pick := func(h *solvers.Linear) *solvers.Linear {
		if h == nil {
			return nil
		}
		p, _ := h.Coef.Dims()
		own := &solvers.Linear{Coef: mat.NewDense(p, len(at), nil), Cond: h.Cond, Rank: h.Rank}
		for i, j := range at {
			own.Coef.SetCol(i, mat.Col(nil, j, h.Coef))
			own.Intercept = append(own.Intercept, h.Intercept[j])
		}
		return own
	}
	own := &FirstStep{H: pick(f.H), Off: f.Off}
	for _, j := range at {
		own.Lambdas = append(own.Lambdas, f.Lambdas[j])
	}
	for _, h := range f.without {
		own.without = append(own.without, pick(h))
	}
	return own
}

// onlyOf returns sums of phi with the h of so many outputs, of one or more training sets side by side, for the outputs at these indices.
func onlyOf(sums *moments.CoMoments, at []int, outputs int) *moments.CoMoments {
	_, columns := sums.Dims()
	var some []int
	for lo := 0; lo < columns; lo += outputs {
		for _, j := range at {
			some = append(some, lo+j)
		}
	}
	return sums.RightColumns(some, sums.Right())
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
	return fmt.Errorf("problem: the sums are those of 2Step-RR with lambda_h = %s alone; other methods need the sums that Mapped.Sum makes", strings.Trim(fmt.Sprint(slices.Compact(slices.Clone(f.Lambdas))), "[]"))
}
