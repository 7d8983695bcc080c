package corruption

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

var (
	ofTables  = []Place{OfXU, OfUY}
	byShare   = [Strengths]float64{.2, .5, 1}
	shareText = [Strengths]string{"20 % of the rows", "50 %", "all"}
)

// order are faults that break the rows of a table.
func order() []Corruption {
	varied := func(s summary) bool { return len(s.levels) > 1 }
	// moved puts the cells of a share of the rows in another order.
	moved := func(name string, unseen []Place, f func(c *Case, cells []string)) Corruption {
		return Corruption{Group: "order", Name: name, Strengths: shareText, Places: anywhere, UnseenWhole: unseen, spoil: func(c *Case) bool {
			if !c.pick(varied) {
				return false
			}
			for _, s := range c.sheets() {
				cells := s.column(c.name)
				c.Unseen = c.Unseen || !s.dependent(c.name, c.U(), c.rnd)
				f(c, cells[:int(byShare[c.Strength]*float64(len(cells)))])
				for i, cell := range cells {
					s.Rows[i][s.Index(c.name)] = cell
				}
			}
			return true
		}}
	}
	return []Corruption{
		{Group: "order", Name: "a column moved down", Strengths: [Strengths]string{"by one row", "by 5 rows", "by 50 rows"}, Places: anywhere, spoil: func(c *Case) bool {
			if !c.pick(varied) {
				return false
			}
			by := [Strengths]int{1, 5, 50}[c.Strength]
			for _, s := range c.sheets() {
				cells := s.column(c.name)
				c.Unseen = c.Unseen || !s.dependent(c.name, c.U(), c.rnd)
				for i := range cells {
					s.Rows[(i+by)%len(cells)][s.Index(c.name)] = cells[i]
				}
			}
			return true
		}},
		moved("cells moved down", nil, func(_ *Case, cells []string) {
			last := cells[len(cells)-1]
			copy(cells[1:], cells)
			cells[0] = last
		}),
		moved("a column sorted by itself", nil, func(_ *Case, cells []string) {
			slices.SortStableFunc(cells, func(a, b string) int {
				x, okX := number(a)
				y, okY := number(b)
				if okX && okY && x != y {
					if x < y {
						return -1
					}
					return 1
				}
				return strings.Compare(a, b)
			})
		}),
		moved("a column shuffled", []Place{InX, InY}, func(c *Case, cells []string) {
			c.rnd.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		}),
		{Group: "order", Name: "columns swapped", Strengths: [Strengths]string{"two", "three in a ring", "all reversed"}, Places: inU, spoil: func(c *Case) bool {
			var fit []string
			for _, name := range c.U() {
				if c.table().summary(name).isNumber() {
					fit = append(fit, name)
				}
			}
			if len(fit) < 2 || len(fit) == 2 && c.Strength == 1 {
				return false
			}
			c.rnd.Shuffle(len(fit), func(i, j int) { fit[i], fit[j] = fit[j], fit[i] })
			if c.Strength < 2 {
				fit = fit[:c.Strength+2]
			}
			to := append(slices.Clone(fit[1:]), fit[0])
			if c.Strength == 2 {
				to = slices.Clone(fit)
				slices.Reverse(to)
			}
			names := c.table().Names
			for i, name := range slices.Clone(names) {
				if k := slices.Index(fit, name); k >= 0 {
					names[i] = to[k]
				}
			}
			c.Columns = fit
			return true
		}},
		{Group: "order", Name: "cells moved to the right", Strengths: [Strengths]string{"in 5 % of the rows", "20 %", "50 %"}, Places: ofTables, spoil: func(c *Case) bool {
			s := c.table()
			for i := range s.Rows {
				if float64(i%100) < 100*[Strengths]float64{.05, .2, .5}[c.Strength] {
					row := s.Rows[i]
					s.Rows[i] = append([]string{row[len(row)-1]}, row[:len(row)-1]...)
				}
			}
			return len(s.Names) > 1
		}},
	}
}

