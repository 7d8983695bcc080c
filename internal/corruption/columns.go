package corruption

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// columns are faults of names, and columns that should not be there.
func columns() []Corruption {
	return slices.Concat(columnNames(), columnsOfOrder(), []Corruption{nameOfItsTable(), columnTwice(), secondY(), severalRows(), remarks(), noise()})
}

// columnNames are faults of the names of U.
func columnNames() []Corruption {
	return []Corruption{
		renamed("other case", strings.ToUpper),
		renamed("a space behind the name", func(n string) string { return n + " " }),
		renamed("underscore, point or space", func(n string) string { return n[:len(n)-1] + "_" + n[len(n)-1:] }),
		renamed("zero width", func(n string) string { return n + "\u200b" }),
		renamed("misspelt name", func(n string) string { return n[:len(n)-1] + "x" }),
	}
}

// renamed changes the names of one column of U, half of them or all, in one table.
func renamed(name string, f func(string) string) Corruption {
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

// columnsOfOrder are columns that say where a row stands, or of what table it is.
func columnsOfOrder() []Corruption {
	return []Corruption{
		inBoth("row numbers", [Strengths]string{"named id", "named row", "named v0"}, func(c *Case, row int) (string, string) {
			return []string{"id", "row", "v0"}[c.Strength], fmt.Sprint(row + 1)
		}),
		inBoth("nameless first column", [Strengths]string{"from 0", "from 1", "from 1000"}, func(c *Case, row int) (string, string) {
			return "", fmt.Sprint(row + []int{0, 1, 1000}[c.Strength])
		}),
		inBoth("identifiers", [Strengths]string{"numbers with gaps", "letters and numbers", "numbers far apart"}, func(c *Case, row int) (string, string) {
			return "person", []string{fmt.Sprint(1000 + 2*row + row%2), fmt.Sprintf("P%05d", row), fmt.Sprint(100000 + 137*row + row*row%89)}[c.Strength]
		}),
		inBoth("dates", [Strengths]string{"2024-05-01", "01.05.2024", "1 May 2024"}, func(c *Case, row int) (string, string) {
			day, month, year := 1+row%28, 1+row/28%12, 2010+row/336
			return "when", []string{fmt.Sprintf("%d-%02d-%02d", year, month, day), fmt.Sprintf("%02d.%02d.%d", day, month, year),
				fmt.Sprintf("%d %s %d", day, []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}[month-1], year)}[c.Strength]
		}),
		inBoth("dates as numbers", [Strengths]string{"20240501", "days of a spreadsheet", "seconds"}, func(c *Case, row int) (string, string) {
			return "when", []string{fmt.Sprintf("%d%02d%02d", 2010+row/336, 1+row/28%12, 1+row%28), fmt.Sprint(45000 + row), fmt.Sprint(1700000000 + 86400*row)}[c.Strength]
		}),
		inBoth("order as a fraction", [Strengths]string{"0 to 1", "per cent", "a clock"}, func(c *Case, row int) (string, string) {
			return "position", []string{write(float64(row) / 1000), write(float64(row) / 10), fmt.Sprintf("%02d:%02d", row/60%24, row%60)}[c.Strength]
		}),
		inBoth("name of the table", [Strengths]string{"one value", "two values", "a version"}, func(c *Case, row int) (string, string) {
			return "source", []string{"study", []string{"a", "b"}[row%2], fmt.Sprintf("1.%d", row%3)}[c.Strength]
		}),
	}
}

// inBoth puts a column before both tables, each sorted by its first numbers of U.
func inBoth(name string, labels [Strengths]string, f func(c *Case, row int) (name, cell string)) Corruption {
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

// nameOfItsTable adds a column to either table that says which one it is.
func nameOfItsTable() Corruption {
	return Corruption{Group: "columns", Name: "name of its own table", Strengths: [Strengths]string{"text", "numbers", "year"}, Places: []Place{Both}, spoil: func(c *Case) bool {
		c.Columns = []string{"wave"}
		for i, s := range c.sheets() {
			s.insert(len(s.Names), "wave", func(int) string {
				return [Strengths][]string{{"first", "second", "first"}, {"1", "2", "1"}, {"2018", "2020", "2018"}}[c.Strength][i]
			})
		}
		return true
	}}
}

// columnTwice adds a copy of a column of U.
func columnTwice() Corruption {
	return Corruption{Group: "columns", Name: "a column of U twice", Strengths: [Strengths]string{"in both tables", "in the first", "twice in both"}, Places: []Place{Both}, spoil: func(c *Case) bool {
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
	}}
}

// secondY adds a column to the second table that no role is meant for.
func secondY() Corruption {
	return Corruption{Group: "columns", Name: "a second Y", Strengths: [Strengths]string{"a multiple of Y", "a multiple of U", "weights"}, Places: []Place{OfUY}, spoil: func(c *Case) bool {
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
	}}
}

// severalRows repeats rows whose U moves a little, beside a column that names the person.
func severalRows() Corruption {
	return Corruption{Group: "columns", Name: "several rows of one person", Strengths: [Strengths]string{"2 rows each", "4", "8"}, Places: ofTables, spoil: func(c *Case) bool {
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
	}}
}

// remarks adds a column of words.
func remarks() Corruption {
	return Corruption{Group: "columns", Name: "remarks", Strengths: [Strengths]string{"one word", "three words", "ten words"}, Places: []Place{Both}, spoil: func(c *Case) bool {
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
	}}
}

// noise adds columns that say nothing.
func noise() Corruption {
	return Corruption{Group: "columns", Name: "a column of noise", Strengths: [Strengths]string{"one", "three", "ten"}, Places: []Place{Both}, spoil: func(c *Case) bool {
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
	}}
}
