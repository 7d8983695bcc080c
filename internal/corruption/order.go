package corruption

import (
	"slices"
	"strings"
)

var (
	ofTables  = []Place{OfXU, OfUY}
	byShare   = [Strengths]float64{.2, .5, 1}
	shareText = [Strengths]string{"20 % of the rows", "50 %", "all"}
)

func varied(s summary) bool {
	return len(s.levels) > 1
}

// order are faults that break the rows of a table.
func order() []Corruption {
	return []Corruption{
		movedDown(),
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
		columnsSwapped(),
		movedRight(),
	}
}

// moved puts the cells of a share of the rows in another order.
func moved(name string, unseen []Place, f func(c *Case, cells []string)) Corruption {
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

// movedDown moves all cells of a column, the last ones to the top.
func movedDown() Corruption {
	return Corruption{Group: "order", Name: "a column moved down", Strengths: [Strengths]string{"by one row", "by 5 rows", "by 50 rows"}, Places: anywhere, spoil: func(c *Case) bool {
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
	}}
}

// columnsSwapped gives columns of numbers of U each other's names.
func columnsSwapped() Corruption {
	return Corruption{Group: "order", Name: "columns swapped", Strengths: [Strengths]string{"two", "three in a ring", "all reversed"}, Places: inU, spoil: func(c *Case) bool {
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
	}}
}

// movedRight moves the cells of some rows by one column, the last to the front.
func movedRight() Corruption {
	return Corruption{Group: "order", Name: "cells moved to the right", Strengths: [Strengths]string{"in 5 % of the rows", "20 %", "50 %"}, Places: ofTables, spoil: func(c *Case) bool {
		s := c.table()
		for i := range s.Rows {
			if float64(i%100) < 100*[Strengths]float64{.05, .2, .5}[c.Strength] {
				row := s.Rows[i]
				s.Rows[i] = append([]string{row[len(row)-1]}, row[:len(row)-1]...)
			}
		}
		return len(s.Names) > 1
	}}
}
