package effect

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"mediant/check"
	"mediant/crossfit"
	"mediant/internal/weighted"
	"mediant/problem"
	"mediant/risk"
	"mediant/tables"
)

// noOverlap describes the rows of S_X without overlap.
type noOverlap struct {
	rows, of []int         // by arm, control first; a row of weight k as k
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
	if run.AllRows {
		return nil
	}
	arms, treated, err := run.armsOfRows(ctx)
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
	w := &noOverlap{rows: make([]int, run.arms()), of: make([]int, run.arms())}
	weight, observed, err := w.count(ctx, src, arms, o)
	if err != nil {
		return err
	}
	var total, seen [2]float64
	for arm := range weight {
		if weight[arm][1] > weight[arm][0] {
			err := fmt.Errorf("effect: the table of U and Y lacks the U of %d of the %d %s rows (%s): no effect can be learned from the others", w.rows[arm], w.of[arm], run.nameOf(arm), problem.NoOverlapColumns(o))
			if err := run.leaveOut(arm, w.rows[arm], w.of[arm], err); err != nil {
				return err
			}
		}
		for part := range total {
			total[part] += weight[arm][part]
			seen[part] += observed[arm][part]
		}
	}
	for part := range total {
		w.scales[part] = total[part] / seen[part]
	}
	w.share = total[0] / (total[0] + total[1])
	if w.lacking, err = tables.Keep(ctx, src, o.Without, o.Lacks); err != nil {
		return err
	}
	if w.with, err = tables.Keep(ctx, src, o.Rows()-o.Without, func(i int) bool { return !o.Lacks(i) }); err != nil {
		return err
	}
	run.noOverlap = w
	rows, of, byArm := 0, 0, fmt.Sprintf("%d of them treated and %d not", w.rows[1], w.rows[0])
	for arm := range w.of {
		rows, of = rows+w.rows[arm], of+w.of[arm]
	}
	switch {
	case run.grouped():
		byArm = fmt.Sprintf("by %s below", run.several.groups.what)
	case run.several != nil:
		var parts []string
		for arm, n := range w.rows {
			parts = append(parts, fmt.Sprintf("%d %s", n, run.nameOf(arm)))
		}
		byArm = strings.Join(parts, ", ")
	}
	run.result.Notes = append(slices.Clip(run.result.Notes), fmt.Sprintf("the table of U and Y lacks the U of %d of the %d rows of the first table, %s: %s; nothing is known of Y there, and the bounds say what that leaves open",
		rows, of, byArm, problem.NoOverlapColumns(o)))
	return nil
}

// nameOf names an arm for messages.
func (run *run) nameOf(arm int) string {
	if run.several != nil {
		return fmt.Sprintf("%.40q", run.several.levels[arm])
	}
	return []string{"untreated", "treated"}[arm]
}

// count counts the rows of src, which are those with a treatment, and returns their weights and how many observations they are, by arm, with and
// without overlap.
func (w *noOverlap) count(ctx context.Context, src tables.Source, arms []int16, o *check.Overlap) (weight, observed [][2]float64, err error) {
	weight, observed = make([][2]float64, len(w.of)), make([][2]float64, len(w.of))
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

// levels are the arms, of two arms 0 and 1.
func (run *run) levels() *arms {
	if run.several != nil {
		return run.several
	}
	return newArms(tables.Column{Name: run.Treatment, Kind: tables.Numeric}, []string{"0", "1"}, 0)
}

// armsOfRows reads the arm of each row of S_X, -1 without a treatment, and the number of rows with one.
func (run *run) armsOfRows(ctx context.Context) (of []int16, rows int, err error) {
	src := run.p.Sources()[problem.TableXU]
	read, err := run.levels().reader(src)
	if err != nil {
		return nil, 0, err
	}
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, 0, err
		}
		arms, err := read(b)
		if err != nil {
			return nil, 0, err
		}
		if run.adjusted != nil {
			for i := range arms {
				if row := run.adjusted.row(b.Number(i)); row < 0 || !run.adjusted.usable(row) {
					arms[i] = -1
				}
			}
		}
		of = append(of, arms...)
		for _, arm := range arms {
			if arm >= 0 {
				rows++
			}
		}
	}
	return of, rows, nil
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
	low, high, err := p.RangeOfY(ctx)
	if err != nil {
		return err
	}
	k := p.Y().Len()
	for c, of := range run.contrasts {
		if run.grouped() && w.rows[of.arm]+w.rows[of.against] == 0 {
			continue
		}
		if err := run.boundOne(ctx, xu, c, low, high, effects[c*k:(c+1)*k], run.parts[c*k:(c+1)*k]); err != nil {
			return err
		}
	}
	return nil
}

// boundOne bounds the effects of one comparison of arms; xu are the sums of the rows with overlap, low and high the range of Y.
func (run *run) boundOne(ctx context.Context, xu crossfit.Splits, c int, low, high []float64, effects []Estimate, parts []effectParts) error {
	w, one := run.noOverlap, run.contrasts[c:c+1]
	r, _, err := run.weights(ctx, xu, w.share, one, []float64{run.mus[c]})
	if err != nil {
		return err
	}
	y, err := run.corrections(ctx, r)
	if err != nil {
		return err
	}
	for end := range 2 {
		treated, control := low, high // for the least effect
		if end == 1 {
			treated, control = high, low
		}
		x, _, err := run.terms(ctx, one,
			effectRows{source: w.with, scale: w.scales[0], value: func(_, _ int, h float64) float64 { return h }},
			effectRows{source: w.lacking, scale: w.scales[1], value: func(j, arm int, _ float64) float64 {
				if arm == one[0].arm {
					return treated[j]
				}
				return control[j] // no matter in which other arm: kappa is 0 in a third one
			}})
		if err != nil {
			return err
		}
		for j := range effects {
			tau, variance, freedom, own := run.sum2(x.of[0][j], y.of[0][j])
			margin := weighted.Student95(freedom) * math.Sqrt(variance)
			if end == 0 {
				effects[j].Bounds, parts[j].lower = &risk.Bracket{Lo: tau, Lower: tau - margin}, own
			} else {
				parts[j].upper = own
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
