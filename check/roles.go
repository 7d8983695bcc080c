package check

import (
	"fmt"
	"slices"
	"strings"

	"mediant/tables"
)

// leaveOut finds identifiers and dates that no flag names. They are never X, U or Y: an identifier says nothing of other rows,
// and a date is neither a number nor a level. Where a role would have no other column, a doubtful one is better than none.
func (c *checker) leaveOut() {
	named := c.named()
	for _, role := range []struct {
		table   Table
		flag    string
		columns []string
	}{{XU, "--x", c.defaultX()}, {Both, "--u", c.defaultU()}, {UY, "--y", c.defaultY()}} {
		var out []string
		varying := 0
		for _, name := range role.columns {
			if !c.is(name, Constant) && !c.is(name, Empty) {
				varying++
			}
			if !slices.Contains(named, name) && !slices.Contains(c.report.LeftOut, name) && (c.is(name, Identifier) || c.is(name, Date)) {
				out = append(out, name)
			}
		}
		for _, name := range out {
			f := Finding{Code: RowIdentifier, Severity: Note, Table: role.table, Columns: []string{name},
				What:   fmt.Sprintf("%q is a running number or an identifier, different in nearly every row of %s, and left out", name, role.table.words()),
				Effect: "it says nothing of other rows, and a table that is sorted by it would seem to explain Y",
				Remedy: fmt.Sprintf("%s %q takes it", role.flag, name)}
			if each := c.rowsOfEach(name); each >= rowsOfGroups {
				f.What = fmt.Sprintf("%q names persons, or things, of %.3g rows each, and is left out", name, each)
				f.Effect = "as a number or level it says nothing of rows of others"
			}
			if c.is(name, Date) {
				f.Code, f.What, f.Effect = DateColumn, fmt.Sprintf("%q holds dates or times, and is left out", name), "as levels each day would be unrelated to all others"
				f.Remedy = c.datesRemedy(name)
			}
			if kind, other := c.measured(name); kind != "" {
				f.Code, f.Severity = KindsDiffer, Error
				f.What = fmt.Sprintf("%q %s in %s, and %s in the other one", name, kindWords[kind], other.other().words(), c.measuredAs(name, other))
				f.Effect = "what U means cannot be compared"
				f.Remedy = fmt.Sprintf("write both alike, or --ignore %q leaves it out", name)
				c.report.LeftOut = append(c.report.LeftOut, name)
				c.add(f)
				continue
			}
			if len(out) == varying {
				f.Severity = Warning
				f.What = f.What[:strings.LastIndex(f.What, ", and ")] + ", and used, since there is no other column for its role"
				f.Remedy = fmt.Sprintf("%s %q says that it is meant", role.flag, name)
			} else {
				c.report.LeftOut = append(c.report.LeftOut, name)
			}
			c.add(f)
		}
	}
}

// kindWords say what is an identifier or a date.
var kindWords = map[Kind]string{Identifier: "holds ranks, running numbers or identifiers", Date: "holds dates, times or durations"}

// measured returns the table in which a column of both is measured, where it is an identifier or a date in the other one, and that kind; "" if it
// is not so. Whole numbers that repeat and span the running numbers of the other table are the rows of each, and numbers that may be days as
// spreadsheets count them, or are 20240301, are dates.
func (c *checker) measured(name string) (kind Kind, table Table) {
	x, y := c.profiles(name)
	if x == nil || y == nil {
		return "", ""
	}
	for _, pair := range []struct {
		named, other *Profile
		of           *tableLook
		table        Table
	}{{x, y, c.uy, UY}, {y, x, c.xu, XU}} {
		p, q, look := pair.named, pair.other, pair.of.of(name)
		var differs bool
		switch {
		case q.Kind == p.Kind || q.Kind == Empty || q.Kind == Constant || namesRows(name) || namesGroups(name):
		case p.Kind == Date:
			differs = q.Numbers != nil && !c.serials(name) && !look.compactDates(pair.of)
		case p.Kind == Identifier && q.Numbers == nil:
			differs = p.Numbers != nil && (q.Kind == Level || q.Kind == Truth)
		case p.Kind == Identifier && p.Numbers == nil:
			differs = look.fraction
		case p.Kind == Identifier:
			near := spanShare * (p.Numbers.Max - p.Numbers.Min)
			spans := q.Numbers.Min <= p.Numbers.Min+near && q.Numbers.Max >= p.Numbers.Max-near
			differs = look.fraction || look.distinct.repeated() > 0 && !spans
		}
		if differs {
			return p.Kind, pair.table
		}
	}
	return "", ""
}

// spanShare is how much of their range running numbers may lack at either end in the rows that repeat them.
const spanShare = .1

// measuredAs says what a column holds in a table.
func (c *checker) measuredAs(name string, table Table) string {
	x, y := c.profiles(name)
	p := x
	if table == UY {
		p = y
	}
	if p.Numbers == nil {
		return "levels (" + examples(p.Levels) + ")"
	}
	return fmt.Sprintf("numbers from %.4g to %.4g", p.Numbers.Min, p.Numbers.Max)
}

