package corruption

import (
	"fmt"
	"slices"
	"unicode/utf16"
)

var (
	linesText = [Strengths]string{"1 line", "3 lines", "10 lines"}
	lines     = [Strengths]int{1, 3, 10}
)

// files are faults of the file around the table.
func files() []Corruption { return slices.Concat(extraRows(), around(), ragged()) }

// file is a corruption of the file of either table.
func file(name string, labels [Strengths]string, f func(c *Case, s *Sheet) bool) Corruption {
	return Corruption{Group: "file", Name: name, Strengths: labels, Places: ofTables, spoil: func(c *Case) bool { return f(c, c.table()) }}
}

// extraRows are rows that are not of the table.
func extraRows() []Corruption {
	return []Corruption{
		file("blank rows at the end", [Strengths]string{"1", "10", "100"}, func(c *Case, s *Sheet) bool {
			for range []int{1, 10, 100}[c.Strength] {
				s.Rows = append(s.Rows, make([]string, len(s.Names)))
			}
			return true
		}),
		file("header repeated", linesText, func(c *Case, s *Sheet) bool {
			for k := range lines[c.Strength] {
				s.Rows = slices.Insert(s.Rows, (k*19+7)%len(s.Rows), slices.Clone(s.Names))
			}
			return true
		}),
		file("units under the header", [Strengths]string{"in parentheses", "bare", "types"}, func(c *Case, s *Sheet) bool {
			row := make([]string, len(s.Names))
			for j := range row {
				row[j] = [Strengths]string{"(kg)", "kg", "numeric"}[c.Strength]
			}
			s.Rows = slices.Insert(s.Rows, 0, row)
			return true
		}),
		file("totals at the end", [Strengths]string{"with a word", "only sums", "means"}, func(c *Case, s *Sheet) bool {
			row := make([]string, len(s.Names))
			for j, name := range s.Names {
				sum := s.summary(name)
				if sum.numbers == nil {
					continue
				}
				total := sum.mean
				if c.Strength < 2 {
					total *= float64(len(sum.numbers))
				}
				row[j] = write(total)
			}
			if c.Strength == 0 {
				row[0] = "Total"
			}
			s.Rows = append(s.Rows, row)
			return true
		}),
		file("subtotals between", [Strengths]string{"with a word", "of sites", "only sums"}, func(c *Case, s *Sheet) bool {
			return s.subtotals(25, [Strengths]string{"Subtotal", "North total", ""}[c.Strength])
		}),
	}
}

// around are lines around the table, and how it is written.
func around() []Corruption {
	return []Corruption{
		file("notes at the end", [Strengths]string{"one line", "two lines", "three lines with commas"}, func(c *Case, s *Sheet) bool {
			notes := []string{"Source: own survey", "Note: values are provisional", "* revised, see the appendix, table 3"}
			s.After = append(s.After, notes[:c.Strength+1]...)
			return true
		}),
		file("sep= line", [Strengths]string{"comma", "semicolons", "tabs"}, func(c *Case, s *Sheet) bool {
			s.Comma = []rune{',', ';', '\t'}[c.Strength]
			s.Before = append(s.Before, "sep="+string(s.Comma))
			return true
		}),
		file("comment lines", linesText, func(c *Case, s *Sheet) bool {
			for k := range lines[c.Strength] {
				s.Before = append(s.Before, fmt.Sprintf("# exported by the registry, part %d", k+1))
			}
			return true
		}),
		file("title lines", [Strengths]string{"one", "two", "three and a blank one"}, func(c *Case, s *Sheet) bool {
			titles := []string{"Survey of 2019", "Table 4: all respondents", "(preliminary, not for citation)"}
			s.Before = append(s.Before, titles[:c.Strength+1]...)
			if c.Strength == 2 {
				s.Before = append(s.Before, "")
			}
			return true
		}),
		file("other delimiter", [Strengths]string{"semicolon", "tab", "bar"}, func(c *Case, s *Sheet) bool {
			s.Comma = []rune{';', '\t', '|'}[c.Strength]
			return true
		}),
		file("encoding", [Strengths]string{"UTF-8 with mark", "Latin-1", "UTF-16"}, func(c *Case, s *Sheet) bool {
			s.Encode = [Strengths]func([]byte) []byte{
				func(b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) }, latin1, utf16le}[c.Strength]
			return c.Strength != 1 || slices.ContainsFunc(s.Bytes(), func(b byte) bool { return b >= 0x80 })
		}),
	}
}

// ragged are rows of other lengths.
func ragged() []Corruption {
	return []Corruption{
		file("ragged rows", [Strengths]string{"1 row", "5 rows", "50 rows"}, func(c *Case, s *Sheet) bool {
			for k := range []int{1, 5, 50}[c.Strength] {
				i := (k*31 + 5) % len(s.Rows)
				s.Rows[i] = s.Rows[i][:max(1, len(s.Names)-1)]
			}
			return len(s.Names) > 1
		}),
		file("a comma too many", [Strengths]string{"in 1 row", "in 5 rows", "in all rows"}, func(c *Case, s *Sheet) bool {
			for k := range []int{1, 5, len(s.Rows)}[c.Strength] {
				i := k
				if c.Strength < 2 {
					i = (k*31 + 5) % len(s.Rows)
				}
				s.Rows[i] = append(s.Rows[i], "")
			}
			return true
		}),
	}
}

// subtotals puts a row with the sums of its numbers below each group of rows, with a word in the first column that is text. Without a word it reports
// false where no cell would be empty.
func (s *Sheet) subtotals(each int, word string) bool {
	at := slices.IndexFunc(s.Names, func(name string) bool { return s.summary(name).numbers == nil })
	if at < 0 {
		return false
	}
	var rows [][]string
	for start := 0; start < len(s.Rows); start += each {
		group := s.Rows[start:min(start+each, len(s.Rows))]
		sums := make([]string, len(s.Names))
		for j, name := range s.Names {
			if s.summary(name).numbers == nil {
				continue
			}
			sum := 0.0
			for _, row := range group {
				v, _ := number(row[j])
				sum += v
			}
			sums[j] = write(sum)
		}
		sums[at] = word
		rows = append(append(rows, group...), sums)
	}
	s.Rows = rows
	return true
}

// latin1 writes text of that alphabet in one byte a letter.
func latin1(b []byte) []byte {
	var out []byte
	for _, r := range string(b) {
		if r < 0x100 {
			out = append(out, byte(r))
		} else {
			out = append(out, '?')
		}
	}
	return out
}

func utf16le(b []byte) []byte {
	out := []byte{0xff, 0xfe}
	for _, v := range utf16.Encode([]rune(string(b))) {
		out = append(out, byte(v), byte(v>>8))
	}
	return out
}
