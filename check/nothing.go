package check

import (
	"fmt"
	"slices"
)

// NothingKnown is the code of a table that has no value of X or of Y at all.
const NothingKnown Code = "nothing-known"

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
		if len(role.columns) == 0 || slices.ContainsFunc(role.columns, filled) {
			continue
		}
		found = true
		c.add(Finding{Code: NothingKnown, Severity: Error, Table: role.table, Columns: role.columns, Rows: role.of.Rows, Of: role.of.Rows,
			What:   fmt.Sprintf("%s has no value in any of the %d rows of %s (%q)", role.name, role.of.Rows, role.table.words(), role.columns[0]),
			Effect: "nothing can be learned of it",
			Remedy: fmt.Sprintf("a table that has them; --%s names other columns", map[string]string{"X": "x", "Y": "y"}[role.name])})
	}
	return found
}
