package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mediant/internal/parallel"
	"mediant/tables"
)

// MisalignedRows is the code of a column whose rows are not those of U.
const MisalignedRows Code = "misaligned-rows"

const (
	// orderAlarm is the level of each of the three tests of a table, over all its columns, lags and intervals.
	orderAlarm = 1e-4
	// orderRows of a table are needed: fewer do not show whether they are in an order of their own, of time for example.
	orderRows = 100
	// Of at most orderColumns columns of U and orderTargets of X or Y, spread evenly, functions are made; orderWidth of those of U, or of
	// random sums of them, tell what X or Y depends on.
	orderColumns, orderTargets, orderWidth = 256, 64, 64
	// shortestSorted rows in order are looked at.
	shortestSorted = 20
)

// misaligned finds columns of X or Y that belong to U of other rows: of rows above or below, sorted by themselves, or joined wrongly in a block.
// That shows where rows follow each other in no order: then X and Y depend on U of their own row alone, and everywhere alike.
func (c *checker) misaligned() {
	sides := []rowOrder{{role: "X", table: XU, rows: c.xu.runs.all()}, {role: "Y", table: UY, rows: c.uy.runs.all()}}
	c.xu.runs, c.uy.runs = rowRuns{}, rowRuns{} // no longer needed
	var found [2][]Finding
	parallel.Blocks(2, 1, func(i, _ int) {
		o := &sides[i]
		if len(o.rows) < orderRows {
			return
		}
		if o.table == XU {
			o.add(c.xu, c.roles.X, c.roles.U)
			o.index = c.index(o.rows, sides[1].rows)
			o.cluster = o.column(c.xu, c.clusterOf(XU))
		} else {
			o.add(c.uy, c.roles.Y, c.roles.U)
			o.cluster = o.column(c.uy, c.clusterOf(UY))
		}
		grouped := o.cluster != nil || slices.ContainsFunc(c.report.Findings, func(f Finding) bool { return f.Code == GroupedRows && f.Table == o.table })
		found[i] = o.misplaced(c.opt.Treatment, grouped)
	})
	for _, f := range slices.Concat(found[:]...) {
		c.add(f)
	}
}

// misplaced finds rows that are not in the rows of U. reversedArms tells of a treatment.
func (o *rowOrder) misplaced(treatment string, grouped bool) []Finding {
	reversed := o.reversedBlocks([]string{treatment})
	found := slices.Concat(reversed, o.find(columnsOf(reversed)), o.filledDown(grouped))
	return slices.Concat(found, o.dependent(columnsOf(found)))
}

// columnsOf are all columns that findings name.
func columnsOf(found []Finding) []string {
	var columns []string
	for _, f := range found {
		columns = append(columns, f.Columns...)
	}
	return columns
}

// A rowOrder looks for columns of X, or of Y, that are not in the rows of U.
type rowOrder struct {
	role     string
	table    Table
	rows     []sampledRow
	columns  []*uColumn // of X or Y
	targets  [][]series // their functions
	uColumns []*uColumn
	u        []series
	spanned  basis    // by u, once it is asked for
	lacks    []series // where U is missing
	index    []series // what U says of Y, in rows of the first table
	cluster  *uColumn // nil if rows are in none
}

func (o *rowOrder) n() int { return len(o.rows) }

// column has the values of a column in all rows; nil for sparse rows.
func (o *rowOrder) column(look *tableLook, name string) *uColumn {
	c := look.of(name)
	if c == nil || c.column.Kind == tables.Vector {
		return nil
	}
	u := &uColumn{name: name, kind: c.column.Kind}
	for _, row := range o.rows {
		if u.kind == tables.Text {
			u.cells[0] = append(u.cells[0], row.text[c.place])
		} else {
			u.numbers[0] = append(u.numbers[0], row.num[c.place])
		}
	}
	u.free = u.kind == tables.Text && c.kindOfText(look) == FreeText
	return u
}

// evenly are at most so many of the names.
func evenly(names []string, most int) []string {
	if len(names) <= most {
		return names
	}
	var some []string
	for i := range most {
		some = append(some, names[i*len(names)/most])
	}
	return some
}

func degreeOf(u *uColumn, degree int) int {
	if u.kind == tables.Text {
		return seriesLevels
	}
	return degree
}

// add looks at these columns.
func (o *rowOrder) add(look *tableLook, targets, u []string) {
	of := func(names []string, most int) []*uColumn {
		var columns []*uColumn
		for _, name := range evenly(names, most) {
			if c := o.column(look, name); c != nil && !look.of(name).isIdentifier() {
				columns = append(columns, c)
			}
		}
		return columns
	}
	o.addColumns(of(targets, orderTargets), of(u, orderColumns))
}

// addColumns makes functions of columns: of U the first of each, and the second ones and products of two where they are not too many.
func (o *rowOrder) addColumns(targets, u []*uColumn) {
	for _, c := range targets {
		if !c.free {
			o.columns = append(o.columns, c)
			o.targets = append(o.targets, appendSeries(nil, c, degreeOf(c, 1)))
		}
	}
	var second []series
	o.uColumns = u
	for _, c := range u {
		o.u = appendSeries(o.u, c, degreeOf(c, 1))
		if c.kind != tables.Text && len(second) <= o.width() {
			if both := appendSeries(nil, c, 2); len(both) == 2 {
				second = append(second, both[1])
			}
		}
		if lacks := c.lacks(); lacks != nil {
			o.lacks = appendNormal(o.lacks, series{c.name, lacks})
		}
	}
	if len(o.u)+len(second) > o.width() {
		return
	}
	first := o.u
	o.u = append(slices.Clone(first), second...)
	if all := len(o.u) + len(first)*(len(first)-1)/2; all <= o.width() {
		o.u = append(o.u, products(first)...)
	}
}

