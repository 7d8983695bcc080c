package corruption

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Sheet is a CSV file as it is written, and not as it is read: cells are text.
type Sheet struct {
	Names []string
	Rows  [][]string
	// Before and After are lines around the table, as they stand in the file.
	Before, After []string
	Comma         rune // 0 is a comma
	// Encode changes the bytes of the file; nil leaves UTF-8.
	Encode func([]byte) []byte
}

// ReadSheet reads a CSV file with a header.
func ReadSheet(r io.Reader) (*Sheet, error) {
	all, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("corruption: %w", err)
	}
	if len(all) < 2 {
		return nil, fmt.Errorf("corruption: a table has %d lines, want a header and rows", len(all))
	}
	return &Sheet{Names: all[0], Rows: all[1:]}, nil
}

// Bytes is the file.
func (s *Sheet) Bytes() []byte {
	var b bytes.Buffer
	for _, line := range s.Before {
		b.WriteString(line + "\n")
	}
	w := csv.NewWriter(&b)
	if s.Comma != 0 {
		w.Comma = s.Comma
	}
	w.Write(s.Names) // to memory, which does not fail
	w.WriteAll(s.Rows)
	for _, line := range s.After {
		b.WriteString(line + "\n")
	}
	if s.Encode != nil {
		return s.Encode(b.Bytes())
	}
	return b.Bytes()
}

// Clone is a deep copy.
func (s *Sheet) Clone() *Sheet {
	c := *s
	c.Names = slices.Clone(s.Names)
	c.Before, c.After = slices.Clone(s.Before), slices.Clone(s.After)
	c.Rows = make([][]string, len(s.Rows))
	for i, row := range s.Rows {
		c.Rows[i] = slices.Clone(row)
	}
	return &c
}

// Index is the place of a column, -1 if there is none.
func (s *Sheet) Index(name string) int { return slices.Index(s.Names, name) }

// Select is the sheet with some columns only, in that order. Other columns than there are panic.
func (s *Sheet) Select(names []string) *Sheet {
	c := &Sheet{Names: slices.Clone(names)}
	at := make([]int, len(names))
	for j, name := range names {
		at[j] = s.Index(name)
	}
	for _, row := range s.Rows {
		cells := make([]string, len(at))
		for j, i := range at {
			cells[j] = row[i]
		}
		c.Rows = append(c.Rows, cells)
	}
	return c
}

// column returns the cells of a column.
func (s *Sheet) column(name string) []string {
	j := s.Index(name)
	cells := make([]string, len(s.Rows))
	for i, row := range s.Rows {
		cells[i] = row[j]
	}
	return cells
}

// insert puts a column before the one at a place.
func (s *Sheet) insert(at int, name string, cell func(row int) string) {
	s.Names = slices.Insert(s.Names, at, name)
	for i := range s.Rows {
		s.Rows[i] = slices.Insert(s.Rows[i], at, cell(i))
	}
}

// sortBy orders the rows by the number in a column, those without one last.
func (s *Sheet) sortBy(name string) {
	j := s.Index(name)
	key := func(row []string) float64 {
		if v, ok := number(row[j]); ok {
			return v
		}
		return math.Inf(1)
	}
	slices.SortStableFunc(s.Rows, func(a, b []string) int {
		switch x, y := key(a), key(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

// number reads a plain number.
func number(cell string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// write writes a number with seven digits.
func write(v float64) string {
	text := strconv.FormatFloat(v, 'g', 7, 64)
	if strings.Contains(text, "e") {
		text = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return text
}

// A summary says what a column of a sheet holds.
type summary struct {
	numbers   []float64 // ascending; nil unless nine tenths of the cells that are not empty are numbers
	mean, sd  float64
	whole     bool
	levels    []string // distinct cells, the most frequent first
	frequency map[string]int
}

func (s *Sheet) summary(name string) summary {
	c := summary{whole: true, frequency: map[string]int{}}
	filled := 0
	for _, cell := range s.column(name) {
		if cell == "" {
			continue
		}
		filled++
		c.frequency[cell]++
		if v, ok := number(cell); ok {
			c.numbers = append(c.numbers, v)
			c.whole = c.whole && v == math.Trunc(v)
		}
	}
	if 10*len(c.numbers) < 9*filled || filled == 0 {
		c.numbers, c.whole = nil, false
	}
	slices.Sort(c.numbers)
	for _, v := range c.numbers {
		c.mean += v / float64(len(c.numbers))
	}
	for _, v := range c.numbers {
		c.sd += (v - c.mean) * (v - c.mean) / float64(len(c.numbers))
	}
	c.sd = math.Sqrt(c.sd)
	for level := range c.frequency {
		c.levels = append(c.levels, level)
	}
	slices.SortFunc(c.levels, func(a, b string) int {
		if d := c.frequency[b] - c.frequency[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return c
}

// quantile of a column of numbers.
func (c summary) quantile(q float64) float64 {
	return c.numbers[int(q*float64(len(c.numbers)-1)+.5)]
}

func (c summary) isNumber() bool { return c.numbers != nil && c.sd > 0 }

// isMeasured reports numbers with many values, unlike codes.
func (c summary) isMeasured() bool { return c.isNumber() && len(c.levels) > 12 }

func (c summary) isPositive() bool { return c.isMeasured() && c.numbers[0] >= 0 }

// isNarrow reports positive measurements that are far from 0 in units of their spread, and isFine ones that hardly repeat: what would be natural in others, as
// a 0 among amounts, is none in these.
func (c summary) isNarrow() bool { return c.isMeasured() && c.numbers[0] > 0 && c.mean >= 4.5*c.sd }

func (c summary) isFine() bool {
	return c.isMeasured() && len(c.levels) > 40 && 40*c.frequency[c.levels[0]] <= len(c.numbers)
}

func (c summary) isCode() bool {
	return c.isNumber() && c.whole && len(c.levels) >= 3 && len(c.levels) <= 12
}

// isLevel reports text with few values.
func (c summary) isLevel() bool {
	return c.numbers == nil && len(c.levels) >= 2 && len(c.levels) <= 20
}

func (c summary) isTruth() bool {
	if len(c.levels) != 2 {
		return false
	}
	pair := slices.Sorted(slices.Values(c.levels))
	return slices.Contains([]string{"no yes", "0 1", "0.0 1.0", "false true"}, pair[0]+" "+pair[1])
}
