package effect

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/internal/literal"
	"mediant/internal/names"
	"mediant/problem"
	"mediant/risk"
	"mediant/tables"
)

const (
	// mostGroups is how many groups, and mostCells how many arms of groups there may be: their joint covariance is kept.
	mostGroups = 1000
	mostCells  = 4000
	// leastGroupRows are the rows that each of two arms of a group must have: standard errors of fewer are too uncertain to be compared and shrunken by.
	leastGroupRows = 10
)

// groups divide the rows of S_X by a column, into experiments or subgroups. Each arm within a group is an arm of the run, and is compared with the
// control of its group.
type groups struct {
	what      string // "experiment" or "subgroup", for messages
	column    tables.Column
	levels    []string // of the treatment, the control first
	level     map[string]int
	labels    []string
	find      func(cell string) int // the group of a cell, -1 if there is none
	cell      [][]int               // by group and level: the arm, -1 where that is left out
	of        [][2]int              // by arm: group and level
	compared  [][2]int              // arm and control
	rows      [][]int               // by group and level: rows; a row of weight k is k
	dropped   map[int]bool          // arms that cannot be adjusted
	leftOut   []GroupLeftOut
	unlabeled int // rows whose group or treatment is missing
}

// A GroupLeftOut is a group, or an arm of it, of which no effect is estimated.
type GroupLeftOut struct {
	Group  string `json:"group"`
	Arm    string `json:"arm,omitempty"` // "": the whole group
	Rows   int    `json:"rows"`
	Reason string `json:"reason"`
}

// columnsX are the columns of the first table that are no surrogates.
func (e Estimator) columnsX() []string {
	if e.groupColumn == "" {
		return []string{e.Treatment}
	}
	return []string{e.Treatment, e.groupColumn}
}

func (run *run) grouped() bool { return run.several != nil && run.several.groups != nil }

// compareGroups sets the contrasts of groups from the shares of their arms.
func (run *run) compareGroups(shares []float64) {
	for _, pair := range run.several.groups.compared {
		if g := run.several.groups; g.dropped[pair[0]] || g.dropped[pair[1]] {
			continue
		}
		c := contrast{pair[0], pair[1], make([]float64, len(shares)), crossfit.Affine{Intercept: []float64{0}}}
		c.kappa[c.arm], c.kappa[c.against] = 1/shares[c.arm], -1/shares[c.against]
		c.of.Coef = mat.NewDense(len(shares), 1, slices.Clone(c.kappa))
		run.contrasts = append(run.contrasts, c)
	}
}

// leaveOut leaves out the comparisons with an arm of a group, most of whose rows have no overlap; of arms that are not of groups it returns err, as it does
// where nothing is left.
func (run *run) leaveOut(arm, lacking, of int, err error) error {
	if !run.grouped() {
		return err
	}
	g := run.several.groups
	left := g.without(arm, fmt.Sprintf("the second table lacks the U of %d of the %d rows of arm %s", lacking, of, g.levels[g.of[arm][1]]))
	if left.Arm != "" {
		left.Rows = of
	}
	before := len(run.contrasts)
	run.contrasts = slices.DeleteFunc(run.contrasts, func(c contrast) bool { return c.arm == arm || c.against == arm })
	if len(run.contrasts) < before { // else the control was left out before
		g.leftOut = append(g.leftOut, left)
	}
	if len(run.contrasts) == 0 {
		return err
	}
	return nil
}

// without is an arm that is left out, or its group if it is the control or the only other arm.
func (g *groups) without(arm int, reason string) GroupLeftOut {
	group, level := g.of[arm][0], g.of[arm][1]
	left := GroupLeftOut{Group: g.labels[group], Rows: g.rows[group][level], Reason: reason}
	if level != 0 && len(g.levels) > 2 {
		left.Arm = g.levels[level]
		return left
	}
	left.Rows = 0
	for _, n := range g.rows[group] {
		left.Rows += n
	}
	return left
}

