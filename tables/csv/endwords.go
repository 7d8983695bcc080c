package csv

import (
	"math"
	"slices"
	"strings"

	"mediant/internal/literal"
)

// totalWords are what a cell of a row of sums, means or other statistics says, in lower case.
var totalWords = []string{
	"total", "totals", "grand total", "overall total", "sum", "sums", "mean", "means", "average", "averages", "avg",
	"overall", "column total", "column totals", "subtotal", "subtotals", "sub-total", "sub total",
	"median", "minimum", "maximum", "min", "max", "sd", "std", "std dev", "std. dev.", "stdev", "variance", "count",
	"summe", "summen", "zwischensumme", "gesamt", "gesamtsumme", "insgesamt", "mittelwert", "mittel", "durchschnitt",
	"somme", "moyenne", "suma", "promedio", "media", "totale", "somma", "totaal", "gemiddelde",
}

// noteWords are what the first cell of a note about a table begins with, before a colon, in lower case.
var noteWords = []string{
	"source", "sources", "data source", "note", "notes", "n.b.", "nb", "remark", "remarks", "footnote", "footnotes", "legend", "disclaimer",
	"quelle", "quellen", "datenquelle", "anmerkung", "anmerkungen", "hinweis", "hinweise", "legende", "fußnote", "stand",
	"remarque", "fuente", "nota", "fonte", "bron",
}

// longestEndWord bounds what is compared with the words.
const longestEndWord = 16

// endWord finds the cell that begins a row of sums or means, or a note, -1 if there is none: the first that is not empty, or,
// of sums, a later one. It is asked of every record.
func endWord(cells []string) (at int, total bool) {
	first := true
	for i, cell := range cells {
		word := literal.Trim(cell)
		if word == "" {
			continue
		}
		if first && isNote(word) {
			return i, false
		}
		first = false
		if isTotal(word) {
			return i, true
		}
	}
	return -1, false
}

// isTotal reports whether a cell, without spaces around it and not empty, is a word of sums.
func isTotal(word string) bool {
	return (word[0] >= 'A') && len(word) <= longestEndWord && totals.has(literal.Trim(strings.TrimSuffix(word, ":")))
}

// isNote reports whether a note begins so.
func isNote(word string) bool {
	if literal.IsDigit(word[0]) || word[0] == '-' || word[0] == '.' {
		return false
	}
	before, _, colon := strings.Cut(word[:min(len(word), longestEndWord)], ":")
	return colon && remarks.has(literal.Trim(before)) ||
		strings.HasPrefix(word, "©") || strings.HasPrefix(word, "† ") || strings.HasPrefix(word, "* ") || isSize(word)
}

// endWords are words by their length, since most cells are compared with few then.
type endWords [longestEndWord + 1][]string

func newEndWords(words []string) (byLength endWords) {
	for _, w := range words {
		byLength[len(w)] = append(byLength[len(w)], w)
	}
	return byLength
}

var totals, remarks = newEndWords(totalWords), newEndWords(noteWords)

func (e *endWords) has(s string) bool {
	return slices.ContainsFunc(e[len(s)], func(w string) bool { return strings.EqualFold(w, s) })
}

// isSize reports whether a cell is like "n = 200".
func isSize(cell string) bool {
	if cell[0] != 'n' && cell[0] != 'N' {
		return false
	}
	rest, ok := strings.CutPrefix(literal.Trim(cell[1:]), "=")
	return ok && rest != "" && literal.IsDigit(literal.Trim(rest + " ")[0])
}

// A columnSum is the sum of the numbers of a column, and which of the numbers at its end occur above.
type columnSum struct {
	sum, absolute float64
	count         int
	ends          []float64
	seen          []bool
}

// expect adds a number at the end of the column.
func (c *columnSum) expect(cell string, decimal byte) {
	if v, class := literal.Parse(cell, decimal); class == literal.Number {
		c.ends, c.seen = append(c.ends, v), append(c.seen, false)
	}
}

func (c *columnSum) add(cell string, decimal byte) {
	v, class := literal.Parse(cell, decimal)
	if class != literal.Number {
		return
	}
	c.sum += v
	c.absolute += math.Abs(v)
	c.count++
	for i, end := range c.ends {
		c.seen[i] = c.seen[i] || v == end
	}
}

// agree reports whether the cells are the sums or the means of their columns, to the digits that are written, and one of them a
// number that no row has: else a row might agree by chance.
func agree(h heldRecord, sums []columnSum, decimal byte) bool {
	telling := false
	for i, cell := range h.cells {
		cell = literal.Trim(cell)
		if i == h.at || cell == "" || literal.UsualMarker(cell) {
			continue
		}
		v, class := literal.Parse(cell, decimal)
		s := sums[i]
		if class != literal.Number || s.count == 0 {
			return false
		}
		// Half a unit of the last digit, and the rounding of the sum, as of one that was added up in another order.
		tolerance := lastDigit(cell, decimal)/2*(1+1e-9) + 0x1p-52*float64(s.count)*s.absolute
		if !(math.Abs(v-s.sum) <= tolerance) && !(math.Abs(v-s.sum/float64(s.count)) <= tolerance) {
			return false
		}
		telling = telling || !s.seen[slices.Index(s.ends, v)]
	}
	return telling
}

// lastDigit is the value of a unit in the last place of a number as written.
func lastDigit(cell string, decimal byte) float64 {
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(cell), "e")
	unit := 1.0
	if _, fraction, ok := strings.Cut(mantissa, string(decimal)); ok {
		unit = math.Pow10(-len(fraction))
	}
	if scaled {
		unit *= literal.Value("1e"+exponent, '.')
	}
	return unit
}