// rows are faults of which rows there are.
func rows() []Corruption {
	// kept leaves the rows whose column is on one side of a quantile; of X and U the population is then that of these rows.
	kept := func(name string, labels [Strengths]string, places []Place, keep func(c *Case, v float64, s summary) bool) Corruption {
		return Corruption{Group: "rows", Name: name, Strengths: labels, Places: places, spoil: func(c *Case) bool {
			if !c.pick(summary.isMeasured) {
				return false
			}
			sum, was := c.table().summary(c.name), len(c.table().Rows)
			sheets := []*Sheet{c.table()}
			if c.Place == InUX && c.Treatment == "" {
				sheets = append(sheets, c.Coupled)
			}
			for _, s := range sheets {
				j := s.Index(c.name)
				s.Rows = slices.DeleteFunc(s.Rows, func(row []string) bool {
					v, ok := number(row[j])
					return ok && !keep(c, v, sum)
				})
			}
			return len(c.table().Rows) > 10 && len(c.table().Rows) < was
		}}
	}
	quantiles := [Strengths]float64{.2, .5, .8}
	return []Corruption{
		{Group: "rows", Name: "pasted", Strengths: [Strengths]string{"twice", "three times", "five times"}, Places: ofTables, spoil: func(c *Case) bool {
			s := c.table()
			s.Rows = slices.Repeat(s.Rows, []int{2, 3, 5}[c.Strength])
			return true
		}},
		{Group: "rows", Name: "duplicated rows", Strengths: [Strengths]string{"5 %", "20 %", "50 %"}, Places: ofTables, spoil: func(c *Case) bool {
			s := c.table()
			n := int([Strengths]float64{.05, .2, .5}[c.Strength] * float64(len(s.Rows)))
			for _, i := range c.rnd.Perm(len(s.Rows))[:n] {
				s.Rows = append(s.Rows, slices.Clone(s.Rows[i]))
			}
			return true
		}},
		{Group: "rows", Name: "one row many times", Strengths: [Strengths]string{"10 times", "50 times", "200 times"}, Places: ofTables, spoil: func(c *Case) bool {
			s := c.table()
			for range []int{10, 50, 200}[c.Strength] {
				s.Rows = append(s.Rows, slices.Clone(s.Rows[7]))
			}
			return true
		}},
		{Group: "rows", Name: "cut off", Strengths: [Strengths]string{"10 %", "30 %", "60 %"}, Places: ofTables, spoil: func(c *Case) bool {
			s := c.table()
			s.Rows = s.Rows[:int((1-[Strengths]float64{.1, .3, .6}[c.Strength])*float64(len(s.Rows)))]
			return true
		}},
		{Group: "rows", Name: "cut off in the middle of a row", Strengths: [Strengths]string{"at the end", "after 70 %", "after 40 %"}, Places: ofTables, spoil: func(c *Case) bool {
			s := c.table()
			share := [Strengths]float64{1, .7, .4}[c.Strength]
			s.Encode = func(b []byte) []byte {
				at := int(share * float64(len(b)-1))
				for at > 1 && (b[at-1] == '\n' || b[at] == '\n') { // within a row
					at--
				}
				return b[:at]
			}
			return true
		}},
		kept("above a quantile only", [Strengths]string{"20 %", "50 %", "80 %"}, inU, func(c *Case, v float64, s summary) bool { return v >= s.quantile(quantiles[c.Strength]) }),
		kept("below a quantile only", [Strengths]string{"80 %", "50 %", "20 %"}, inU, func(c *Case, v float64, s summary) bool { return v <= s.quantile(1-quantiles[c.Strength]) }),
		kept("without the middle", [Strengths]string{"45 to 55 %", "35 to 65 %", "20 to 80 %"}, inU, func(c *Case, v float64, s summary) bool {
			half := [Strengths]float64{.05, .15, .3}[c.Strength]
			return v < s.quantile(.5-half) || v > s.quantile(.5+half)
		}),
		{Group: "rows", Name: "without a level", Strengths: [Strengths]string{"the rarest", "the second", "the most frequent"}, Places: inU, spoil: func(c *Case) bool {
			if !c.pick(func(s summary) bool { return s.isLevel() || s.isCode() }) {
				return false
			}
			l := c.table().summary(c.name).levels
			without := l[[Strengths]int{len(l) - 1, min(1, len(l)-1), 0}[c.Strength]]
			sheets := []*Sheet{c.table()}
			if c.Place == InUX && c.Treatment == "" {
				sheets = append(sheets, c.Coupled)
			}
			for _, s := range sheets {
				j := s.Index(c.name)
				s.Rows = slices.DeleteFunc(s.Rows, func(row []string) bool { return row[j] == without })
			}
			return len(c.table().Rows) > 10
		}},
		{Group: "rows", Name: "a shifted part", Strengths: [Strengths]string{"10 % beyond the range", "30 %", "60 %"}, Places: inU, spoil: func(c *Case) bool {
			if !c.pick(summary.isMeasured) {
				return false
			}
			s := c.table().summary(c.name)
			by := s.numbers[len(s.numbers)-1] - s.numbers[0]
			return c.numbers([Strengths]float64{.1, .3, .6}[c.Strength], func(v float64) float64 { return v + by })
		}},
	}
}

