package modelreport

import (
	"fmt"
	"math"
	"slices"

	"mediant/report"
	"mediant/tables"
)

// row is that of the table.
func (c *compared) row() []report.Cell {
	row := []report.Cell{report.TextCell(shortName(c.name)), cell(round3(c.distance)), {}, {}, {}, {Text: percent(c.lacking), Value: &c.lacking}}
	if c.x.kind == tables.Numeric {
		meanX, varX := c.x.moments()
		meanY, varY := c.y.moments()
		row[2], row[3] = cell(meanX), cell(meanY)
		if sd := math.Sqrt((varX + varY) / 2); sd > 0 {
			row[4] = cell(round3((meanX - meanY) / sd))
		}
	}
	return row
}

func round3(v float64) float64 { return math.Round(1000*v) / 1000 }

// chart has the distribution in both tables, nil of a column without values.
func (c *compared) chart(number int) *report.Chart {
	chart := &report.Chart{
		Name: fmt.Sprintf("overlap-%d", number), Title: fmt.Sprintf("%s, distance %.2f", shortName(c.name), c.distance), XLabel: shortName(c.name), YLabel: "share of rows", ReachY: []float64{0},
		Note: "How to read it: where (X, U) has bars and (U, Y) has none, Y is extrapolated; where their heights differ, the tables weight U differently.",
	}
	x := report.Series{Name: "first table, (X, U)", Kind: report.Bars}
	y := report.Series{Name: "second table, (U, Y)", Kind: report.Bars}
	if c.x.kind == tables.Text {
		c.levelBars(chart, &x, &y)
	} else if !c.numberBars(&x, &y) {
		return nil
	}
	chart.Series = []report.Series{x, y}
	return chart
}

// levelBars has the shares of the most frequent levels, and of the others together.
func (c *compared) levelBars(chart *report.Chart, x, y *report.Series) {
	px, py := c.x.shares(), c.y.shares()
	levels := levelsOf(px, py)
	add := func(name string, shareX, shareY float64) {
		at := float64(len(chart.XNames))
		chart.XNames = append(chart.XNames, short(name, 25))
		x.X, x.Y = append(x.X, at), append(x.Y, shareX)
		y.X, y.Y = append(y.X, at), append(y.Y, shareY)
	}
	restX, restY := 0., 0.
	for i, l := range levels {
		switch {
		case i >= histogramLevels:
			restX, restY = restX+px[l], restY+py[l]
		case l == "":
			add("(missing)", px[l], py[l])
		default:
			add(l, px[l], py[l])
		}
	}
	if len(levels) > histogramLevels {
		add("others", restX, restY)
	}
}

// numberBars has the shares in bins of equal width from the 1 % to the 99 % quantile of both tables together; the first and the last have all that is
// beyond. Few distinct values are a bin each.
func (c *compared) numberBars(x, y *report.Series) bool {
	var all []float64
	for _, v := range slices.Concat(c.x.numbers, c.y.numbers) {
		if !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return false
	}
	slices.Sort(all)
	centres := slices.Compact(slices.Clone(all))
	if len(centres) > histogramBins {
		low, high := quantile(all, .01), quantile(all, .99)
		if low == high {
			low, high = all[0], all[len(all)-1]
		}
		centres = nil
		for i := range histogramBins {
			centres = append(centres, low+(high-low)*(float64(i)+.5)/histogramBins)
		}
	}
	x.X, x.Y = centres, c.x.binShares(centres)
	y.X, y.Y = centres, c.y.binShares(centres)
	return true
}

// binShares are the shares of rows whose number is nearest to each of ascending centres; those without a number are in none.
func (c *sampledColumn) binShares(centres []float64) []float64 {
	shares, total := make([]float64, len(centres)), 0.
	for i, v := range c.numbers {
		total += c.weights[i]
		if math.IsNaN(v) {
			continue
		}
		at, _ := slices.BinarySearch(centres, v)
		if at == len(centres) || at > 0 && v-centres[at-1] < centres[at]-v {
			at--
		}
		shares[at] += c.weights[i]
	}
	for i := range shares {
		shares[i] /= total
	}
	return shares
}
