package check

import (
	"fmt"
	"slices"
)

// NothingKnown is the code of a table that has no value of X or of Y at all.
const NothingKnown Code = "nothing-known"

// emptyY leaves out columns of Y without any value, which no flag names, where others have values: a row counts only with all of Y.
func (c *checker) emptyY() {
	named, columns := c.named(), c.defaultY()
	empty := func(name string) bool { return c.is(name, Empty) }
	if !slices.ContainsFunc(columns, func(name string) bool { return !empty(name) && !slices.Contains(c.report.LeftOut, name) }) {
		return
	}
	for _, name := range columns {
		if !empty(name) || slices.Contains(named, name) {
			continue
		}
		c.report.LeftOut = append(c.report.LeftOut, name)
		c.add(Finding{Code: NothingKnown, Severity: Note, Table: UY, Columns: []string{name}, Rows: c.uy.rows, Of: c.uy.rows,
			What:   fmt.Sprintf("%q has no value in any of the %d rows of %s, and is left out of Y", name, c.uy.rows, UY.words()),
			Effect: "a row counts only with all of Y",
			Remedy: fmt.Sprintf("--ignore %q leaves it out without a note", name)})
	}
}

// nothingKnown finds X or Y without any value, and reports whether there is one: U and rows are then of no interest.
func (c *checker) nothingKnown() bool {
	found := false
	for _, role := range []struct {
		name    string
		table   Table
		of      *TableProfile
		columns []string
	}{{"X", XU, &c.report.XU, c.roles.X}, {"Y", UY, &c.report.UY, c.roles.Y}} {
		filled := func(name string) bool {
			p := role.of.Column(name)
			return p == nil || p.Kind != Empty
		}
		columns := slices.DeleteFunc(slices.Clone(role.columns), filled)
		if len(columns) == 0 || role.name == "X" && len(columns) < len(role.columns) { // rows count with some of X, but with all of Y
			continue
		}
		found = true
		c.add(Finding{Code: NothingKnown, Severity: Error, Table: role.table, Columns: columns, Rows: role.of.Rows, Of: role.of.Rows,
			What:   fmt.Sprintf("%s has no value in any of the %d rows of %s (%q)", role.name, role.of.Rows, role.table.words(), columns[0]),
			Effect: "nothing can be learned of it",
			Remedy: fmt.Sprintf("a table that has them; --%s names other columns", map[string]string{"X": "x", "Y": "y"}[role.name])})
	}
	return found
}
