package tables

import (
	"fmt"
	"slices"

	"mediant/tables/notes"
)

// Facts are the metadata of a table. In the zero value nothing is known.
type Facts struct {
	// Rows is the number of rows, 0 if only a pass would tell.
	Rows int
	// Held is what the table keeps in memory, in bytes: a number takes 8, a cell of text 16 and each distinct text of a column once, an
	// element of a sparse row 16.
	Held int64
	// TextBytes bounds the bytes of the text that Load would keep, 0 if nothing is known: a file cannot have more text than it has bytes.
	TextBytes int64
	// Weighted reports that rows have weights, or stand for several copies.
	Weighted bool
	// Place says where a row is in the file that it was read from, such as "xu.csv:3"; nil if there is none. The row is its Batch.Number.
	Place func(row int) string
	// Unread are the columns that ReadOptions.Ignore names and that no table could hold, such as nested ones. Columns has none of them.
	Unread []string
	// What reading the file found, in the order of its lines.
	Skips       []notes.Skip
	Mixed       []notes.MixedColumn
	UnsureDates []notes.UnsureDates
}

// FactsOf returns what src says of itself, if it has a method Facts() Facts, as the sources of this package and of those below it
// have. It must not be changed.
func FactsOf(src Source) Facts {
	if s, ok := src.(interface{ Facts() Facts }); ok {
		return s.Facts()
	}
	return Facts{}
}

// Where says where a row of the table is, for errors: "xu.csv:3", the file and its line, if the table was read from one,
// and else "row 2", counted from 1. row is its Batch.Number, which counts from 0.
func (f Facts) Where(row int) string {
	if f.Place != nil {
		return f.Place(row)
	}
	return fmt.Sprintf("row %d", row+1)
}

// LoadBytes returns an upper bound of the size in bytes of the table that Load makes of a source with this number of rows.
func LoadBytes(src Source, rows int) int64 {
	_, numeric, text := kindIndexes(src.Columns())
	bytes := int64(rows) * int64(8*numeric+16*text)
	if text > 0 {
		bytes += FactsOf(src).TextBytes
	}
	return bytes
}

// renamed are the facts of a table whose columns have other names.
func (f Facts) renamed(from, to []Column) Facts {
	f.Mixed = slices.Clone(f.Mixed)
	for i := range f.Mixed {
		if at := slices.IndexFunc(from, func(c Column) bool { return c.Name == f.Mixed[i].Column }); at >= 0 {
			f.Mixed[i].Column = to[at].Name
		}
	}
	return f
}

// beside are the facts of two tables side by side.
func (f Facts) beside(o Facts) Facts {
	if f.Rows != o.Rows { // or one of them is not known
		f.Rows = 0
	}
	f.Held, f.TextBytes, f.Weighted = f.Held+o.Held, f.TextBytes+o.TextBytes, f.Weighted || o.Weighted
	f.Unread = slices.Concat(f.Unread, o.Unread)
	f.Skips, f.Mixed, f.UnsureDates = slices.Concat(f.Skips, o.Skips), slices.Concat(f.Mixed, o.Mixed), slices.Concat(f.UnsureDates, o.UnsureDates)
	return f
}
