package effect

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mediant/check"
	"mediant/internal/weighted"
	"mediant/problem"
	"mediant/risk"
	"mediant/tables"
)

// noOverlap describes the rows of S_X without overlap.
type noOverlap struct {
	rows, of [2]int        // by arm, control first; a row of weight k as k
	with     tables.Source // the rows that have overlap
	lacking  tables.Source
	// share is that of the weight of the rows with overlap; scales give back the weights of both parts, whose means are 1.
	share  float64
	scales [2]float64
}

// findNoOverlap finds the rows with a treatment whose U S_Y lacks, by arm. None are left out, because that would undo the randomisation. An arm
// of which they are more than half is an error.
func (run *run) findNoOverlap(ctx context.Context) error {
	p := run.p
	if p.Setup().AllRows {
		return nil
	}
	arms, treated, err := run.arms(ctx)
	if err != nil {
		return err
	}
	src := p.Sources()[problem.TableXU]
	if treated < len(arms) {
		if src, err = tables.Keep(ctx, src, treated, func(i int) bool { return arms[i] >= 0 }); err != nil {
			return err
		}
	}
	o, err := p.WithSources(src, nil).FindOverlap(ctx)
	if o == nil || err != nil {
		return err
	}
	w := &noOverlap{}
	weight, observed, err := w.count(ctx, src, arms, o)
	if err != nil {
		return err
	}
	for arm, name := range []string{"untreated", "treated"} {
		if weight[arm][1] > weight[arm][0] {
			return fmt.Errorf("effect: the table of U and Y lacks the U of %d of the %d %s rows (%s): no effect can be learned from the others", w.rows[arm], w.of[arm], name, problem.NoOverlapColumns(o))
		}
	}
	var total [2]float64
	for part := range total {
		total[part] = weight[0][part] + weight[1][part]
		w.scales[part] = total[part] / (observed[0][part] + observed[1][part])
	}
	w.share = total[0] / (total[0] + total[1])
	if w.lacking, err = tables.Keep(ctx, src, o.Without, o.Lacks); err != nil {
		return err
	}
	if w.with, err = tables.Keep(ctx, src, o.Rows()-o.Without, func(i int) bool { return !o.Lacks(i) }); err != nil {
		return err
	}
	run.noOverlap = w
	run.result.Notes = append(slices.Clip(run.result.Notes), fmt.Sprintf("the table of U and Y lacks the U of %d of the %d rows of the first table, %d of them treated and %d not: %s; nothing is known of Y there, and the bounds say what that leaves open",
		w.rows[0]+w.rows[1], w.of[0]+w.of[1], w.rows[1], w.rows[0], problem.NoOverlapColumns(o)))
	return nil
}

// count counts the rows of src, which are those with a treatment, and returns their weights and how many observations they are, by arm, with and
// without overlap.
func (w *noOverlap) count(ctx context.Context, src tables.Source, arms []int8, o *check.Overlap) (weight, observed [2][2]float64, err error) {
	at := 0
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return weight, observed, err
		}
		weights := problem.RowWeights(b)
		for i := range b.Rows {
			for arms[at] < 0 {
				at++
			}
			arm, part, rows := int(arms[at]), 0, weights.FrequencyOf(i)
			at++
			w.of[arm] += int(rows)
			if o.Lacks(b.Start + i) {
				part = 1
				w.rows[arm] += int(rows)
			}
			weight[arm][part] += weights.Of(i)
			observed[arm][part] += rows
		}
	}
	return weight, observed, nil
}

// arms reads the arm of each row of S_X, -1 without a treatment, and the number of rows with one.
func (run *run) arms(ctx context.Context) (arms []int8, rows int, err error) {
	src := run.p.Sources()[problem.TableXU]
	sel, err := tables.Select(src.Columns(), []tables.Column{{Name: run.Treatment, Kind: tables.Numeric}})
	if err != nil {
		return nil, 0, err
	}
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, 0, err
		}
		values := make([]float64, b.Rows)
		sel.NumericTo(values, b, 0)
		for _, v := range values {
			if math.IsNaN(v) {
				arms = append(arms, -1)
				continue
			}
			arms = append(arms, int8(v))
			rows++
		}
	}
	return arms, rows, nil
}

// bound adds the bounds of each effect: with the least Y of S_Y for the treated rows without overlap and the greatest for the others, and the other way
// round. Rows with overlap keep h, and the correction over S_Y is that of these rows alone. Which fold's h a row of S_X gets does not matter, since all are
// fitted on S_Y.
func (run *run) bound(ctx context.Context, effects []Estimate) error {
	p, w := run.p, run.noOverlap
	folds, _, err := p.WithSources(w.with, nil).CoMomentsByFold(ctx, problem.TableXU, run.treatment, p.SidePsi())
	if err != nil {
		return fmt.Errorf("table of treatment and U: %w", err)
	}
	for _, f := range folds {
		if f.Weight() == 0 {
			return fmt.Errorf("effect: the table of treatment and U has too few rows whose U the other table has for %d folds", len(folds))
		}
	}
	xu, err := p.Splitter().SplitOrWhole(ctx, folds)
	if err != nil {
		return err
	}
	r, _, err := run.weights(ctx, xu, w.share, []float64{run.mu})
	if err != nil {
		return err
	}
	y, err := run.corrections(ctx, r)
	if err != nil {
		return err
	}
	low, high, err := p.RangeOfY(ctx)
	if err != nil {
		return err
	}
	for end := range 2 {
		extreme := [2][]float64{high, low} // of the untreated and of the treated, for the least effect
		if end == 1 {
			extreme = [2][]float64{low, high}
		}
		x, _, err := run.terms(ctx,
			effectRows{source: w.with, scale: w.scales[0], value: func(_, _ int, h float64) float64 { return h }},
			effectRows{source: w.lacking, scale: w.scales[1], value: func(j, arm int, _ float64) float64 { return extreme[arm][j] }})
		if err != nil {
			return err
		}
		for j := range effects {
			tau, variance, freedom := run.sum2(x[j], y[j])
			margin := weighted.Student95(freedom) * math.Sqrt(variance)
			if end == 0 {
				effects[j].Bounds = &risk.Bracket{Lo: tau, Lower: tau - margin}
			} else {
				effects[j].Bounds.Hi, effects[j].Bounds.Upper = tau, tau+margin
			}
		}
	}
	return nil
}

// A NoOverlap counts the rows of S_X without overlap, whose U is outside the support of U in S_Y, in each arm.
type NoOverlap struct {
	Treated int `json:"treated"`
	Control int `json:"control"`
}
