package effect

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mediant/problem"
	"mediant/tables"
)

// EstimatePropensity is the value of Estimator.Propensity that has it estimated from Estimator.X.
const EstimatePropensity = "estimate"

// A Propensity says how the probability of each arm was found, what rows were trimmed, and where the arms overlap in it.
type Propensity struct {
	From string `json:"from"` // the column, or EstimatePropensity
	// Trim is the least probability of any arm that a row may have; Trimmed rows of Of have less. The effect is that of the others.
	Trim    float64         `json:"trim"`
	Trimmed int             `json:"trimmed"`
	Of      int             `json:"of"`
	Arms    []PropensityArm `json:"arms"` // the control first
}

// A PropensityArm is the distribution of the probability of an arm, before rows are trimmed.
type PropensityArm struct {
	Level   string `json:"level"`
	Rows    int    `json:"rows"`
	Trimmed int    `json:"trimmed"`
	// Own are quantiles, at PropensityLevels, of the probability of this arm among its own rows, and Others among the rows of other arms: the arms overlap where
	// both are.
	Own    []float64 `json:"own_quantiles"`
	Others []float64 `json:"other_quantiles"`
	// Effective is the effective sample size of the rows of the arm that are left, by their weights in the estimate.
	Effective float64 `json:"effective_rows"`
}

// PropensityLevels are the levels of the quantiles of a PropensityArm.
func PropensityLevels() []float64 { return []float64{0, .05, .25, .5, .75, .95, 1} }

// DefaultTrim is the least probability of an arm where Estimator.Trim is Auto.
const DefaultTrim = .01

// propensityKind is where the probability of an arm is from.
type propensityKind int

const (
	noPropensity propensityKind = iota // the share of the arm
	knownPropensity
	estimatedPropensity
)

func (e Estimator) propensity() propensityKind {
	switch e.Propensity {
	case "":
		return noPropensity
	case EstimatePropensity:
		return estimatedPropensity
	}
	return knownPropensity
}

// weighArms finds the odds of all rows, and trims.
func (run *run) weighArms(ctx context.Context, p *problem.Encoded) error {
	a := run.adjusted
	a.odds = slices.Repeat([]float64{1}, len(a.arm))
	if run.grouped() {
		if err := run.dropThin(); err != nil {
			return err
		}
	}
	if run.propensity() == noPropensity {
		return nil
	}
	of, err := run.probabilities(ctx, p)
	if err != nil {
		return err
	}
	found := &Propensity{From: run.Propensity, Trim: run.Trim.Or(DefaultTrim)}
	for _, level := range run.treatmentLevels() {
		found.Arms = append(found.Arms, PropensityArm{Level: level})
	}
	for i, arm := range a.arm {
		if !a.used[i] {
			continue
		}
		level, rows := run.levelIndex(int(arm)), int(a.w.FrequencyOf(i))
		found.Of += rows
		found.Arms[level].Rows += rows
		a.odds[i] = 1 / of[i][level]
	}
	for level := range found.Arms {
		own := &found.Arms[level]
		own.Own = a.quantiles(of, level, func(i int) bool { return a.used[i] && run.levelIndex(int(a.arm[i])) == level })
		own.Others = a.quantiles(of, level, func(i int) bool { return a.used[i] && run.levelIndex(int(a.arm[i])) != level })
	}
	for i, arm := range a.arm {
		if a.used[i] && leastOf(of[i]) < found.Trim {
			a.used[i] = false
			found.Trimmed += int(a.w.FrequencyOf(i))
			found.Arms[run.levelIndex(int(arm))].Trimmed += int(a.w.FrequencyOf(i))
		}
	}
	for level, own := range found.Arms {
		if own.Rows > 0 && own.Trimmed == own.Rows {
			return fmt.Errorf("effect: no %s row has a probability of at least %g of each arm (Estimator.Trim): the arms do not overlap in the propensity", run.nameOfLevel(level), found.Trim)
		}
	}
	run.result.Propensity = found
	if run.grouped() {
		return run.dropThin()
	}
	return nil
}

// nameOfLevel names a level of the treatment for messages.
func (run *run) nameOfLevel(level int) string {
	if run.several != nil {
		return fmt.Sprintf("%.40q", run.treatmentLevels()[level])
	}
	return run.treatmentLevels()[level]
}

// leastOf is the least of some probabilities, of which NaN are none.
func leastOf(of []float64) float64 {
	least := math.Inf(1)
	for _, p := range of {
		if p < least {
			least = p
		}
	}
	return least
}

// quantiles are those of the probability of a level over some rows.
func (a *adjusted) quantiles(of [][]float64, level int, in func(i int) bool) []float64 {
	var p, w []float64
	for i := range a.arm {
		if in(i) && !math.IsNaN(of[i][level]) {
			p, w = append(p, of[i][level]), append(w, a.weight[i])
		}
	}
	if len(p) == 0 { // all rows of a level are left out
		return []float64{}
	}
	stat.SortWeighted(p, w)
	var out []float64
	for _, at := range PropensityLevels() {
		if at == 1 { // which stat.Quantile does not reach where weights do not add up to their sum
			out = append(out, p[len(p)-1])
			continue
		}
		out = append(out, stat.Quantile(at, stat.Empirical, p, w))
	}
	return out
}

