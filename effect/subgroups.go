package effect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"mediant/tables"
)

// mostLevels is how many distinct numbers are a subgroup each; of more, four subgroups are cut at the quartiles.
const mostLevels = 8

// mostSubgroups is how many levels of text may be subgroups.
const mostSubgroups = 50

// Subgroups are the effects in subgroups of the rows.
type Subgroups struct {
	By string `json:"by"`
	// Cuts are the quartiles of a column of more than eight numbers: a subgroup is up to a cut, and above the one before it.
	Cuts    []float64      `json:"cuts,omitempty"`
	Effects []GroupEffect  `json:"effects"`
	Tests   []EqualityTest `json:"tests"` // by arm and output
	LeftOut []GroupLeftOut `json:"left_out"`
	// Unlabeled are the rows without treatment or subgroup.
	Unlabeled int      `json:"dropped_xu"`
	Notes     []string `json:"notes"`
}

// An EqualityTest is the Wald test that the effects in all subgroups are equal.
type EqualityTest struct {
	Output  string `json:"y"`
	Arm     string `json:"arm,omitempty"`
	Against string `json:"against,omitempty"`
	// ChiSquared has Freedom degrees of freedom, one fewer than there are subgroups.
	ChiSquared float64 `json:"chi_squared"`
	Freedom    int     `json:"degrees_of_freedom"`
	P          float64 `json:"p"`
}

// Subgroups estimates the effect in each subgroup by a column of the first table, which must be known before the treatment: a level of text or of up to
// eight numbers, else a quarter of the rows. If it is a column of U it stays one. The joint intervals are those of all subgroups. A subgroup with fewer than ten
// rows in an arm is left out. The error is that of Estimate, or says that there is no such column, more than 50 levels, or no subgroup to estimate.
func (e Estimator) Subgroups(ctx context.Context, xu, uy tables.Source, by string) (*Subgroups, error) {
	if roles, err := e.rolesOf(xu, uy); err != nil {
		return nil, err
	} else if !slices.ContainsFunc(roles.U, func(u string) bool { return tables.CanonicalName(u) == tables.CanonicalName(by) }) {
		e.groupColumn = by
	}
	xu, uy, _, err := e.completeFirst(ctx, xu, uy)
	if err != nil {
		return nil, err
	}
	bin, err := e.quartiles(ctx, xu, by)
	if err != nil {
		return nil, err
	}
	several, err := e.readGroups(ctx, xu, "subgroup", by, bin)
	if err != nil {
		return nil, err
	}
	if n := len(several.groups.labels); n > mostSubgroups {
		return nil, fmt.Errorf("effect: subgroup column %q has %d levels, of more than %d no subgroups are made", by, n, mostSubgroups)
	}
	effects, r, err := e.estimateGroups(ctx, several, xu, uy)
	if err != nil {
		return nil, err
	}
	s := &Subgroups{By: by, Effects: effects, LeftOut: several.groups.leftOut, Unlabeled: several.groups.unlabeled}
	if bin != nil {
		s.Cuts = bin.cuts
	}
	if s.LeftOut == nil {
		s.LeftOut = []GroupLeftOut{}
	}
	s.Tests, err = testEqual(effects, r)
	s.Notes = r.Notes
	return s, err
}

// rolesOf are the roles of the columns of an estimate without groups.
func (e Estimator) rolesOf(xu, uy tables.Source) (tables.Roles, error) {
	if xu == nil || uy == nil {
		return tables.Roles{}, errors.New("effect: a table is nil")
	}
	opt := e.Setup.Roles
	opt.X = []string{e.Treatment}
	return tables.AssignRoles(xu.Columns(), uy.Columns(), opt)
}

// fewClusters is the error that so many effects have no covariance of full rank, which a sum over clusters, or over replicates, has only of more of them; nil if they have.
func fewClusters(r *Result, effects int) error {
	if of := r.Replicates; of != nil {
		if of.XU != nil && of.XU.Freedom < effects {
			return fmt.Errorf("replicate weights have %d degrees of freedom, want at least the %d effects", of.XU.Freedom, effects)
		}
		return nil
	}
	if c := r.Clusters; c != nil && c.XU > 0 && c.XU <= effects {
		return fmt.Errorf("there are %d clusters, want more than the %d effects", c.XU, effects)
	}
	return nil
}

// testEqual tests for each arm and output that its effects in all groups are equal.
func testEqual(effects []GroupEffect, r *Result) (tests []EqualityTest, err error) {
	type key struct{ arm, output string }
	var keys []key
	for _, e := range effects {
		if k := (key{e.Arm, e.Output}); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	for _, k := range keys {
		var of []int
		for i, e := range effects {
			if (key{e.Arm, e.Output}) == k {
				of = append(of, i)
			}
		}
		if len(of) < 2 {
			continue
		}
		if err := fewClusters(r, len(of)); err != nil {
			r.Notes = append(slices.Clip(r.Notes), fmt.Sprintf("effects on %q have no test that they are equal: %v", k.output, err))
			continue
		}
		values, cov := effectsAt(effects, r.Covariance, of)
		m, err := newRandom(values, cov)
		if err != nil {
			return nil, err
		}
		test := EqualityTest{Output: k.output, Arm: k.arm, Against: effects[of[0]].Against, Freedom: len(of) - 1}
		test.ChiSquared, test.P = m.heterogeneity()
		tests = append(tests, test)
	}
	return tests, nil
}

// bins cut numbers into groups.
type bins struct {
	cuts   []float64
	labels []string
}

// find is the group of a number in its shortest form.
func (b *bins) find(cell string) int {
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return -1
	}
	at, _ := slices.BinarySearch(b.cuts, v)
	return at
}

// quartiles cuts a numeric column of more than mostLevels values at its quartiles; nil of other columns.
func (e Estimator) quartiles(ctx context.Context, xu tables.Source, by string) (*bins, error) {
	both, err := e.twoColumns(xu, "subgroup", by)
	if err != nil || both[1].Kind != tables.Numeric {
		return nil, err
	}
	sel, err := tables.Select(xu.Columns(), both[1:])
	if err != nil {
		return nil, err
	}
	var values []float64
	for b, err := range tables.NewGuard("", xu).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		of := make([]float64, b.Rows)
		sel.NumericTo(of, b, 0)
		values = append(values, slices.DeleteFunc(of, math.IsNaN)...)
	}
	slices.Sort(values)
	if len(slices.Compact(slices.Clone(values))) <= mostLevels {
		return nil, nil
	}
	b := &bins{}
	for q := 1; q < 4; q++ {
		b.cuts = append(b.cuts, values[(len(values)*q+3)/4-1]) // ceil(n q/4) rows are up to it
	}
	b.cuts = slices.Compact(b.cuts)
	if last := len(b.cuts) - 1; b.cuts[last] == values[len(values)-1] {
		b.cuts = b.cuts[:last] // nothing is above it
	}
	if len(b.cuts) == 0 {
		return nil, fmt.Errorf("effect: subgroup column %q has one value in three quarters of its rows: make a column of levels", by)
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for i, cut := range b.cuts {
		if i == 0 {
			b.labels = append(b.labels, "up to "+number(cut))
		} else {
			b.labels = append(b.labels, fmt.Sprintf("above %s up to %s", number(b.cuts[i-1]), number(cut)))
		}
	}
	b.labels = append(b.labels, "above "+number(b.cuts[len(b.cuts)-1]))
	return b, nil
}
