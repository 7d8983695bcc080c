package check

import (
	"fmt"
	"math"
	"slices"
)

const (
	// A group of farLeast rows or more, and of farMost of all rows at most, may be far from the rest.
	farLeast, farMost = 2, .35
	// farWidths is by how many times the range of the rest the nearest value of the group is away from it. Sizes above others are so in logarithms as well,
	// by the range of the rest from its quantile coreOfSizes on: two kinds of skew amounts are nearer.
	farWidths, coreOfSizes = 3, .05
	// In logarithms, where a range of sizes is wide already, it is farWidthsOfLogs, and farFold times as large or as small as any of the rest; of one value, as
	// a price of 1 is, oneWidthsOfLogs, in oneShare of the rows and oneTimes as many as any other value.
	farWidthsOfLogs, farFold            = 1.5, 20
	oneWidthsOfLogs, oneShare, oneTimes = 2, .01, 2
	// Of wrapRows values or more that ran over, wrapLeast at least are as near as wrapSeam to either end of what a register holds, as a share of it.
	wrapRows, wrapLeast, wrapSeam = 50, 2, .02
)

// A farGroup is the rows at one end of a column that no tail of the others leads to.
type farGroup struct {
	group, rest []float64
	cause       string
}

// farGroup finds a group of rows far from all others of a column of numbers, and reports whether there is one.
func (c *checker) farGroup(table Table, look *columnLook, p *Profile, t *tableLook) bool {
	if p.Numbers == nil || p.Distinct <= spikeDistinct {
		return false
	}
	values := t.sample.values(look.place)
	g, ok := findFarGroup(values)
	if !ok {
		return false
	}
	share, about := float64(len(g.group))/float64(len(values)), ""
	if p.Rows > len(t.sample.heap) {
		about = "about "
	}
	rows, cause := int(math.Round(share*float64(p.Rows-p.Missing))), ""
	if g.cause != "" {
		cause = " (" + g.cause + "?)"
	}
	what := fmt.Sprintf("%g", g.group[0])
	remedy := naFlag(p.Name, g.group[0]) + " takes it as missing"
	if last := g.group[len(g.group)-1]; last > g.group[0] {
		what += fmt.Sprintf(" to %g", last)
		remedy = "write what was meant, or empty cells"
	}
	c.add(Finding{Code: FarValue, Severity: Warning, Table: table, Columns: []string{p.Name}, Rows: rows, Of: p.Rows,
		What: fmt.Sprintf("%q is %s in %s%d of %d rows of %s, far from all other values (%.6g to %.6g)%s",
			p.Name, what, about, rows, p.Rows, table.words(), g.rest[0], g.rest[len(g.rest)-1], cause),
		Effect:  "if they are no measurements of the same kind, they decide the mean and the spread of the column, and the others say little beside them",
		Remedy:  fmt.Sprintf("%s, or --accept %s:%q if they were measured", remedy, FarValue, p.Name),
		gravity: causeFirst + share})
	return true
}

// findFarGroup looks at ascending values, and at the logarithms of those above 0 where none is below.
func findFarGroup(values []float64) (farGroup, bool) {
	if g, ok := wrapped(values); ok {
		return g, true
	}
	if g, ok := eitherEnd(values, func(v float64) float64 { return v }, farAsNumbers); ok {
		return g, true
	}
	if len(values) == 0 || values[0] < 0 {
		return farGroup{}, false
	}
	positive := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v == 0 })
	return eitherEnd(positive, math.Log, farAsLogs)
}

// eitherEnd finds a far group at the upper end of a function of ascending values, or at the lower one.
func eitherEnd(values []float64, of func(v float64) float64, far func(rest, group []float64) bool) (farGroup, bool) {
	n := len(values)
	for _, sign := range []float64{1, -1} {
		to := make([]float64, n)
		for i, v := range values {
			to[i] = sign * of(v)
		}
		slices.Sort(to)
		for k := int(farMost * float64(n)); k >= farLeast; k-- {
			if !far(to[:n-k], to[n-k:]) {
				continue
			}
			g := farGroup{group: values[n-k:], rest: values[:n-k]}
			if sign < 0 {
				g = farGroup{group: values[:k], rest: values[k:]}
			}
			g.cause = g.guess()
			return g, true
		}
	}
	return farGroup{}, false
}

