package check

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"mediant/tables"
	"mediant/tables/copies"
)

// Codes of findings about rows.
const (
	CopiedRows Code = "copies"
	NoOverlap  Code = "no-overlap"
)

// rowsLooked is the number of rows up to which a table is read again for copies and overlap. In a larger one copies are looked for if
// its first pass has seen equal rows, and overlap in a sample.
const rowsLooked = 200_000

// rows looks for copies of rows, and for rows of S_X whose U the second table has nothing like.
func (c *checker) rows(ctx context.Context, xu, uy tables.Source) error {
	for _, t := range []struct {
		table   Table
		src     tables.Source
		look    *tableLook
		columns []string
	}{{XU, xu, c.xu, slices.Concat(c.roles.X, c.roles.U, some(c.opt.Roles.WeightsXU), some(c.opt.Roles.ClusterXU))}, {UY, uy, c.uy, slices.Concat(c.roles.U, c.roles.Y, some(c.opt.Roles.WeightsUY), some(c.opt.Roles.ClusterUY))}} {
		if t.look.rows > rowsLooked && !t.look.repeats() {
			continue
		}
		left, fewer, err := c.copies(ctx, t.table, t.src, t.columns)
		if err == nil && fewer {
			err = t.look.sampleAgain(ctx, left, c.opt.Seed)
		}
		if err == nil {
			c.longForm(t.table, t.look)
			err = c.sameParts(ctx, t.table, left, t.look)
		}
		if err != nil {
			return err
		}
		if t.table == XU {
			xu = left
		} else {
			uy = left
		}
	}
	return c.overlap(ctx, xu, uy)
}

// some is a list of a name, empty if there is none.
func some(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// copies tells of rows that are there several times, and returns the table without them, and whether it has fewer rows.
func (c *checker) copies(ctx context.Context, table Table, src tables.Source, columns []string) (tables.Source, bool, error) {
	rule := c.opt.Copies
	left, f, err := Copies(ctx, src, columns, table, rule)
	if err != nil || f == nil {
		return left, false, err
	}
	fewer := f.Severity == Note
	if table == XU && fewer && rule != copies.One {
		if err := c.copiesByArm(ctx, src, left, f); err != nil {
			return nil, false, err
		}
	}
	c.add(*f)
	return left, fewer, nil
}

// copiesByArm doubts copies of which one arm of a trial has more than the other: as a joint weight, or as rows of their own, they move the effect.
func (c *checker) copiesByArm(ctx context.Context, src, left tables.Source, f *Finding) error {
	if c.opt.Treatment == "" {
		return nil
	}
	before, err := c.rowsByArm(ctx, src)
	if err != nil {
		return err
	}
	after, err := c.rowsByArm(ctx, left)
	if err != nil {
		return err
	}
	if len(before) != 2 {
		return nil
	}
	arms := slices.Sorted(maps.Keys(before))
	var copied, rows, lone [2]int
	for a, arm := range arms {
		rows[a] = before[arm]
		copied[a] = rows[a] - after[arm]
		lone[a] = copied[a] / max(1, f.times-1) // rows that are there several times, or fewer: those are independent, their copies are not
	}
	if exactTest(lone[0], rows[0], lone[1], rows[1]) > armAlarm {
		return nil
	}
	f.Columns = []string{c.opt.Treatment}
	f.What += fmt.Sprintf(": %d of the %d in arm %s of %q, and %d of the %d in arm %s", copied[0], rows[0], arms[0], c.opt.Treatment, copied[1], rows[1], arms[1])
	if c.opt.Copies == copies.Unset {
		f.Severity, f.gravity = Warning, causeFirst
		f.Effect = "their joint weight stays theirs, so that the effect is that of an arm of which some rows count several times"
		f.Remedy = "--copies one counts each once; --copies weight or keep, if they are as many persons"
	}
	return nil
}

// rowsByArm counts the rows of a table that has the columns of the first one by the treatment, those without a value left out.
func (c *checker) rowsByArm(ctx context.Context, src tables.Source) (map[string]int, error) {
	counts := make(map[string]int)
	arm := c.xu.of(c.opt.Treatment)
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		for i := range b.Rows {
			if of := arm.word(b, i); of != "" {
				counts[of]++
			}
		}
	}
	return counts, nil
}

