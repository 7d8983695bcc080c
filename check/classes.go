package check

import (
	"fmt"
	"regexp"
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
		c.missingClass(look, p)
		rare, frequent, letter := twinClass(look.levels)
		if rare == "" {
			rare, frequent = twinTruth(look.levels)
		}
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
		} else {
			f.What += unlikeLetter(rare, frequent)
		}
		c.add(f)
	}
}

// twinClass returns the most frequent level that seems to be another, more frequent one, also with its code before it; "" if there is none.
func twinClass(levels map[string]int) (rare, frequent string, letter bool) {
	order := sortedKeys(levels)
	slices.SortStableFunc(order, func(a, b string) int { return levels[b] - levels[a] })
	before := newSpellings(nil)
	labels := make(map[string]string) // form without its code -> level
	for _, level := range order {
		near, letter := before.nearest(level)
		label := withoutCode(level)
		if other, ok := labels[foldLevel(label)]; ok && near == "" && (label == level) != (withoutCode(other) == other) {
			return level, other, false
		}
		labels[foldLevel(label)] = level
		if near != "" && (!letter || rareClass*levels[level] <= levels[near] && slipOfWord(level, near)) {
			return level, near, letter
		}
		before.add(level)
	}
	return "", "", false
}

// codedLabel is a label with its code before it, as lists of codes have them: "2: damp", "(2) damp", "2 - damp".
var codedLabel = regexp.MustCompile(`^\(?\d+(?:\s*[:.)=]\s*|\s*-\s+)(\pL.*)$`)

// withoutCode is the label alone; other levels are as they are.
func withoutCode(level string) string {
	if m := codedLabel.FindStringSubmatch(level); m != nil {
		return m[1]
	}
	return level
}

// twinTruth returns a truth value that has two names among levels that are all truth values, the rarer one first; "" if there is none.
func twinTruth(levels map[string]int) (rare, frequent string) {
	if len(levels) < 3 {
		return "", ""
	}
	most := make(map[bool]string)
	for _, level := range sortedKeys(levels) {
		v, ok := truths[foldLevel(level)]
		if n, number := readNumber(level); number && (n == 0 || n == 1) {
			v, ok = n == 1, true
		}
		if !ok {
			return "", ""
		}
		switch other, twice := most[v]; {
		case !twice:
			most[v] = level
			continue
		case levels[level] > levels[other]:
			most[v], level = level, other
		}
		if rare == "" || levels[level] > levels[rare] {
			rare, frequent = level, most[v]
		}
	}
	return rare, frequent
}

// missingWords are classes that no one means to predict. (None may be one, and so may - beside +.)
var missingWords = strings.Fields("na n/a n.a. #n/a nan null <na> . ? ?? missing unknown")

// missingClass finds a class of Y that seems to mark missing values, beside two others.
func (c *checker) missingClass(look *columnLook, p *Profile) {
	if len(look.levels) < 3 {
		return
	}
	for _, level := range sortedKeys(look.levels) {
		if !slices.Contains(missingWords, canonical(level)) {
			continue
		}
		c.add(Finding{Code: MissingMarker, Severity: Warning, Table: UY, Columns: []string{p.Name}, Rows: look.levels[level], Of: p.Rows,
			What:    fmt.Sprintf("%q has the class %q in %d of %d rows of %s", p.Name, level, look.levels[level], p.Rows, UY.words()),
			Effect:  "if that marks missing values, they are predicted as a class",
			Remedy:  fmt.Sprintf("--na %q, or --accept %s:%q if it is one", field(p.Name+"="+level, ','), MissingMarker, p.Name),
			gravity: float64(look.levels[level]) / float64(p.Rows)})
	}
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
