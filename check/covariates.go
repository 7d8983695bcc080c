package check

import (
	"fmt"
	"slices"
)

// covariates are the columns of the first table for which an effect is adjusted, but for those of U.
func (c *checker) covariates() []string {
	return slices.DeleteFunc(slices.Clone(c.opt.Adjusted), func(name string) bool {
		return c.xu.of(name) == nil || slices.Contains(c.roles.U, name) || slices.Contains(c.roles.X, name)
	})
}

// identifyingCovariates warns of identifiers and dates among the covariates, which adjust for nothing.
func (c *checker) identifyingCovariates() {
	for _, name := range c.covariates() {
		f := Finding{Code: RowIdentifier, Severity: Warning, Table: XU, Columns: []string{name},
			What:   fmt.Sprintf("%q is a running number or an identifier, different in nearly every row of %s, and among the columns that adjust", name, XU.words()),
			Effect: "it says nothing of other rows, so that nothing is adjusted for by it",
			Remedy: fmt.Sprintf("a --x without it, or --accept %s:%q", RowIdentifier, name)}
		switch {
		case c.is(name, Date):
			f.Code, f.What, f.Effect = DateColumn, fmt.Sprintf("%q holds dates or times, and is among the columns that adjust", name), "as levels each day would be unrelated to all others"
			f.Remedy = c.datesRemedy(name)
		case !c.is(name, Identifier):
			continue
		}
		c.add(f)
	}
}
