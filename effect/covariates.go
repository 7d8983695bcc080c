package effect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/features"
	"mediant/internal/weighted"
	"mediant/moments"
	"mediant/problem"
	"mediant/tables"
)

// adjusted are the rows of S_X in memory where covariates, a propensity or the probability of a complete U adjust the estimate (docs/theory.md, section 17). All slices are by row.
type adjusted struct {
	at     []int // the row of a number (tables.Batch.Number), -1 for none
	arm    []int16
	fold   []int
	w      moments.Weights
	weight []float64  // its products
	x      *mat.Dense // features of the covariates; nil: there are none
	used   []bool     // not trimmed
	// odds is the inverse of the probability of the own arm; its weighted mean over the rows of each arm that are used, times their share of the group, is 1.
	odds []float64
	// complete is the inverse of the probability of a complete U, 0 where U is not complete; its mean over the rows of an arm by odds is 1. nil: all are complete.
	complete []float64
	z        *mat.Dense // features by which that is predicted; nil: there are none
	group    []int      // by arm: the group of rows in which arms are compared; nil: there is one
	// scales give odds times complete the mean 1 over all complete rows, by group.
	scales []float64
	n      nuisance
}

// groupOf is the group of an arm.
func (a *adjusted) groupOf(arm int) int {
	if a.group == nil {
		return 0
	}
	return a.group[arm]
}

// adjusts reports whether the rows of S_X are held in memory, to be adjusted.
func (run *run) adjusts() bool {
	return len(run.X) > 0 || run.propensity() != noPropensity || run.full != nil
}

// assign sets the columns that EncodeU is to know, so that rows that differ in one of them alone are no copies.
func (run *run) assign(xu, uy tables.Source) error {
	run.Roles.X = run.columnsX()
	if !run.adjusts() {
		return nil
	}
	roles, err := tables.AssignRoles(xu.Columns(), uy.Columns(), run.Roles)
	if err != nil {
		return err
	}
	if run.covariates, err = run.matchCovariates(xu.Columns(), roles.U); err != nil {
		return err
	}
	for _, name := range run.covariates {
		if !slices.Contains(roles.U, name) {
			run.Roles.X = append(run.Roles.X, name)
		}
	}
	if run.propensity() == knownPropensity {
		if slices.ContainsFunc(slices.Concat(roles.U, roles.Y), func(name string) bool { return sameName(name, run.Propensity) }) {
			return fmt.Errorf("effect: propensity %q is a column of the second table, must be of the first alone", run.Propensity)
		}
		run.Roles.X = append(run.Roles.X, run.Propensity)
	}
	return nil
}

func sameName(a, b string) bool { return tables.CanonicalName(a) == tables.CanonicalName(b) }

// matchCovariates returns the names of the columns that X names in the first table. Columns of U, which a pattern would take for outcomes, are covariates only where they are named themselves.
func (e Estimator) matchCovariates(columns []tables.Column, u []string) ([]string, error) {
	if len(e.X) == 0 {
		return nil, nil
	}
	reserved := append([]string{e.Treatment, e.Roles.WeightsXU, e.Roles.ClusterXU}, e.Roles.ReplicatesXU...)
	if e.propensity() == knownPropensity {
		reserved = append(reserved, e.Propensity)
	}
	in := func(list []string, name string) bool {
		return slices.ContainsFunc(list, func(other string) bool { return sameName(other, name) })
	}
	var named []string
	for _, pattern := range e.X {
		named = append(named, pattern)
		named = append(named, strings.Split(pattern, ",")...)
	}
	for _, name := range reserved {
		if name != "" && in(named, name) {
			return nil, fmt.Errorf("effect: column %q cannot be a covariate: it is the treatment, its propensity, the weights or the clusters", name)
		}
	}
	names, err := tables.MatchNames(columns, e.X)
	if err != nil {
		return nil, fmt.Errorf("effect: Estimator.X: %w", err)
	}
	var ignored []string
	for _, pattern := range e.Roles.Ignore {
		if some, err := tables.MatchNames(columns, []string{pattern}); err == nil {
			ignored = append(ignored, some...)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return in(reserved, name) || in(ignored, name) || (in(u, name) || e.groupColumn != "" && sameName(name, e.groupColumn)) && !in(named, name)
	})
	if len(names) == 0 {
		return nil, fmt.Errorf("effect: Estimator.X names no column that could be a covariate: the treatment, its propensity, weights, columns that are ignored and columns of U that it does not name themselves are none")
	}
	return names, nil
}

