package corruption

import (
	"math"
	"slices"
	"strings"
)

var (
	inU      = []Place{InUX, InUY}
	anywhere = []Place{InX, InUX, InUY, InY}
)

func units() []Corruption {
	some, part := [Strengths]float64{.05, .2, .5}, [Strengths]float64{.1, .2, .5}
	whole := [Strengths]float64{.2, .5, 1}
	return []Corruption{
		byFactor("factor 10 to 1000", [Strengths]float64{10, 100, 1000}),
		byFactor("inch, pound, minute", [Strengths]float64{2.54, .4536, 60}),
		byFactor("yard, mile, foot", [Strengths]float64{1.0936, 1.6093, 3.2808}),
		ofNumbers("units", "Fahrenheit", anywhere, []Place{InX, InY}, whole, summary.isMeasured, func(v float64, _ summary) float64 { return 1.8*v + 32 }),
		{Group: "units", Name: "other zero", Strengths: [Strengths]string{"half a standard deviation", "one", "three"}, Places: anywhere, Unseen: []Place{InX, InY},
			spoil: func(c *Case) bool {
				if !c.pick(summary.isMeasured) {
					return false
				}
				by := c.table().summary(c.name).sd * [Strengths]float64{.5, 1, 3}[c.Strength]
				return c.numbers(1, func(v float64) float64 { return v + by })
			}},
		ofNumbers("units", "sign", anywhere, []Place{InX, InY}, [Strengths]float64{.1, .5, 1}, summary.isMeasured, func(v float64, _ summary) float64 { return -v }),
		ofNumbers("units", "logarithm", anywhere, []Place{InX, InY}, whole, summary.isPositive, func(v float64, _ summary) float64 { return math.Log1p(v) }),
		ofNumbers("units", "per cent for fractions", anywhere, []Place{InX, InY}, whole, summary.isMeasured, func(v float64, _ summary) float64 { return 100 * v }),
		ofNumbers("units", "thousands in part", anywhere, []Place{InX, InY}, some, summary.isMeasured, func(v float64, _ summary) float64 { return v / 1000 }),
		ofNumbers("units", "pounds in part", anywhere, []Place{InX, InY}, some, summary.isMeasured, func(v float64, _ summary) float64 { return 2.2046 * v }),
		ofNumbers("units", "mmHg in part", anywhere, nil, part, summary.isNarrow, func(v float64, _ summary) float64 { return 7.5 * v }),
		ofNumbers("units", "Fahrenheit in part", anywhere, nil, part, func(s summary) bool { return s.isNarrow() && s.mean < 50 }, func(v float64, _ summary) float64 { return 1.8*v + 32 }),
		ofNumbers("units", "kPa in part of both tables", []Place{Both}, nil, part, summary.isNarrow, func(v float64, _ summary) float64 { return v / 7.5 }),
		{Group: "units", Name: "rounded", Strengths: [Strengths]string{"to half a standard deviation", "to one", "to two"}, Places: anywhere, Unseen: []Place{InX, InY},
			spoil: func(c *Case) bool {
				if !c.pick(summary.isMeasured) {
					return false
				}
				step := c.table().summary(c.name).sd * [Strengths]float64{.5, 1, 2}[c.Strength]
				return c.numbers(1, func(v float64) float64 { return step * math.Round(v/step) })
			}},
		{Group: "units", Name: "other spread", Strengths: [Strengths]string{"× 1.2 about the mean", "× 1.5", "× 2"}, Places: inU,
			spoil: func(c *Case) bool {
				if !c.pick(summary.isMeasured) {
					return false
				}
				s := c.table().summary(c.name)
				by := [Strengths]float64{1.2, 1.5, 2}[c.Strength]
				return c.numbers(1, func(v float64) float64 { return s.mean + by*(v-s.mean) })
			}},
	}
}

