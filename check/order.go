package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

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
	// mostLag is how far rows are moved at most, by fewer in large tables: lagProducts bounds the cost.
	mostLag, leastLag, lagProducts = 64, 3, 1 << 28
	// shortestSorted rows in order are looked at, shortestBlock rows that may be of others.
	shortestSorted, shortestBlock = 20, 30
	// intervalCells bounds the places where a block may begin or end.
	intervalCells = 64
)

// misaligned finds columns of X or Y that belong to U of other rows: of rows above or below, sorted by themselves, or joined wrongly in a block.
// That shows where rows follow each other in no order: then X and Y depend on U of their own row alone, and everywhere alike.
func (c *checker) misaligned() {
	for _, side := range []struct {
		role    string
		table   Table
		look    *tableLook
		columns []string
	}{{"X", XU, c.xu, c.roles.X}, {"Y", UY, c.uy, c.roles.Y}} {
		o := &rowOrder{role: side.role, table: side.table, rows: side.look.runs.all()}
		side.look.runs = rowRuns{} // no longer needed
		if len(o.rows) < orderRows {
			continue
		}
		o.add(side.look, side.columns, c.roles.U)
		grouped := slices.ContainsFunc(c.report.Findings, func(f Finding) bool { return f.Code == GroupedRows && f.Table == side.table })
		found := slices.Concat(o.find(), o.filledDown(grouped))
		var explained []string
		for _, f := range found {
			explained = append(explained, f.Columns...)
		}
		for _, f := range slices.Concat(found, o.dependent(explained)) {
			c.add(f)
		}
	}
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
	lacks    []series // where U is missing
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

// A misplaced column is one with a reason to doubt its rows.
type misplaced struct {
	column  *uColumn
	chance  float64
	ordered bool // the rows are in some order, or it may be so for other reasons
	say     func(m misplaced, names string) (what, effect string)
	lag     int    // of the rows whose U it goes with, if that is seen
	with    string // a column of U that it is seen by
}

// series are all functions of columns.
func (o *rowOrder) series() []series {
	return slices.Concat(append(slices.Clone(o.targets), o.u, o.lacks)...)
}

// find returns one finding of each kind at most.
func (o *rowOrder) find() []Finding {
	_, ordered := serial(o.series(), 1)
	b := newBasis(o.u, o.width())
	if len(b) == 0 {
		return nil
	}
	var sorted, moved, blocks []misplaced
	settled := make([]bool, len(o.columns))
	for i, c := range o.columns {
		if m, ok := o.sorted(c, o.targets[i], o.role, func() basis { return b }); ok {
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
	for i := range o.columns {
		if settled[i] {
			continue
		}
		away, isMoved := misplaced{}, false
		for _, y := range targets[i] {
			if away, isMoved = o.moved(o.columns[i], y.values, u, b, ordered); isMoved {
				break
			}
		}
		switch there, isBlock := o.block(o.columns[i], targets[i], b, ordered); {
		case isBlock:
			there.lag = away.lag // what the block has of other rows may have been moved
			blocks = append(blocks, there)
		case isMoved:
			moved = append(moved, away)
		}
	}
	return o.findings(sorted, moved, blocks)
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

// moved finds a function of X or Y that depends on U of other rows: at a lag where neither depends on itself.
func (o *rowOrder) moved(column *uColumn, y []float64, u []series, b basis, ordered bool) (misplaced, bool) {
	n := o.n()
	lags := max(leastLag, min(mostLag, (n-1)/2, int(lagProducts/(2*float64(n*len(b))*o.tests()))))
	own := b.coefficients(y, 0)
	raw := floats.Dot(own, own)
	length := math.Sqrt(raw)
	related := b.chance(raw, n) < orderAlarm
	var at []int
	var shares, directed []float64 // squares of directed are about those of a normal variable
	for k := -lags; k <= lags; k++ {
		if k == 0 {
			continue
		}
		c := b.coefficients(y, k)
		at, shares = append(at, k), append(shares, floats.Dot(c, c))
		directed = append(directed, floats.Dot(own, c)/length*math.Sqrt(float64(n)))
	}
	// Rows that are there twice, or are of one person, count as one: what all lags have in the mean more than chance has is taken off.
	wide, far := inflation(shares, float64(len(b))/float64(n)), math.Sqrt(inflation(squares(directed), 1))
	best, lag, there := 1., 0, 0.
	for i, share := range shares {
		p := 2 * b.chance(share/wide, n)
		if related { // what U says of the own row, it says of others in a part of the table
			p = min(p, 2*above(directed[i]/far))
		}
		if p < best {
			best, lag, there = p, at[i], share
		}
	}
	if best *= 2 * float64(lags) * o.tests(); !(best < orderAlarm) {
		return misplaced{}, false
	}
	if _, periodic := serial(append(slices.Clone(u), series{column.name, y}), lag); periodic || crossed(u, lag) {
		return misplaced{}, false
	}
	m := misplaced{column: column, chance: best, lag: lag}
	if ordered && related {
		if there < raw { // what is near in time is alike
			return misplaced{}, false
		}
		m.ordered = true
	}
	with := slices.MaxFunc(u, func(a, b series) int {
		return cmp.Compare(math.Abs(lagged(y, a.values, lag)), math.Abs(lagged(y, b.values, lag)))
	})
	m.with = with.column
	m.say = func(m misplaced, names string) (string, string) {
		what := fmt.Sprintf("%s of %s goes with U %s, %q the most, rather than of its own, where U explains %.0f %% of it, not %.0f %% (%s)",
			names, o.table.words(), rowsAway(lag), m.with, 100*b.explained(there, n), 100*b.explained(raw, n), chanceOf(m.chance))
		if related {
			what = fmt.Sprintf("%s of %s goes in part with U %s, %q the most (%s)", names, o.table.words(), rowsAway(lag), m.with, chanceOf(m.chance))
		}
		return what, fmt.Sprintf("if the rows were moved, what is learned of %s is of other rows than its U", o.role)
	}
	return m, true
}

// chanceOf tells a probability, but for no more digits than it has.
func chanceOf(p float64) string {
	if p < 1e-12 {
		return "p < 1e-12"
	}
	return fmt.Sprintf("p = %.1g", p)
}

// inflation is how many times as large values are in the mean as chance has them, without the largest, 1 at least.
func inflation(values []float64, chance float64) float64 {
	return max(1, (floats.Sum(values)-floats.Max(values))/float64(len(values)-1)/chance)
}

func squares(values []float64) []float64 {
	s := make([]float64, len(values))
	floats.MulTo(s, values, values)
	return s
}

// rowsAway says where the row is that is a lag below.
func rowsAway(lag int) string {
	switch {
	case lag == 1:
		return "of the row below"
	case lag == -1:
		return "of the row above"
	case lag > 0:
		return fmt.Sprintf("%d rows below", lag)
	}
	return fmt.Sprintf("%d rows above", -lag)
}

// block finds consecutive rows in which a column of X or Y does not depend on U, although it does in the others.
func (o *rowOrder) block(column *uColumn, functions []series, b basis, ordered bool) (misplaced, bool) {
	if !(b.related(functions)*float64(len(o.columns)) < orderAlarm) {
		return misplaced{}, false
	}
	products := make([]float64, o.n())
	for _, y := range functions {
		f := b.fitted(b.coefficients(y.values, 0), o.n())
		floats.Mul(f, y.values)
		floats.Add(products, f)
	}
	first, last, p := lowest(normalScores(products))
	if p *= float64(len(o.columns)); !(p < orderAlarm) {
		return misplaced{}, false
	}
	in, out, other, ok := b.silent(functions, first, last)
	if !ok {
		return misplaced{}, false
	}
	m := misplaced{column: column, chance: p, ordered: ordered || other}
	m.say = func(m misplaced, names string) (string, string) {
		what := fmt.Sprintf("%s of %s has a correlation of %.2f with what U says of it, but of %.2f in rows %d to %d or so (%s)", names, o.table.words(), out, in, o.rows[first].number+1, o.rows[last-1].number+1, chanceOf(p))
		if m.lag != 0 {
			what += fmt.Sprintf(", and goes with U %s in part", rowsAway(m.lag))
		}
		return what, fmt.Sprintf("if %s was joined wrongly there, it is of other rows than its U", o.role)
	}
	return m, true
}

// normalScores are the quantiles of a normal variable at the ranks of values, of mean 0 and variance 1.
func normalScores(values []float64) []float64 {
	scores := ranksOf(values)
	for i, r := range scores {
		scores[i] = distuv.UnitNormal.Quantile(r)
	}
	floats.AddConst(-floats.Sum(scores)/float64(len(scores)), scores)
	if norm := floats.Norm(scores, 2); norm > 0 {
		floats.Scale(math.Sqrt(float64(len(scores)))/norm, scores)
	}
	return scores
}

// lowest is the interval of rows whose scores, of mean 0 and variance 1, are lowest in the mean, and a bound of the probability of one so low
// where their order means nothing: the sum over all intervals of that of each.
func lowest(scores []float64) (first, last int, p float64) {
	n := len(scores)
	sums := make([]float64, n+1)
	for i, v := range scores {
		sums[i+1] = sums[i] + v
	}
	step, tested, best := max(1, n/intervalCells), 0, 0.
	for a := 0; a < n; a += step {
		for b := a + max(shortestBlock, n/16); ; b += step {
			b = min(b, n)
			length := b - a
			if length < shortestBlock || 4*length > 3*n {
				break
			}
			tested++
			z := (sums[a] - sums[b]) / math.Sqrt(float64(length)*float64(n-length)/float64(n))
			if z > best {
				first, last, best = a, b, z
			}
			if b == n {
				break
			}
		}
	}
	return first, last, float64(tested) * above(best)
}