// adjust reads the rows of S_X, and finds how they weigh.
func (run *run) adjust(ctx context.Context, p *problem.Encoded) error {
	a := &adjusted{n: nuisance{folds: len(p.Folds()), splitter: crossfit.Splitter{Remaining: p.Folds()}, penalties: make(map[string][]float64)}}
	x := encode.Side(p.Constant())
	if len(run.covariates) > 0 {
		encoder, err := run.encoderOf(ctx, p, run.covariates, "the covariates")
		if err != nil {
			return err
		}
		x = encoder
	}
	raw, err := a.read(ctx, p, run.levels(), x)
	if err != nil {
		return err
	}
	if len(run.covariates) > 0 {
		if a.x, err = run.featuresOf(ctx, raw, a.weight, "covariates"); err != nil {
			return err
		}
	}
	run.adjusted = a
	if run.grouped() {
		for _, of := range run.several.groups.of {
			a.group = append(a.group, of[0])
		}
	} else if err := run.enoughOf(); err != nil {
		return err
	}
	if err := run.weighArms(ctx, p); err != nil {
		return err
	}
	if run.full != nil {
		if err := run.weighComplete(ctx, p); err != nil {
			return err
		}
	}
	a.finish(run.arms())
	run.treatment = a.side(run.arms())
	return nil
}

// side is the treatment as a column for each arm: the weight of the rows of the arm.
func (a *adjusted) side(arms int) encode.Side {
	return numbered{"odds of arms", arms, func(number int, dst []float64) bool {
		i := a.row(number)
		if i < 0 || !a.usable(i) {
			return false
		}
		dst[a.arm[i]] = a.scales[a.groupOf(int(a.arm[i]))] * a.odds[i]
		if a.complete != nil {
			dst[a.arm[i]] *= a.complete[i]
		}
		return true
	}}
}

// encoderOf fits an encoder of columns of the first table.
func (run *run) encoderOf(ctx context.Context, p *problem.Encoded, names []string, what string) (*encode.Encoder, error) {
	src := p.Sources()[problem.TableXU]
	encoder, err := encode.FitEncoder(ctx, problem.SelectColumns(src.Columns(), names), encode.EncoderOptions{Text: run.Text}, src)
	if err != nil {
		return nil, fmt.Errorf("effect: %s: %w", what, err)
	}
	if encoder.Sparse() {
		return nil, fmt.Errorf("effect: %s: free text and sparse rows cannot adjust: name other columns", what)
	}
	run.note(encoder.Notes()...)
	rows, d := float64(p.TableRows()[problem.TableXU]), float64(encoder.Width()+run.phi().Size)
	// The features, those of the folds in the fits, and the encoded columns.
	return encoder, p.CheckMemory(8*rows*(4*d+2*float64(p.Y().Len())), "to adjust by "+what)
}

// phi are the features of covariates beside the encoded columns themselves.
func (run *run) phi() features.Spec {
	spec := run.Phi
	if spec.HasSize() && spec.Size == 0 {
		spec.Size = covariateFeatures
	}
	return spec
}

// covariateFeatures is the default number of Gaussian features of covariates: they leave regressions on a thousand rows fast, and penalties by cross-validation flat where they do not help.
const covariateFeatures = 64

// featuresOf are the encoded columns and their features side by side.
func (run *run) featuresOf(ctx context.Context, x *mat.Dense, weights []float64, purpose string) (*mat.Dense, error) {
	m, notes, err := run.phi().FitContext(ctx, problem.SampleRows(x, weights, problem.MapRows, run.Seed, "effect/"+purpose), run.Seed, "effect/"+purpose)
	if err != nil {
		return nil, fmt.Errorf("effect: features of %s: %w", purpose, err)
	}
	run.note(notes...)
	var mapped, both mat.Dense
	m.MapTo(&mapped, x)
	both.Augment(x, &mapped)
	return &both, nil
}