// marks are numbers that are not written plainly.
func marks() []Corruption {
	at := [Strengths]float64{.05, .5, 1}
	marked := func(name string, form func(summary) bool, f func(cell string) string) Corruption {
		return ofCells("marks in numbers", name, anywhere, nil, at, form, func(*Case, summary) func(string) (string, bool) {
			return func(cell string) (string, bool) {
				_, ok := number(cell)
				return f(cell), ok
			}
		})
	}
	large := func(s summary) bool { return s.isMeasured() && s.quantile(.5) >= 1000 }
	fractions := func(s summary) bool { return s.isMeasured() && !s.whole }
	return []Corruption{
		marked("per cent sign", summary.isMeasured, func(cell string) string { return cell + " %" }),
		marked("currency", summary.isMeasured, func(cell string) string { return "$" + cell }),
		marked("unit behind", summary.isMeasured, func(cell string) string { return cell + " kg" }),
		marked("unit behind, unusual", summary.isMeasured, func(cell string) string { return cell + " quids" }),
		marked("thousands marks", large, thousands),
		marked("decimal comma", fractions, func(cell string) string { return strings.Replace(cell, ".", ",", 1) }),
		marked("spaces around", summary.isNumber, func(cell string) string { return " " + cell + "\u00a0" }),
		marked("apostrophe before", summary.isNumber, func(cell string) string { return "'" + cell }),
		marked("approximately", summary.isMeasured, func(cell string) string { return "ca. " + cell }),
		ofCells("marks in numbers", "below the limit", anywhere, nil, [Strengths]float64{.2, .5, 1}, summary.isMeasured, func(_ *Case, s summary) func(string) (string, bool) {
			limit := s.quantile(.2)
			return func(cell string) (string, bool) {
				v, ok := number(cell)
				return "<" + write(limit), ok && v < limit
			}
		}),
		ofCells("marks in numbers", "ranges", anywhere, nil, at, summary.isPositive, func(_ *Case, s summary) func(string) (string, bool) {
			return func(cell string) (string, bool) {
				v, ok := number(cell)
				low := s.sd * math.Floor(v/s.sd)
				return write(math.Floor(low)) + "-" + write(math.Ceil(low+s.sd)), ok
			}
		}).unseenWhole(InY), // classes
	}
}

// unseenWhole adds places where nobody could see it if it is everywhere.
func (c Corruption) unseenWhole(places ...Place) Corruption {
	c.UnseenWhole = places
	return c
}

// thousands puts commas between groups of three digits.
func thousands(cell string) string {
	whole, fraction, _ := strings.Cut(cell, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		return whole + "." + fraction
	}
	return whole
}

func outliers() []Corruption {
	few := [Strengths]float64{.01, .05, .2}
	one := func(name string, value float64) Corruption {
		return Corruption{Group: "outliers", Name: name, Strengths: [Strengths]string{"one row", "two rows", "five rows"}, Places: anywhere, spoil: func(c *Case) bool {
			if !c.pick(summary.isMeasured) {
				return false
			}
			s := c.table()
			for k := range []int{1, 2, 5}[c.Strength] {
				s.Rows[(k*37+11)%len(s.Rows)][s.Index(c.name)] = write(value * float64(k+1))
			}
			return true
		}}
	}
	return []Corruption{
		ofNumbers("outliers", "decimal point, × 10", anywhere, []Place{InX, InY}, few, summary.isMeasured, func(v float64, _ summary) float64 { return 10 * v }),
		ofNumbers("outliers", "decimal point, × 100", anywhere, []Place{InX, InY}, few, summary.isMeasured, func(v float64, _ summary) float64 { return 100 * v }),
		ofNumbers("outliers", "decimal point, ÷ 10", anywhere, []Place{InX, InY}, few, summary.isMeasured, func(v float64, _ summary) float64 { return v / 10 }),
		one("a million", 1e6),
		one("1e12", 1e12),
		ofCells("outliers", "clipped above", anywhere, []Place{InX, InY}, [Strengths]float64{.1, .25, .5}, summary.isMeasured, nil).clipped(true),
		ofCells("outliers", "top-coded fine numbers", anywhere, nil, [Strengths]float64{.1, .25, .5}, summary.isFine, nil).clipped(true),
		ofCells("outliers", "floored fine numbers", anywhere, nil, [Strengths]float64{.1, .25, .5}, summary.isFine, nil).clipped(false),
	}
}

// clipped cuts the values beyond a quantile, above it or below, which its strengths are one less.
func (c Corruption) clipped(above bool) Corruption {
	form := summary.isMeasured
	if c.Unseen == nil {
		form = summary.isFine
	}
	c.Strengths = [Strengths]string{"at the 90 % quantile", "at the 75 % quantile", "at the median"}
	if !above {
		c.Strengths = [Strengths]string{"at the 10 % quantile", "at the 25 % quantile", "at the median"}
	}
	c.spoil = func(c *Case) bool {
		if !c.pick(form) {
			return false
		}
		share := [Strengths]float64{.1, .25, .5}[c.Strength]
		if above {
			top := c.table().summary(c.name).quantile(1 - share)
			return c.numbers(1, func(v float64) float64 { return min(v, top) })
		}
		floor := c.table().summary(c.name).quantile(share)
		return c.numbers(1, func(v float64) float64 { return max(v, floor) })
	}
	return c
}

