package tables

import "errors"

// ErrNoRows is of a file that has no rows, which its reader's error names.
var ErrNoRows = errors.New("no rows")

// A File is a table on disk, as the packages of formats below this one open it.
type File interface {
	Source
	// Rows is the number of rows.
	Rows() int
	// Header has the names of the columns of the file itself, in which a column of dates is one.
	Header() []string
	// Dates has the columns that were read as dates, as ReadOptions.Dates has them.
	Dates() []string
	// Renamed has the old names in ReadOptions.Rename that the file has.
	Renamed() []string
	// Close closes the file, and removes what it was unpacked to; after it, Batches yields an error.
	Close() error
}