// note appends to the notes.
func (run *run) note(notes ...string) {
	run.result.Notes = append(slices.Clip(run.result.Notes), notes...)
}

// read reads the rows that have a treatment, and returns what side makes of them.
func (a *adjusted) read(ctx context.Context, p *problem.Encoded, treatment *arms, side encode.Side) (*mat.Dense, error) {
	var values []float64
	width := 0
	weighted, frequencies := false, false
	err := p.WalkXU(ctx, encode.Beside{rowNumbers, treatment}, side, func(fold int, left, right *mat.Dense, w moments.Weights) {
		weighted, frequencies = weighted || w.Factor != nil, frequencies || w.Frequency != nil
		n, _ := left.Dims()
		_, width = right.Dims()
		for i := range n {
			row := left.RawRowView(i)
			number := int(row[0])
			for len(a.at) <= number {
				a.at = append(a.at, -1)
			}
			a.at[number] = len(a.arm)
			a.arm = append(a.arm, int16(slices.Index(row[1:], 1)))
			a.fold = append(a.fold, fold)
			a.w.Frequency, a.w.Factor = append(a.w.Frequency, w.FrequencyOf(i)), append(a.w.Factor, w.FactorOf(i))
			if w.Cluster != nil {
				a.w.Cluster = append(a.w.Cluster, w.Cluster[i])
			}
			a.weight = append(a.weight, w.Of(i))
			values = append(values, right.RawRowView(i)...)
		}
	})
	if err != nil {
		return nil, err
	}
	if len(a.arm) == 0 {
		return nil, fmt.Errorf("effect: the treatment is missing in every row of S_X")
	}
	a.used = slices.Repeat([]bool{true}, len(a.arm))
	a.n.fold, a.n.weight = a.fold, a.weight
	return mat.NewDense(len(a.arm), width, values), nil
}

// reread reads the weights of the rows that were read.
func (a *adjusted) reread(ctx context.Context, p *problem.Encoded, treatment *arms) error {
	return p.WalkXU(ctx, encode.Beside{rowNumbers, treatment}, p.Constant(), func(_ int, left, _ *mat.Dense, w moments.Weights) {
		n, _ := left.Dims()
		for i := range n {
			row := a.row(int(left.At(i, 0)))
			a.w.Frequency[row], a.w.Factor[row], a.weight[row] = w.FrequencyOf(i), w.FactorOf(i), w.Of(i)
		}
	})
}

// readSide returns what another side makes of the rows that were read.
func (a *adjusted) readSide(ctx context.Context, p *problem.Encoded, treatment *arms, side encode.Side) (*mat.Dense, error) {
	var values *mat.Dense
	err := p.WalkXU(ctx, encode.Beside{rowNumbers, treatment}, side, func(_ int, left, right *mat.Dense, _ moments.Weights) {
		n, width := right.Dims()
		if values == nil {
			values = mat.NewDense(len(a.arm), width, nil)
		}
		for i := range n {
			values.SetRow(a.row(int(left.At(i, 0))), right.RawRowView(i))
		}
	})
	return values, err
}

// lacking counts the rows of a table without a treatment, a row of weight k as k.
func (a *adjusted) lacking(ctx context.Context, src tables.Source) (rows int, err error) {
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return 0, err
		}
		for i := range b.Rows {
			if a.row(b.Number(i)) < 0 {
				rows += b.Copies(i)
			}
		}
	}
	return rows, nil
}

// row is the row of a number, -1 for none.
func (a *adjusted) row(number int) int {
	if number >= len(a.at) {
		return -1
	}
	return a.at[number]
}

// usable reports whether a row is not trimmed, and its U complete.
func (a *adjusted) usable(i int) bool { return a.used[i] && (a.complete == nil || a.complete[i] > 0) }

