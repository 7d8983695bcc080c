package tables

// ReadOptions say how the columns of a file are read, whatever its format. The zero value takes them as they are.
type ReadOptions struct {
	// Text has names or globs of columns to read as text whatever their cells are. Those that match no column have no effect, so that one
	// list serves both tables.
	Text []string
	// Numbers has names or globs of columns to read as numbers: a cell that is not a number is then an error.
	Numbers []string
	// Only, if not nil, lists the columns that matter, with the kinds they must have, and replaces Text and Numbers. Columns that the file
	// has not are no error here: Select names them.
	Only []Column
	// Rename has new names for columns, by their old ones. All other options use the new names. Old ones that the file has not have no
	// effect. It is an error if two columns have one name then.
	Rename map[string]string
	// Aliases is like Rename, but where two columns would have one name by that, those have no effect whose new name the file has.
	Aliases map[string]string
	// NA are further markers of missing values, such as "." or "-99", or COLUMN=MARKER for those in columns that a name or glob matches.
	// Numbers compare as numbers.
	NA []string
	// Dates has names or globs of columns of dates, of which each becomes four columns of numbers, as csv.Options.Dates says.
	Dates []string
	// Ignore has names or globs of columns that may be of any type: one that no table can hold, such as a list, is left out.
	Ignore []string
	// Lenient reads columns that would be refused for cells that are no numbers, or no dates, as text.
	Lenient bool
}