// probabilities are those of each level of the treatment, by row; NaN of levels that the group of a row lacks.
func (run *run) probabilities(ctx context.Context, p *problem.Encoded) ([][]float64, error) {
	a := run.adjusted
	of := make([][]float64, len(a.arm))
	if run.propensity() == knownPropensity {
		known, err := run.readPropensity(ctx, p)
		if err != nil {
			return nil, err
		}
		for i, v := range known {
			of[i] = []float64{1 - v, v}
		}
		return of, nil
	}
	for i := range of {
		of[i] = slices.Repeat([]float64{math.NaN()}, len(run.treatmentLevels()))
	}
	byGroup := run.armsByGroup()
	for _, group := range slices.Sorted(maps.Keys(byGroup)) {
		arms := byGroup[group]
		in := func(i int) bool { return a.groupOf(int(a.arm[i])) == group && slices.Contains(arms, int(a.arm[i])) }
		fitted, err := a.n.logistic(ctx, fmt.Sprint("propensity ", group), a.x, func(i int) int { return slices.Index(arms, int(a.arm[i])) }, len(arms), in)
		if err != nil {
			return nil, fmt.Errorf("effect: propensity: %w", err)
		}
		for i := range of {
			if in(i) {
				for at, arm := range arms {
					of[i][run.levelIndex(arm)] = fitted.At(i, at)
				}
			}
		}
	}
	return of, nil
}

// armsByGroup are the arms of each group that are not dropped, none of a group without them.
func (run *run) armsByGroup() map[int][]int {
	by := make(map[int][]int)
	for arm := range run.arms() {
		if !run.grouped() || !run.several.groups.dropped[arm] {
			group := run.adjusted.groupOf(arm)
			by[group] = append(by[group], arm)
		}
	}
	return by
}

// readPropensity reads the column of probabilities of treatment, by row.
func (run *run) readPropensity(ctx context.Context, p *problem.Encoded) ([]float64, error) {
	a, src := run.adjusted, p.Sources()[problem.TableXU]
	sel, err := tables.Select(src.Columns(), []tables.Column{{Name: run.Propensity, Kind: tables.Numeric}})
	if err != nil {
		return nil, fmt.Errorf("effect: propensity: %w", err)
	}
	of := make([]float64, len(a.arm))
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		values := make([]float64, b.Rows)
		sel.NumericTo(values, b, 0)
		for i, v := range values {
			row := a.row(b.Number(i))
			switch {
			case row < 0: // without a treatment
				continue
			case math.IsNaN(v):
				return nil, fmt.Errorf("effect: %s: propensity %q is missing", tables.FactsOf(src).Where(b.Number(i)), run.Propensity)
			case !(v > 0 && v < 1):
				return nil, fmt.Errorf("effect: %s: propensity %q is %g, must be a probability above 0 and below 1", tables.FactsOf(src).Where(b.Number(i)), run.Propensity, v)
			}
			of[row] = v
		}
	}
	return of, run.plausiblePropensity(of)
}

// plausiblePropensity returns an error if the treatments are six standard deviations from what the probabilities say, in the mean or in how they go with them: if they are those of the
// other arm, of another column or of another study.
func (run *run) plausiblePropensity(of []float64) error {
	a, mean := run.adjusted, run.meanOf(of)
	if a.w.Cluster != nil { // within which rows may have one treatment
		return nil
	}
	var off, variance [2]float64
	for i, p := range of {
		for j, factor := range []float64{1, p - mean} {
			off[j] += a.weight[i] * factor * (float64(run.levelIndex(int(a.arm[i]))) - p)
			variance[j] += a.weight[i] * a.w.FactorOf(i) * factor * factor * p * (1 - p)
		}
	}
	if math.Abs(off[0]) > 6*math.Sqrt(variance[0]) {
		return fmt.Errorf("effect: propensity %q is %.3g in the mean, and the share of treated rows %.3g, which that does not explain: is it the probability of being treated?", run.Propensity, mean, run.shareTreated())
	}
	if math.Abs(off[1]) > 6*math.Sqrt(variance[1]) {
		return fmt.Errorf("effect: the treated rows are not those to which propensity %q gives high probabilities, by far more than chance: is it the probability of being treated?", run.Propensity)
	}
	return nil
}

// meanOf is the mean of a value of each row.
func (run *run) meanOf(of []float64) float64 { return stat.Mean(of, run.adjusted.weight) }

// shareTreated is the share of rows in other arms than the control.
func (run *run) shareTreated() float64 {
	treated := make([]float64, len(run.adjusted.arm))
	for i, arm := range run.adjusted.arm {
		treated[i] = float64(min(run.levelIndex(int(arm)), 1))
	}
	return run.meanOf(treated)
}