// finish gives the weights their means.
func (a *adjusted) finish(arms int) {
	groups := 1
	for arm := range arms {
		groups = max(groups, a.groupOf(arm)+1)
	}
	all, left, byArm, complete := make([]float64, groups), 0.0, make([]float64, arms), make([]float64, arms)
	for i, w := range a.weight {
		if !a.used[i] {
			continue
		}
		all[a.groupOf(int(a.arm[i]))] += w
		byArm[a.arm[i]] += w * a.odds[i]
		if a.usable(i) {
			left += w
		}
		if a.complete != nil {
			complete[a.arm[i]] += w * a.odds[i] * a.complete[i]
		}
	}
	a.scales = make([]float64, groups)
	for g, total := range all {
		a.scales[g] = left / total
	}
	for i, arm := range a.arm {
		if !a.used[i] {
			continue
		}
		a.odds[i] *= all[a.groupOf(int(arm))] / byArm[arm]
		if a.complete != nil {
			a.complete[i] *= byArm[arm] / complete[arm]
		}
	}
}

// effective is the effective sample size of some rows by their weights.
func (a *adjusted) effective(in func(arm int) bool) float64 {
	sum, squares := 0.0, 0.0
	for i := range a.weight {
		if !in(int(a.arm[i])) || !a.usable(i) {
			continue
		}
		frequency, own := a.w.FrequencyOf(i), a.odds[i]*a.w.FactorOf(i)
		if a.complete != nil {
			own *= a.complete[i]
		}
		sum += frequency * own
		squares += frequency * own * own
	}
	return sum * sum / squares
}

// adjustedTerms are terms for adjusted rows: for each arm t of a contrast
//
//	m_t(X) + b_t + omega 1(T=t) (v - m_t(X) - b_t),   b_t the mean of omega 1(T=t) (v - m_t(X))
//
// with m_t by regression of v on X in the arm, v what stands for E[Y|U], or is filled where U is missing.
func (run *run) adjustedTerms(ctx context.Context, contrasts []contrast, parts []effectRows) (*termsXU, []int, error) {
	a, k := run.adjusted, run.p.Y().Len()
	v := mat.NewDense(len(a.arm), k, nil)
	var h mat.Dense
	for _, part := range parts {
		err := run.p.WithSources(part.source, nil).WalkXU(ctx, encode.Beside{rowNumbers, run.treatment}, run.p.SidePsi(), func(fold int, left, psi *mat.Dense, _ moments.Weights) {
			run.h[fold].ApplyTo(&h, psi)
			n, _ := left.Dims()
			for i := range n {
				row := a.row(int(left.At(i, 0)))
				for j := range k {
					v.Set(row, j, part.value(j, int(a.arm[row]), h.At(i, j)))
				}
			}
		})
		if err != nil {
			return nil, nil, err
		}
	}
	rows := make([]int, run.arms())
	for i, arm := range a.arm {
		if a.usable(i) {
			rows[arm] += int(a.w.FrequencyOf(i))
		}
	}
	if err := run.enough(rows); err != nil {
		return nil, nil, err
	}
	x := &termsXU{of: make([][]armTerms, len(contrasts))}
	for _, at := range a.byGroup(contrasts) {
		if err := run.groupTerms(ctx, x, contrasts, at, v); err != nil {
			return nil, nil, err
		}
	}
	return x, rows, run.enoughClusters()
}

// byGroup are the places of the contrasts of each group.
func (a *adjusted) byGroup(contrasts []contrast) (of [][]int) {
	for c, one := range contrasts {
		if last := len(of) - 1; last >= 0 && a.groupOf(contrasts[of[last][0]].arm) == a.groupOf(one.arm) {
			of[last] = append(of[last], c)
		} else {
			of = append(of, []int{c})
		}
	}
	return of
}

// groupTerms are those of the contrasts of a group, the means over its rows.
func (run *run) groupTerms(ctx context.Context, x *termsXU, contrasts []contrast, at []int, v *mat.Dense) error {
	a, k := run.adjusted, run.p.Y().Len()
	byArm, err := run.contrastedArms(ctx, contrasts, at, v)
	if err != nil {
		return err
	}
	difference := func(i, c, j int) float64 {
		return byArm[contrasts[c].arm].At(i, j) - byArm[contrasts[c].against].At(i, j)
	}
	in := func(i int) bool { return a.used[i] && a.groupOf(int(a.arm[i])) == a.groupOf(contrasts[at[0]].arm) }
	all, values := weighted.New(len(at)*k), make([]float64, len(at)*k)
	for i := range a.arm {
		if !in(i) {
			continue
		}
		for n, c := range at {
			for j := range k {
				values[n*k+j] = difference(i, c, j)
			}
		}
		all.Add(a.w, i, values...)
	}
	x.adjusted = append(x.adjusted, adjustedGroup{contrasts: at, all: all})
	for _, c := range at {
		terms := make([]armTerms, k)
		for j := range terms {
			mean := run.meanOfRows(func(i int) (float64, bool) {
				if !in(i) {
					return 0, false
				}
				return difference(i, c, j), true
			})
			terms[j] = armTerms{known: mean, drawn: []weighted.Term{{Of: mean, Gradient: []float64{1}}}, freedom: a.freedom(contrasts[c])}
		}
		x.of[c] = terms
	}
	return nil
}

