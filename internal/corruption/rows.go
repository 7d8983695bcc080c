package corruption

import "slices"

// rows are faults of which rows there are.
func rows() []Corruption {
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
		cutWithinRow(),
		kept("above a quantile only", [Strengths]string{"20 %", "50 %", "80 %"}, inU, func(c *Case, v float64, s summary) bool { return v >= s.quantile(quantiles[c.Strength]) }),
		kept("below a quantile only", [Strengths]string{"80 %", "50 %", "20 %"}, inU, func(c *Case, v float64, s summary) bool { return v <= s.quantile(1-quantiles[c.Strength]) }),
		kept("without the middle", [Strengths]string{"45 to 55 %", "35 to 65 %", "20 to 80 %"}, inU, func(c *Case, v float64, s summary) bool {
			half := [Strengths]float64{.05, .15, .3}[c.Strength]
			return v < s.quantile(.5-half) || v > s.quantile(.5+half)
		}),
		withoutLevel(),
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

// kept leaves the rows whose column is on one side of a quantile; of X and U the population is then that of these rows.
func kept(name string, labels [Strengths]string, places []Place, keep func(c *Case, v float64, s summary) bool) Corruption {
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

// cutWithinRow ends the file within a row.
func cutWithinRow() Corruption {
	return Corruption{Group: "rows", Name: "cut off in the middle of a row", Strengths: [Strengths]string{"at the end", "after 70 %", "after 40 %"}, Places: ofTables, spoil: func(c *Case) bool {
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
	}}
}

// withoutLevel leaves out the rows of a level; of X and U the population is then that of the others.
func withoutLevel() Corruption {
	return Corruption{Group: "rows", Name: "without a level", Strengths: [Strengths]string{"the rarest", "the second", "the most frequent"}, Places: inU, spoil: func(c *Case) bool {
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
	}}
}
