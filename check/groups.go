package check

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mediant/tables"
	"mediant/tables/copies"
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

// clusterOf is the column of clusters of a table, which account for rows that belong together; "" if there is none.
func (c *checker) clusterOf(table Table) string {
	if table == XU {
		return c.opt.Roles.ClusterXU
	}
	return c.opt.Roles.ClusterUY
}

// grouped finds columns that are named as identifiers and whose values repeat, in rows that are no copies. Of clusters, comparisons of U look at one row each.
func (c *checker) grouped() {
	for _, side := range []struct {
		table Table
		look  *tableLook
	}{{XU, c.xu}, {UY, c.uy}} {
		if cluster := side.look.of(c.clusterOf(side.table)); cluster != nil {
			side.look.groups = []string{cluster.column.Name}
			continue
		}
		for i := range side.look.looks {
			look := &side.look.looks[i]
			if look.column.Kind == tables.Vector || look.fraction || !namesRows(look.column.Name) && !namesGroups(look.column.Name) {
				continue
			}
			groups := look.distinct.count()
			rows := min(look.present(), side.look.equal.count())
			if each := float64(rows) / float64(max(1, groups)); groups < leastGroups || each < rowsOfGroups || each > mostOfGroups {
				continue
			}
			name := look.column.Name
			c.groups(side.look, Finding{Code: GroupedRows, Severity: Warning, Table: side.table, Columns: []string{name}, Rows: rows, Of: side.look.rows,
				What:    fmt.Sprintf("%q has %d values in %d rows of %s: several rows of one person, or of one thing", name, groups, look.present(), side.table.words()),
				Effect:  c.groupsEffect(float64(rows) / float64(groups)),
				Remedy:  fmt.Sprintf("--cluster %q counts each as one, or --accept %s:%[1]q if its rows have nothing in common", name, GroupedRows),
				gravity: causeFirst + 1})
		}
	}
}

// groups adds a finding of rows that belong together. Comparisons of U then look at one row of each group, unless it is accepted that rows of a
// group have nothing in common.
func (c *checker) groups(look *tableLook, f Finding) {
	if !slices.ContainsFunc(c.opt.Accept, func(a Acceptance) bool { return a.accepts(f) }) {
		look.groups = f.Columns
	}
	c.add(f)
}

// groupsEffect says what groups of so many rows do to a result. Of rows that agree in all that matters, k count as one: the standard error is
// sqrt(k) times what it seems.
func (c *checker) groupsEffect(rows float64) string {
	factor := math.Sqrt(rows)
	if c.opt.Treatment != "" {
		return fmt.Sprintf("they count as independent rows: the standard error of the effect is too small, and its interval too short, by a factor of up to %.2g", factor)
	}
	return fmt.Sprintf("they count as independent rows, which are both in training folds and held out: errors are underestimated, and their intervals are too short, by a factor of up to %.2g", factor)
}

// sameShare is the least share of rows whose X, or U, repeats that of another row that is reported: fewer change no error much.
const sameShare = .02

// sameParts finds rows that agree in all of X, or in all of U, by more than chance, and differ elsewhere: those of one person that no
// column names, or copies that were edited.
func (c *checker) sameParts(ctx context.Context, table Table, src tables.Source, look *tableLook) error {
	if c.clusterOf(table) != "" || slices.ContainsFunc(c.report.Findings, func(f Finding) bool { return f.Code == GroupedRows && f.Table == table }) {
		return nil
	}
	type part struct {
		role    string
		columns []string
	}
	parts := []part{{"U", c.roles.U}}
	if table == XU { // what stays the same in the rows of a person is X, and U may be nearly so
		x := c.roles.X
		if c.opt.Treatment != "" { // what is beside the treatment is not used, and tells groups all the same
			x = slices.Concat(x, c.baseline())
		}
		parts = []part{{"X", x}, {"U", c.roles.U}}
	}
	for _, part := range parts {
		_, found, err := copies.Distinct(ctx, src, part.columns)
		if err != nil {
			return err
		}
		rows := found.Rows + found.Distinct
		if float64(found.Rows) < sameShare*float64(rows) || !rich(look, part.columns, found) {
			continue
		}
		c.groups(look, Finding{Code: GroupedRows, Severity: Warning, Table: table, Columns: part.columns, Rows: found.Rows, Of: rows, gravity: causeFirst + 1,
			What:   fmt.Sprintf("%d of the %d rows of %s have the same %s as another one, and other values elsewhere: several rows of one person, or copies that were edited", found.Rows, rows, table.words(), part.role),
			Effect: c.groupsEffect(float64(rows) / float64(found.Distinct)),
			Remedy: fmt.Sprintf("--cluster COLUMN, if a column names the persons, one row of each, or their means, or --accept %s if they have nothing in common", GroupedRows)})
		return nil
	}
	return nil
}

// finePlaces is how many places there must be for each value of a column, between its least and its greatest at the smallest step
// there is, and how many combinations of values of several columns for each that is there, so that values that are all there
// equally often are no design.
const finePlaces = 10

// rich reports whether rows that are there several times are neither a design nor ties of columns that depend on each other: one of the
// columns is of numbers that are so fine, or all rows are there equally often, and most combinations of their values are not.
func rich(look *tableLook, columns []string, found copies.Summary) bool {
	combinations := 1.
	for _, name := range columns {
		column := look.of(name)
		if column == nil {
			continue
		}
		combinations *= float64(max(1, column.distinct.count()))
		if column.column.Kind == tables.Numeric && 2*column.distinct.count() >= found.Distinct && fine(look.sample.values(column.place)) {
			return true
		}
	}
	return found.Times > 1 && len(columns) > 1 && combinations >= finePlaces*float64(found.Distinct)
}

// fine reports whether sorted values lie on few of the places that there are for them.
func fine(values []float64) bool {
	values = slices.Compact(values)
	if len(values) < leastGroups {
		return false
	}
	step := math.Inf(1)
	for i := 1; i < len(values); i++ {
		step = min(step, values[i]-values[i-1])
	}
	return (values[len(values)-1]-values[0])/step >= finePlaces*float64(len(values))
}
