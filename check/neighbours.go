package check

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mediant/tables"
)

// alongside is the correlation of values with those of the next row, and in standard errors.
func alongside(e []float64) (r, z float64) {
	r = lagged(e, e, 1) / floats.Dot(e, e)
	return r, r * math.Sqrt(float64(len(e)))
}

// alongsideClusters is alongside for rows whose next row is of another cluster.
func (o *rowOrder) alongsideClusters(e []float64) (r, z float64) {
	sum, pairs := 0., 0.
	for i := range len(e) - 1 {
		if !o.cluster.same(i, i+1) {
			sum += e[i] * e[i+1]
			pairs++
		}
	}
	r = sum / max(pairs, 1) / (floats.Dot(e, e) / float64(len(e)))
	return r, r * math.Sqrt(pairs)
}

// same reports whether two rows have the same value.
func (c *uColumn) same(i, j int) bool {
	if c.kind == tables.Text {
		return c.cells[0][i] == c.cells[0][j]
	}
	return c.numbers[0][i] == c.numbers[0][j]
}

// averaged finds a column that has means of its own row and others.
func (o *rowOrder) averaged(c *uColumn, e []float64, b basis) (Finding, bool) {
	_, z := alongside(e)
	if !(z > placeAlarm) {
		return Finding{}, false
	}
	rows, of := o.meansOf(c, b)
	if rows == "" {
		return Finding{}, false
	}
	f := o.dependence(c, fmt.Sprintf("goes with U %s as with its own (%.0f %% as much), and not with rows farther away", rows, 100*of), z)
	f.Severity = Warning
	f.Effect = "if it is a moving average, it says less of its own row than what was measured, and intervals are too narrow"
	return f, true
}

// carried finds a column whose rows depend on those before, other than within clusters, which standard errors account for.
func (o *rowOrder) carried(c *uColumn, e []float64) (Finding, bool) {
	r, z := alongside(e)
	if o.cluster != nil {
		r, z = o.alongsideClusters(e)
	}
	if !(z > placeAlarm) {
		return Finding{}, false
	}
	f := o.dependence(c, fmt.Sprintf("depends on the row above: what U leaves of it has a correlation of %.2f with that of the next row", r), z)
	f.Effect = "intervals are too narrow, since rows count as independent"
	return f, true
}

// meansOf says which rows next to the own one have a U that says as much of a column, where U itself is not related to other rows: "" if none do.
func (o *rowOrder) meansOf(c *uColumn, b basis) (rows string, of float64) {
	if _, some := serial(o.u, 1); some || crossed(o.u, o.u, 1) {
		return "", 0
	}
	y := c.scores()
	own := b.coefficients(y, 0)
	whole := floats.Dot(own, own)
	if !(b.chance(whole/float64(o.n()), o.n()) < orderAlarm) {
		return "", 0
	}
	says := func(lag int) float64 { return floats.Dot(own, b.coefficients(y, lag)) / whole }
	for _, direction := range []int{-1, 1} {
		first := says(direction)
		if first < meanSays {
			continue
		}
		before := first
		for k := 2; k <= meanReach; k++ {
			now := says(direction * k)
			if now < meanEnds && before > 2*meanEnds {
				return rowsAway(direction), first
			}
			before = now
		}
	}
	return "", 0
}

// between finds a column of numbers that hardly repeat whose values are, up to their rounding, the means of the row above and the row below, far more
// often than nearly so, and than those of rows farther away.
func (o *rowOrder) between(c *uColumn) (Finding, bool) {
	v := c.numbers[0]
	sorted := slices.DeleteFunc(slices.Clone(v), math.IsNaN)
	slices.Sort(sorted)
	n := len(sorted)
	if sorted = slices.Compact(sorted); 2*len(sorted) < n {
		return Finding{}, false
	}
	step := math.Inf(1)
	for i := 1; i < len(sorted); i++ {
		step = min(step, sorted[i]-sorted[i-1])
	}
	step = max(step, (sorted[len(sorted)-1]-sorted[0])*meanPrecision)
	exact, nearly, far := 0, 0, 0
	steps := make(map[float64]bool) // ages in a panel grow by one
	for s := 1; s <= meanReach; s++ {
		for i := s; i+s < len(v); i++ {
			if o.rows[i+s].number != o.rows[i-s].number+2*s || !(math.Abs(v[i-s]-v[i+s]) >= meanNearly*step) { // or a mean would be nothing new
				continue
			}
			switch off := math.Abs(v[i]-(v[i-s]+v[i+s])/2) / step; {
			case s > 1 && off < .6:
				far++
			case s > 1:
			case off < .6:
				exact++
				steps[math.Round((v[i]-v[i-1])/step)] = true
			case off < meanNearly+.1:
				nearly++
			}
		}
	}
	// Of half steps three are exact, up to rounding, and all others up to meanNearly nearly so.
	k, expected := float64(exact), max(3*float64(nearly+1)/(4*meanNearly-2), float64(far)/(meanReach-1))
	if exact < repeatLeast || k < repeatShare*float64(n) || k < 3*expected || 3*len(steps) < exact ||
		!(k-expected-k*math.Log(k/expected)+math.Log(float64(len(o.columns))) < math.Log(repeatChance)) {
		return Finding{}, false
	}
	f := o.dependence(c, fmt.Sprintf("is the mean of the row above and the row below in %d of %d rows", exact, len(v)), 0)
	f.Severity, f.Rows, f.Of = Warning, exact, len(v)
	f.Effect = "if missing values were filled in between others, these are of other rows, and hide what the others say"
	f.Remedy = fmt.Sprintf("empty cells where nothing was measured, or --accept %s:%q if it was measured so", RowsDepend, c.name)
	return f, true
}
