package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"mediant/tables"
)

// names finds columns of either table alone whose names are nearly equal, so that they may be meant to be one column of U. A name
// that a flag has is meant as it is.
func (c *checker) names() {
	named := c.named()
	for _, near := range nearNames(c.xu.columns, c.uy.columns) {
		if slices.Contains(named, near.xu) || slices.Contains(named, near.uy) {
			continue
		}
		effect := "each has a role of its own, X or Y, and U lacks them"
		if c.opt.Treatment != "" {
			effect = "U lacks them, and Y is predicted without"
		}
		c.add(Finding{Code: NamesDiffer, Severity: Error, Table: Both, Columns: []string{near.xu, near.uy},
			What:    fmt.Sprintf("%q of the first table and %q of the second are nearly equal names", near.xu, near.uy),
			Effect:  effect,
			Remedy:  fmt.Sprintf("%s if they are one column; --accept %s:%q if they are two", renameFlag(near.uy, near.xu), NamesDiffer, near.xu),
			gravity: 1})
	}
	c.slips(named)
}

const (
	// nameLetters is the least number of letters of names that may be one but for a letter, slipPairs how many pairs of names are compared at
	// most, and slipValues how many distinct values columns have whose distributions can hardly be alike by chance.
	nameLetters, slipPairs, slipValues = 4, 1_000_000, 10
)

// slips finds columns of either table alone whose names are one letter apart and whose values are distributed alike: one of the names
// may be a slip. Weight and height are one letter apart too.
func (c *checker) slips(named []string) {
	alone := func(own, other *tableLook) []*columnLook {
		var all []*columnLook
		for i := range own.looks {
			name := own.looks[i].column.Name
			if other.of(name) == nil && !slices.Contains(named, name) && !slices.Contains(c.report.LeftOut, name) {
				all = append(all, &own.looks[i])
			}
		}
		return all
	}
	first, second := alone(c.xu, c.uy), alone(c.uy, c.xu)
	if len(first)*len(second) > slipPairs {
		return
	}
	for _, x := range first {
		for _, y := range second {
			family := c.sameFamily(x.column.Name, y.column.Name)
			if !family && !slipOfName(x.column.Name, y.column.Name) || len(nearNames([]tables.Column{x.column}, []tables.Column{y.column})) > 0 || !c.alikeColumns(x, y, family) {
				continue
			}
			c.add(Finding{Code: NamesDiffer, Severity: Warning, Table: Both, Columns: []string{x.column.Name, y.column.Name}, gravity: 1,
				What:   fmt.Sprintf("%q of the first table and %q of the second are one letter apart, and are distributed alike", x.column.Name, y.column.Name),
				Effect: "if they are one column, U lacks it",
				Remedy: fmt.Sprintf("%s if they are; --accept %s:%q if they are two", renameFlag(y.column.Name, x.column.Name), NamesDiffer, x.column.Name)})
		}
	}
}

// slipOfName reports whether names are one letter, and no digit, apart.
func slipOfName(a, b string) bool {
	digits := func(name string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return r
			}
			return -1
		}, name)
	}
	x, y := []rune(canonical(a)), []rune(canonical(b))
	return min(len(x), len(y)) >= nameLetters && digits(a) == digits(b) && oneApart(x, y)
}

// familyMembers is how many numbered columns of both tables make a family: s2 and s3, of which one table has s1 and the other sx.
const familyMembers = 2

// sameFamily reports whether names are one letter apart of which one belongs to a family of numbered columns that both tables have.
func (c *checker) sameFamily(a, b string) bool {
	stem := func(name string) string { return strings.TrimRightFunc(name, unicode.IsDigit) }
	of := stem(a)
	if of == a {
		of = stem(b)
	}
	if of == "" || of == a && of == b || !strings.HasPrefix(a, of) || !strings.HasPrefix(b, of) || stem(a) == stem(b) || !oneApart([]rune(a), []rune(b)) {
		return false
	}
	members := 0
	for _, column := range c.xu.columns {
		if name := column.Name; name != stem(name) && stem(name) == of && c.uy.of(name) != nil {
			members++
		}
	}
	return members >= familyMembers
}

// alikeColumns reports whether a column of the first table and another one of the second are distributed alike; of a family, whose
// names tell already, those of few values too.
func (c *checker) alikeColumns(x, y *columnLook, family bool) bool {
	if x.column.Kind != y.column.Kind || x.present() < fewestRows || y.present() < fewestRows {
		return false
	}
	switch x.column.Kind {
	case tables.Numeric:
		v, w := c.xu.sample.values(x.place), c.uy.sample.values(y.place)
		return (family || min(x.distinct.count(), y.distinct.count()) >= slipValues) && alike(distance(v, w), len(v), len(w))
	case tables.Text:
		common := 0
		for level := range x.levels {
			if _, ok := y.levels[level]; ok {
				common++
			}
		}
		return 2*common > max(len(x.levels), len(y.levels))
	}
	return false
}