// contrastedArms are the terms of the arms of some contrasts, by arm.
func (run *run) contrastedArms(ctx context.Context, contrasts []contrast, at []int, v *mat.Dense) (map[int]*mat.Dense, error) {
	byArm := make(map[int]*mat.Dense)
	for _, c := range at {
		for _, arm := range []int{contrasts[c].arm, contrasts[c].against} {
			if byArm[arm] != nil {
				continue
			}
			var err error
			if byArm[arm], err = run.armValues(ctx, arm, v); err != nil {
				return nil, err
			}
		}
	}
	return byArm, nil
}

// freedom is the number of degrees of freedom of a comparison of arms: that of the one with the fewer effective rows.
func (a *adjusted) freedom(c contrast) float64 {
	rows := func(of int) float64 { return a.effective(func(arm int) bool { return arm == of }) }
	return max(1, min(rows(c.arm), rows(c.against))-1)
}

// meanOfRows is the mean of a value of the rows of which it is of use.
func (run *run) meanOfRows(of func(i int) (value float64, use bool)) *weighted.Means {
	m := weighted.New(1)
	for i := range run.adjusted.arm {
		if v, use := of(i); use {
			m.Add(run.adjusted.w, i, v)
		}
	}
	return m
}

// enoughClusters returns an error if the rows of an arm are all in one cluster.
func (run *run) enoughClusters() error {
	for arm := range run.arms() {
		of := run.meanOfRows(func(i int) (float64, bool) { return 0, run.adjusted.usable(i) && int(run.adjusted.arm[i]) == arm })
		if !run.isReplica && of.Clustered() && weighted.CountClusters(of) < 2 {
			return fmt.Errorf("effect: treatment %q: the %s rows are all in one cluster, and at least 2 of each arm are needed", run.Treatment, run.nameOf(arm))
		}
	}
	return nil
}

// armValues are the terms of an arm, of all rows.
func (run *run) armValues(ctx context.Context, arm int, v *mat.Dense) (*mat.Dense, error) {
	a := run.adjusted
	n, k := v.Dims()
	in := func(i int) bool { return a.used[i] && int(a.arm[i]) == arm }
	own := v
	if a.complete != nil {
		var err error
		if own, err = run.filled(ctx, arm, v); err != nil {
			return nil, err
		}
	}
	m := mat.NewDense(n, k, nil)
	if a.x != nil {
		var err error
		if m, err = a.n.ridge(ctx, fmt.Sprint("covariates ", arm), a.x, own, in); err != nil {
			return nil, fmt.Errorf("effect: arm %s, regression on the covariates: %w", run.nameOf(arm), err)
		}
	}
	off, total := make([]float64, k), 0.0
	for i, w := range a.weight {
		if in(i) {
			total += w * a.odds[i]
			for j := range off {
				off[j] += w * a.odds[i] * (own.At(i, j) - m.At(i, j))
			}
		}
	}
	for i := range n {
		row := m.RawRowView(i)
		for j := range row {
			b := off[j] / total
			if in(i) {
				row[j] += b + a.odds[i]*(own.At(i, j)-row[j]-b)
			} else {
				row[j] += b
			}
		}
	}
	return m, nil
}

// enoughOf returns an error if the sums of an arm would be of fewer rows than there are folds.
func (run *run) enoughOf() error {
	rows := make([]int, run.arms())
	for i, arm := range run.adjusted.arm {
		rows[arm] += int(run.adjusted.w.FrequencyOf(i))
	}
	return run.enough(rows)
}