// dropThin leaves out the arms whose rows that are used are too few to be adjusted, or in too few folds, and groups without a control. It is an error if no group is left.
func (run *run) dropThin() error {
	g, a := run.several.groups, run.adjusted
	byFold := make([][]int, len(g.of))
	for arm := range byFold {
		byFold[arm] = make([]int, a.n.folds)
	}
	for i, arm := range a.arm {
		if a.used[i] {
			byFold[arm][a.fold[i]] += int(a.w.FrequencyOf(i))
		}
	}
	if g.dropped == nil {
		g.dropped = make(map[int]bool)
	}
	for arm, rows := range byFold {
		total := 0
		for _, n := range rows {
			total += n
		}
		if g.dropped[arm] || total >= leastGroupRows && !slices.Contains(rows, 0) {
			continue
		}
		g.leftOut = append(g.leftOut, g.without(arm, fmt.Sprintf("%d rows of arm %s are left to be adjusted, of which each of %d folds needs some", total, g.levels[g.of[arm][1]], a.n.folds)))
		g.dropped[arm] = true
		for other, of := range g.of {
			if of[0] == g.of[arm][0] && (g.of[arm][1] == 0 || len(g.levels) == 2) {
				g.dropped[other] = true
			}
		}
	}
	for i, arm := range a.arm {
		a.used[i] = a.used[i] && !g.dropped[int(arm)]
	}
	if !slices.ContainsFunc(g.compared, func(pair [2]int) bool { return !g.dropped[pair[0]] && !g.dropped[pair[1]] }) {
		return fmt.Errorf("effect: no %s has enough rows in both arms to be adjusted: %s, for one: %s", g.what, g.leftOut[len(g.leftOut)-1].Group, g.leftOut[len(g.leftOut)-1].Reason)
	}
	return nil
}

// levelIndex is the level of the treatment that an arm has, the control 0.
func (run *run) levelIndex(arm int) int {
	if run.grouped() {
		return run.several.groups.of[arm][1]
	}
	return arm
}

// treatmentLevels are the names of the levels of the treatment, the control first.
func (run *run) treatmentLevels() []string {
	switch {
	case run.grouped():
		return run.several.groups.levels
	case run.several != nil:
		return run.several.levels
	}
	return []string{"untreated", "treated"}
}

// readGroups reads the levels of the treatment and the groups of a column, and decides which of them are compared. bin, if not nil, makes groups of
// numbers; else each value is one.
func (e Estimator) readGroups(ctx context.Context, xu tables.Source, what, column string, bin *bins) (*arms, error) {
	if !e.Probability.IsAuto() {
		return nil, fmt.Errorf("effect: Estimator.Probability is of one experiment as a whole: within %ss the share of the treated is used", what)
	}
	if e.WeighU {
		return nil, fmt.Errorf("effect: Estimator.WeighU weighs the rows of one experiment as a whole, not within %ss", what)
	}
	both, err := e.twoColumns(xu, what, column)
	if err != nil {
		return nil, err
	}
	levels, err := armsOf(ctx, xu, both[0])
	if err != nil {
		return nil, err
	}
	control := 0
	if !(slices.Equal(levels, []string{"0", "1"}) && e.Control == "" && e.Treated == "") {
		if control, _, err = e.comparison(both[0].Name, levels); err != nil {
			return nil, err
		}
	}
	g := &groups{what: what, column: both[1], level: make(map[string]int)}
	g.levels = append([]string{levels[control]}, slices.Delete(slices.Clone(levels), control, control+1)...)
	for i, level := range g.levels {
		g.level[literal.LabelKey(level)] = i
	}
	if bin != nil {
		g.labels, g.find = bin.labels, bin.find
	}
	if err := g.count(ctx, xu, both[0], e.Roles.WeightsXU); err != nil {
		return nil, err
	}
	return g.arms(both[0])
}

// twoColumns are the treatment and the column of groups.
func (e Estimator) twoColumns(xu tables.Source, what, column string) (both [2]tables.Column, err error) {
	columns := xu.Columns()
	for i, name := range []string{e.Treatment, column} {
		at := names.Index(tables.ColumnNames(columns), name)
		if at < 0 {
			return both, fmt.Errorf("effect: %s: %w", []string{"treatment", what}[i], names.Missing(tables.ColumnNames(columns), name))
		}
		if both[i] = columns[at]; both[i].Kind == tables.Vector {
			return both, fmt.Errorf("effect: %s %q holds sparse rows, must be text or numbers", []string{"treatment", what}[i], name)
		}
	}
	if both[0].Name == both[1].Name {
		return both, fmt.Errorf("effect: %s and treatment are one column, %q", what, column)
	}
	return both, nil
}

