package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mediant/tables"
)

// FilledDown is the code of a column whose cells repeat the row above where the rest of the row does not.
const FilledDown Code = "filled-down"

const (
	// repeatChance is the probability, over all columns of a table, of so many repeats of the row above where rows are in no order.
	repeatChance = 1e-6
	// repeatShare of the rows, and repeatLeast, are the least that are reported.
	repeatShare, repeatLeast = .03, 12
	// What so large a share of the rows has, as zero, is no value that could tell by repeating.
	repeatOften = .05
	// A relation is that of other rows if its correlation is lower by brokenErrors standard errors and by half.
	brokenErrors = 3.3
	// repeatWidth functions of the rest of the row, one for repeatFor rows, say what a column is related to.
	repeatWidth, repeatFor = 16, 20
)

// A repeatedColumn has the rows whose value is that of the row above, although something else in the row differs.
type repeatedColumn struct {
	column *uColumn
	role   string
	is     []bool
	count  int
	broken bool // what it has to do with the rest of the row is lost there
}

// filledDown finds columns that were filled down, or that have one value for several rows.
func (o *rowOrder) filledDown(grouped bool) []Finding {
	var found []*repeatedColumn
	for _, c := range o.columns {
		if r := o.repeated(c, o.uColumns); r != nil {
			r.role = o.role
			found = append(found, r)
		}
	}
	for _, c := range o.uColumns {
		if r := o.repeated(c, slices.Concat(o.columns, o.uColumns)); r != nil {
			r.role = "U"
			found = append(found, r)
		}
	}
	var broken, together []*repeatedColumn
	for _, r := range found {
		r.broken = o.breaks(r, found)
		switch {
		case r.broken:
			broken = append(broken, r)
		case !grouped || r.role == "Y":
			together = append(together, r)
		}
	}
	return slices.Concat(o.repeats(broken), o.repeats(together))
}

// repeats is the finding of columns of one kind, named after the one of most repeats.
func (o *rowOrder) repeats(found []*repeatedColumn) []Finding {
	if len(found) == 0 {
		return nil
	}
	slices.SortStableFunc(found, func(a, b *repeatedColumn) int { return b.count - a.count })
	first := found[0]
	f := Finding{Code: FilledDown, Severity: Note, Table: o.table, Rows: first.count, Of: o.n(), gravity: causeFirst + float64(first.count)/float64(o.n())}
	for _, r := range found {
		f.Columns = append(f.Columns, r.column.name)
		if r.broken || r.role == "Y" {
			f.Severity = Warning
		}
	}
	names := fmt.Sprintf("%q", first.column.name)
	if len(found) > 1 {
		names += fmt.Sprintf(" (and %s)", strings.Join(quoted(f.Columns[1:]), ", "))
	}
	f.What = fmt.Sprintf("%s of %s repeats the row above in %d of %d rows, where the rest of the row does not", names, o.table.words(), first.count, o.n())
	if first.broken {
		f.What += ", and is not related to it there as it is elsewhere"
		f.Effect = "if missing values were filled from the row above, these are of other rows, and hide what the others say"
		f.Remedy = fmt.Sprintf("empty cells where nothing was measured, or --accept %s:%q if it was measured so", FilledDown, first.column.name)
	} else {
		f.Effect = "if it is a mean of several rows, or of all rows of a group, it says nothing of the single row, and intervals are too narrow"
		f.Remedy = fmt.Sprintf("one row for each group, or the values of the rows; --accept %s:%q if it was measured so", FilledDown, first.column.name)
	}
	return []Finding{f}
}

