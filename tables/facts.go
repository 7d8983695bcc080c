package tables

import "slices"

// A MixedColumn is one that was read as text because CSVOptions.Lenient says so: some cells are no numbers, or no dates.
type MixedColumn struct {
	File   string `json:"file"`
	Column string `json:"column"`
	Line   int    `json:"line"` // of the file, from 1, of the first such cell
	Cell   string `json:"cell"`
	Why    string `json:"why"`             // what it is, "is not a number"
	Remedy string `json:"remedy"`          // what settles it, in terms of CSVOptions, "" if nothing is known
	Cells  int    `json:"cells,omitempty"` // such cells, if counted
	Of     int    `json:"of,omitempty"`    // among so many that are not missing
}

// UnsureDates is a column of dates between slashes or hyphens of which none shows whether day or month comes first: it was read as CSVOptions.Dates
// says.
type UnsureDates struct {
	File     string
	Column   string // as it is named in the file
	Line     int    // of the first such date
	Cell     string
	DayFirst bool // it was read so
}

// fileFacts are what reading a file has found that its rows no longer show.
type fileFacts struct {
	mixed  []MixedColumn
	unsure []UnsureDates
}

// MixedColumns returns those of a source, in the order of the file.
func MixedColumns(src Source) []MixedColumn { return slices.Clone(factsOf(src).mixed) }

// UnsureDatesOf returns those of a source, in the order of the file.
func UnsureDatesOf(src Source) []UnsureDates { return slices.Clone(factsOf(src).unsure) }

// factsOf are those of the file that the rows of a source are from.
func factsOf(src Source) fileFacts {
	switch s := src.(type) {
	case *Guard:
		return factsOf(s.src)
	case *weighted:
		return factsOf(s.guard)
	case *subset:
		return factsOf(s.guard)
	case renamedSource:
		return factsOf(s.guard).renamed(s.guard.Columns(), s.columns)
	case *CSV:
		return s.facts
	case *Table:
		return s.facts
	}
	return fileFacts{}
}

// renamed are the facts of a source whose columns have other names.
func (f fileFacts) renamed(from, to []Column) fileFacts {
	f.mixed = slices.Clone(f.mixed)
	for i := range f.mixed {
		if at := slices.IndexFunc(from, func(c Column) bool { return c.Name == f.mixed[i].Column }); at >= 0 {
			f.mixed[i].Column = to[at].Name
		}
	}
	return f
}
