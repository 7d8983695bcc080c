package check

import (
	"fmt"
	"math"
	"slices"
)

// A conversion is v = factor*w + shift for values w in one unit and v in another.
type conversion struct {
	factor, shift float64
	of            string
}

// conversions are those that columns are mistaken by, each both ways.
var conversions = func() []conversion {
	var all []conversion
	for _, c := range []conversion{
		{100, 0, "per cent and fractions, or metres and centimetres"},
		{1000, 0, "thousands and ones"},
		{1e6, 0, "millions and ones"},
		{10, 0, "tens and ones, or centimetres and millimetres"},
		{60, 0, "minutes and seconds, or hours and minutes"},
		{3600, 0, "hours and seconds"},
		{24, 0, "days and hours"},
		{7, 0, "weeks and days"},
		{12, 0, "years and months"},
		{365.25, 0, "years and days"},
		{2.54, 0, "inches and centimetres"},
		{0.45359237, 0, "pounds and kilograms"},
		{0.3048, 0, "feet and metres"},
		{1.609344, 0, "miles and kilometres"},
		{1.8, 32, "Celsius and Fahrenheit"},
	} {
		all = append(all, c, conversion{1 / c.factor, -c.shift / c.factor, c.of})
	}
	return all
}()

// unitRows is the number of later values from which on units are compared.
const unitRows = 30

// otherUnit finds numbers that are those of training in another unit: as they are, their distribution is another one, and it
// is that of training after one of the conversions. values are a sample, ascending.
func (c *laterColumn) otherUnit(values []float64, rows int) (Finding, bool) {
	m, n := float64(len(values)), float64(min(c.was.Rows-c.was.Missing, learnedSample))
	if m < unitRows || n < unitRows {
		return Finding{}, false
	}
	// The distances of two samples of one distribution are below this in 99 % of cases, by Kolmogorov's distribution.
	alike := 1.63 * math.Sqrt(1/m+1/n)
	asTheyAre := c.distance(values, conversion{factor: 1})
	if asTheyAre < alike+.1 {
		return Finding{}, false
	}
	best, least := conversion{}, math.Inf(1)
	for _, unit := range conversions {
		if d := c.distance(values, unit); d < least {
			best, least = unit, d
		}
	}
	if least > alike || least > asTheyAre/2 {
		return Finding{}, false
	}
	f := Finding{Code: LaterUnit, Severity: Warning, Columns: []string{c.was.Name}, gravity: asTheyAre,
		What:   fmt.Sprintf("column %q is distributed as in training after division by %s (%s)", c.was.Name, best, best.of),
		Effect: "it seems to be in another unit, which makes predictions meaningless",
		Remedy: "convert it"}
	if c.target {
		f.Effect = "it seems to be in another unit, which makes errors meaningless"
	}
	// Of a small factor another population may be the reason, unless most values are ones that training had nothing like.
	if max(best.factor, 1/best.factor) >= 50 || 2*(c.below+c.above) > rows-c.missing {
		f.Severity = Error
	}
	return f, true
}

// String is the number of a conversion.
func (c conversion) String() string {
	if c.shift != 0 {
		return fmt.Sprintf("%.4g, less %.4g", c.factor, c.shift)
	}
	return fmt.Sprintf("%.4g", c.factor)
}

// distance is the largest difference, at the quantiles that the profile has, between the distribution function of training and
// that of the values converted back. A quantile that many rows have counts as any share that it may stand for.
func (c *laterColumn) distance(values []float64, unit conversion) float64 {
	m := float64(len(values))
	most := 0.
	for i, q := range c.was.Numbers.Quantiles {
		v := unit.factor*q + unit.shift
		slack := 1e-9 * (math.Abs(v) + math.Abs(unit.shift)) // for the rounding of conversions
		below, _ := slices.BinarySearch(values, v-slack)
		upTo, _ := slices.BinarySearch(values, v+slack)
		most = max(most, float64(below)/m-quantilesAt[i], quantilesAt[i]-float64(upTo)/m)
	}
	return most
}
