package check

import (
	"fmt"
	"slices"

	"mediant/tables"
)

// names finds columns of either table alone whose names are nearly equal, so that they may be meant to be one column of U. A name
// that a flag has is meant as it is.
func (c *checker) names() {
	named := c.named()
	for _, near := range tables.NearNames(c.xu.columns, c.uy.columns) {
		if slices.Contains(named, near.XU) || slices.Contains(named, near.UY) {
			continue
		}
		effect := "each has a role of its own, X or Y, and U lacks them"
		if c.opt.Treatment != "" {
			effect = "U lacks them, and Y is predicted without"
		}
		c.add(Finding{Code: NamesDiffer, Severity: Error, Table: Both, Columns: []string{near.XU, near.UY},
			What:    fmt.Sprintf("%q of the first table and %q of the second are nearly equal names", near.XU, near.UY),
			Effect:  effect,
			Remedy:  fmt.Sprintf("%s if they are one column; --accept %s:%q if they are two", renameFlag(near.UY, near.XU), NamesDiffer, near.XU),
			gravity: 1})
	}
}
