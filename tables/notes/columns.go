package notes

// A MixedColumn is one that was read as text because csv.Options.Lenient says so: some cells are no numbers, or no dates.
type MixedColumn struct {
	File   string `json:"file"`
	Column string `json:"column"`
	Line   int    `json:"line"` // of the file, from 1, of the first such cell
	Cell   string `json:"cell"`
	Why    string `json:"why"`             // what it is, "is not a number"
	Remedy string `json:"remedy"`          // what settles it, in terms of csv.Options, "" if nothing is known
	Cells  int    `json:"cells,omitempty"` // such cells, if counted
	Of     int    `json:"of,omitempty"`    // among so many that are not missing
}

// UnsureDates is a column of dates between slashes or hyphens of which none shows whether day or month comes first: it was read as csv.Options.Dates
// says.
type UnsureDates struct {
	File     string
	Column   string // as it is named in the file
	Line     int    // of the first such date
	Cell     string
	DayFirst bool // it was read so
}