// repeated finds the rows where a column of numbers that hardly repeat is as in the row above, and something in the rest is not; nil if they are no
// more than chance has, or if values near each other follow each other, as in time or in a sorted table, where some are equal.
func (o *rowOrder) repeated(c *uColumn, rest []*uColumn) *repeatedColumn {
	if c.kind != tables.Numeric {
		return nil
	}
	values := c.numbers[0]
	counts := make(map[float64]int)
	n := 0
	for _, v := range values {
		if !math.IsNaN(v) {
			counts[v]++
			n++
		}
	}
	if n < orderRows {
		return nil
	}
	chance := 0.
	for v, k := range counts {
		if float64(k) >= repeatOften*float64(n) {
			delete(counts, v)
			continue
		}
		chance += float64(k) * float64(k-1) / float64(n) / float64(n-1)
	}
	r := &repeatedColumn{column: c, is: make([]bool, len(values))}
	heads := &uColumn{name: c.name, kind: c.kind}
	pairs := 0
	for i, v := range values {
		if _, fine := counts[v]; !fine {
			continue
		}
		follows := i > 0 && o.rows[i].number == o.rows[i-1].number+1
		if follows && !math.IsNaN(values[i-1]) {
			pairs++
		}
		if !follows || v != values[i-1] {
			heads.numbers[0] = append(heads.numbers[0], v)
		} else if slices.ContainsFunc(rest, func(other *uColumn) bool { return other != c && other.changes(i) }) {
			r.is[i] = true
			r.count++
		}
	}
	k, expected := float64(r.count), chance*float64(pairs)
	if r.count < repeatLeast || k < repeatShare*float64(n) || k < 3*expected {
		return nil
	}
	columns := float64(len(o.columns) + len(o.uColumns))
	if log := k - expected - k*math.Log(k/expected); !(log+math.Log(columns) < math.Log(repeatChance)) { // Chernoff's bound of a Poisson variable
		return nil
	}
	if _, ordered := serial(appendSeries(nil, heads, 1), 1); ordered {
		return nil
	}
	return r
}

// changes reports whether a row has another value than the one above, both being there.
func (u *uColumn) changes(i int) bool {
	if u.missing(0, i) || u.missing(0, i-1) {
		return false
	}
	if u.kind == tables.Text {
		return u.cells[0][i] != u.cells[0][i-1]
	}
	return u.numbers[0][i] != u.numbers[0][i-1]
}

// breaks reports whether a column is related to the rest of the row in all rows but those that repeat the one above. Columns that repeat in the same
// rows are no part of the rest: they still go together.
func (o *rowOrder) breaks(r *repeatedColumn, found []*repeatedColumn) bool {
	same := func(name string) bool {
		return slices.ContainsFunc(found, func(other *repeatedColumn) bool {
			both := 0
			for i, is := range r.is {
				if is && other.is[i] {
					both++
				}
			}
			return other.column.name == name && 2*both > r.count
		})
	}
	var rest []series
	others := o.uColumns
	if r.role == "U" {
		others = slices.Concat(o.columns, others)
	}
	for _, c := range others {
		if c != r.column && !same(c.name) {
			rest = appendSeries(rest, c, degreeOf(c, 1))
		}
	}
	n := o.n()
	b := newBasis(rest, min(repeatWidth, n/repeatFor))
	y := appendSeries(nil, r.column, 1)
	if len(b) == 0 || len(y) == 0 {
		return false
	}
	for j, v := range b {
		b[j] = r.last(v)
	}
	for j := range y {
		y[j].values = r.last(y[j].values)
	}
	first := n - r.count
	in, out, _, _ := b.silent(y, first, n)
	out = math.Sqrt(max(0, 1-(1-out*out)*float64(first-1)/float64(first-1-len(b)))) // less what chance explains
	se := math.Sqrt(1/float64(first-3) + 1/float64(r.count-3))
	return in < out/2 && math.Atanh(out)-math.Atanh(in) > brokenErrors*se
}

// last are values with those of the repeated rows behind all others.
func (r *repeatedColumn) last(values []float64) []float64 {
	var own, repeated []float64
	for i, v := range values {
		if r.is[i] {
			repeated = append(repeated, v)
		} else {
			own = append(own, v)
		}
	}
	return append(own, repeated...)
}