// count counts the rows of each arm of each group; without labels it finds them first.
func (g *groups) count(ctx context.Context, xu tables.Source, treatment tables.Column, weights string) (err error) {
	if weights != "" {
		if xu, err = tables.Weigh(ctx, xu, weights); err != nil {
			return err
		}
	}
	each := func(do func(level, group string, copies int)) error {
		sel, err := tables.Select(xu.Columns(), []tables.Column{treatment, g.column})
		if err != nil {
			return err
		}
		for b, err := range tables.NewGuard("", xu).Batches(ctx) {
			if err != nil {
				return err
			}
			kindT, placeT := sel.Place(0)
			kindG, placeG := sel.Place(1)
			for i := range b.Rows {
				do(cellOf(b, kindT, placeT, i), cellOf(b, kindG, placeG, i), b.Copies(i))
			}
		}
		return nil
	}
	if g.find == nil {
		found := make(map[string]string)
		err := each(func(_, cell string, _ int) {
			if key := literal.LabelKey(cell); cell != "" && len(found) <= mostGroups && found[key] == "" {
				found[key] = strings.Clone(cell)
			}
		})
		if err != nil {
			return err
		}
		if len(found) > mostGroups {
			return fmt.Errorf("effect: %s %q has more than %d values", g.what, g.column.Name, mostGroups)
		}
		for _, label := range found {
			g.labels = append(g.labels, label)
		}
		slices.SortFunc(g.labels, literal.NaturalCompare)
		index := make(map[string]int)
		for i, label := range g.labels {
			index[literal.LabelKey(label)] = i
		}
		g.find = func(cell string) int {
			if i, found := index[literal.LabelKey(cell)]; found {
				return i
			}
			return -1
		}
	}
	g.rows = make([][]int, len(g.labels))
	for i := range g.rows {
		g.rows[i] = make([]int, len(g.levels))
	}
	return each(func(level, cell string, copies int) {
		group := -1
		if cell != "" {
			group = g.find(cell)
		}
		at, found := g.level[literal.LabelKey(level)]
		if group < 0 || level == "" || !found {
			g.unlabeled += copies
			return
		}
		g.rows[group][at] += copies
	})
}

// arms are those of the groups that can be compared; the others are put into leftOut.
func (g *groups) arms(treatment tables.Column) (*arms, error) {
	a := &arms{column: treatment, groups: g}
	for group, rows := range g.rows {
		cells := slices.Repeat([]int{-1}, len(rows))
		g.cell = append(g.cell, cells)
		if reason := g.incomparable(rows); reason != "" {
			all := 0
			for _, n := range rows {
				all += n
			}
			g.leftOut = append(g.leftOut, GroupLeftOut{Group: g.labels[group], Rows: all, Reason: reason})
			continue
		}
		for level, n := range rows {
			switch {
			case n == 0:
				continue
			case n < leastGroupRows:
				g.leftOut = append(g.leftOut, GroupLeftOut{g.labels[group], g.levels[level], n, fmt.Sprintf("the arm has %d rows, at least %d are needed", n, leastGroupRows)})
				continue
			}
			cells[level] = len(a.levels)
			a.levels = append(a.levels, fmt.Sprintf("%s, %s (%d)", g.labels[group], g.levels[level], len(a.levels))) // the number makes it unique
			g.of = append(g.of, [2]int{group, level})
			if level > 0 {
				g.compared = append(g.compared, [2]int{cells[level], cells[0]})
			}
		}
	}
	if len(g.compared) == 0 {
		why := "is missing in every row with a treatment"
		if len(g.leftOut) > 0 {
			why = fmt.Sprintf("has no value with two arms to compare: %.40q, for one: %s", g.leftOut[0].Group, g.leftOut[0].Reason)
		}
		return nil, fmt.Errorf("effect: %s %q %s", g.what, g.column.Name, why)
	}
	if len(a.levels) > mostCells {
		return nil, fmt.Errorf("effect: %s %q and treatment %q divide the table into %d arms, of more than %d no covariance is kept", g.what, g.column.Name, treatment.Name, len(a.levels), mostCells)
	}
	return a, nil
}

// incomparable says why the arms of a group are not compared, "" if some are.
func (g *groups) incomparable(rows []int) string {
	largest, arms, only := 0, 0, ""
	for level, n := range rows {
		if n > 0 {
			arms, only = arms+1, g.levels[level]
		}
		if level > 0 {
			largest = max(largest, n)
		}
	}
	switch {
	case arms == 0:
		return "it has no row with a treatment"
	case arms == 1:
		return "it has one arm alone, " + only
	case rows[0] == 0:
		return "it has no row of the control, " + g.levels[0]
	case rows[0] < leastGroupRows:
		return fmt.Sprintf("its control has %d rows, at least %d are needed", rows[0], leastGroupRows)
	case largest < leastGroupRows:
		return fmt.Sprintf("its treated arms have %d rows at most, at least %d are needed", largest, leastGroupRows)
	}
	return ""
}