// word is the value of row i of a batch as a word, "" where it has none.
func (c *columnLook) word(b tables.Batch, i int) string {
	switch c.column.Kind {
	case tables.Text:
		return b.Text[c.place][i]
	case tables.Numeric:
		if v := b.Num.At(i, c.place); !math.IsNaN(v) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	return ""
}

// Copies returns a table without the rows that are copies of others in these columns, and what is to be said of them by the rule; the rest are
// as they are by copies.One, and else have the weight of all of theirs; nil, and the table itself, where there are none. Of too many rows to tell which the table is itself too, and the finding a Warning. The
// error is one of reading, or names a column that is not there.
func Copies(ctx context.Context, src tables.Source, columns []string, table Table, rule copies.Rule) (tables.Source, *Finding, error) {
	how := rule
	if how == copies.Keep {
		how = copies.Weigh
	}
	left, found, err := how.Distinct(ctx, src, columns)
	if err != nil || !found.Found() {
		return left, nil, err
	}
	f := Finding{Code: CopiedRows, Severity: Note, Table: table, Rows: found.Rows, Of: found.Rows + found.Distinct, gravity: 1, times: found.Most,
		What:   fmt.Sprintf("%d of the %d rows of %s %s, alike in every column", found.Rows, found.Rows+found.Distinct, table.words(), verb(found.Rows, "is a copy of another", "are copies of others")),
		Effect: "they stay in one fold and are one observation of an error, since a copy of a training row is not held out, but keep their joint weight in estimates",
		Remedy: "--copies one counts each row once, --copies keep takes them for rows of their own"}
	switch {
	case rule == copies.One:
		f.Effect, f.Remedy = "each row counts once", ""
	case rule == copies.Keep:
		f.Effect, f.Remedy = "they count as rows of their own, which are both in training folds and held out: errors are underestimated", "--copies one counts each row once"
	case table == Later:
		f.Effect = "they are one observation each, since copies say nothing new of an error, and keep their joint weight in it"
	}
	if found.Times > 1 {
		f.What += fmt.Sprintf(", as if it had been pasted %d times", found.Times)
		if rule != copies.Keep { // all weigh the same
			f.Effect = "each row counts once"
		}
	}
	if found.Share < 1 {
		f.Severity = Warning
		f.Effect = "there are too many rows to find them, so that each counts as an observation, and errors are underestimated"
		f.Remedy = "remove the copies from the file"
	}
	return left, &f, nil
}

// overlap tells of rows of S_X whose U the second table has nothing like.
func (c *checker) overlap(ctx context.Context, xu, uy tables.Source) error {
	var columns []string
	for _, name := range c.roles.U {
		if p, _ := c.profiles(name); p.Kind != Sparse {
			columns = append(columns, name)
		}
	}
	if columns == nil { // a sample of sparse rows alone would have no column either
		return nil
	}
	about := ""
	if c.xu.rows > rowsLooked || c.uy.rows > rowsLooked {
		var err error
		if xu, err = c.xu.sampleTable(); err != nil {
			return err
		}
		if uy, err = c.uy.sampleTable(); err != nil {
			return err
		}
		about = "about "
	}
	o, err := FindOverlap(ctx, xu, uy, columns, OverlapOptions{Y: c.roles.Y, Seed: c.opt.Seed})
	if err != nil || o.Without == 0 {
		return err
	}
	rows, of := o.Without, o.Rows()
	if about != "" {
		rows, of = int(float64(rows)/float64(of)*float64(c.xu.rows)+.5), c.xu.rows
	}
	f := Finding{Code: NoOverlap, Severity: Warning, Table: XU, Rows: rows, Of: of, gravity: float64(rows) / float64(of),
		What: fmt.Sprintf("%s%d of the %d rows of the first table %s a U that the second has nothing like (%s)", about, rows, of, verb(rows, "has", "have"), why(o))}
	for _, column := range o.Columns {
		if !slices.Contains(f.Columns, column.Column) && column.Column != "" {
			f.Columns = append(f.Columns, column.Column)
		}
	}
	if o.Without == 1 || 100*o.Without <= o.Rows() { // what is left out can hardly change a result
		f.Severity = Note
	}
	c.apart = 2*o.Without > o.Rows()
	switch {
	case c.opt.Treatment != "":
		f.Effect = "what Y is there is not known, and the estimate rests on E[Y|U] where no row has shown it"
		f.Remedy = fmt.Sprintf("see the bounds of the effect, which hold whatever Y is there; a second table with such rows narrows them; --accept %s takes it as known and changes no number", NoOverlap)
	case c.apart:
		f.Severity = Error
		f.Effect = "nothing can be learned of Y for most rows"
		f.Remedy = fmt.Sprintf("a second table with such rows, --ignore for columns that both should not have in common; --accept %s goes on without a risk", NoOverlap)
	default:
		f.Effect = "they are left out of fit and risk, and the bracket takes Y to be anywhere in its range there"
		f.Remedy = fmt.Sprintf("--accept %s keeps them", NoOverlap)
	}
	c.add(f)
	return nil
}

// why lists the columns that most rows lack overlap in.
func why(o *Overlap) string {
	var parts []string
	for _, column := range o.Columns[:min(len(o.Columns), 3)] {
		text := fmt.Sprintf("%q: %s", column.Column, column.Reason)
		if column.Column == "" {
			text = column.Reason.String()
		}
		if len(column.Levels) > 0 {
			text += fmt.Sprintf(" %.40q", column.Levels[0])
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// sampleTable is the sample of whole rows as a table.
func (t *tableLook) sampleTable() (*tables.Table, error) {
	rows := t.sample.heap
	columns := make([]tables.ColumnData, 0, len(t.looks))
	for _, look := range t.looks {
		switch look.column.Kind {
		case tables.Numeric:
			values := make([]float64, len(rows))
			for i, row := range rows {
				values[i] = row.num[look.place]
			}
			columns = append(columns, tables.Numbers(look.column.Name, values))
		case tables.Text:
			cells := make([]string, len(rows))
			for i, row := range rows {
				cells[i] = row.text[look.place]
			}
			columns = append(columns, tables.Strings(look.column.Name, cells))
		}
	}
	return tables.FromColumns(columns...)
}
