package check

import (
	"cmp"
	"math"
	"slices"

	"mediant/tables"
)

// A Kind says what the values of a column are, by their content.
type Kind string

const (
	Number     Kind = "number"
	Whole      Kind = "whole number" // with few distinct values: counts, codes
	Truth      Kind = "truth value"
	Level      Kind = "level"
	Date       Kind = "date"
	FreeText   Kind = "free text"
	Identifier Kind = "identifier"        // or a running number
	Marked     Kind = "number with marks" // text: numbers with a unit, per cent, currency or thousands marks
	Constant   Kind = "constant"
	Empty      Kind = "empty"
	Sparse     Kind = "sparse rows"
)

// A Profile is what one pass learned of a column.
type Profile struct {
	Name     string `json:"name"`
	Kind     Kind   `json:"kind"`
	Read     string `json:"read"` // as what it was read: number, text or sparse rows
	Rows     int    `json:"rows"`
	Missing  int    `json:"missing"`
	Distinct int    `json:"distinct"` // estimated above 16,384, or fewer in tables of more than 128 columns
	// Numbers is nil for text.
	Numbers *Numbers `json:"numbers,omitempty"`
	// Levels are the most frequent values of text, at most 20.
	Levels []LevelCount `json:"levels,omitempty"`
}

// Numbers describes a column of numbers; quantiles and mode are of at most 4,096 rows.
type Numbers struct {
	Min       float64   `json:"min"`
	Max       float64   `json:"max"`
	Mean      float64   `json:"mean"`
	SD        float64   `json:"sd"`
	Quantiles []float64 `json:"quantiles"` // at 1, 5, 25, 50, 75, 95, 99 %
	// Mode is the most frequent value, the least of several, and ModeShare its share of the rows that have one; 0 in model files of before.
	Mode      float64 `json:"mode"`
	ModeShare float64 `json:"mode_share"`
}

var quantilesAt = []float64{.01, .05, .25, .5, .75, .95, .99}

// A LevelCount is a value of text and the number of its rows.
type LevelCount struct {
	Level string `json:"level"`
	Rows  int    `json:"rows"`
}

const (
	profileLevels = 20
	// Text of more levels than freeLevels of which more than half of the values differ is free text, as an encoder takes it.
	freeLevels = 100
	// wholeLevels is how many distinct whole numbers still may be codes.
	wholeLevels = 20
)

func (c *columnLook) profile(t *tableLook) *Profile {
	p := &Profile{Name: c.column.Name, Rows: c.rows, Missing: c.missing, Distinct: c.distinct.count(), Kind: Sparse, Read: "sparse rows"}
	switch c.column.Kind {
	case tables.Numeric:
		p.Read = "number"
		p.Kind = c.kindOfNumbers()
		if c.present() > 0 {
			p.Numbers = c.describe(t)
		}
	case tables.Text:
		p.Read = "text"
		p.Kind = c.kindOfText(t)
		p.Levels = c.topLevels(t)
	}
	return p
}

func (c *columnLook) kindOfNumbers() Kind {
	d := c.distinct.count()
	switch {
	case c.present() == 0:
		return Empty
	case c.numbers.low[0].value == c.numbers.high[0].value:
		return Constant
	case d == 2 && c.numbers.low[0].value == 0 && c.numbers.high[0].value == 1:
		return Truth
	case c.isIdentifier():
		return Identifier
	case !c.fraction && d <= wholeLevels:
		return Whole
	}
	return Number
}

func (c *columnLook) describe(t *tableLook) *Numbers {
	n := &Numbers{Min: c.numbers.low[0].value, Max: c.numbers.high[0].value, Mean: c.mean, SD: math.Sqrt(c.m2 / float64(c.present()))}
	n.SD = min(n.SD, math.MaxFloat64) // squares may add up to more than a float64 holds
	values := t.sample.values(c.place)
	if len(values) == 0 { // all sampled rows lack it
		values = []float64{n.Min, n.Max}
	}
	for _, q := range quantilesAt {
		n.Quantiles = append(n.Quantiles, quantile(values, q))
	}
	mode := tally(values)[0]
	n.Mode, n.ModeShare = mode.value, float64(mode.rows)/float64(len(values))
	return n
}

// quantile interpolates between sorted values, as R and numpy do by default; NaN without any.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

func (c *columnLook) kindOfText(t *tableLook) Kind {
	cells := c.cells(t)
	d := c.distinct.count()
	switch {
	case c.present() == 0:
		return Empty
	case d == 1:
		return Constant
	case mostly(cells, isDate):
		return Date
	case mostly(cells, isMarked) && slices.ContainsFunc(cells, func(l LevelCount) bool { return hasMark(l.Level) }):
		return Marked
	case c.isIdentifier():
		return Identifier
	case mostly(cells, isMarked):
		return Marked
	case d == 2 && mostly(cells, isTruth):
		return Truth
	case c.levels == nil, d > freeLevels && 2*d > c.present():
		return FreeText
	}
	return Level
}

// cells are the distinct values of text with their counts, or those of the sample where they are too many to be counted, in
// the order of their text.
func (c *columnLook) cells(t *tableLook) []LevelCount {
	counts := c.levels
	if counts == nil {
		counts = map[string]int{}
		for _, row := range t.sample.heap {
			if cell := row.text[c.place]; cell != "" {
				counts[cell]++
			}
		}
	}
	var cells []LevelCount
	for level, rows := range counts {
		cells = append(cells, LevelCount{level, rows})
	}
	slices.SortFunc(cells, func(a, b LevelCount) int { return cmp.Compare(a.Level, b.Level) })
	return cells
}

func (c *columnLook) topLevels(t *tableLook) []LevelCount {
	cells := c.cells(t)
	slices.SortStableFunc(cells, func(a, b LevelCount) int { return b.Rows - a.Rows })
	return cells[:min(len(cells), profileLevels)]
}

// mostly reports whether nine tenths of the rows have cells of a form.
func mostly(cells []LevelCount, form func(string) bool) bool {
	rows, of := 0, 0
	for _, c := range cells {
		rows += c.Rows
		if form(c.Level) {
			of += c.Rows
		}
	}
	return rows > 0 && 10*of >= 9*rows
}
