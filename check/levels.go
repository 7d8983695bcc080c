package check

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"mediant/tables"
)

// A lacking level is one of one table that the other has not.
type lacking struct {
	LevelCount
	near   string // the level of the other table that it is nearly equal to
	letter bool   // but for one letter, and not only for how it is written
	moved  bool   // the table that it is in has not got the other level
}

// levels finds levels of U that are written otherwise in the second table, or that it lacks.
func (m *comparer) levels() {
	texts := 0
	for _, u := range m.columns {
		if u.kind == tables.Text && !u.free {
			texts++
		}
	}
	for _, u := range m.open(m.columns) {
		x, y := m.xu.of(u.name), m.uy.of(u.name)
		if u.kind != tables.Text || u.free || x.levels == nil || y.levels == nil || x.present() == 0 || y.present() == 0 {
			continue
		}
		m.compareLevels(u, x.levels, y.levels, alarm/float64(texts))
	}
}

// compareLevels is levels for one column with counts of its levels in all rows; level is that of its test.
func (m *comparer) compareLevels(u *uColumn, x, y map[string]int, level float64) {
	lack := lackingLevels(x, y)
	if len(lack) == 0 {
		m.written(u, lackingLevels(y, x), y)
		return
	}
	inX, inY := u.levels(0), u.levels(1)
	unlikely := lessLikely(inX, inY, level)
	rows, nearly := 0, 0
	for _, l := range lack {
		rows += l.Rows
		if l.near != "" {
			nearly += l.Rows
		}
	}
	of := total(x)
	f := Finding{Severity: Note, Columns: []string{u.name}, Rows: rows, Of: of, gravity: float64(rows) / float64(of)}
	switch worst := worstSpelling(lack, inX, inY, level); {
	case rows == of && nearly == 0 && sameTruth(x, y):
		f.Code, f.Severity = LevelsDisjoint, Error
		f.What = fmt.Sprintf("%q has the truth values %s in the first table and %s in the second", u.name, listLevels(x), listLevels(y))
		f.Effect = "no level of one is known in the other, and what U says of Y is lost"
		f.Remedy = "write both alike"
	case worst != nil && !worst.letter:
		f.Code, f.Severity, f.Rows = LevelSpelling, Warning, nearly
		if 100*nearly >= of {
			f.Severity = Error
		}
		f.What = fmt.Sprintf("%q has the level %.40q in %s of the first table, which the second writes %.40q%s", u.name, worst.Level, count(worst.Rows, "row"), worst.near, unlikeLetter(worst.Level, worst.near))
		f.Effect = "those rows are taken for ones of which the second table knows nothing"
		f.Remedy = fmt.Sprintf("write both alike, or --accept %s:%q", LevelSpelling, u.name)
	case rows == of && unlikely:
		f.Code, f.Severity = LevelsDisjoint, Error
		f.What = fmt.Sprintf("the tables have no level of %q in common: %s in the first and %s in the second", u.name, listLevels(x), listLevels(y))
		f.Effect = "what U says of Y cannot be learned for any row of the first table"
		f.Remedy = fmt.Sprintf("write both alike, or "+ignoreRemedy, u.name)
	case worst != nil:
		f.Code, f.Severity, f.Rows = LevelSpelling, Warning, worst.Rows
		f.What = fmt.Sprintf("%q has the level %.40q in %s of the first table, which the second lacks; it has %.40q", u.name, worst.Level, count(worst.Rows, "row"), worst.near)
		f.Effect = "if they are one level, those rows are taken for ones of which the second table knows nothing"
		f.Remedy = fmt.Sprintf("write both alike, or --accept %s:%q", LevelSpelling, u.name)
	default:
		f.Code = LevelUnseen
		if unlikely || rows == of {
			f.Severity = Warning
		}
		f.What = fmt.Sprintf("the second table lacks %s of %q, %s of the first", countLevels(lack), u.name, count(rows, "row"))
		f.Effect = "what Y is there cannot be learned"
		f.Remedy = fmt.Sprintf("--ignore %q leaves the column out and keeps the rows", u.name)
	}
	m.say(f)
}

