package check

import (
	"fmt"
	"math"
	"slices"
)

const (
	// besideCodes is the most codes that stand for no answer beside the codes of a scale: 7, 8 and 9.
	besideCodes = 3
	// Counts that fall towards the end of a scale leave codes empty before others with a probability below besideChance.
	besideChance = 1e-5
	// A short scale has up to shortScale codes, and may skip one: doses of 1, 2, 3 and 5.
	shortScale = 4
)

// beside returns codes beyond a scale of whole numbers that follow each other, with others left out between: 8 beside 1 to 5. They follow each other
// as well. It is not sure if the scale begins neither at 0 nor at 1, nor has its middle at 0: cylinders are 3, 4, 5, 6 or 8.
func (c *columnLook) beside() (codes []valueCount, scale [2]float64, surely, ok bool) {
	n := c.distinct.count()
	if c.fraction || n < 3 || n > spikeDistinct {
		return nil, scale, false, false
	}
	for _, ends := range [][2][]valueCount{{c.numbers.low, c.numbers.high}, {c.numbers.high, c.numbers.low}} {
		for j := 1; j <= besideCodes && j < min(n-1, len(ends[0])); j++ {
			codes, near, far := ends[0][:j], ends[0][j].value, ends[1][0].value
			scale = [2]float64{min(near, far), max(near, far)}
			width, span := scale[1]-scale[0], math.Abs(codes[0].value-codes[j-1].value)+1
			if width != float64(n-j-1) || span != float64(j) {
				continue
			}
			rows, left := 0, math.Abs(codes[j-1].value-near)-1
			for _, v := range codes {
				rows += v.rows
			}
			if j == 1 && codes[0].rows >= 3 && math.Abs(codes[0].value) >= 7 && slices.Contains(markers, codes[0].value) && left+1 >= max(3, width) {
				return codes, scale, true, true
			}
			// If their distribution falls beyond the scale, each of these rows is among the last span codes with a probability of at most span in span and left.
			if left < 1 || width < 2 || width < shortScale && left < 2 || float64(rows)*math.Log(span/(span+left)) > math.Log(besideChance) {
				continue
			}
			surely = scale[0] == 0 || scale[0] == 1 || scale[0] == -scale[1]
			return codes, scale, surely, true
		}
	}
	return nil, scale, false, false
}

// noAnswer is the finding of such codes.
func (c *checker) noAnswer(table Table, p *Profile, codes []valueCount, scale [2]float64, surely bool) {
	rows, values, flags := listed(p.Name, codes)
	f := Finding{Code: MissingMarker, Severity: Warning, Table: table, Columns: []string{p.Name}, Rows: rows, Of: p.Rows,
		What: fmt.Sprintf("%q is %s in %d of %d rows of %s, beside the codes %g to %g and with none between", p.Name,
			values, rows, p.Rows, table.words(), scale[0], scale[1]),
		Effect:  "if that is no answer on the scale, as \"don't know\" is, it is learned from as a number",
		Remedy:  fmt.Sprintf("%s, or --accept %s:%q if it is one", flags, MissingMarker, p.Name),
		gravity: causeFirst + float64(rows)/float64(p.Rows)}
	if !surely {
		f.Severity = Note
	}
	c.add(f)
}
