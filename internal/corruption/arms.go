package corruption

import (
	"cmp"
	"math"
	"slices"
)

// arms are faults of one arm of a trial.
func arms() []Corruption {
	// inArm draws a column of numbers of U and splits the rows of the table by arm.
	inArm := func(name string, labels [Strengths]string, spoil func(c *Case, treated func(row []string) bool, value func(row []string) (float64, bool)) bool) Corruption {
		return Corruption{Group: "arms", Name: name, Strengths: labels, Places: []Place{InUX}, spoil: func(c *Case) bool {
			if c.Treatment == "" || !c.pick(summary.isMeasured) {
				return false
			}
			arm, at := c.XU.Index(c.Treatment), c.XU.Index(c.name)
			ok := spoil(c, func(row []string) bool { return row[arm] == "1" }, func(row []string) (float64, bool) { return number(row[at]) })
			return ok && len(c.XU.Rows) > 10
		}}
	}
	shares := [Strengths]float64{.2, .5, .8}
	change := func(c *Case, treated func(row []string) bool, value func(row []string) (float64, bool), f func(v float64) float64) bool {
		at, changed := c.XU.Index(c.name), false
		for _, row := range c.XU.Rows {
			if v, ok := value(row); ok && treated(row) {
				row[at], changed = write(f(v)), true
			}
		}
		return changed
	}
	return []Corruption{
		inArm("lost by their values in one arm", [Strengths]string{"20 %", "50 %", "80 %"}, func(c *Case, treated func([]string) bool, value func([]string) (float64, bool)) bool {
			was := len(c.XU.Rows)
			most := c.XU.summary(c.name).quantile(1 - shares[c.Strength])
			c.XU.Rows = slices.DeleteFunc(c.XU.Rows, func(row []string) bool {
				v, ok := value(row)
				return ok && !treated(row) && v > most
			})
			return len(c.XU.Rows) < was
		}),
		inArm("sorted by arm and cut off", [Strengths]string{"10 %", "20 %", "30 %"}, func(c *Case, treated func([]string) bool, value func([]string) (float64, bool)) bool {
			slices.SortStableFunc(c.XU.Rows, func(a, b []string) int {
				x, _ := value(a)
				y, _ := value(b)
				return cmp.Or(compareTruth(treated(a), treated(b)), cmp.Compare(x, y))
			})
			c.XU.Rows = c.XU.Rows[:int((1-[Strengths]float64{.1, .2, .3}[c.Strength])*float64(len(c.XU.Rows)))]
			return true
		}),
		inArm("another unit in one arm", [Strengths]string{"× 10", "× 38.67", "× 1000"}, func(c *Case, treated func([]string) bool, value func([]string) (float64, bool)) bool {
			return change(c, treated, value, func(v float64) float64 { return v * [Strengths]float64{10, 38.67, 1000}[c.Strength] })
		}),
		inArm("rounded in one arm", [Strengths]string{"to a tenth of the spread", "to half of it", "to all of it"}, func(c *Case, treated func([]string) bool, value func([]string) (float64, bool)) bool {
			s := c.XU.summary(c.name)
			step := math.Pow(10, math.Round(math.Log10(s.quantile(.84)-s.quantile(.16)))) * [Strengths]float64{.1, .5, 1}[c.Strength]
			return change(c, treated, value, func(v float64) float64 { return math.Round(v/step) * step })
		}),
	}
}

// compareTruth orders false before true.
func compareTruth(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
