package check

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mediant/internal/draw"
	"mediant/tables"
)

// ArmsDiffer is the code of what makes the arms of a trial differ though the treatment hardly can.
const ArmsDiffer Code = "arms-differ"

const (
	// armAlarm is the level of all tests of the columns that a treatment should not change, together: one clean trial in two thousand is doubted.
	armAlarm = 5e-4
	// armLevels is how many distinct values of a column are compared one by one.
	armLevels = 20
)

// A trial is the first table by the two arms of a treatment.
type trial struct {
	sampledU
	treatment string
	arms      [2]string // as words: "0" and "1"
}

// trial splits independent rows of the first table, one of each group, by treatment; nil where there are no two arms of fewestRows.
func (c *checker) trial() *trial {
	t := &trial{sampledU: sampledU{looks: [2]*tableLook{c.xu, c.xu}}, treatment: c.opt.Treatment}
	rows := c.xu.independentRows(c.opt.Roles.WeightsXU, draw.Rand(c.opt.Seed, "check arms", 0))
	of := sampledU{looks: t.looks, rows: [2][]sampledRow{rows}}.byArm(c.opt.Treatment)
	if len(of) != 2 {
		return nil
	}
	for i, arm := range of {
		if len(arm.rows) < fewestRows {
			return nil
		}
		t.arms[i], t.rows[i] = arm.name, arm.rows
	}
	return t
}

// baseline are columns of the first table alone that have no role beside a treatment: they may have been there before it.
func (c *checker) baseline() []string {
	var names []string
	o := c.opt.Roles
	for i := range c.xu.looks {
		name := c.xu.looks[i].column.Name
		switch c.report.XU.Columns[i].Kind {
		case Identifier, Date, FreeText, Constant, Empty, Sparse:
			continue
		}
		if slices.Contains(c.roles.U, name) || slices.Contains(c.roles.X, name) || slices.Contains(c.report.LeftOut, name) || slices.Contains(c.beside, name) ||
			c.uy.of(name) != nil || matchesAny(name, slices.Concat(o.Y, o.Ignore)) {
			continue
		}
		names = append(names, name)
	}
	return names
}

// compareArms looks for what makes the arms of a trial differ though the treatment did not: rows that one arm lost, and columns that
// were measured in another way there.
func (c *checker) compareArms(ctx context.Context, xu tables.Source) error {
	if c.opt.Treatment == "" {
		return nil
	}
	c.copiedArms()
	clusters := c.clusteredArms()
	t := c.trial()
	if t == nil {
		return nil
	}
	c.shareOfArms()
	c.unequalArms(t, t.columns(slices.DeleteFunc(c.baseline(), func(name string) bool { return slices.Contains(clusters, name) })))
	for _, u := range t.columns(c.roles.U) {
		if !c.unitByArm(t, u) {
			c.cutArm(t, u)
		}
		c.precisionByArm(t, u, len(c.roles.U))
	}
	return c.standardisedByArm(ctx, xu)
}

const (
	// A column is standardised within an arm of n rows if its mean is 0 and its standard deviation 1 up to ownScale/sqrt(n): rounding to two decimals moves the
	// mean by half of that. Of a column that is standardised over both arms and that the treatment does not change, the mean of half of its rows has an error of
	// .7/sqrt(n) and the standard deviation one of .5/sqrt(n): both are so near in one of 5,000 trials.
	ownScale = .006
	// nearZero is the mean of all rows up to which arms are looked at one by one.
	nearZero = 1e-3
)

// standardisedByArm finds numbers of U that were standardised within each arm, which takes the effect on their mean away. It reads the table once, if a column
// has the mean 0.
func (c *checker) standardisedByArm(ctx context.Context, xu tables.Source) error {
	var looks []*columnLook
	for _, name := range c.roles.U {
		if look := c.xu.of(name); look.column.Kind == tables.Numeric && math.Abs(look.mean) < nearZero && look.present() > 0 && look.numbers.low[0].value < 0 {
			looks = append(looks, look)
		}
	}
	if looks == nil {
		return nil
	}
	type sums struct{ rows, sum, squares float64 }
	of := make(map[string][]sums)
	arm := c.xu.of(c.opt.Treatment)
	for b, err := range tables.NewGuard("", xu).Batches(ctx) {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			a := arm.word(b, i)
			if of[a] == nil {
				of[a] = make([]sums, len(looks))
			}
			for j, look := range looks {
				if v := b.Num.At(i, look.place); a != "" && !math.IsNaN(v) {
					s := &of[a][j]
					s.rows, s.sum, s.squares = s.rows+1, s.sum+v, s.squares+v*v
				}
			}
		}
	}
	delete(of, "")
	for j, look := range looks {
		own := true
		for _, s := range of {
			n, near := s[j].rows, ownScale/math.Sqrt(s[j].rows)
			squares := s[j].squares - s[j].sum*s[j].sum/n
			own = own && n >= fewestRows && math.Abs(s[j].sum/n) < near && min(math.Abs(math.Sqrt(squares/n)-1), math.Abs(math.Sqrt(squares/(n-1))-1)) < near
		}
		if own && len(of) > 1 {
			c.add(Finding{Code: UnitDiffers, Severity: Warning, Table: XU, Columns: []string{look.column.Name}, Rows: look.present(), gravity: causeFirst + 1,
				What:   fmt.Sprintf("%q has the mean 0 and the standard deviation 1 in each arm of %q: it was standardised within the arms", look.column.Name, c.opt.Treatment),
				Effect: "what the treatment does to its mean and spread is taken away, and the effect with it",
				Remedy: fmt.Sprintf("the values as measured, or standardised by one mean and one standard deviation in both tables, or "+ignoreRemedy, look.column.Name)})
		}
	}
	return nil
}

// shareOfArms compares the share of treated rows with the probability that the design had, where it is set: six standard deviations are refused
// by an estimate.
func (c *checker) shareOfArms() {
	p, look := c.opt.Probability, c.xu.of(c.opt.Treatment)
	if p == 0 || c.opt.Roles.WeightsXU != "" || look.column.Kind != tables.Numeric || !c.is(look.column.Name, Truth) {
		return
	}
	n := float64(look.present())
	if z := math.Abs(look.mean-p) / math.Sqrt(p*(1-p)/n); math.Erfc(z/math.Sqrt2) < armAlarm {
		c.add(Finding{Code: ArmsDiffer, Severity: Note, Table: XU, Columns: []string{look.column.Name}, Rows: look.present(), Of: look.rows, gravity: causeFirst,
			What:   fmt.Sprintf("%.3g %% of the %d rows are treated, %.2g standard deviations from the probability of %.3g %% that is set", 100*look.mean, look.present(), z, 100*p),
			Effect: "if rows of one arm were lost, the effect is of those that are left",
			Remedy: "all rows that were randomised, or the probability of the design"})
	}
}
