package csv

import (
	"slices"

	"mediant/tables/internal/cells"
)

// DatesName is the name or glob of an item of csv.Options.Dates: what is before =dmy, =mdy or =excel.
func DatesName(item string) string {
	name, _ := cells.CutReading(item)
	return name
}

// Dates returns the columns that were read as dates, in the form of csv.Options.Dates, with the order of day and month where dates have
// slashes, so that later files are read likewise.
func (c *File) Dates() []string { return cells.DatesOf(c.fields) }

// Header returns the names of the columns of the file itself, in which a column of dates is one.
func (c *File) Header() []string { return slices.Clone(c.names) }
