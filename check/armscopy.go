package check

import (
	"fmt"
	"slices"

	"mediant/tables"
)

// copiedArms finds columns of U and covariates that have one value in each arm, and another in each other arm: the treatment in other words.
func (c *checker) copiedArms() {
	for _, name := range slices.Concat(c.roles.U, c.covariates()) {
		look := c.xu.of(name)
		if look.column.Kind == tables.Vector || name == c.opt.Treatment || !c.namesArms(look) {
			continue
		}
		f := Finding{Code: ArmsDiffer, Severity: Warning, Table: XU, Columns: []string{name}, Rows: look.present(), Of: look.rows, gravity: causeFirst + 1,
			What:   fmt.Sprintf("%q has one value in each arm of %q and another in the others: it is the treatment in other words", name, c.opt.Treatment),
			Effect: "adjusting for it takes the effect of the treatment away",
			Remedy: fmt.Sprintf("covariates that were there before the treatment, or --accept %s:%q", ArmsDiffer, name)}
		if slices.Contains(c.roles.U, name) {
			f.Effect = "what Y differs by between its values in the second table, where no treatment was drawn, counts as the effect"
			f.Remedy = fmt.Sprintf("--ignore %q, or --accept %s:%[1]q if it is an outcome", name, ArmsDiffer)
		}
		c.add(f)
	}
}

// namesArms reports whether the values of a column in the sampled rows stand for the arms, one for one.
func (c *checker) namesArms(look *columnLook) bool {
	arm := c.xu.of(c.opt.Treatment)
	armOf, valueOf := make(map[string]string), make(map[string]string)
	rows := 0
	for _, row := range c.xu.sample.heap {
		value, a := cellOf(look, row), cellOf(arm, row)
		if value == "" || a == "" {
			continue
		}
		if had, ok := armOf[value]; ok && had != a {
			return false
		}
		if had, ok := valueOf[a]; ok && had != value {
			return false
		}
		armOf[value], valueOf[a] = a, value
		rows++
	}
	return len(armOf) > 1 && rows >= fewestRows
}
