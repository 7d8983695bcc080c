package csv

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"mediant/internal/literal"
)

const (
	// maxSubtotals bounds the records that may be sums of the rows above them, and fewestUnnamed is how many there are at least that no word
	// names: of rows with an empty cell.
	maxSubtotals, fewestUnnamed = 1 << 14, 3
	// doubtfulSubtotals of them that are no sums end the search, if none was.
	doubtfulSubtotals = 16
	// groupValues of a column above a sum are kept, to tell a sum from a value that occurs.
	groupValues = 1 << 12
	// longestSubtotal bounds a cell that has a word of sums in front or at the end ("North total").
	longestSubtotal = 40
)

// A subtotal is a record that may hold sums of the rows above it.
type subtotal struct {
	number int
	line   int
	at     int    // the cell that says so, -1 if none does
	word   string // what it says, in lower case
}

// subtotalWord finds the cell that says that a record holds sums: one of the words of sums, or a short one that begins or ends with it.
func subtotalWord(cells []string) (at int, word string) {
	for i, cell := range cells {
		cell = literal.Trim(cell)
		if len(cell) < 3 || len(cell) > longestSubtotal || cell[0] < 'A' {
			continue
		}
		if isTotal(cell) {
			return i, strings.ToLower(literal.Trim(strings.TrimSuffix(cell, ":")))
		}
		first, last := strings.IndexByte(cell, ' '), strings.LastIndexByte(cell, ' ')
		if first < 0 {
			continue
		}
		for _, word := range []string{cell[last+1:], cell[:first]} {
			if word != "" && isTotal(word) {
				return i, strings.ToLower(word)
			}
		}
	}
	return -1, ""
}

// noteSubtotal keeps a record that may hold sums, as one with a word of sums or an empty cell may, unless there are very many.
func (s *scan) noteSubtotal(r candidate) {
	at, word := subtotalWord(r.cells)
	if at >= 0 {
		s.named++
		s.keepSubtotal(subtotal{r.number, r.start, at, word})
	} else if slices.ContainsFunc(r.cells, func(cell string) bool { return literal.Trim(cell) == "" }) {
		s.noteUnnamed(r.number, r.start)
	}
}

// noteUnnamed keeps a record with an empty cell and without a word of sums.
func (s *scan) noteUnnamed(number, line int) {
	if s.unnamed <= maxSubtotals {
		s.unnamed++
		s.keepSubtotal(subtotal{number, line, -1, ""})
	}
}

func (s *scan) keepSubtotal(r subtotal) {
	if len(s.subtotals) < maxSubtotals {
		s.subtotals = append(s.subtotals, r)
	}
}

// A subtotalGroup are the rows since the last sums, or all, in one column.
type subtotalGroup struct {
	columnSum
	values    []float64
	low, high float64
}

// occurs reports whether the group has the value, or may have it.
func (g *subtotalGroup) occurs(v float64) bool {
	return slices.Contains(g.values, v) || len(g.values) == groupValues && g.within(v)
}

func (g *subtotalGroup) within(v float64) bool { return g.low <= v && v <= g.high }

func (g *subtotalGroup) addNumber(v float64) {
	if g.count == 0 {
		g.low, g.high = v, v
	}
	g.low, g.high = min(g.low, v), max(g.high, v)
	g.sum += v
	g.absolute += math.Abs(v)
	g.count++
	if len(g.values) < groupValues {
		g.values = append(g.values, v)
	}
}

// findSubtotals reads the file once more where records may hold sums of the rows above them, in the middle of the table, and returns the
// numbers of those that do, ascending. It is an error if most records of a word hold sums, and others do not.
func (s *scan) findSubtotals(open func() (*recordReader, error)) ([]int, error) {
	if s.unnamed > maxSubtotals || 20*s.unnamed > s.read { // rows with missing values
		s.subtotals = slices.DeleteFunc(s.subtotals, func(c subtotal) bool { return c.at < 0 })
		s.unnamed = 0
	}
	inMiddle := func(c subtotal) bool { return len(s.tail) == 0 || c.number < s.tail[0].number }
	if s.named > maxSubtotals || s.unnamed < fewestUnnamed && !slices.ContainsFunc(s.subtotals, func(c subtotal) bool { return c.at >= 0 && inMiddle(c) }) {
		return nil, nil
	}
	rows, err := open()
	if err != nil {
		return nil, err
	}
	search := subtotalSearch{rowReader: rowReader{sieve: sieve{header: &rows.header, fields: s.fields, known: s.known}, rows: rows}, group: make([]subtotalGroup, len(s.fields)), all: make([]subtotalGroup, len(s.fields))}
	sums, err := search.run(s.subtotals)
	if err != nil {
		return nil, err
	}
	return s.decideSubtotals(sums, inMiddle)
}

