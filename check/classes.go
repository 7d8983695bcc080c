package check

import (
	"fmt"
	"slices"
	"strings"

	"mediant/tables"
)

// ClassSpelling is the code of classes of Y that seem to be one.
const ClassSpelling Code = "class-spelling"

// rareClass: a class that is one letter from another one, and is not a quarter as frequent, is taken for a slip.
const rareClass = 4

// classes finds classes of Y that differ in how they are written alone, and rare ones that are one letter from a frequent one. (Levels of U
// are compared between the tables; those of X are what the model will be asked with.)
func (c *checker) classes() {
	for _, name := range c.roles.Y {
		i := c.uy.place(name)
		look, p := &c.uy.looks[i], c.report.UY.Columns[i]
		if look.column.Kind != tables.Text || look.levels == nil || p.Kind != Level && p.Kind != Truth {
			continue
		}
		rare, frequent, letter := twinClass(look.levels)
		if rare == "" {
			continue
		}
		f := Finding{Code: ClassSpelling, Severity: Warning, Table: UY, Columns: []string{name}, Rows: look.levels[rare], Of: p.Rows,
			What:    fmt.Sprintf("%q has the classes %.40q, in %s, and %.40q, in %d", name, frequent, count(look.levels[frequent], "row"), rare, look.levels[rare]),
			Effect:  "if they are one class, the risk counts the one as wrong where the other is right",
			Remedy:  fmt.Sprintf("write both alike, or --accept %s:%q if they are two", ClassSpelling, name),
			gravity: float64(look.levels[rare]) / float64(p.Rows)}
		if letter {
			f.What += ", one letter apart"
		}
		c.add(f)
	}
}

// twinClass returns the most frequent level that seems to be another, more frequent one; "" if there is none.
func twinClass(levels map[string]int) (rare, frequent string, letter bool) {
	order := sortedKeys(levels)
	slices.SortStableFunc(order, func(a, b string) int { return levels[b] - levels[a] })
	before := newSpellings(nil)
	for _, level := range order {
		near, letter := before.nearest(level)
		if near != "" && (!letter || rareClass*levels[level] <= levels[near] && slipOfWord(level, near)) {
			return level, near, letter
		}
		before.add(level)
	}
	return "", "", false
}

// slipOfWord reports whether the word in which two texts differ is long enough for a slip: grade I is not grade II, nor type A type B.
func slipOfWord(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return true
	}
	for i := range x {
		if x[i] != y[i] {
			return isWord(x[i]) && isWord(y[i])
		}
	}
	return true
}