func missing() []Corruption {
	some := [Strengths]float64{.02, .1, .3}
	marker := func(name, text string) Corruption {
		return ofCells("missing values", name, anywhere, nil, some, func(s summary) bool { return s.isNumber() && !slices.Contains(s.levels, text) }, func(*Case, summary) func(string) (string, bool) {
			return func(string) (string, bool) { return text, true }
		})
	}
	all := []Corruption{
		ofCells("missing values", "empty in one table", anywhere, nil, [Strengths]float64{.05, .2, .5}, func(s summary) bool { return len(s.levels) > 1 }, blank),
		ofCells("missing values", "wholly missing", anywhere, nil, [Strengths]float64{.8, .95, 1}, func(s summary) bool { return len(s.levels) > 1 }, blank),
		{Group: "missing values", Name: "the largest are missing", Strengths: [Strengths]string{"10 %", "25 %", "50 %"}, Places: anywhere, Unseen: []Place{InX, InY}, spoil: func(c *Case) bool {
			if !c.pick(summary.isMeasured) {
				return false
			}
			top := c.table().summary(c.name).quantile(1 - [Strengths]float64{.1, .25, .5}[c.Strength])
			return c.cells(1, func(cell string) (string, bool) {
				v, ok := number(cell)
				return "", ok && v > top
			})
		}},
		ofNumbers("missing values", "filled with the mean", anywhere, []Place{InX, InY}, [Strengths]float64{.05, .2, .5}, summary.isMeasured, func(_ float64, s summary) float64 { return s.mean }),
		ofNumbers("missing values", "filled with zero", anywhere, []Place{InX, InY}, some, summary.isNumber, func(float64, summary) float64 { return 0 }),
		ofNumbers("missing values", "zero for measurements", anywhere, nil, [Strengths]float64{.05, .1, .25}, summary.isNarrow, func(float64, summary) float64 { return 0 }),
		{Group: "missing values", Name: "zero for the largest", Strengths: [Strengths]string{"5 %", "10 %", "25 %"}, Places: anywhere, spoil: func(c *Case) bool {
			if !c.pick(summary.isNarrow) {
				return false
			}
			top := c.table().summary(c.name).quantile(1 - [Strengths]float64{.05, .1, .25}[c.Strength])
			return c.cells(1, func(cell string) (string, bool) {
				v, ok := number(cell)
				return "0", ok && v > top
			})
		}},
		ofNumbers("missing values", "the mean for fine numbers", anywhere, nil, [Strengths]float64{.1, .2, .4}, summary.isFine, func(_ float64, s summary) float64 { return s.mean }),
		ofNumbers("missing values", "a code beside a scale", anywhere, nil, [Strengths]float64{.1, .15, .2}, summary.isCode, func(_ float64, s summary) float64 { return s.numbers[len(s.numbers)-1] + 3 }),
		ofNumbers("missing values", "one value", anywhere, []Place{InX, InY}, [Strengths]float64{.5, .9, 1}, summary.isNumber, func(_ float64, s summary) float64 { return s.numbers[0] }),
		ofCells("missing values", "unknown for levels", anywhere, nil, some, summary.isLevel, func(*Case, summary) func(string) (string, bool) {
			return func(string) (string, bool) { return "unknown", true }
		}),
	}
	for _, m := range [][2]string{{"-9", "-9"}, {"-99", "-99"}, {"-1", "-1"}, {"999", "999"}, {"9999", "9999"}, {"99", "99"}, {"a point", "."}, {"NA", "NA"}, {"n/a", "n/a"}, {"a question mark", "?"}, {"unknown", "unknown"}, {"a dash", "-"}, {"#N/A", "#N/A"}, {"NULL", "NULL"}} {
		all = append(all, marker("marked "+m[0], m[1]))
	}
	return all
}

func blank(*Case, summary) func(string) (string, bool) {
	return func(string) (string, bool) { return "", true }
}
