package check

import (
	"fmt"
	"math"
	"slices"
)

// A rescaling is v = factor*w + shift for values w in one unit and v in another.
type rescaling struct {
	factor, shift float64
	of            string
}

// rescalings are those that columns are mistaken by, each both ways.
var rescalings = func() []rescaling {
	all := []rescaling{{1.8, 32, "they are degrees Celsius and Fahrenheit"}, {1 / 1.8, -32 / 1.8, "they are degrees Fahrenheit and Celsius"}}
	for _, f := range factors {
		all = append(all, rescaling{f.factor, 0, f.cause}, rescaling{1 / f.factor, 0, f.cause})
	}
	return all
}()

const (
	// unitRows is the number of later values from which on units are compared.
	unitRows = 30
	// unitDistance is how far a distribution is from that of training, beyond chance, before another unit may be the reason.
	unitDistance = .1
)

// alike is what the distance of two samples of one distribution, so many later values and those of training, is below in 99 % of cases, by Kolmogorov's distribution.
func (c *laterColumn) alike(values []float64) float64 {
	return 1.63 * math.Sqrt(1/float64(len(values))+1/float64(min(c.was.Rows-c.was.Missing, learnedSample)))
}

// otherUnit finds numbers that are those of training in another unit: as they are, their distribution is another one, and it
// is that of training after one of the rescalings. values are a sample, ascending.
func (c *laterColumn) otherUnit(values []float64, rows int) (Finding, bool) {
	m, n := float64(len(values)), float64(min(c.was.Rows-c.was.Missing, learnedSample))
	if m < unitRows || n < unitRows {
		return Finding{}, false
	}
	alike := c.alike(values)
	asTheyAre := c.distance(values, rescaling{factor: 1})
	if asTheyAre < alike+unitDistance {
		return Finding{}, false
	}
	// Of a small factor a column that is not far from 0 may have the spread of another population.
	q := c.was.Numbers.Quantiles
	near0 := math.Abs(q[3]) < .5*(q[4]-q[2])
	best, least := rescaling{}, math.Inf(1)
	for _, unit := range rescalings {
		if near0 && unit.shift == 0 && max(unit.factor, 1/unit.factor) < grossFactor {
			continue
		}
		if d := c.distance(values, unit); d < least {
			best, least = unit, d
		}
	}
	if least > alike || least > asTheyAre/2 {
		return Finding{}, false
	}
	f := Finding{Code: LaterUnit, Severity: Warning, Columns: []string{c.was.Name}, gravity: asTheyAre,
		What:   fmt.Sprintf("column %q, %s, would be distributed as in training%s", c.was.Name, best, best.cause()),
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

// cause is what may have happened, in brackets.
func (c rescaling) cause() string {
	if c.of == "" {
		return ""
	}
	return " (" + c.of + "?)"
}

// String says what would take values back.
func (c rescaling) String() string {
	switch {
	case c.shift > 0:
		return "taken from Fahrenheit to Celsius"
	case c.shift < 0:
		return "taken from Celsius to Fahrenheit"
	case c.factor < 1:
		return fmt.Sprintf("times %.4g", 1/c.factor)
	}
	return fmt.Sprintf("divided by %.4g", c.factor)
}

// distance is the largest difference, at the quantiles that the profile has, between the distribution function of training and
// that of the values converted back. A quantile that many rows have counts as any share that it may stand for.
func (c *laterColumn) distance(values []float64, unit rescaling) float64 {
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