// A subtotalSearch is a pass that compares records with the rows above them.
type subtotalSearch struct {
	rowReader
	group, all []subtotalGroup
	last       []string // the row above
	count      [2]int   // rows of the group, and of all
}

// run returns which of the records are sums of the rows above them.
func (s *subtotalSearch) run(records []subtotal) ([]bool, error) {
	sums, found := make([]bool, len(records)), 0
	for k := 0; k < len(records); {
		r, err := s.next()
		if err == io.EOF {
			return sums, nil
		}
		if err != nil {
			return nil, err
		}
		if r.skip != "" || r.ragged {
			continue
		}
		if records[k].number == r.number {
			sums[k] = s.isSum(r.cells, records[k].at)
			k++
			if sums[k-1] {
				found++
				clear(s.group)
				s.count[0] = 0
				continue
			}
			if k-found >= doubtfulSubtotals && found == 0 {
				return sums, nil
			}
		}
		s.add(r.cells)
	}
	return sums, nil
}

func (s *subtotalSearch) add(cells []string) {
	s.count[0]++
	s.count[1]++
	s.last = s.last[:0]
	for i, cell := range cells {
		s.last = append(s.last, strings.Clone(cell))
		if v, class := literal.Parse(cell, s.decimal); class == literal.Number {
			s.group[i].addNumber(v)
			s.all[i].addNumber(v)
		}
	}
}

// isSum reports whether the numbers of a record are sums or means of the rows since the last sums, or of all rows above. Text is to be missing, or that
// of the row above. Without a word that says so some number must be outside of the range of those above, as no mean is: a number that is a mean
// to the digits that are written is no rare chance.
func (s *subtotalSearch) isSum(cells []string, at int) bool {
	h := heldRecord{candidate: candidate{cells: slices.Clone(cells)}, at: at}
	for i, cell := range h.cells {
		if _, class := literal.Parse(cell, s.decimal); class != literal.Number && i < len(s.last) && cell == s.last[i] {
			h.cells[i] = ""
		}
	}
	for k, groups := range [][]subtotalGroup{s.group, s.all} {
		if s.count[k] < 2 || at < 0 && s.count[k] < fewestUnnamed {
			continue
		}
		sums := make([]columnSum, len(groups))
		for i := range groups {
			sums[i] = groups[i].columnSum
			if v, class := literal.Parse(h.cells[i], s.decimal); class == literal.Number {
				g := &groups[i]
				sums[i].ends, sums[i].seen = []float64{v}, []bool{at >= 0 && g.occurs(v) || at < 0 && g.within(v)}
			}
		}
		if agree(h, sums, s.decimal) {
			return true
		}
	}
	return false
}

// decideSubtotals returns the records that are sums: those of a word that all are, one of them in the middle of the table, and those of no word if there are
// several.
func (s *scan) decideSubtotals(sums []bool, inMiddle func(subtotal) bool) ([]int, error) {
	type count struct {
		sums, others int
		middle       bool
		sum, other   int // lines of the first
	}
	words := make(map[string]*count)
	for k, c := range s.subtotals {
		w := words[c.word]
		if w == nil {
			w = &count{}
			words[c.word] = w
		}
		if !sums[k] {
			if w.others++; w.others == 1 {
				w.other = c.line
			}
			continue
		}
		w.middle = w.middle || inMiddle(c)
		if w.sums++; w.sums == 1 {
			w.sum = c.line
		}
	}
	var drop []int
	for k, c := range s.subtotals {
		w := words[c.word]
		switch {
		case !sums[k] || !w.middle:
		case c.at < 0:
			if w.sums >= fewestUnnamed {
				drop = append(drop, c.number)
			}
		case w.others == 0:
			drop = append(drop, c.number)
		case w.sums >= fewestUnnamed && w.sums >= w.others:
			return nil, fmt.Errorf("csv: %s:%d: rows named %q hold sums or means of the rows above, this one and %d more, but not the one on line %d; remove those that are no rows",
				s.name, w.sum, c.word, w.sums-1, w.other)
		}
	}
	return drop, nil
}
