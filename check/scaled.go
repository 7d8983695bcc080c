package check

import (
	"fmt"
	"math"
	"slices"

	"mediant/tables"
)

// ScaledApart is the code of columns of U that each table seems to have scaled by its own rows.
const ScaledApart Code = "scaled-apart"

const (
	// scaledNear is how near a mean and a standard deviation are to the round ones that they were set to, in their standard errors, beside
	// scaledRounding standard deviations of what rounding makes of them.
	scaledNear, scaledRounding = .02, 3
	// scaledChance is the largest probability with which both tables come so near by chance, if their distribution has these moments.
	scaledChance = 1e-4
	// scaledRows is the least number of rows of a table that are looked at, and scaledEnds how many of them may be at either end of the range.
	scaledRows, scaledEnds = 30, 2
	// surelyQuantiles is a number of equal groups that no design has.
	surelyQuantiles = 10
)

// roundMoments are the means and standard deviations of usual scores: z, T, of IQ and of large tests.
var roundMoments = [][2]float64{{0, 1}, {50, 10}, {100, 15}, {500, 100}}

// scaledApart finds columns of U that were standardised, ranked, cut into quantiles or stretched to a range within each table: what makes the tables
// differ is lost then, and equal values are not equal. Rows that are the same in both tables were scaled together.
func (c *checker) scaledApart() {
	for _, name := range c.roles.U {
		x, y := c.xu.of(name), c.uy.of(name)
		if x.column.Kind != tables.Numeric || min(x.present(), y.present()) < scaledRows || sameValues(x, y) {
			continue
		}
		p, q := c.profiles(name)
		if p.Kind == Constant || q.Kind == Constant || p.Kind == Truth || q.Kind == Truth {
			continue
		}
		what, severity := c.scaledTo(x, y)
		if what == "" {
			continue
		}
		c.add(Finding{Code: ScaledApart, Severity: severity, Table: Both, Columns: []string{name}, gravity: causeFirst,
			What:   fmt.Sprintf("%q %s", name, what),
			Effect: "if each table was scaled by its own rows, equal values are not equal, and a difference of the tables is lost",
			Remedy: fmt.Sprintf("scale both by the same numbers, or --accept %s:%q if they were scaled together", ScaledApart, name)})
	}
}

// sameValues reports whether two columns have the same number of values, and the same moments and ends: as of the same rows.
func sameValues(x, y *columnLook) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(math.Abs(a)+math.Abs(b)) }
	return x.present() == y.present() && near(x.m2, y.m2) && math.Abs(x.mean-y.mean) <= 1e-9*math.Sqrt(x.m2/float64(x.present())) &&
		x.numbers.low[0] == y.numbers.low[0] && x.numbers.high[0] == y.numbers.high[0]
}

// scaledTo says to what a column was scaled in both tables, "" if it does not seem so.
func (c *checker) scaledTo(x, y *columnLook) (what string, severity Severity) {
	step := [2]float64{stepOf(c.xu.sample.values(x.place)), stepOf(c.uy.sample.values(y.place))}
	for _, m := range roundMoments {
		if x.nearMoments(m[0], m[1], step[0])*y.nearMoments(m[0], m[1], step[1]) <= scaledChance {
			return fmt.Sprintf("has a mean of %.4g and a standard deviation of %.4g in either table, as near as rounding allows", m[0], m[1]), Warning
		}
	}
	for _, top := range []float64{1, 100} {
		if x.percentiles(top, step[0])*y.percentiles(top, step[1]) <= scaledChance {
			return fmt.Sprintf("has values in equal steps from 0 to %.3g in either table, as percentiles have", top), Warning
		}
		if x.stretched(top) && y.stretched(top) && fine(c.xu.sample.values(x.place)) && fine(c.uy.sample.values(y.place)) {
			return fmt.Sprintf("begins at 0 and ends at %.3g exactly in either table, though its values are fine", top), Warning
		}
	}
	k := x.equalGroups()
	if k == 0 || k != y.equalGroups() {
		return "", 0
	}
	severity = Note // a design has equal groups too, but hardly where the rows cannot be divided, or as many as ten
	if k == surelyQuantiles || x.present()%k > 0 || y.present()%k > 0 {
		severity = Warning
	}
	return fmt.Sprintf("has the values %.4g to %.4g equally often in either table, as quantiles are", x.numbers.low[0].value, x.numbers.high[0].value), severity
}

// nearMoments is the probability with which a mean and a standard deviation are so near to given ones, where these are those of the distribution;
// 1 if they are not. The variance may have been divided by n or n-1, and values may be multiples of a step.
func (c *columnLook) nearMoments(m, s, step float64) float64 {
	n := float64(c.present())
	rounded := scaledRounding * step / math.Sqrt(12*n)
	tolerance := [2]float64{scaledNear*s/math.Sqrt(n) + rounded, scaledNear*s/math.Sqrt(2*n) + rounded}
	if math.Abs(c.mean-m) > tolerance[0] {
		return 1
	}
	for _, divisor := range []float64{n, n - 1} {
		if math.Abs(math.Sqrt(max(0, c.m2/divisor-step*step/12))-s) <= tolerance[1] {
			within := func(t, se float64) float64 { return math.Erf(t / se / math.Sqrt2) }
			return within(tolerance[0], s/math.Sqrt(n)) * within(tolerance[1]+s/(4*n), s/math.Sqrt(2*n)) // the two differ by s/(2n)
		}
	}
	return 1
}

// percentiles is nearMoments of values in equal steps from 0 to top, of which the first and the last may be half a step within. Their variance is
// less by what equal values take, as of a step that they have instead.
func (c *columnLook) percentiles(top, step float64) float64 {
	n := float64(c.present())
	low, high := c.numbers.low[0], c.numbers.high[0]
	within := 3 * top / n
	if c.distinct.count() < leastGroups || low.value < 0 || low.value > within || high.value > top || high.value < top-within {
		return 1
	}
	middle, length := (low.value+high.value)/2, (high.value-low.value)/(1-1/n)
	if math.Abs(middle-top/2) > within {
		return 1
	}
	return c.nearMoments(middle, length/math.Sqrt(12), step)
}

// stretched reports whether the values end at 0 and at top, in a row or two at either end, as no cap leaves them.
func (c *columnLook) stretched(top float64) bool {
	low, high := c.numbers.low[0], c.numbers.high[0]
	return low.value == 0 && high.value == top && low.rows <= scaledEnds && high.rows <= scaledEnds
}

// equalGroups is the number of values of a column of 4, 5 or 10 whole numbers that follow each other from 0 or 1, each in as many rows as the
// others up to one; 0 if it is not so.
func (c *columnLook) equalGroups() int {
	k := c.distinct.count()
	low, high := c.numbers.low[0].value, c.numbers.high[0].value
	if c.fraction || !slices.Contains([]int{4, 5, surelyQuantiles}, k) || low != 0 && low != 1 || high != low+float64(k-1) {
		return 0
	}
	least := c.present() / k
	for _, rows := range c.distinct.of.all() {
		if rows < least || rows > least+1 {
			return 0
		}
	}
	return k
}
