package check

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"mediant/internal/parallel"
	"mediant/tables"
)

// RowsDepend is the code of a column whose values, given U, depend on the place of the row or on the rows before.
const RowsDepend Code = "rows-depend"

const (
	// placeAlarm standard errors, of the largest difference over all places of a table, are reported, and placeSurely doubted.
	placeAlarm, placeSurely = 6, 8
	// placeShift, in standard deviations of what U leaves, is no matter below the first; the other is that of a unit rather than of a site or a time.
	placeShift, placeUnit = .3, 1.25
	// placeSpread is how many times as large a slope or a spread, of scores, is that of another unit.
	placeSpread = 1.5
	// placeWithin is what the parts on both sides of a place have at most, in standard errors, if they are alike in themselves, and U there.
	placeWithin = 5
	// placeAlike standard errors are the most that the correlation of rows with the next ones has there.
	placeAlike = 3.5
	// placeRows a part has at least; placeValues a column, as classes have no unit.
	placeRows, placeValues = 30, 20
	// Values are means of neighbours if U of the next row, in some direction, says meanSays times as much of them as their own, and that of some
	// row of the next meanReach has meanEnds times as much at most: what carries on in time falls by a part at each row.
	meanSays, meanEnds, meanReach = .7, .3, 12
	// A mean is known to meanPrecision of the range, and nearly one if it is off by meanNearly steps between values.
	meanPrecision, meanNearly = 1e-9, 10
)

// dependent finds columns that U explains otherwise in other parts of the table, or whose rows depend on those before, but for these names.
func (o *rowOrder) dependent(but []string) []Finding {
	b := o.basis()
	if len(b) == 0 {
		return nil
	}
	found := make([][]Finding, len(o.columns))
	parallel.Blocks(len(o.columns), 1, func(i, _ int) {
		c := o.columns[i]
		if c.kind != tables.Numeric || slices.Contains(but, c.name) || len(o.targets[i]) == 0 || !ofMany(c.numbers[0]) || along(c.numbers[0]) {
			return
		}
		e := o.leftover(c, b)
		for _, look := range []func() (Finding, bool){
			func() (Finding, bool) { return o.between(c) },
			func() (Finding, bool) { return o.averaged(c, e.rest, b) },
			func() (Finding, bool) { return o.placed(c, e) },
			func() (Finding, bool) { return o.carried(c, e.rest) },
		} {
			if f, ok := look(); ok {
				found[i] = []Finding{f}
				break
			}
		}
	})
	return slices.Concat(found...)
}

// ofMany reports whether values are complete enough and not of few kinds.
func ofMany(values []float64) bool {
	distinct := make(map[float64]bool)
	n := 0
	for _, v := range values {
		if !math.IsNaN(v) {
			n++
			if len(distinct) <= placeValues {
				distinct[v] = true
			}
		}
	}
	return n >= orderRows && 10*n >= 9*len(values) && len(distinct) > placeValues
}

// along reports whether values go along with the row numbers, as in a table that is sorted by them.
func along(values []float64) bool {
	var place, present []float64
	for i, v := range values {
		if !math.IsNaN(v) {
			place, present = append(place, float64(i)), append(present, v)
		}
	}
	return math.Abs(correlation(place, normalScores(present))) > .8
}

// scores are the normal scores of a column of numbers, 0 where there is no value.
func (u *uColumn) scores() []float64 {
	var present []float64
	for _, v := range u.numbers[0] {
		if !math.IsNaN(v) {
			present = append(present, v)
		}
	}
	scores, at := normalScores(present), 0
	y := make([]float64, len(u.numbers[0]))
	for i, v := range u.numbers[0] {
		if !math.IsNaN(v) {
			y[i] = scores[at]
			at++
		}
	}
	return y
}

// A leftover is what U leaves of a column.
type leftover struct {
	y, fitted []float64 // the scores of the column, and what the basis says of them
	rest      []float64 // the difference, as normal scores
}

func (o *rowOrder) leftover(c *uColumn, b basis) leftover {
	l := leftover{y: c.scores()}
	l.fitted = b.fitted(b.coefficients(l.y, 0), o.n())
	l.rest = slices.Clone(l.y)
	floats.Sub(l.rest, l.fitted)
	l.rest = normalScores(l.rest)
	return l
}

// slope is that of the column on what the basis says of it, in the rows from first to last.
func (l leftover) slope(first, last int) float64 {
	return stat.Covariance(l.y[first:last], l.fitted[first:last], nil) / stat.Variance(l.fitted[first:last], nil)
}

// A split is the place where what is above differs the most in its mean from what is below.
type split struct {
	at    int
	z     float64 // in standard errors, above 0 if the rows below have more
	shift float64 // in standard deviations within the parts
}

// splitOf looks at all places that leave placeRows rows on both sides.
func splitOf(values []float64) split {
	var best split
	n := len(values)
	sum, squares, mean := 0., 0., stat.Mean(values, nil)
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	if squares == 0 {
		return best
	}
	for i, v := range values {
		sum += v - mean
		k, rest := float64(i+1), float64(n-i-1)
		if k < placeRows || rest < placeRows {
			continue
		}
		gap := -sum/rest - sum/k // below less above
		z := gap / math.Sqrt(squares/float64(n)*(1/k+1/rest))
		if math.Abs(z) > math.Abs(best.z) {
			within := squares - gap*gap*k*rest/float64(n)
			best = split{i + 1, z, gap / math.Sqrt(max(within, 1e-12*squares)/float64(n))}
		}
	}
	return best
}

