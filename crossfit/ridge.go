package crossfit

import (
	"context"
	"math"
	"slices"

	"mediant/solvers"
)

// Lambdas is the grid of ridge penalties for nuisances, a factor of 10 apart, from almost no shrinkage to almost a constant.
var Lambdas = []float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1}

// A Curve is the cross-validated risk of h at each penalty of a grid.
type Curve struct {
	Units
	Lambdas []float64
	Risk    [][]float64 // by penalty and unit
	Fits    [][]Affine  // by penalty and fold
}

// Best returns the index of the penalty with the least total risk of all units, or -1.
func (c Curve) Best() int { return Best(c.Totals(c.Risk)) }

// Lambda returns the penalty at Best, or the smallest if no risk is finite.
func (c Curve) Lambda() float64 { return c.Lambdas[max(c.Best(), 0)] }

// bests returns the indices of the penalties that are best for each unit, 0 where none has a finite risk.
func (c Curve) bests() []int {
	at := make([]int, len(c.Risk[0]))
	for u := range at {
		own := make([]float64, len(c.Risk))
		for i := range own {
			own[i] = c.Risk[i][u]
		}
		at[u] = max(Best(own), 0)
	}
	return at
}

// Least returns the risk of each unit at its best penalty.
func (c Curve) Least() []float64 {
	at := c.bests()
	out := make([]float64, len(at))
	for u, i := range at {
		out[u] = c.Risk[i][u]
	}
	return out
}

// BestFits returns the fits of each fold with the best penalty of each unit, and these penalties.
func (c Curve) BestFits() (fits []Affine, lambdas []float64) {
	at := c.bests()
	for _, i := range at {
		lambdas = append(lambdas, c.Lambdas[i])
	}
	return c.fitsAt(at), lambdas
}

// FitsWith returns the fits of each fold with these penalties of the grid, one for each unit.
func (c Curve) FitsWith(lambdas []float64) []Affine {
	at := make([]int, len(lambdas))
	for u, lambda := range lambdas {
		at[u] = slices.Index(c.Lambdas, lambda)
	}
	return c.fitsAt(at)
}

// fitsAt returns the fits of each fold with the penalty at an index for each unit.
func (c Curve) fitsAt(at []int) (fits []Affine) {
	if len(at) == 1 {
		return c.Fits[at[0]]
	}
	for k := range c.Fits[0] {
		fit := ZeroLike(c.Fits[0][k])
		for j, i := range at {
			fit.SetOutput(j, c.Fits[i][k])
		}
		fits = append(fits, fit)
	}
	return fits
}

// FoldRows are the rows of a fold that choose a penalty as well as those of all folds do: the squared errors of neighbours of a grid differ by more than the standard error of their difference there, or not at all.
const FoldRows = 10_000

// ChooseByFirst returns the fits of each fold with the penalties of least error in the first fold alone (Descend), and these penalties: some 5 + K factorisations, where CrossValidate takes len(lambdas) K.
func ChooseByFirst(ctx context.Context, uy Splits, u Units, lambdas []float64, intercept bool) (fits []Affine, chosen []float64, err error) {
	first := Splits{Train: uy.Train[:1], Held: uy.Held[:1]}
	best, err := Descend(lambdas, func(some []float64) ([][]float64, error) {
		c, err := CrossValidate(ctx, first, u, some, intercept)
		return c.Risk, err
	})
	if err != nil {
		return nil, nil, err
	}
	chosen = pick(lambdas, best)
	fits, err = FitsAt(ctx, uy, u, chosen, intercept)
	return fits, chosen, err
}

// FitsAt returns the fits of each fold with a penalty for each unit.
func FitsAt(ctx context.Context, uy Splits, u Units, lambdas []float64, intercept bool) ([]Affine, error) {
	all, err := CrossValidate(ctx, uy, u, distinct(lambdas), intercept)
	if err != nil {
		return nil, err
	}
	return all.FitsWith(lambdas), nil
}

// pick returns the values at these indices, the first for -1.
func pick(values []float64, at []int) []float64 {
	out := make([]float64, len(at))
	for i, a := range at {
		out[i] = values[max(a, 0)]
	}
	return out
}

// distinct returns the values once each, in ascending order.
func distinct(values []float64) []float64 {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// CrossValidate fits h by ridge regression on all folds but one and evaluates it on that one, for every fold and penalty, in
// len(lambdas)·K·q³/3 flops. u says how errors of outputs are added.
func CrossValidate(ctx context.Context, uy Splits, u Units, lambdas []float64, intercept bool) (Curve, error) {
	c := Curve{Units: u, Lambdas: lambdas, Fits: make([][]Affine, len(lambdas))}
	for i := range lambdas {
		c.Fits[i] = make([]Affine, len(uy.Held))
	}
	err := EachFold(ctx, len(uy.Train), func(k int) error {
		path, err := solvers.RidgePath(ctx, uy.Train[k], lambdas, intercept)
		for i, l := range path {
			c.Fits[i][k] = Affine{l.Coef, l.Intercept}
		}
		return err
	})
	if err != nil {
		return Curve{}, err
	}
	for range lambdas {
		c.Risk = append(c.Risk, u.Split(make([]float64, len(c.Fits[0][0].Intercept))))
	}
	for k, held := range uy.Held {
		if held.Weight() == 0 {
			continue
		}
		all := make([]Affine, len(lambdas))
		for i := range lambdas {
			all[i] = c.Fits[i][k]
		}
		outputs := len(all[0].Intercept)
		r := SideBySide(all).Residual(outputs)
		for j, v := range held.Inner(r, r) {
			risk := c.Risk[j/outputs]
			risk[j%outputs%len(risk)] += v * (held.Weight() / uy.Weight()) // of one unit all outputs
		}
	}
	return c, nil
}

// Best returns the index of the smallest finite risk, or -1 if none is finite.
func Best(risk []float64) int {
	at := -1
	for i, v := range risk {
		if !math.IsNaN(v) && !math.IsInf(v, 0) && (at < 0 || v < risk[at]) {
			at = i
		}
	}
	return at
}
