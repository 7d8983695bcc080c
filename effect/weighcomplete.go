package effect

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/problem"
	"mediant/tables"
)

// CompleteWeights say how the rows of S_X with a complete U stand for those of their arm (Estimator.WeighU).
type CompleteWeights struct {
	// By are the columns, beside the treatment, by which the probability of being complete is estimated: the covariates, and those of U that are never missing.
	By []string `json:"by"`
	// Rows are those with a complete U, of the arms that are used, Largest the largest inverse of their probability of being complete, and Effective their effective sample
	// size by these weights.
	Rows      int     `json:"rows"`
	Largest   float64 `json:"largest"`
	Effective float64 `json:"effective_rows"`
}

// encodeFull returns the tables that are encoded, with all rows of S_X and only complete ones of S_Y.
func (run *run) encodeFull(ctx context.Context, complete *problem.Encoded) (*problem.Encoded, error) {
	setup := complete.Setup()
	setup.AllRows = true // which are looked at later
	return problem.EncodeWith(ctx, setup, problem.Encoding{Roles: complete.Roles(), U: complete.U(), Y: complete.Y()}, run.full.xu, complete.Sources()[problem.TableUY])
}

// full is the first table with the rows in which U is missing, and the columns of U that are never missing there.
type full struct {
	xu       tables.Source
	observed []string
}

// fullOf is that of a first table.
func (m *missingU) fullOf(xu tables.Source) *full {
	return &full{xu, slices.DeleteFunc(slices.Clone(m.u), func(name string) bool {
		return slices.ContainsFunc(m.found.Columns, func(c MissingColumn) bool { return c.Column == name && c.XU > 0 })
	})}
}

// weighComplete finds how the rows with a complete U weigh.
func (run *run) weighComplete(ctx context.Context, p *problem.Encoded) error {
	a := run.adjusted
	complete, err := run.readComplete(ctx, p)
	if err != nil {
		return err
	}
	by := slices.Clone(run.covariates)
	for _, name := range run.full.observed {
		if !slices.Contains(by, name) {
			by = append(by, name)
		}
	}
	if len(by) > 0 {
		encoder, err := run.encoderOf(ctx, p, by, "the columns by which rows are complete")
		if err != nil {
			return err
		}
		raw, err := a.readSide(ctx, p, run.levels(), encoder)
		if err != nil {
			return err
		}
		if a.z, err = run.featuresOf(ctx, raw, a.weight, "completeness"); err != nil {
			return err
		}
	}
	a.complete = make([]float64, len(a.arm))
	for arm := range run.arms() {
		if err := run.weighCompleteIn(ctx, arm, complete); err != nil {
			return err
		}
	}
	found := &CompleteWeights{By: by}
	sum, squares := 0.0, 0.0
	for i, v := range a.complete {
		if v > 0 && a.used[i] {
			frequency := a.w.FrequencyOf(i)
			found.Rows += int(frequency)
			found.Largest = max(found.Largest, v)
			own := v * a.w.FactorOf(i)
			sum, squares = sum+frequency*own, squares+frequency*own*own
		}
	}
	found.Effective = sum * sum / squares
	run.completeWeights = found
	return nil
}

// weighCompleteIn is weighComplete of an arm: the inverse of the probability in the arm, by logistic regression, or of the share of complete rows if there is nothing to regress on, or too few rows of either kind.
func (run *run) weighCompleteIn(ctx context.Context, arm int, complete []bool) error {
	a := run.adjusted
	in := func(i int) bool { return a.used[i] && int(a.arm[i]) == arm }
	class := func(i int) int {
		if complete[i] {
			return 1
		}
		return 0
	}
	var weights [2]float64
	for i, w := range a.weight {
		if in(i) {
			weights[class(i)] += w
		}
	}
	if weights[1] == 0 {
		return fmt.Errorf("effect: U is complete in no %s row", run.nameOf(arm))
	}
	share := weights[1] / (weights[0] + weights[1])
	var of *mat.Dense
	if a.z != nil && share < 1 {
		var err error
		if of, err = a.n.logistic(ctx, fmt.Sprint("complete ", arm), a.z, class, 2, in); err != nil && !errors.Is(err, errFew) {
			return fmt.Errorf("effect: probability of a complete U: %w", err)
		}
	}
	for i := range a.arm {
		if in(i) && complete[i] {
			if a.complete[i] = 1 / share; of != nil {
				a.complete[i] = 1 / of.At(i, 1)
			}
		}
	}
	return nil
}

// readComplete reports of each row whether its U is complete.
func (run *run) readComplete(ctx context.Context, p *problem.Encoded) ([]bool, error) {
	a, src := run.adjusted, p.Sources()[problem.TableXU]
	of := make([]bool, len(a.arm))
	return of, eachMissing(ctx, src, problem.SelectColumns(src.Columns(), p.Roles().U), func(number, _ int, missing []int) {
		if row := a.row(number); row >= 0 {
			of[row] = len(missing) == 0
		}
	})
}

// filled is, in the rows of an arm, q + b + c (v - q - b): v where U is complete, q what is predicted where it is not, c the weight of complete rows and b the mean of c (v - q). So an
// error of q or of c alone does not bias its mean.
func (run *run) filled(ctx context.Context, arm int, v *mat.Dense) (*mat.Dense, error) {
	a := run.adjusted
	n, k := v.Dims()
	in := func(i int) bool { return a.used[i] && int(a.arm[i]) == arm }
	q := mat.NewDense(n, k, nil)
	if a.z != nil {
		var err error
		if q, err = a.n.ridge(ctx, fmt.Sprint("filled ", arm), a.z, v, func(i int) bool { return in(i) && a.complete[i] > 0 }); err != nil {
			return nil, fmt.Errorf("effect: %s rows with a complete U: %w", run.nameOf(arm), err)
		}
	}
	b, total := make([]float64, k), 0.0
	for i, w := range a.weight {
		if in(i) && a.complete[i] > 0 {
			own := w * a.odds[i] * a.complete[i]
			total += own
			for j := range b {
				b[j] += own * (v.At(i, j) - q.At(i, j))
			}
		}
	}
	for i := range n {
		row := q.RawRowView(i)
		for j := range row {
			row[j] += b[j] / total
			if in(i) && a.complete[i] > 0 {
				row[j] += a.complete[i] * (v.At(i, j) - row[j])
			}
		}
	}
	return q, nil
}