// placed finds a shift, a drift, another slope or another spread of what U leaves of a column.
func (o *rowOrder) placed(c *uColumn, l leftover) (Finding, bool) {
	e := l.rest
	sizes, products := make([]float64, len(e)), make([]float64, len(e))
	for i, v := range e {
		sizes[i], products[i] = math.Abs(v), v*l.fitted[i]
	}
	products = normalScores(products)
	mean, spread, slope := splitOf(e), splitOf(sizes), splitOf(products)
	switch {
	case math.Abs(mean.z) > placeAlarm && math.Abs(mean.shift) > placeShift:
		return o.shifted(c, e, mean), true
	case math.Abs(slope.z) > placeAlarm && math.Abs(slope.shift) > placeShift:
		above, below := l.slope(0, slope.at), l.slope(slope.at, len(e))
		f := o.dependence(c, fmt.Sprintf("changes with what U says of it %.2f times as much from row %d or so on as before", below/above, o.rows[slope.at].number+1), math.Abs(slope.z))
		f.Effect = "part of the rows may be in another unit or of other rows than its U; if not, they are of two kinds"
		if above > 0 && below > 0 && max(above, below) > placeSpread*min(above, below) && o.jumps(products, slope) {
			f.Severity = Warning
		}
		return f, true
	case math.Abs(spread.z) > placeAlarm && math.Abs(spread.shift) > placeShift:
		above, below := stat.Mean(sizes[:spread.at], nil), stat.Mean(sizes[spread.at:], nil)
		times := max(above, below) / min(above, below)
		part := "from"
		if above > below {
			part = "before"
		}
		f := o.dependence(c, fmt.Sprintf("varies %.1f times as much around what U says of it %s row %d or so on as in the others", times, part, o.rows[spread.at].number+1), math.Abs(spread.z))
		f.Effect = "part of the rows may be in another unit or measured otherwise; if not, rows are not alike, and intervals may be too narrow"
		if times > placeSpread && o.jumps(sizes, spread) {
			f.Severity = Warning
		}
		return f, true
	}
	return Finding{}, false
}

// shifted is the finding of a shift or a drift.
func (o *rowOrder) shifted(c *uColumn, e []float64, s split) Finding {
	place := make([]float64, len(e))
	for i := range place {
		place[i] = float64(i)
	}
	word := "higher"
	if s.z < 0 {
		word = "lower"
	}
	if trend := correlation(place, e); math.Abs(trend)*math.Sqrt(float64(len(e))) > math.Abs(s.z) {
		f := o.dependence(c, fmt.Sprintf("gets %s from row to row than U says of it, with a correlation of %.2f with the place of the row", word, trend), math.Abs(s.z))
		f.Effect = "if it is not time that changes it, it was measured with a drift; in any case rows are not independent, and intervals are too narrow"
		return f
	}
	f := o.dependence(c, fmt.Sprintf("is %s from row %d or so on than U says of it, by %.1f standard deviations of what U leaves", word, o.rows[s.at].number+1, math.Abs(s.shift)), math.Abs(s.z))
	f.Effect = "part of the rows may be in another unit; if they are of other times or sites, rows are not independent, and intervals are too narrow"
	if math.Abs(s.shift) > placeUnit && o.jumps(e, s) {
		f.Severity = Warning
		f.Effect = "if part of the rows is in another unit, what is learned is right for neither part; if they are of other times or sites, intervals are too narrow"
	}
	return f
}

// jumps reports whether values change at one place alone, where U does not.
func (o *rowOrder) jumps(values []float64, s split) bool {
	if math.Abs(s.z) < placeSurely || math.Abs(splitOf(values[:s.at]).z) > placeWithin || math.Abs(splitOf(values[s.at:]).z) > placeWithin {
		return false
	}
	level := slices.Clone(values)
	for _, part := range [][]float64{level[:s.at], level[s.at:]} {
		floats.AddConst(-stat.Mean(part, nil), part)
	}
	if _, z := alongside(level); z > placeAlike { // a walk, which has places that look like jumps
		return false
	}
	return !slices.ContainsFunc(o.u, func(u series) bool { return math.Abs(differs(u.values, 0, s.at)) > placeWithin })
}

// dependence is a note on a column.
func (o *rowOrder) dependence(c *uColumn, what string, z float64) Finding {
	errors := ""
	if z > 0 {
		errors = fmt.Sprintf(" (%.0f standard errors)", z)
	}
	return Finding{Code: RowsDepend, Severity: Note, Table: o.table, Columns: []string{c.name}, gravity: z / 1000,
		What:   fmt.Sprintf("%q of %s %s%s", c.name, o.table.words(), what, errors),
		Remedy: fmt.Sprintf("one unit and the values as they were measured, or --accept %s:%q if rows depend on each other", RowsDepend, c.name)}
}