// rowsOfEach is the mean number of rows that a value of a column has, in the table where it is larger.
func (c *checker) rowsOfEach(name string) float64 {
	most := 0.
	for _, t := range []*tableLook{c.xu, c.uy} {
		if look := t.of(name); look != nil && look.present() > 0 {
			most = max(most, float64(look.present())/float64(look.distinct.count()))
		}
	}
	return most
}

// is reports whether a column is of that kind in either table.
func (c *checker) is(name string, kind Kind) bool {
	p, q := c.profiles(name)
	return p != nil && p.Kind == kind || q != nil && q.Kind == kind
}

// defaultX, defaultU and defaultY are the columns that would have the role.
func (c *checker) defaultX() []string {
	if c.opt.Treatment != "" {
		return []string{c.opt.Treatment}
	}
	return c.only(c.xu, c.uy, c.opt.Roles.X)
}

func (c *checker) defaultY() []string { return c.only(c.uy, c.xu, c.opt.Roles.Y) }

// only are the columns of one table that are named, or else those that the other table has not.
func (c *checker) only(table, other *tableLook, patterns []string) []string {
	var names []string
	named := c.named()
	for _, column := range table.columns {
		switch {
		case patterns != nil && matchesAny(column.Name, patterns),
			patterns == nil && (other.of(column.Name) == nil || !c.mayBeU(column.Name)) && (!slices.Contains(named, column.Name) || slices.Contains(c.opt.Explicit, column.Name)):
			names = append(names, column.Name)
		}
	}
	return names
}

func (c *checker) defaultU() []string {
	var names []string
	for _, column := range c.xu.columns {
		if c.uy.of(column.Name) != nil && c.mayBeU(column.Name) {
			names = append(names, column.Name)
		}
	}
	return names
}

// named are the columns that options name.
func (c *checker) named() []string {
	o := c.opt.Roles
	names := slices.Concat(c.opt.Explicit, []string{c.opt.Treatment}, c.beside)
	all := slices.Clone(c.xu.columns)
	for _, column := range c.uy.columns {
		if c.xu.of(column.Name) == nil {
			all = append(all, column)
		}
	}
	for _, patterns := range [][]string{o.X, o.U, o.Y, o.Ignore, o.Controls} {
		for _, p := range patterns {
			if hit, err := tables.MatchNames(all, []string{p}); err == nil {
				names = append(names, hit...)
			}
		}
	}
	return names
}

// kindsOfU finds columns that are numbers in one table and text in the other, and reports whether there are any.
func (c *checker) kindsOfU() bool {
	found := false
	for i, x := range c.xu.looks {
		y := c.uy.of(x.column.Name)
		if y == nil || !c.mayBeU(x.column.Name) {
			continue
		}
		if c.wholly(&x, y) || y.column.Kind == x.column.Kind {
			found = found || y.column.Kind != x.column.Kind
			continue
		}
		found = true
		if slices.ContainsFunc(c.report.Findings, func(f Finding) bool { return f.Code == MixedCells && f.Columns[0] == x.column.Name }) {
			continue // which says why
		}
		text, table := c.report.XU.Columns[i], XU
		if x.column.Kind == tables.Numeric {
			text, table = c.report.UY.Columns[c.uy.place(x.column.Name)], UY
		}
		c.add(Finding{Code: KindsDiffer, Severity: Error, Table: Both, Columns: []string{x.column.Name},
			What:   fmt.Sprintf("%q is text in %s (%s) and numbers in the other one", x.column.Name, table.words(), examples(text.Levels)),
			Effect: "what U means cannot be compared",
			Remedy: decimalRemedy(table, text, fmt.Sprintf("write both alike, or --text %q reads both as text, --ignore %q leaves it out", x.column.Name, x.column.Name))})
	}
	return found
}

// mayBeU reports whether a column of both tables is U as far as the flags say.
func (c *checker) mayBeU(name string) bool {
	if slices.Contains(c.report.LeftOut, name) {
		return false
	}
	o := c.opt.Roles
	if o.U != nil {
		return matchesAny(name, o.U)
	}
	return !matchesAny(name, slices.Concat(o.X, o.Y, o.Ignore)) && name != c.opt.Treatment && !slices.Contains(c.beside, name)
}

// columnsBeside are the columns of weights, clusters and replicate weights.
func (c *checker) columnsBeside() []string {
	o := c.opt.Roles
	names := slices.Concat(some(o.WeightsXU), some(o.WeightsUY), some(o.ClusterXU), some(o.ClusterUY))
	for _, of := range []struct {
		table    *tableLook
		patterns []string
	}{{c.xu, o.ReplicatesXU}, {c.uy, o.ReplicatesUY}} {
		if found, err := tables.ReplicateColumns(of.table.columns, of.patterns, o); err == nil { // else AssignRoles returns the error
			names = append(names, found...)
		}
	}
	return names
}

// matchesAny reports whether a name is one of the patterns, or matches one.
func matchesAny(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		hit, err := tables.MatchNames([]tables.Column{{Name: name}}, []string{p})
		return err == nil && len(hit) > 0
	})
}

// examples lists a few levels.
func examples(levels []LevelCount) string {
	var parts []string
	for _, l := range levels[:min(len(levels), 3)] {
		parts = append(parts, fmt.Sprintf("%.40q", l.Level))
	}
	return strings.Join(parts, ", ")
}