// reader returns what reads the arm of each row of a batch: -1 where treatment or group is missing or left out.
func (g *groups) reader(treatment tables.Column, src tables.Source) (func(b tables.Batch) ([]int16, error), error) {
	sel, err := tables.Select(src.Columns(), []tables.Column{treatment, g.column})
	if err != nil {
		return nil, err
	}
	kindT, placeT := sel.Place(0)
	kindG, placeG := sel.Place(1)
	return func(b tables.Batch) ([]int16, error) {
		of := make([]int16, b.Rows)
		for i := range of {
			of[i] = -1
			level, cell := cellOf(b, kindT, placeT, i), cellOf(b, kindG, placeG, i)
			if level == "" || cell == "" {
				continue
			}
			at, found := g.level[literal.LabelKey(level)]
			group := g.find(cell)
			if !found || group < 0 {
				return nil, fmt.Errorf("effect: %s: treatment %q is %.40q and %s %q is %.40q, which was not so in the first pass: did the table change?", tables.FactsOf(src).Where(b.Number(i)), treatment.Name, level, g.what, g.column.Name, cell)
			}
			of[i] = int16(g.cell[group][at])
		}
		return of, nil
	}, nil
}

// A GroupEffect is the effect in a group of rows, an experiment or a subgroup.
type GroupEffect struct {
	Group string `json:"group"`
	// Estimate has the interval of the effect in this group, and Joint that of all groups together. Arm and Against are set if the treatment has more than two
	// levels, Bounds if rows of the group have no overlap.
	Estimate
	Treated   int `json:"treated"` // rows of the arm
	Control   int `json:"control"`
	NoOverlap int `json:"no_overlap"` // of these rows, those without overlap
}

// estimateGroups estimates the effects of all groups, of which several are the arms.
func (e Estimator) estimateGroups(ctx context.Context, several *arms, xu, uy tables.Source) (effects []GroupEffect, r *Result, err error) {
	if r, err = e.estimateAll(ctx, several, xu, uy); err != nil {
		return nil, nil, err
	}
	g := several.groups
	at := make(map[string]int) // by the level of an arm of the run
	for arm, level := range several.levels {
		at[level] = arm
	}
	for _, of := range r.Effects {
		arm, control := at[of.Arm], at[of.Against]
		one := GroupEffect{Group: g.labels[g.of[arm][0]], Estimate: of, Treated: r.Arms[arm].Rows, Control: r.Arms[control].Rows, NoOverlap: r.Arms[arm].NoOverlap + r.Arms[control].NoOverlap}
		one.Arm, one.Against = "", ""
		if len(g.levels) > 2 {
			one.Arm, one.Against = g.levels[g.of[arm][1]], g.levels[0]
		}
		effects = append(effects, one)
	}
	return effects, r, nil
}

// effectsAt are the values of some effects, and their covariance.
func effectsAt(effects []GroupEffect, all *mat.SymDense, at []int) (values []float64, cov *mat.SymDense) {
	cov = mat.NewSymDense(len(at), nil)
	for i := range at {
		values = append(values, effects[at[i]].Value)
		for j := i; j < len(at); j++ {
			cov.SetSym(i, j, all.At(at[i], at[j]))
		}
	}
	return values, cov
}

// completeFirst finds the rows in which U is missing and, if CompleteU is set, leaves them out.
func (e Estimator) completeFirst(ctx context.Context, xu, uy tables.Source) (_, _ tables.Source, found *MissingU, err error) {
	if err := e.Validate(); err != nil {
		return nil, nil, nil, err
	}
	if err := problem.RequireTables(xu, uy); err != nil {
		return nil, nil, nil, err
	}
	xu, uy = tables.NewGuard("S_X", xu), tables.NewGuard("S_Y", uy)
	missing, err := e.findMissing(ctx, xu, uy)
	if missing == nil || err != nil {
		return xu, uy, nil, err
	}
	if e.CompleteU {
		if xu, uy, err = missing.complete(ctx, xu, uy); err != nil {
			return nil, nil, nil, err
		}
	}
	missing.found.LeftOut = e.CompleteU
	return xu, uy, missing.found, nil
}

// finite is v, nil if it is no number.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// normalInterval is that of a normal distribution.
func normalInterval(value, variance float64) risk.Interval {
	return risk.NewInterval(value, max(variance, 0), math.Inf(1))
}
