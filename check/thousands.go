package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mediant/tables"
)

const (
	// wholeValues is the least number of different whole values beside numbers of three decimals that makes these thousands.
	wholeValues = 10
	// wholeShare is their least share. Of numbers with three decimals one in a thousand is whole.
	wholeShare = .05
	// Fewer, but aboveValues different ones and aboveTimes as many as by chance, say it where most of them are above nearly all numbers with decimals: no
	// measurement has three decimals, and none from a hundred on.
	aboveValues, aboveTimes = 5, 8
)

// thousands reports numbers that seem to have points between thousands and were read as decimals: 745 stayed what it is and 1.234 is a
// thousandth. All are below 1000, whole ones of three digits and many, the others of 1 or more, mostly of three decimals, and the smaller.
func (c *columnLook) thousands(t *tableLook) (whole, marked float64, ok bool) {
	if c.column.Kind != tables.Numeric || !c.fraction || c.present() == 0 || c.numbers.high[0].value >= 1000 || c.numbers.low[0].value <= -1000 {
		return 0, 0, false
	}
	var wholes, fractions []float64
	three := 0
	for _, v := range t.sample.values(c.place) {
		if v == 0 { // 0 however it is read
			continue
		}
		text := strconv.FormatFloat(math.Abs(v), 'f', -1, 64)
		_, decimals, _ := strings.Cut(text, ".")
		switch {
		case decimals == "":
			wholes = append(wholes, math.Abs(v))
			continue
		case len(decimals) > 3 || math.Abs(v) < 1:
			return 0, 0, false
		case len(decimals) == 3:
			three++
		}
		fractions = append(fractions, math.Abs(v))
	}
	slices.Sort(wholes)
	slices.Sort(fractions)
	n, m := len(wholes), len(fractions)
	different := len(slices.Compact(slices.Clone(wholes)))
	if m < wholeValues || 4*three < 3*m || different < aboveValues {
		return 0, 0, false
	}
	whole, marked = wholes[n/2], fractions[m/2]
	many := float64(n) >= wholeShare*float64(n+m) && different >= wholeValues
	above := 1000*n >= aboveTimes*(n+m) && whole > quantile(fractions, .99) && 2*different > n
	return whole, marked, (many || above) && whole >= 100 && marked < whole
}

// readAsThousandths is the finding of such numbers.
func (c *checker) readAsThousandths(table Table, look *columnLook, p *Profile, t *tableLook) {
	whole, marked, ok := look.thousands(t)
	if !ok || slices.Contains(c.opt.Explicit, p.Name) {
		return
	}
	c.add(Finding{Code: MarkedNumbers, Severity: Error, Table: table, Columns: []string{p.Name}, Rows: p.Rows - p.Missing, Of: p.Rows,
		What: fmt.Sprintf("the numbers of %q in %s are whole below 1000 (such as %g) and else have three decimals (such as %g), as if points stood between thousands",
			p.Name, table.words(), whole, marked),
		Effect: "those from 1000 on were read as thousandths of what they are",
		Remedy: fmt.Sprintf("write plain numbers, or --accept %s:%q if they are right", MarkedNumbers, p.Name)})
}
