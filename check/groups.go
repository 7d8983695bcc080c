package check

import (
	"fmt"

	"mediant/tables"
)

// GroupedRows is the code of rows that come in groups: several of one person, say.
const GroupedRows Code = "grouped-rows"

const (
	// A column that is named as identifiers are names groups if it has leastGroups values or more, with this many rows each in the mean:
	// fewer are single slips, more are classes and schools, which tables have as levels.
	leastGroups  = 20
	rowsOfGroups = 1.5
	mostOfGroups = 20
)

// grouped finds columns that are named as identifiers and whose values repeat, in rows that are no copies.
func (c *checker) grouped() {
	for _, side := range []struct {
		table Table
		look  *tableLook
	}{{XU, c.xu}, {UY, c.uy}} {
		for i := range side.look.looks {
			look := &side.look.looks[i]
			if look.column.Kind == tables.Vector || look.fraction || !namesRows(look.column.Name) {
				continue
			}
			groups := look.distinct.count()
			rows := min(look.present(), side.look.equal.count())
			if each := float64(rows) / float64(max(1, groups)); groups < leastGroups || each < rowsOfGroups || each > mostOfGroups {
				continue
			}
			name := look.column.Name
			c.add(Finding{Code: GroupedRows, Severity: Warning, Table: side.table, Columns: []string{name}, Rows: rows, Of: side.look.rows,
				What:    fmt.Sprintf("%q has %d values in %d rows of %s: several rows of one person, or of one thing", name, groups, look.present(), side.table.words()),
				Effect:  "they count as independent rows, of which some are learned from and others judged: errors seem smaller, and intervals are narrower, than they are",
				Remedy:  fmt.Sprintf("one row of each, or their means, or --accept %s:%q if its rows have nothing in common", GroupedRows, name),
				gravity: 1})
		}
	}
}
