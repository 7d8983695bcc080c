package corruption

import (
	"fmt"
	"slices"
	"strings"
)

// levels are faults of the levels of a column.
func levels() []Corruption {
	return slices.Concat([]Corruption{
		oneLevel("misspelt", func(l string) string {
			if len(l) < 3 {
				return l + "x"
			}
			return l[:1] + l[2:3] + l[1:2] + l[3:]
		}),
		oneLevel("other case", strings.ToUpper),
		oneLevel("a space behind", func(l string) string { return l + " " }),
		oneLevel("a space within", func(l string) string { return strings.Replace(l, " ", "  ", 1) }),
		oneLevel("Unicode decomposed", decomposed),
		oneLevel("Latin letters without accents", plainLetters),
		oneLevel("a code before", func(l string) string { return fmt.Sprintf("%d: %s", len(l), l) }),
		oneLevel("in quotes", func(l string) string { return `"` + l + `"` }),
		ofCells("levels", "a level of its own", anywhere, []Place{InX, InY}, [Strengths]float64{.05, .2, .5}, summary.isLevel, func(*Case, summary) func(string) (string, bool) {
			return func(string) (string, bool) { return "other", true }
		}),
		ofCells("levels", "swapped", anywhere, []Place{InX, InY}, [Strengths]float64{.2, .5, 1}, summary.isLevel, func(_ *Case, s summary) func(string) (string, bool) {
			return func(cell string) (string, bool) {
				switch cell {
				case s.levels[0]:
					return s.levels[1], true
				case s.levels[1]:
					return s.levels[0], true
				}
				return "", false
			}
		}),
		mergedLevels(),
		codesForNames(),
		truthValues(),
		truthNumbers(),
	}, scaleLevels())
}

// scaleLevels are faults of whole-number codes.
func scaleLevels() []Corruption {
	return []Corruption{
		ofNumbers("levels", "scale reversed", anywhere, []Place{InX, InY}, [Strengths]float64{.2, .5, 1}, summary.isCode, func(v float64, s summary) float64 {
			return s.numbers[0] + s.numbers[len(s.numbers)-1] - v
		}),
		ofNumbers("levels", "counted from one less", anywhere, []Place{InX, InY}, [Strengths]float64{.2, .5, 1}, summary.isCode, func(v float64, _ summary) float64 { return v - 1 }),
		ofNumbers("levels", "codes in another order", anywhere, []Place{InX, InY}, [Strengths]float64{.2, .5, 1}, summary.isCode, func(v float64, s summary) float64 {
			low, high := s.numbers[0], s.numbers[len(s.numbers)-1]
			if v++; v > high {
				v = low
			}
			return v
		}),
		ofNumbers("levels", "top codes merged", anywhere, []Place{InX, InY}, [Strengths]float64{.2, .5, 1}, summary.isCode, func(v float64, s summary) float64 {
			return min(v, s.quantile(.6))
		}),
	}
}

// oneLevel changes one level, or a share of its rows.
func oneLevel(name string, f func(level string) string) Corruption {
	able := func(s summary) []string {
		return slices.DeleteFunc(slices.Clone(s.levels), func(l string) bool { return f(l) == l })
	}
	return ofCells("levels", name, anywhere, nil, [Strengths]float64{.1, .5, 1}, func(s summary) bool { return s.isLevel() && len(able(s)) > 0 }, func(c *Case, s summary) func(string) (string, bool) {
		level := able(s)[c.rnd.IntN(len(able(s)))]
		return func(cell string) (string, bool) { return f(cell), cell == level }
	}).unseenWhole(InY) // a class by another name
}

// mergedLevels writes one level as another.
func mergedLevels() Corruption {
	return Corruption{Group: "levels", Name: "merged", Strengths: [Strengths]string{"the two rarest", "a rare one into the first", "the two most frequent"}, Places: anywhere, Unseen: []Place{InX, InY}, spoil: func(c *Case) bool {
		if !c.pick(func(s summary) bool { return s.isLevel() && len(s.levels) > 2 }) {
			return false
		}
		l := c.table().summary(c.name).levels
		n := len(l)
		move := [Strengths][2]string{{l[n-1], l[n-2]}, {l[n-1], l[0]}, {l[1], l[0]}}[c.Strength]
		return c.cells(1, func(cell string) (string, bool) { return move[1], cell == move[0] })
	}}
}

// codesForNames writes levels as numbers.
func codesForNames() Corruption {
	return Corruption{Group: "levels", Name: "codes for names", Strengths: [Strengths]string{"one level", "half of them", "all"}, Places: anywhere, Unseen: []Place{InX, InY}, spoil: func(c *Case) bool {
		if !c.pick(summary.isLevel) {
			return false
		}
		l := slices.Sorted(slices.Values(c.table().summary(c.name).levels))
		l = l[:[Strengths]int{1, (len(l) + 1) / 2, len(l)}[c.Strength]]
		return c.cells(1, func(cell string) (string, bool) {
			i := slices.Index(l, cell)
			return fmt.Sprint(i + 1), i >= 0
		})
	}}
}

// truthValues writes yes and no otherwise.
func truthValues() Corruption {
	return Corruption{Group: "levels", Name: "truth values", Strengths: [Strengths]string{"Y and N", "TRUE and FALSE", "1 and 0"}, Places: anywhere, Unseen: []Place{InX, InY}, spoil: func(c *Case) bool {
		if !c.pick(func(s summary) bool { return s.isTruth() && s.numbers == nil }) {
			return false
		}
		to := [Strengths][2]string{{"N", "Y"}, {"FALSE", "TRUE"}, {"0", "1"}}[c.Strength]
		return c.cells(1, func(cell string) (string, bool) {
			if cell == "yes" || cell == "true" {
				return to[1], true
			}
			return to[0], true
		})
	}}
}

// truthNumbers writes 0 and 1 otherwise.
func truthNumbers() Corruption {
	return Corruption{Group: "levels", Name: "truth numbers", Strengths: [Strengths]string{"1 and 2", "TRUE and FALSE", "1 and -1"}, Places: anywhere, Unseen: []Place{InX, InY}, spoil: func(c *Case) bool {
		if !c.pick(func(s summary) bool { return s.isTruth() && s.numbers != nil }) {
			return false
		}
		to := [Strengths][2]string{{"2", "1"}, {"FALSE", "TRUE"}, {"-1", "1"}}[c.Strength]
		return c.cells(1, func(cell string) (string, bool) {
			v, _ := number(cell)
			return to[int(v)], true
		})
	}}
}

var accents = strings.NewReplacer("è", "e\u0300", "é", "e\u0301", "ü", "u\u0308", "ö", "o\u0308", "â", "a\u0302")

func decomposed(s string) string { return accents.Replace(s) }

func plainLetters(s string) string {
	return strings.NewReplacer("è", "e", "é", "e", "ü", "u", "ö", "o", "â", "a").Replace(s)
}
