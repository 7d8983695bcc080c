package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mediant/tables"
)

const (
	// reversedAlarm is the level of the test of all columns of U for a difference of the arms that changes its sign.
	reversedAlarm = 1e-4
	// reversedEdge is the least share of the rows on either side of the change, reversedEach how many standard errors the difference is on either side,
	// and reversedUnequal how many their sizes may be apart.
	reversedEdge, reversedEach, reversedUnequal = .1, 2.5, 3
)

// reversedArms finds a row of the first table at which the difference of U between the arms of a treatment changes its sign and not its size: there
// the treatment may be coded the other way. It is a note where the treatment is in blocks of rows.
func (c *checker) reversedArms() {
	if c.opt.Treatment == "" {
		return
	}
	s := sampledU{looks: [2]*tableLook{c.xu, c.xu}, rows: [2][]sampledRow{c.xu.runs.all()}}
	arms := s.byArm(c.opt.Treatment)
	if len(arms) != 2 || len(arms[0].rows)+len(arms[1].rows) < orderRows {
		return
	}
	var rows []armRow
	for a, arm := range arms {
		for _, row := range arm.rows {
			rows = append(rows, armRow{row, a})
		}
	}
	slices.SortFunc(rows, func(a, b armRow) int { return cmp.Compare(a.number, b.number) })
	all := c.surrogates(rows)
	best, of := reversal{chance: 1}, surrogate{}
	var severity Severity
	for _, u := range all {
		var values []float64
		var arm, numbers []int
		for i, row := range rows {
			if v := u.values[i]; !math.IsNaN(v) {
				values, arm, numbers = append(values, v), append(arm, row.arm), append(numbers, row.number)
			}
		}
		if len(values) < orderRows {
			continue
		}
		if r := reversalOf(normalScores(values), arm); r.chance < best.chance {
			r.row = numbers[r.row]
			best, of = r, u
			severity = Warning
			if inBlocks(arm) {
				severity = Note
			}
		}
	}
	if p := best.chance * float64(len(all)); p < reversedAlarm {
		c.add(Finding{Code: ArmsDiffer, Severity: severity, Table: XU, Columns: append([]string{c.opt.Treatment}, of.columns...), Rows: c.xu.rows - best.row, Of: c.xu.rows, gravity: causeFirst + 1,
			What: fmt.Sprintf("from row %d or so of %s on the difference of %s between the arms of %q is %.2g standard deviations, and %.2g above (%s)",
				best.row+1, XU.words(), of.words, c.opt.Treatment, best.below, best.above, chanceOf(p)),
			Effect: "if the treatment is coded the other way there, the arms are mixed up, and the effect is too small",
			Remedy: fmt.Sprintf("code it alike in all rows; --accept %s:%q if the rows there are others", ArmsDiffer, c.opt.Treatment)})
	}
}

// An armRow is a row of an arm of a treatment.
type armRow struct {
	sampledRow
	arm int
}

// A surrogate is what may differ between arms, in some rows: a column of numbers of U, or what U says of a column of Y.
type surrogate struct {
	words   string
	columns []string // of the first table
	values  []float64
}

func (c *checker) surrogates(rows []armRow) []surrogate {
	var all []surrogate
	for _, name := range c.roles.U {
		if look := c.xu.of(name); look.column.Kind == tables.Numeric {
			u := surrogate{words: fmt.Sprintf("%q", name), columns: []string{name}}
			for _, row := range rows {
				u.values = append(u.values, row.num[look.place])
			}
			all = append(all, u)
		}
	}
	if len(c.roles.U) == 1 { // which is the index
		return all
	}
	sampled := make([]sampledRow, len(rows))
	for i, row := range rows {
		sampled[i] = row.sampledRow
	}
	for _, s := range c.index(sampled, c.uy.runs.all()) {
		all = append(all, surrogate{words: fmt.Sprintf("what U says of %q", s.column), values: s.values})
	}
	return all
}

// inBlocks reports whether rows of one arm follow each other more often than in random order, as where sites or months were treated: what differs
// between these may differ between the arms.
func inBlocks(arm []int) bool {
	n, treated, changes := float64(len(arm)), 0., 0.
	for i, a := range arm {
		treated += float64(a)
		if i > 0 && a != arm[i-1] {
			changes++
		}
	}
	p := 2 * treated / n * (1 - treated/n) // of a change
	return changes < (n-1)*p-orderedArms*math.Sqrt(n*p*(1-p))
}

// orderedArms is how many standard deviations the changes between the arms are fewer in blocks.
const orderedArms = 3

// A reversal is a row at which a difference of two arms changes its sign, the difference above it and from it on, and the probability of a change as
// sharp at any row.
type reversal struct {
	row          int
	above, below float64
	chance       float64
}

// reversalOf finds the sharpest one of scores of variance 1. The probability is that of the maximum of a standardised Brownian bridge between two
// shares of the rows (James, James and Siegmund, Biometrika 1987).
func reversalOf(scores []float64, arm []int) reversal {
	var total, sum [2]float64
	var of, rows [2]float64
	for i, v := range scores {
		total[arm[i]] += v
		of[arm[i]]++
	}
	best, at := reversal{chance: 1}, 0.
	for i, v := range scores {
		above := sum[1]/rows[1] - sum[0]/rows[0]
		below := (total[1]-sum[1])/(of[1]-rows[1]) - (total[0]-sum[0])/(of[0]-rows[0])
		edge := reversedEdge * min(of[0], of[1])
		if min(rows[0], rows[1], of[0]-rows[0], of[1]-rows[1]) >= max(edge, fewestRows) && above*below < 0 {
			va, vb := 1/rows[0]+1/rows[1], 1/(of[0]-rows[0])+1/(of[1]-rows[1])
			z, unequal := math.Abs(above-below)/math.Sqrt(va+vb), math.Abs(above+below)/math.Sqrt(va+vb)
			if z > at && math.Abs(above) > reversedEach*math.Sqrt(va) && math.Abs(below) > reversedEach*math.Sqrt(vb) && unequal < reversedUnequal {
				at, best = z, reversal{row: i, above: above, below: below}
			}
		}
		sum[arm[i]] += v
		rows[arm[i]]++
	}
	if at == 0 {
		return reversal{chance: 1}
	}
	density := math.Exp(-at*at/2) / math.Sqrt(2*math.Pi)
	best.chance = min(1, density*((at-1/at)*2*math.Log(1/reversedEdge-1)+4/at))
	return best
}
