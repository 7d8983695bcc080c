package check

import (
	"fmt"
	"math"
	"slices"
)

// MixedUnits is the code of a column that has part of its values in another unit.
const MixedUnits Code = "mixed-units"

const (
	// leastOfUnit different values, and leastShare of all, are in either unit; the units are grossUnits or more apart, and no value lies within
	// unitGap times the last one of the smaller unit.
	leastOfUnit, leastShare = 8, .02
	grossUnits, unitGap     = 50., 2.
)

// mixedUnits finds a column of positive numbers that falls in two parts, the upper of which is distributed as the lower one times a
// factor of units.
func (c *checker) mixedUnits(table Table, look *columnLook, p *Profile, t *tableLook) {
	if p.Numbers == nil || !(p.Numbers.Min > 0) {
		return
	}
	values := t.sample.values(look.place)
	least := max(leastOfUnit, int(leastShare*float64(len(values))))
	at, widest := 0, unitGap
	for i := least; i <= len(values)-least; i++ {
		if i > 0 && values[i]/values[i-1] > widest {
			at, widest = i, values[i]/values[i-1]
		}
	}
	if at == 0 {
		return
	}
	low, high := values[:at], values[at:]
	if min(len(slices.Compact(slices.Clone(low))), len(slices.Compact(slices.Clone(high)))) < leastOfUnit {
		return
	}
	ratio := quantile(high, .5) / quantile(low, .5)
	for _, f := range factors {
		if f.factor < grossUnits || math.Abs(math.Log(ratio/f.factor)) > math.Log(nearFactor) {
			continue
		}
		scaled := slices.Clone(high)
		for i := range scaled {
			scaled[i] /= f.factor
		}
		if !alike(distance(scaled, low), len(scaled), len(low)) {
			continue
		}
		cause := ""
		if f.cause != "" {
			cause = " (" + f.cause + "?)"
		}
		rows := int(math.Round(float64(len(high)) / float64(len(values)) * float64(p.Rows-p.Missing)))
		c.add(Finding{Code: MixedUnits, Severity: Warning, Table: table, Columns: []string{p.Name}, Rows: rows, Of: p.Rows, gravity: 1,
			What:   fmt.Sprintf("about %d of the %d values of %q in %s are like the others times %g%s", rows, p.Rows-p.Missing, p.Name, table.words(), f.factor, cause),
			Effect: "if they are in another unit, they hide all that the others say",
			Remedy: fmt.Sprintf("write all in one unit, or --accept %s:%q if they are two kinds of rows", MixedUnits, p.Name)})
		return
	}
}
