package effect

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/features"
	"mediant/glm"
	"mediant/internal/rowops"
	"mediant/losses"
	"mediant/moments"
	"mediant/problem"
)

// A nuisance fits models to rows in memory without those of a fold, and predicts that fold. One fold is no cross-fitting.
type nuisance struct {
	folds    int
	fold     []int     // by row
	weight   []float64 // by row
	splitter crossfit.Splitter
	// penalties are those that were chosen for each fit first, by its name; replay takes them.
	penalties map[string][]float64
	replay    bool
}

// chosen keeps the penalties of a fit of this name, if there were none before.
func (n nuisance) chosen(name string, penalties []float64) {
	if _, found := n.penalties[name]; !found {
		n.penalties[name] = penalties
	}
}

// errFew reports that the rows of a fold, or outside it, are too few.
var errFew = errors.New("too few rows")

// byFold lists the rows that are used, by fold, each of which must have some.
func (n nuisance) byFold(use func(i int) bool) ([][]int, error) {
	rows := make([][]int, n.folds)
	for i, k := range n.fold {
		if use(i) {
			rows[k] = append(rows[k], i)
		}
	}
	total := 0
	for _, own := range rows {
		if total += len(own); len(own) == 0 {
			return nil, fmt.Errorf("%w for %d folds", errFew, n.folds)
		}
	}
	return rows, nil
}

// ridge regresses target on x, with penalties by cross-validation and intercepts, in the rows that use is true of, and returns the predictions of all rows.
func (n nuisance) ridge(ctx context.Context, name string, x, target *mat.Dense, use func(i int) bool) (*mat.Dense, error) {
	rows, err := n.byFold(use)
	if err != nil {
		return nil, err
	}
	_, d := x.Dims()
	folds := make([]*moments.CoMoments, n.folds)
	for k, own := range rows {
		if folds[k], err = problem.AccumulateRows(ctx, features.NewLinear(d), picked(x, own), picked(target, own), pick(n.weight, own)); err != nil {
			return nil, err
		}
	}
	splits, err := n.splitter.SplitOrWhole(ctx, folds)
	if err != nil {
		return nil, err
	}
	units, err := crossfit.UnitsOf(folds, false)
	if err != nil {
		return nil, err
	}
	if n.replay {
		fits, err := crossfit.FitsAt(ctx, splits, units, n.penalties[name], true)
		if err != nil {
			return nil, err
		}
		return n.predict(x, fits), nil
	}
	curve, err := crossfit.CrossValidate(ctx, splits, units, crossfit.Lambdas, true)
	if err != nil {
		return nil, err
	}
	fits, lambdas := curve.BestFits()
	n.chosen(name, lambdas)
	return n.predict(x, fits), nil
}

// predict applies the function of each fold to its rows.
func (n nuisance) predict(x *mat.Dense, of []crossfit.Affine) *mat.Dense {
	out := mat.NewDense(len(n.fold), len(of[0].Intercept), nil)
	for i, k := range n.fold {
		row := out.RawRowView(i)
		copy(row, of[k].Intercept)
		for j, v := range x.RawRowView(i) {
			for c, coef := range of[k].Coef.RawRowView(j) {
				row[c] += v * coef
			}
		}
	}
	return out
}

// logisticLambdas is the grid of penalties of logistic regressions.
var logisticLambdas = []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}

// logistic estimates the probabilities of k classes given x, by logistic regression in the rows that use is true of, with the penalty of least log loss in held-out folds, and returns those of all rows. Each
// class must occur outside each fold.
func (n nuisance) logistic(ctx context.Context, name string, x *mat.Dense, class func(i int) int, k int, use func(i int) bool) (*mat.Dense, error) {
	rows, err := n.byFold(use)
	if err != nil {
		return nil, err
	}
	best, lambdas := math.Inf(1), logisticLambdas
	if n.replay {
		if lambdas = n.penalties[name]; lambdas == nil { // there were too few rows the first time
			return nil, errFew
		}
	}
	var chosen []crossfit.Affine
	var penalty float64
	for _, lambda := range lambdas {
		fits := make([]crossfit.Affine, n.folds)
		lost := make([]float64, n.folds)
		err := crossfit.EachFold(ctx, n.folds, func(fold int) error {
			var train []int
			for other, own := range rows {
				if other != fold || n.folds == 1 {
					train = append(train, own...)
				}
			}
			m, err := n.logisticOf(ctx, x, class, k, train, lambda)
			if err != nil {
				return err
			}
			fits[fold] = crossfit.Affine{Coef: m.Coef, Intercept: m.Intercept}
			return nil
		})
		if err != nil {
			return nil, err
		}
		eta, f := n.predict(x, fits), make([]float64, k)
		for fold, own := range rows {
			for _, i := range own {
				losses.Log{}.MeanTo(f, eta.RawRowView(i))
				lost[fold] -= n.weight[i] * math.Log(max(f[class(i)], 1e-300))
			}
		}
		total := 0.0
		for _, v := range lost {
			total += v
		}
		if total < best {
			best, chosen, penalty = total, fits, lambda
		}
	}
	n.chosen(name, []float64{penalty})
	eta := n.predict(x, chosen)
	for i := range n.fold {
		losses.Log{}.MeanTo(eta.RawRowView(i), eta.RawRowView(i))
	}
	return eta, nil
}

// logisticOf fits to some rows.
func (n nuisance) logisticOf(ctx context.Context, x *mat.Dense, class func(i int) int, k int, rows []int, lambda float64) (*glm.Model, error) {
	_, d := x.Dims()
	y, seen := mat.NewDense(len(rows), k, nil), make([]bool, k)
	for at, i := range rows {
		y.Set(at, class(i), 1)
		seen[class(i)] = true
	}
	for _, some := range seen {
		if !some {
			return nil, fmt.Errorf("%w outside a fold", errFew)
		}
	}
	phi, w := picked(x, rows), pick(n.weight, rows)
	all := func(_ context.Context, do func(phi, y *mat.Dense, weights []float64)) error {
		do(phi, y, w)
		return nil
	}
	return glm.Fit(ctx, all, d, k, losses.Log{}, lambda, glm.Options{Tolerance: 1e-6})
}

func picked(x *mat.Dense, rows []int) *mat.Dense { return rowops.Pick(x, rows).(*mat.Dense) }

func pick(values []float64, rows []int) []float64 {
	out := make([]float64, len(rows))
	for at, i := range rows {
		out[at] = values[i]
	}
	return out
}