// width is how many functions of U there may be: one for eight rows.
func (o *rowOrder) width() int { return min(orderWidth, o.n()/8) }

// basis is that of the functions of U.
func (o *rowOrder) basis() basis {
	if o.spanned == nil {
		o.spanned = newBasis(o.u, o.width())
	}
	return o.spanned
}

// A misplaced column is one with a reason to doubt its rows.
type misplaced struct {
	column  *uColumn
	chance  float64
	ordered bool // the rows are in some order, or it may be so for other reasons
	say     func(m misplaced, names string) (what, effect string)
	where   string // the rows are whose U it goes with, if that is seen
	with    string // a column of U that it is seen by
}

// series are all functions of columns.
func (o *rowOrder) series() []series {
	return slices.Concat(append(slices.Clone(o.targets), o.u, o.lacks)...)
}

// find returns one finding of each kind at most, but none of columns that are explained.
func (o *rowOrder) find(explained []string) []Finding {
	_, ordered := serial(o.series(), 1)
	b := o.basis()
	if len(b) == 0 {
		return nil
	}
	var sorted, moved, blocks []misplaced
	settled := make([]bool, len(o.columns))
	for i, c := range o.columns {
		if slices.Contains(explained, c.name) {
			settled[i] = true
		} else if m, ok := o.sorted(c, o.targets[i], o.role, func() basis { return b }); ok {
			sorted, settled[i] = append(sorted, m), true
		}
	}
	for _, c := range o.uColumns {
		of := func(s series) bool { return s.column == c.name }
		own := slices.DeleteFunc(slices.Clone(o.u), func(s series) bool { return !of(s) })
		if m, ok := o.sorted(c, own[:min(1, len(own))], "U", func() basis {
			return newBasis(slices.Concat(append(slices.Clone(o.targets), slices.DeleteFunc(slices.Clone(o.u), of))...), o.width())
		}); ok {
			sorted = append(sorted, m)
		}
	}
	u, targets := o.u, o.targets
	if ordered {
		u = localised(u)
		marked, _ := serial(u, 1)
		u = unmarked(u, marked)
		targets = nil
		for _, t := range o.targets {
			t = localised(t)
			marked, _ := serial(t, 1)
			targets = append(targets, unmarked(t, marked))
		}
		if b = newBasis(u, o.width()); len(b) == 0 {
			return o.findings(sorted, nil, nil)
		}
	}
	movers := []*mover{o.newMover(u, b, ordered)}
	if !ordered {
		movers = append(movers, o.newIndexMovers(u)...)
	}
	for i := range o.columns {
		if settled[i] {
			continue
		}
		away, isMoved := o.movedBy(movers, o.columns[i], targets[i])
		switch there, isBlock := o.block(o.columns[i], targets[i], b, ordered); {
		case isBlock:
			there.where = away.where // what the block has of other rows may have been moved
			blocks = append(blocks, there)
		case isMoved:
			moved = append(moved, away)
		}
	}
	return o.findings(sorted, moved, blocks)
}

// movedBy is where the first of some movers finds that a column belongs, by some function of it.
func (o *rowOrder) movedBy(movers []*mover, column *uColumn, functions []series) (misplaced, bool) {
	for _, m := range movers {
		for _, y := range functions {
			if away, ok := m.moved(o, column, y.values); ok {
				return away, true
			}
		}
	}
	return misplaced{}, false
}

func (o *rowOrder) findings(kinds ...[]misplaced) []Finding {
	var all []Finding
	for _, found := range kinds {
		if len(found) == 0 {
			continue
		}
		slices.SortStableFunc(found, func(a, b misplaced) int { return cmp.Compare(a.chance, b.chance) })
		f := Finding{Code: MisalignedRows, Severity: Note, Table: o.table, gravity: causeFirst}
		for _, m := range found {
			f.Columns = append(f.Columns, m.column.name)
			if !m.ordered {
				f.Severity = Warning
			}
		}
		names := fmt.Sprintf("%q", f.Columns[0])
		if len(found) > 1 {
			names += fmt.Sprintf(" (and %s)", strings.Join(quoted(f.Columns[1:]), ", "))
		}
		f.What, f.Effect = found[0].say(found[0], names)
		if with := found[0].with; with != "" {
			f.Columns = append(f.Columns, with)
		}
		f.Remedy = fmt.Sprintf("join the columns anew by what names the rows, or --accept %s:%q if it is so", MisalignedRows, f.Columns[0])
		all = append(all, f)
	}
	return all
}

func quoted(names []string) []string {
	var q []string
	for _, name := range names[:min(3, len(names))] {
		q = append(q, fmt.Sprintf("%q", name))
	}
	if more := len(names) - 3; more > 0 {
		q = append(q, fmt.Sprintf("%d more", more))
	}
	return q
}

// tests is how many functions of X or Y are tested.
func (o *rowOrder) tests() float64 {
	n := 0
	for _, t := range o.targets {
		n += len(t)
	}
	return float64(max(1, n))
}