// files are faults of the file around the table.
func files() []Corruption {
	file := func(name string, labels [Strengths]string, f func(c *Case, s *Sheet) bool) Corruption {
		return Corruption{Group: "file", Name: name, Strengths: labels, Places: ofTables, spoil: func(c *Case) bool { return f(c, c.table()) }}
	}
	lines := [Strengths]string{"1 line", "3 lines", "10 lines"}
	count := [Strengths]int{1, 3, 10}
	return []Corruption{
		file("blank rows at the end", [Strengths]string{"1", "10", "100"}, func(c *Case, s *Sheet) bool {
			for range []int{1, 10, 100}[c.Strength] {
				s.Rows = append(s.Rows, make([]string, len(s.Names)))
			}
			return true
		}),
		file("header repeated", lines, func(c *Case, s *Sheet) bool {
			for k := range count[c.Strength] {
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
		file("comment lines", lines, func(c *Case, s *Sheet) bool {
			for k := range count[c.Strength] {
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

// columns are faults of names, and columns that should not be there.
func columns() []Corruption {
	// renamed changes the names of one column of U, half of them or all, in one table.
	renamed := func(name string, f func(string) string) Corruption {
		return Corruption{Group: "columns", Name: name, Strengths: [Strengths]string{"one column", "half of U", "all of U"}, Places: inU, spoil: func(c *Case) bool {
			names := c.U()
			c.rnd.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			changed := false
			for _, name := range names[:[Strengths]int{1, (len(names) + 1) / 2, len(names)}[c.Strength]] {
				if to := f(name); to != name {
					c.rename(name, to)
					changed = true
				}
			}
			return changed
		}}
	}
	// shared puts a column before both tables, each sorted by its first numbers of U.
	shared := func(name string, labels [Strengths]string, f func(c *Case, row int) (name, cell string)) Corruption {
		return Corruption{Group: "columns", Name: name, Strengths: labels, Places: []Place{Both}, spoil: func(c *Case) bool {
			if !c.pick(summary.isMeasured) {
				return false
			}
			for _, s := range c.sheets() {
				s.sortBy(c.name)
				head, _ := f(c, 0)
				s.insert(0, head, func(row int) string { _, cell := f(c, row); return cell })
				c.Columns = []string{head}
			}
			return true
		}}
	}
	return []Corruption{
		renamed("other case", strings.ToUpper),
		renamed("a space behind the name", func(n string) string { return n + " " }),
		renamed("underscore, point or space", func(n string) string { return n[:len(n)-1] + "_" + n[len(n)-1:] }),
		renamed("zero width", func(n string) string { return n + "\u200b" }),
		renamed("misspelt name", func(n string) string { return n[:len(n)-1] + "x" }),
		shared("row numbers", [Strengths]string{"named id", "named row", "named v0"}, func(c *Case, row int) (string, string) {
			return []string{"id", "row", "v0"}[c.Strength], fmt.Sprint(row + 1)
		}),
		shared("nameless first column", [Strengths]string{"from 0", "from 1", "from 1000"}, func(c *Case, row int) (string, string) {
			return "", fmt.Sprint(row + []int{0, 1, 1000}[c.Strength])
		}),
		shared("identifiers", [Strengths]string{"numbers with gaps", "letters and numbers", "numbers far apart"}, func(c *Case, row int) (string, string) {
			return "person", []string{fmt.Sprint(1000 + 2*row + row%2), fmt.Sprintf("P%05d", row), fmt.Sprint(100000 + 137*row + row*row%89)}[c.Strength]
		}),
		shared("dates", [Strengths]string{"2024-05-01", "01.05.2024", "1 May 2024"}, func(c *Case, row int) (string, string) {
			day, month, year := 1+row%28, 1+row/28%12, 2010+row/336
			return "when", []string{fmt.Sprintf("%d-%02d-%02d", year, month, day), fmt.Sprintf("%02d.%02d.%d", day, month, year),
				fmt.Sprintf("%d %s %d", day, []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}[month-1], year)}[c.Strength]
		}),
		shared("dates as numbers", [Strengths]string{"20240501", "days of a spreadsheet", "seconds"}, func(c *Case, row int) (string, string) {
			return "when", []string{fmt.Sprintf("%d%02d%02d", 2010+row/336, 1+row/28%12, 1+row%28), fmt.Sprint(45000 + row), fmt.Sprint(1700000000 + 86400*row)}[c.Strength]
		}),
		shared("order as a fraction", [Strengths]string{"0 to 1", "per cent", "a clock"}, func(c *Case, row int) (string, string) {
			return "position", []string{write(float64(row) / 1000), write(float64(row) / 10), fmt.Sprintf("%02d:%02d", row/60%24, row%60)}[c.Strength]
		}),
		shared("name of the table", [Strengths]string{"one value", "two values", "a version"}, func(c *Case, row int) (string, string) {
			return "source", []string{"study", []string{"a", "b"}[row%2], fmt.Sprintf("1.%d", row%3)}[c.Strength]
		}),
		{Group: "columns", Name: "name of its own table", Strengths: [Strengths]string{"text", "numbers", "year"}, Places: []Place{Both}, spoil: func(c *Case) bool {
			c.Columns = []string{"wave"}
			for i, s := range c.sheets() {
				s.insert(len(s.Names), "wave", func(int) string {
					return [Strengths][]string{{"first", "second", "first"}, {"1", "2", "1"}, {"2018", "2020", "2018"}}[c.Strength][i]
				})
			}
			return true
		}},
		{Group: "columns", Name: "a column of U twice", Strengths: [Strengths]string{"in both tables", "in the first", "twice in both"}, Places: []Place{Both}, spoil: func(c *Case) bool {
			if !c.pick(func(s summary) bool { return len(s.levels) > 1 }) || c.Strength == 1 && c.Treatment != "" {
				return false
			}
			sheets := c.sheets()
			if c.Strength == 1 {
				sheets = []*Sheet{c.XU, c.Coupled}
			}
			for _, s := range sheets {
				cells := s.column(c.name)
				s.insert(len(s.Names), c.name+" (2)", func(row int) string { return cells[row] })
				if c.Strength == 2 {
					s.insert(len(s.Names), c.name+" (3)", func(row int) string { return cells[row] })
				}
			}
			c.Columns = []string{c.name, c.name + " (2)", c.name + " (3)"}
			return true
		}},
		{Group: "columns", Name: "a second Y", Strengths: [Strengths]string{"a multiple of Y", "a multiple of U", "weights"}, Places: []Place{OfUY}, spoil: func(c *Case) bool {
			name, of := []string{"gross", "second", "weight"}[c.Strength], c.Y()[0]
			if c.Strength == 1 {
				if !c.pick(summary.isMeasured) {
					return false
				}
				of = c.name
			}
			if !c.UY.summary(c.Y()[0]).isNumber() || !c.UY.summary(of).isNumber() {
				return false
			}
			for _, s := range []*Sheet{c.UY, c.Coupled} {
				cells := s.column(of)
				s.insert(len(s.Names), name, func(row int) string {
					v, ok := number(cells[row])
					switch {
					case c.Strength == 2:
						return write(.5 + 2.5*c.rnd.Float64())
					case !ok:
						return ""
					}
					return write(1.19 * v)
				})
			}
			c.Columns = []string{name}
			return true
		}},
		{Group: "columns", Name: "several rows of one person", Strengths: [Strengths]string{"2 rows each", "4", "8"}, Places: ofTables, spoil: func(c *Case) bool {
			s, k := c.table(), []int{2, 4, 8}[c.Strength]
			persons := s.Rows[:len(s.Rows)/k]
			s.Rows = nil
			for _, person := range persons {
				for range k {
					visit := slices.Clone(person)
					for j, name := range s.Names {
						if v, ok := number(visit[j]); ok && c.Pair.XU.Index(name) >= 0 && c.Pair.UY.Index(name) >= 0 { // U moves a little
							visit[j] = write(v * (1 + .01*c.rnd.NormFloat64()))
						}
					}
					s.Rows = append(s.Rows, visit)
				}
			}
			s.insert(0, "patient", func(row int) string { return strconv.Itoa(1000 + 7*(row/k)) })
			c.Columns = []string{"patient"}
			return len(persons) > 5
		}},
		{Group: "columns", Name: "remarks", Strengths: [Strengths]string{"one word", "three words", "ten words"}, Places: []Place{Both}, spoil: func(c *Case) bool {
			words := strings.Fields("called again later no answer moved away refused data entered twice checked by hand see file ok pending closed follow up")
			for _, s := range c.sheets() {
				s.insert(len(s.Names), "remarks", func(int) string {
					var text []string
					for range []int{1, 3, 10}[c.Strength] {
						text = append(text, words[c.rnd.IntN(len(words))])
					}
					return strings.Join(text, " ")
				})
			}
			c.Columns = []string{"remarks"}
			return true
		}},
		{Group: "columns", Name: "a column of noise", Strengths: [Strengths]string{"one", "three", "ten"}, Places: []Place{Both}, spoil: func(c *Case) bool {
			for _, s := range c.sheets() {
				for k := range []int{1, 3, 10}[c.Strength] {
					name := fmt.Sprintf("noise %d", k+1)
					s.insert(len(s.Names), name, func(int) string { return fmt.Sprintf("%.4f", c.rnd.NormFloat64()) })
					if s == c.XU {
						c.Columns = append(c.Columns, name)
					}
				}
			}
			return true
		}},
	}
}
