package problem

import (
	"context"
	"fmt"
	"slices"

	"mediant/tables"
	"mediant/tables/copies"
)

// Indices of the two tables, S_X and S_Y.
const (
	TableXU = iota
	TableUY
)

var tableNames = [2]string{"X and U", "U and Y"}

// weigh sets the weights and clusters of both tables that the setup names, merges copies of rows, and notes how weights, copies and clusters count.
func (e *Encoded) weigh(ctx context.Context) error {
	for i, name := range []string{e.setup.Roles.WeightsXU, e.setup.Roles.WeightsUY} {
		table := tableNames[i]
		weighed := name != "" || tables.FactsOf(e.sources[i]).Weighted
		src, err := tables.Weigh(ctx, e.sources[i], name)
		if err == nil {
			e.sources[i] = src
			err = e.joinCopies(ctx, i, table)
		}
		if err != nil {
			return fmt.Errorf("table of %s: %w", table, err)
		}
		src = e.sources[i]
		if !tables.FactsOf(src).Weighted {
			continue
		}
		rows, count, whole, sum, squares := 0, 0, true, 0., 0.
		for b, err := range tables.NewGuard("", src).Batches(ctx) {
			if err != nil {
				return err
			}
			rows += b.Rows
			count += b.Count()
			whole = b.Frequencies() != nil
			for _, w := range b.Weights() {
				sum += w
				squares += w * w
			}
		}
		e.stored[i], e.counts[i] = rows, count
		if name != "" {
			name = fmt.Sprintf(" %q", name)
		}
		switch {
		case !weighed:
		case !whole:
			e.note(fmt.Sprintf("the weights%s of the table of %s are not all whole numbers: only their ratios count, and each of the %d rows is one observation", name, table, rows) + fewEqual(rows, sum*sum/squares))
		case rows != count:
			e.note(fmt.Sprintf("the weights%s of the table of %s are whole numbers, and a row of weight k is k equal rows: %d rows count as %d", name, table, rows, count) + manyEqual(rows, count))
		}
	}
	if err := e.mark(ctx); err != nil {
		return err
	}
	e.noteClusters()
	return e.checkClusters()
}

// fewEqual ends a note on weights whose effective sample size [Kish, Survey sampling, 1965] is less than half the number of rows.
func fewEqual(rows int, equal float64) string {
	if 2*equal >= float64(rows) {
		return ""
	}
	return fmt.Sprintf("; their effective sample size is %.3g, so that few rows decide the result", equal)
}

// manyEqual ends a note on whole weights that are ten in the mean, or more, as numbers of persons that a person stands for are.
func manyEqual(rows, count int) string {
	if count < 10*rows {
		return ""
	}
	return "; if they are sampling weights, intervals are far too narrow: divide them by one number, so that they are not whole"
}

// joinCopies makes one row of the copies of a row of a table, unless they are to stay.
func (e *Encoded) joinCopies(ctx context.Context, table int, name string) error {
	src, found, err := e.setup.Copies.Distinct(ctx, e.sources[table], e.columnsOf(table))
	if err != nil {
		return err
	}
	e.sources[table] = src
	if !found.Found() {
		return nil
	}
	note := fmt.Sprintf("%d rows of the table of %s are copies of others", found.Rows, name)
	if found.Rows == 1 {
		note = fmt.Sprintf("1 row of the table of %s is a copy of another", name)
	}
	switch {
	case found.Share < 1:
		note = "about " + note + ": it has too many rows to tell which, so each counts as one observation, and errors come out too small"
	case found.Times > 1:
		note += fmt.Sprintf(", as if it had been pasted %d times: they are left out, and %d rows count as one observation each", found.Times, found.Distinct)
	case e.setup.Copies == copies.One:
		note += fmt.Sprintf(": they are left out, and each row counts once (%d rows are left)", found.Distinct)
	default:
		note += fmt.Sprintf(": they stay in one fold and count as one observation, which has their weight (%d rows are left)", found.Distinct)
	}
	e.note(note)
	return nil
}

// columnsOf names the columns of a table that have a role, or are weights, replicate weights or clusters.
func (e *Encoded) columnsOf(table int) []string {
	own := e.setup.Roles
	roles := [][]string{e.roles.X, e.roles.U, {own.WeightsXU, own.ClusterXU}, own.ReplicatesXU}
	if table == TableUY {
		roles = [][]string{e.roles.U, e.roles.Y, {own.WeightsUY, own.ClusterUY}, own.ReplicatesUY}
	}
	var names []string
	for _, c := range e.sources[table].Columns() {
		same := func(name string) bool { return tables.CanonicalName(name) == tables.CanonicalName(c.Name) }
		if slices.ContainsFunc(slices.Concat(roles...), same) {
			names = append(names, c.Name)
		}
	}
	return names
}
