package check

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"mediant/internal/draw"
	"mediant/tables"
)

// Codes of findings about rows that come after a fit. What text and sparse rows have that training had not is for encoders to
// count, which know all levels.
const (
	LaterRange   Code = "later-range"
	LaterLevel   Code = "later-level"
	LaterMissing Code = "later-missing"
	LaterPlaces  Code = "later-places"
	LaterUnit    Code = "later-unit"
	LaterSpike   Code = "later-spike"
	// LaterError is that of coupled rows whose error is not what a fit estimated, which is for those to find who have predictions.
	LaterError Code = "later-error"
)

// laterChance is the probability, at most, that a column gets a finding of one kind in rows that are like those of training.
const laterChance = 1e-3

// LaterOptions say how later rows are compared. The zero value is a table of X alone.
type LaterOptions struct {
	// Table is XU or UY for a table that takes the place of one that was learned from, whose rows must be others; else Later, or
	// zero for it.
	Table Table
	Seed  uint64
	// Each, if not nil, sees every batch, so that others need no pass of their own.
	Each func(tables.Batch)
}

// Later reads a table of later rows once, for the columns of these roles, and compares it with what was learned from: numbers
// out of the range of training, more often than chance or farther than its tails; numbers that are those of training in another
// unit; a value that fills a column of which no value was frequent; columns missing much more often; and, of a table of (X, U) or (U, Y), rows that were learned from. The error is one of reading,
// or names columns that are not there.
//
// Of a nil Learned, which a model of an older file has, only Each is called.
func (l *Learned) Later(ctx context.Context, src tables.Source, roles tables.Roles, opt LaterOptions) ([]Finding, error) {
	guard := tables.NewGuard("", src)
	later := newLaterLook(guard.Columns(), draw.Rand(opt.Seed, "later rows", 0))
	var known *Fingerprints
	if l != nil {
		known = l.follow(later, roles, opt.Table)
	}
	var keys *rowKeys
	var prints distinct
	if known != nil {
		var err error
		if keys, err = newRowKeys(guard.Columns(), namesOf(roles, opt.Table)); err != nil {
			return nil, err
		}
		prints.level = known.counts.level
	}
	for b, err := range guard.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		later.add(b)
		if keys != nil {
			for _, key := range keys.of(b) {
				prints.add(key)
			}
		}
		if opt.Each != nil {
			opt.Each(b)
		}
	}
	found := later.findings()
	if known != nil {
		if f := known.finding(&prints, later.rows, opt.Table); f != nil {
			found = append(found, *f)
		}
	}
	return found, nil
}

// follow has the columns of these roles looked at, and returns the fingerprints of the table that the later one takes the place
// of, nil if of none.
func (l *Learned) follow(later *laterLook, roles tables.Roles, table Table) *Fingerprints {
	own := &l.XU
	if table == UY {
		own = &l.UY
	}
	for _, name := range namesOf(roles, XU) {
		later.follow(own.Column(name), false)
	}
	for _, name := range roles.Y {
		later.follow(l.UY.Column(name), true)
	}
	if table != XU && table != UY {
		return nil
	}
	return own.Fingerprints
}

// namesOf are the columns that the rows of a table are reported by, in the order in which Learn takes them.
func namesOf(roles tables.Roles, table Table) []string {
	if table == UY {
		return slices.Concat(roles.U, roles.Y)
	}
	names := slices.Clone(roles.X)
	for _, name := range roles.U {
		if !slices.Contains(roles.X, name) { // else it is a control
			names = append(names, name)
		}
	}
	return names
}

// A laterLook is what one pass over later rows keeps.
type laterLook struct {
	have    []tables.Column
	columns []laterColumn
	rows    int
	sample  rowSample
}

// laterColumn counts one column.
type laterColumn struct {
	was            *Profile
	kind           tables.Kind
	place          int // among the columns of its kind
	target         bool
	missing        int
	below, above   int
	least, largest float64
}

func newLaterLook(have []tables.Column, rnd *rand.Rand) *laterLook {
	return &laterLook{have: have, sample: newRowSample(sampleRows, len(have), rnd)}
}

// follow adds a column. Profiles of what a table does not have, or has as another kind, are passed over: who binds the columns
// of a model says so.
func (l *laterLook) follow(was *Profile, target bool) {
	var at [3]int
	for _, c := range l.have {
		if was != nil && c.Name == was.Name && c.Kind != tables.Vector && (c.Kind == tables.Numeric || was.Numbers == nil) {
			l.columns = append(l.columns, laterColumn{was: was, kind: c.Kind, place: at[c.Kind], target: target, least: math.Inf(1), largest: math.Inf(-1)})
		}
		at[c.Kind]++
	}
}

func (l *laterLook) add(b tables.Batch) {
	for i := range l.columns {
		l.columns[i].add(b)
	}
	l.rows += b.Rows
	l.sample.add(b)
}

