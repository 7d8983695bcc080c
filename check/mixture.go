package check

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// MixedUnits is the code of a column that has part of its values in another unit.
const MixedUnits Code = "mixed-units"

const (
	// leastOfUnit different values, and leastShare of all rows, are in either unit.
	leastOfUnit, leastShare = 8, .02
	// Units that are grossUnits or more apart are seen by their factor, even if a few rows have the other one. Of smaller ones unitRowsLeast rows have either.
	grossUnits    = 50.
	unitRowsLeast = 20
	// leastFactor of units is distinguished from one population, and otherFactor is the least that is reported if no units are known for it.
	leastFactor, otherFactor = 1.6, 2.
	// Units of farFactor or more, between which hardly any value lies, are surely units if the humps are alike.
	farFactor = 5.
	// The deepest valley of 4,000 uniform values, which have the deepest of all with one mode, is below perhapsTwo in three of 1,000 samples, and one decade
	// less often for each 2.3 below it.
	perhapsTwo, surelyTwo = -14., -20.
)

// A mixture is how the higher of two humps is like the lower one.
type mixture struct {
	what, cause string
	rows        int // in the higher hump, of the sample
	distance    float64
	surely      bool
}

// mixedUnits finds a column of numbers that falls in two humps, the upper of which is distributed as the lower one in another unit, and reports
// whether it surely is one.
func (c *checker) mixedUnits(table Table, look *columnLook, p *Profile, t *tableLook) bool {
	if p.Numbers == nil || p.Distinct < 2*leastOfUnit {
		return false
	}
	values := t.sample.values(look.place)
	n := len(values)
	values = without(values, frequentValues(values))
	m, ok := mixed2(values)
	if !ok {
		return false
	}
	share := float64(m.rows) / float64(n)
	cause := ""
	if m.cause != "" {
		cause = " (" + m.cause + "?)"
	}
	f := Finding{Code: MixedUnits, Severity: Warning, Table: table, Columns: []string{p.Name}, Rows: int(math.Round(share * float64(p.Rows-p.Missing))), Of: p.Rows, gravity: 1,
		Effect: "if they are in another unit, they hide all that the others say",
		Remedy: fmt.Sprintf("write all in one unit, or --accept %s:%q if they are two kinds of rows", MixedUnits, p.Name)}
	f.What = fmt.Sprintf("about %d of the %d values of %q in %s are like the others %s%s", f.Rows, p.Rows-p.Missing, p.Name, table.words(), m.what, cause)
	if !m.surely {
		f.Severity = Note
	}
	c.add(f)
	return m.surely
}

// mixed2 finds how ascending values are those of two units: by a factor, whatever their signs; as degrees Celsius and Fahrenheit; or by their signs.
func mixed2(values []float64) (mixture, bool) {
	least := max(leastOfUnit, int(leastShare*float64(len(values))))
	var found []mixture
	if m, ok := byFactor(values, least); ok {
		found = append(found, m)
	}
	if v := deepest(values, max(least, unitRowsLeast)); v.logP <= perhapsTwo && v.manyValues() {
		for _, c := range []struct {
			what, cause string
			of          func(v float64) float64
			sign        bool
		}{{"taken from Celsius to Fahrenheit", "they are degrees Celsius and Fahrenheit", func(v float64) float64 { return 1.8*v + 32 }, false},
			{"with the other sign", "the sign was lost or added in part", func(v float64) float64 { return -v }, true}} {
			if c.sign && (v.low[len(v.low)-1] > 0 || v.high[0] < 0 || !v.clear(1./4)) {
				continue
			}
			to := conversion{of: c.of}.converted(v.low)
			if d := distance(rounded(to), rounded(v.high)); to != nil && closelyAlike(d, len(v.low), len(v.high)) {
				m := mixture{what: c.what, cause: c.cause, rows: len(v.high), distance: d, surely: v.logP <= surelyTwo}
				if c.sign {
					m.rows = min(len(v.low), len(v.high))
					m.surely = m.surely && 3*m.rows <= len(values) // halves may well be two kinds of rows
				}
				found = append(found, m)
			}
		}
	}
	if found == nil {
		return mixture{}, false
	}
	return slices.MinFunc(found, func(a, b mixture) int {
		if a.distance < b.distance {
			return -1
		}
		return 1
	}), true
}

// byFactor looks at the logarithms of the sizes of values, in which a factor is a shift.
func byFactor(values []float64, least int) (mixture, bool) {
	var logs []float64
	for _, v := range values {
		if v != 0 {
			logs = append(logs, math.Log(math.Abs(v)))
		}
	}
	slices.Sort(logs)
	cut := deepest(logs, least)
	if cut.logP > perhapsTwo || !cut.manyValues() {
		return mixture{}, false
	}
	at := (cut.low[len(cut.low)-1] + cut.high[0]) / 2
	var low, high []float64 // with their signs
	for _, v := range values {
		switch {
		case v == 0:
		case math.Log(math.Abs(v)) < at:
			low = append(low, v)
		default:
			high = append(high, v)
		}
	}
	ratio := math.Exp(quantile(cut.high, .5) - quantile(cut.low, .5))
	best, ok := mixture{distance: math.Inf(1)}, false
	clear := cut.clear(1. / 3)
	few := min(len(low), len(high)) < unitRowsLeast
	se := 1.2533 * math.Hypot(stat.PopStdDev(cut.low, nil)/math.Sqrt(float64(len(low))), stat.PopStdDev(cut.high, nil)/math.Sqrt(float64(len(high)))) // of medians of normal values
	for _, f := range factors {
		apart := math.Abs(math.Log(ratio / f.factor))
		d := distance(scaledBy(low, f.factor), rounded(high))
		gross := f.factor >= grossUnits
		shaped := closelyAlike
		if gross || f.factor >= farFactor && clear {
			shaped = alike
		}
		switch {
		case f.factor < leastFactor, d >= best.distance,
			!shaped(d, len(low), len(high)),
			gross && apart > max(math.Log(nearFactor), closeErrors*se),
			!gross && (few || apart > min(closeFactor, closeErrors*se+closeAlways)):
			continue
		}
		best, ok = mixture{fmt.Sprintf("times %.5g", f.factor), f.cause, len(high), d, cut.logP <= surelyTwo && (gross || se <= closeSurely || f.factor >= farFactor && clear)}, true
	}
	if ok || few || ratio < otherFactor || cut.logP > surelyTwo || !clear {
		return best, ok
	}
	if d := distance(scaledBy(low, ratio), rounded(high)); closelyAlike(d, len(low), len(high)) {
		return mixture{fmt.Sprintf("times %.3g", ratio), "another unit, another currency, two kinds of rows", len(high), d, ratio >= farFactor}, true
	}
	return best, ok
}

// scaledBy are values times a factor, in order.
func scaledBy(values []float64, factor float64) []float64 {
	to := make([]float64, len(values))
	for i, v := range values {
		to[i] = factor * v
	}
	return rounded(to)
}

const (
	// The logarithm of a ratio of medians is so near to that of a factor, and within so many of its standard errors, besides what cuts and rounding do.
	closeFactor, closeErrors, closeAlways = .08, 2.2, .005
	// It says little with a larger standard error, since there are many units.
	closeSurely = .04
)

// closelyAlike is alike at a p-value of .1 in the place of .01, less what a cut moves from one hump to the other.
func closelyAlike(d float64, n, m int) bool {
	const moved = .03
	return alike((d-moved)*1.628/1.224, n, m)
}