// written finds levels of the second table that the first writes otherwise, where the first has no such level of its own.
func (m *comparer) written(u *uColumn, lack []lacking, y map[string]int) {
	for _, l := range lack {
		if l.near == "" || l.letter {
			continue
		}
		of := total(y)
		f := Finding{Code: LevelSpelling, Severity: Note, Columns: []string{u.name}, Rows: l.Rows, Of: of, gravity: float64(l.Rows) / float64(of),
			What:   fmt.Sprintf("%q has the level %.40q in %s of the second table, which the first writes %.40q%s", u.name, l.Level, count(l.Rows, "row"), l.near, unlikeLetter(l.Level, l.near)),
			Effect: "those rows do not help to learn what Y is there",
			Remedy: fmt.Sprintf("write both alike, or --accept %s:%q", LevelSpelling, u.name)}
		if 100*l.Rows >= of {
			f.Severity = Warning
		}
		m.say(f)
		return
	}
}

// lackingLevels are levels of one table that the other has not, those of the most rows first, each with the one that it is nearest to.
func lackingLevels(own, other map[string]int) []lacking {
	index := newSpellings(other)
	var all []lacking
	for level, rows := range own {
		if _, ok := other[level]; ok {
			continue
		}
		l := lacking{LevelCount: LevelCount{level, rows}}
		l.near, l.letter = index.nearest(level)
		_, known := own[l.near]
		l.moved = l.near != "" && !known
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b lacking) int { return cmp.Or(b.Rows-a.Rows, cmp.Compare(a.Level, b.Level)) })
	return all
}

// worstSpelling is the level of the most rows that is written otherwise in the other table, one that differs but for how it is
// written before one with another letter. Such a one counts only where chance does not explain that one table lacks the one
// level, and the other the other.
func worstSpelling(lack []lacking, inX, inY map[string]int, level float64) *lacking {
	for i := range lack {
		if lack[i].near != "" && !lack[i].letter {
			return &lack[i]
		}
	}
	n, m := float64(total(inX)), float64(total(inY))
	for i := range lack {
		l := &lack[i]
		if l.near == "" || inY[l.Level] > 0 {
			continue
		}
		logP := float64(inX[l.Level]) * math.Log(n/(n+m))
		if l.moved {
			logP += float64(inY[l.near]) * math.Log(m/(n+m))
		}
		if logP+math.Log(float64(len(inX)+len(inY))) <= math.Log(level) {
			return l
		}
	}
	return nil
}

// lessLikely reports whether chance would leave so many rows of x with levels that y lacks less often than level says. If both
// samples are of one distribution, all k rows of a level are in x with a probability of at most p^k, p the share of x among all rows, and such events
// are negatively associated, so that as independent ones they are more likely. (For rare levels this is the rule of Good and Turing.)
func lessLikely(x, y map[string]int, level float64) bool {
	n, m := float64(total(x)), float64(total(y))
	if n == 0 || m == 0 {
		return false
	}
	observed := 0
	sizes := make(map[int]int) // how many levels have so many rows
	for l := range levelsOf(x, y) {
		sizes[x[l]+y[l]]++
		if y[l] == 0 {
			observed += x[l]
		}
	}
	if observed == 0 {
		return false
	}
	below := make([]float64, observed) // probabilities of 0, 1, ... rows
	below[0] = 1
	for _, k := range slices.Sorted(maps.Keys(sizes)) {
		p := math.Pow(n/(n+m), float64(k))
		for range sizes[k] {
			for i := observed - 1; i >= 0; i-- {
				below[i] *= 1 - p
				if i >= k {
					below[i] += p * below[i-k]
				}
			}
		}
	}
	at := 1.
	for _, p := range below {
		at -= p
	}
	return at <= level
}

// levelsOf are the levels of either.
func levelsOf(x, y map[string]int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for l := range x {
			if !yield(l) {
				return
			}
		}
		for l := range y {
			if _, ok := x[l]; !ok && !yield(l) {
				return
			}
		}
	}
}

func countCells(cells []string) map[string]int {
	counts := make(map[string]int)
	for _, cell := range cells {
		if cell != "" {
			counts[cell]++
		}
	}
	return counts
}

func total(counts map[string]int) int {
	n := 0
	for _, k := range counts {
		n += k
	}
	return n
}

// listLevels are the most frequent levels.
func listLevels(counts map[string]int) string {
	var all []LevelCount
	for level, rows := range counts {
		all = append(all, LevelCount{level, rows})
	}
	slices.SortFunc(all, func(a, b LevelCount) int { return cmp.Or(b.Rows-a.Rows, cmp.Compare(a.Level, b.Level)) })
	return examples(all)
}

// countLevels names one level, or says how many there are and names the most frequent.
func countLevels(lack []lacking) string {
	if len(lack) == 1 {
		return fmt.Sprintf("the level %.40q", lack[0].Level)
	}
	return fmt.Sprintf("%d levels (%.40q the most frequent)", len(lack), lack[0].Level)
}