func (c *laterColumn) add(b tables.Batch) {
	if c.kind == tables.Text {
		for _, cell := range b.Text[c.place][:b.Rows] {
			if cell == "" {
				c.missing++
			}
		}
		return
	}
	lo, hi := math.Inf(-1), math.Inf(1)
	if n := c.was.Numbers; n != nil {
		lo, hi = n.Min, n.Max
	}
	x := b.Num.RawMatrix()
	for i := range b.Rows {
		switch v := x.Data[i*x.Stride+c.place]; {
		case math.IsNaN(v):
			c.missing++
		case v < lo:
			c.below++
			c.least = min(c.least, v)
		case v > hi:
			c.above++
			c.largest = max(c.largest, v)
		}
	}
}

// findings are what the columns have that training had not.
func (l *laterLook) findings() []Finding {
	var found []Finding
	other := false // some X or U is distributed otherwise than in training
	for i := range l.columns {
		c := &l.columns[i]
		if f, ok := c.moreMissing(l.rows); ok {
			found = append(found, f)
		}
		if n := c.was.Numbers; c.kind != tables.Numeric || n == nil || n.Min == n.Max { // encoders leave constants out
			continue
		}
		values := l.sample.values(c.place)
		if f, ok := c.spike(values, l.rows); ok {
			found = append(found, f)
		}
		other = other || !c.target && c.distance(values, rescaling{factor: 1}) > c.alike(values)+unitDistance
		if f, ok := c.otherUnit(values, l.rows); ok {
			if c.target && other && f.Severity == Warning { // Y of other X is distributed otherwise, too
				f.Severity = Note
			}
			found = append(found, f)
		} else if f, ok := c.outOfRange(l.rows); ok {
			found = append(found, f)
		}
	}
	return found
}

// moreMissing finds a column that training had some missing values in, and that is missing far more often now. Rows without Y
// are left out and counted elsewhere.
func (c *laterColumn) moreMissing(rows int) (Finding, bool) {
	n, m := float64(c.was.Rows), float64(rows)
	if c.target || c.was.Missing == 0 || c.was.Missing == c.was.Rows || m == 0 {
		return Finding{}, false
	}
	was, now := float64(c.was.Missing)/n, float64(c.missing)/m
	pooled := (was*n + now*m) / (n + m)
	// Four standard errors have 3e-5 beyond them; less than a tenth of the rows changes little.
	if now-was < max(.1, 4*math.Sqrt(pooled*(1-pooled)*(1/n+1/m))) {
		return Finding{}, false
	}
	return Finding{Code: LaterMissing, Severity: Warning, Columns: []string{c.was.Name}, Rows: c.missing, Of: rows, gravity: now,
		What:   fmt.Sprintf("column %q: missing in %d of %d rows, and in %.3g %% of those of training", c.was.Name, c.missing, rows, 100*was),
		Effect: "predictions there know nothing of it"}, true
}

// outOfRange finds values out of the range of training.
func (c *laterColumn) outOfRange(rows int) (Finding, bool) {
	n, m := c.was.Rows-c.was.Missing, rows-c.missing
	lowSide := beyondByChance(c.below, n, m) || c.far(c.least, n, m)
	highSide := beyondByChance(c.above, n, m) || c.far(c.largest, n, m)
	if !lowSide && !highSide {
		return Finding{}, false
	}
	num := c.was.Numbers
	farthest := c.largest
	if c.above == 0 || c.below > 0 && num.Min-c.least > c.largest-num.Max {
		farthest = c.least
	}
	beyond := c.below + c.above
	effect := "predictions there go beyond what was learned"
	if c.target {
		effect = "no such Y was learned from"
	}
	return Finding{Code: LaterRange, Severity: Warning, Columns: []string{c.was.Name}, Rows: beyond, Of: rows, gravity: float64(beyond) / float64(rows),
		What:   fmt.Sprintf("column %q: %d of %s %s out of the training range, %.6g to %.6g, the farthest %.6g", c.was.Name, beyond, count(m, "value"), verb(beyond, "is", "are"), num.Min, num.Max, farthest),
		Effect: effect}, true
}

// beyondByChance reports that so many of m values beyond one end of n others are too many: of values from one distribution k
// are with a probability of at most (m/(n+m))^k, whatever the distribution.
func beyondByChance(k, n, m int) bool {
	return k > 0 && float64(k)*math.Log(float64(m)/float64(n+m)) < math.Log(laterChance/4)
}

// far reports that a value beyond an end is so far out that the tail of training hardly has it. The tail is taken to fall as a
// power of the distance from the median, the one between 5 % and 1 % on that side, and no faster than the sixth; less three
// standard errors, since one in sqrt(k) is that of a power from k values.
func (c *laterColumn) far(v float64, n, m int) bool {
	if math.IsInf(v, 0) || n < 20 {
		return false
	}
	q := c.was.Numbers.Quantiles
	end, outer, inner, median := c.was.Numbers.Max, q[6], q[5], q[3]
	if v < median {
		end, outer, inner = c.was.Numbers.Min, q[0], q[1]
	}
	power := 6.
	if ratio := math.Abs(outer-median) / math.Abs(inner-median); ratio > 1 {
		power = min(power, math.Log(5)/math.Log(ratio))
	}
	power /= 1 + 3/math.Sqrt(.05*float64(n))
	width := math.Abs(end - median)
	if width == 0 { // half of the values are at this end
		width = c.was.Numbers.Max - c.was.Numbers.Min
	}
	return float64(m)/float64(n)*math.Pow(math.Abs(v-median)/width, -power) < laterChance/4
}