// farAsNumbers reports whether ascending values are far above others. Groups of one value are looked at as markers of missing values.
func farAsNumbers(rest, group []float64) bool {
	if group[0] == group[len(group)-1] || widthsAway(rest, group) < farWidths {
		return false
	}
	top, core := rest[len(rest)-1], quantile(rest, coreOfSizes)
	return (rest[0] < 0 || group[0]*core >= top*top) && outOfTail(rest, group)
}

// farAsLogs reports it of logarithms. What is so small that it is 0 beside the others may be.
func farAsLogs(rest, group []float64) bool {
	const zero = 12 * math.Ln10
	away := widthsAway(rest, group)
	if gap := group[0] - rest[len(rest)-1]; away < farWidthsOfLogs || gap < math.Log(farFold) || group[0] < 0 && gap > zero {
		return false
	}
	if group[0] < group[len(group)-1] {
		return outOfTail(rest, group)
	}
	return away >= oneWidthsOfLogs && len(slices.Compact(slices.Clone(rest))) > spikeDistinct && len(group) >= oneTimes*tally(rest)[0].rows &&
		float64(len(group)) >= oneShare*float64(len(rest)+len(group))
}

// widthsAway is the distance of a group above others in units of their range; 0 without one.
func widthsAway(rest, group []float64) float64 {
	gap := group[0] - rest[len(rest)-1]
	if gap <= 0 {
		return 0
	}
	return gap / (rest[len(rest)-1] - rest[0])
}

// outOfTail reports whether the distance of a group is one that the tail of the others does not lead to, by the spacings of logarithms as for a
// few values. Values count once each: those of places or persons may be repeated.
func outOfTail(rest, group []float64) bool {
	median := quantile(rest, .5)
	tail := slices.Compact(slices.Clone(rest[len(rest)/2:]))
	tail = slices.DeleteFunc(tail, func(v float64) bool { return v <= median })
	slices.Reverse(tail)
	if len(tail) <= tailSize {
		return false
	}
	spacing := 0.
	for _, v := range tail[:tailSize] {
		spacing += math.Log((v-median)/(tail[tailSize]-median)) / tailSize
	}
	k := len(slices.Compact(slices.Clone(group)))
	return float64(k)*math.Log((group[0]-median)/(tail[0]-median)) >= farTimes*max(spacing, leastSpacing)
}

// wrapped finds whole numbers of 16 bits, or of 8 or 32, with or without a decimal point put in, that ran over: they end at both ends of what the register
// holds, and a quarter of it lies empty between.
func wrapped(values []float64) (farGroup, bool) {
	n := len(values)
	if n < wrapRows || values[0] >= 0 || values[n-1] <= 0 {
		return farGroup{}, false
	}
	cut := 1
	for i := range values {
		if i > 0 && values[i]-values[i-1] > values[cut]-values[cut-1] {
			cut = i
		}
	}
	low, high := values[:cut], values[cut:]
	for _, bits := range []int{8, 16, 32} {
		for _, point := range []float64{1, 10, 100, 1e3, 1e4} {
			half := math.Ldexp(1/point, bits-1)
			seam := (1 - wrapSeam) * half
			if low[0] < -half || high[len(high)-1] >= half || high[0]-low[len(low)-1] < half/2 ||
				countIn(low, -half, -seam) < wrapLeast || countIn(high, seam, half) < wrapLeast {
				continue
			}
			g := farGroup{group: low, rest: high}
			if len(low) > len(high) {
				g.group, g.rest = high, low
			}
			g.cause = fmt.Sprintf("numbers of %d bits that ran over, by %g", bits, 2*half)
			return g, true
		}
	}
	return farGroup{}, false
}

// guess names what the rows of a group may be.
func (g farGroup) guess() string {
	first, last := g.group[0], g.group[len(g.group)-1]
	middle, of := quantile(g.group, .5), quantile(g.rest, .5)
	whole := !slices.ContainsFunc(g.group, func(v float64) bool { return v != math.Trunc(v) })
	switch {
	case first == last:
		return ""
	case whole && first >= 1900 && last <= 2100:
		return "years"
	case whole && first >= 20000 && last <= 60000:
		return "dates as spreadsheets count them"
	case of > 0 && first <= math.Log(of) && math.Log(of) <= last:
		return "logarithms of such values"
	case of > 0 && first <= math.Log10(of) && math.Log10(of) <= last:
		return "decimal logarithms of such values"
	}
	for _, times := range []float64{10, 100, 1000} {
		if near(middle / of / times) {
			return "a decimal point that was lost"
		}
	}
	return ""
}
