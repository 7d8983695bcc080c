package corruption

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"mediant/internal/draw"
)

// A Place is where a pair is spoilt.
type Place string

const (
	InX  Place = "X"        // of the first table and, alike, of the coupled rows: the model is evaluated on such X as it was fitted to
	InUX Place = "U of S_X" // in the first table alone
	InUY Place = "U of S_Y"
	InY  Place = "Y"
	OfXU Place = "table of X and U" // its rows or its file
	OfUY Place = "table of U and Y"
	Both Place = "both tables"
)

// Strengths are how many there are of each corruption, the weakest first.
const Strengths = 3

// A Corruption is a fault that files have.
type Corruption struct {
	Group, Name string
	// Strengths say what each strength is.
	Strengths [Strengths]string
	Places    []Place
	// Unseen are places where nobody could tell the spoilt tables from clean ones of another kind, and UnseenWhole those where that is
	// so at the greatest strength alone.
	Unseen, UnseenWhole []Place
	// spoil does it, and reports false where the pair has nothing that could be spoilt so.
	spoil func(c *Case) bool
}

// A Case is a pair that was spoilt.
type Case struct {
	*Pair
	Place    Place
	Strength int
	// Columns are those that were spoilt; none if it is the table.
	Columns []string
	// Unseen says that nobody could tell the spoilt tables from clean ones of another kind.
	Unseen bool

	name string // of the column, as it was
	rnd  *rand.Rand
}

// Apply spoils a copy of a pair. It reports false where there is nothing to spoil.
func (c Corruption) Apply(p *Pair, place Place, strength int, seed uint64) (*Case, bool) {
	// Strengths share their draws, so that they spoil the same column, and the stronger one more rows.
	spoilt := &Case{Pair: p.Clone(), Place: place, Strength: strength, rnd: draw.Rand(seed, "corruption/"+c.Name+"/"+string(place)+"/"+p.Name, 0)}
	spoilt.Unseen = slices.Contains(c.Unseen, place) || strength == Strengths-1 && slices.Contains(c.UnseenWhole, place)
	ok := c.spoil(spoilt)
	return spoilt, ok
}

// table is the one that is spoilt.
func (c *Case) table() *Sheet {
	if c.Place == InUY || c.Place == InY || c.Place == OfUY {
		return c.UY
	}
	return c.XU
}

// sheets are all that are spoilt.
func (c *Case) sheets() []*Sheet {
	switch c.Place {
	case InX:
		return []*Sheet{c.XU, c.Coupled}
	case Both:
		return []*Sheet{c.XU, c.UY, c.Coupled}
	}
	return []*Sheet{c.table()}
}

// role are the columns of the place.
func (c *Case) role() []string {
	switch c.Place {
	case InX:
		return c.X()
	case InY:
		return c.Y()
	}
	return c.U()
}

// pick draws a column of the place whose content is of a form.
func (c *Case) pick(form func(summary) bool) bool {
	var fit []string
	for _, name := range c.role() {
		if form(c.table().summary(name)) {
			fit = append(fit, name)
		}
	}
	if fit == nil {
		return false
	}
	c.name = fit[c.rnd.IntN(len(fit))]
	c.Columns = []string{c.name}
	return true
}

// cells changes a share of the cells of the column that are not empty, one at least, and reports whether any changed. Cells for which
// f returns false are passed over.
func (c *Case) cells(share float64, f func(cell string) (string, bool)) bool {
	changed := false
	for _, s := range c.sheets() {
		j := s.Index(c.name)
		spare := -1 // the first cell that could have been changed
		any := false
		for _, i := range c.rnd.Perm(len(s.Rows)) {
			u := c.rnd.Float64()
			cell := s.Rows[i][j]
			if cell == "" {
				continue
			}
			got, ok := f(cell)
			switch {
			case !ok || got == cell:
			case u < share:
				s.Rows[i][j], any = got, true
			case spare < 0:
				spare = i
			}
		}
		if !any && spare >= 0 {
			s.Rows[spare][j], _ = f(s.Rows[spare][j])
			any = true
		}
		changed = changed || any && s == c.table()
	}
	return changed
}

// numbers changes a share of the numbers of the column.
func (c *Case) numbers(share float64, f func(v float64) float64) bool {
	return c.cells(share, func(cell string) (string, bool) {
		v, ok := number(cell)
		if !ok {
			return "", false
		}
		return write(f(v)), true
	})
}

// rename gives a column of U of the spoilt table another name. Coupled rows have it under both, since it may be taken for X or Y.
func (c *Case) rename(name, to string) {
	c.table().Names[c.table().Index(name)] = to
	if cells := c.Coupled.column(name); strings.Trim(to, " \u200b") != name { // else they look the same
		c.Coupled.insert(len(c.Coupled.Names), to, func(row int) string { return cells[row] })
	}
	c.Columns = append(c.Columns, name, to)
}

// shares are strengths that are shares of rows.
func shares(of ...float64) (labels [Strengths]string, values [Strengths]float64) {
	for i, v := range of {
		labels[i], values[i] = fmt.Sprintf("%g %%", 100*v), v
	}
	return labels, values
}

// ofCells is a corruption of single cells in shares of the rows; make returns how a cell of the column is changed.
func ofCells(group, name string, places, unseen []Place, at [Strengths]float64, form func(summary) bool, make func(c *Case, s summary) func(cell string) (string, bool)) Corruption {
	labels, values := shares(at[:]...)
	return Corruption{Group: group, Name: name, Strengths: labels, Places: places, Unseen: unseen, spoil: func(c *Case) bool {
		if !c.pick(form) {
			return false
		}
		return c.cells(values[c.Strength], make(c, c.table().summary(c.name)))
	}}
}

// ofNumbers is ofCells for numbers.
func ofNumbers(group, name string, places, unseen []Place, at [Strengths]float64, form func(summary) bool, f func(v float64, s summary) float64) Corruption {
	return ofCells(group, name, places, unseen, at, form, func(_ *Case, s summary) func(string) (string, bool) {
		return func(cell string) (string, bool) {
			v, ok := number(cell)
			if !ok {
				return "", false
			}
			return write(f(v, s)), true
		}
	})
}

// byFactor multiplies all of a column, by a factor for each strength.
func byFactor(name string, factors [Strengths]float64) Corruption {
	c := Corruption{Group: "units", Name: name, Places: []Place{InX, InUX, InUY, InY}, Unseen: []Place{InX, InY}, spoil: func(c *Case) bool {
		return c.pick(summary.isMeasured) && c.numbers(1, func(v float64) float64 { return v * factors[c.Strength] })
	}}
	for i, f := range factors {
		c.Strengths[i] = fmt.Sprintf("× %g", f)
	}
	return c
}

// All are the corruptions, by group.
func All() []Corruption {
	return slices.Concat(units(), marks(), levels(), missing(), outliers(), order(), rows(), arms(), files(), columns())
}

// Find returns those whose name contains a text.
func Find(text string) []Corruption {
	return slices.DeleteFunc(All(), func(c Corruption) bool { return !strings.Contains(c.Name, text) })
}
