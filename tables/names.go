package tables

import (
	"fmt"

	"mediant/internal/names"
)

// CanonicalName is the form in which names of columns are compared, and which columns of files have: composed letters
// (Unicode's NFC), without characters that cannot be seen (zero-width spaces and joiners, byte order marks, soft hyphens, marks of
// direction), with a plain space for every kind of space, and without spaces at either end. Names that look the same are then the same,
// whatever program wrote them.
func CanonicalName(name string) string { return names.Canonical(name) }

// MatchNames returns the names of the columns that the patterns name, each once, in the order of
// the table. A pattern is the name of a column or, if no column has this name, a list of patterns with commas between, of
// which those with commas or quotes stand in quotes as in CSV, or the name of a column of dates, which names its parts (csv.Options.Dates),
// or else a glob of package
// path in which * and ? match every character. Names are compared as CanonicalName has them. A pattern that matches nothing is
// an error, as is a malformed one.
func MatchNames(columns []Column, patterns []string) ([]string, error) {
	all, chosen := ColumnNames(columns), make([]bool, len(columns))
	for _, p := range names.Resolve(all, patterns) {
		hit, err := names.Match(all, p)
		if err == nil && len(hit) == 0 {
			err = names.NoMatch(all, p)
		}
		if err != nil {
			return nil, fmt.Errorf("tables: %w", err)
		}
		for _, i := range hit {
			chosen[i] = true
		}
	}
	var matched []string
	for i, name := range all {
		if chosen[i] {
			matched = append(matched, name)
		}
	}
	return matched, nil
}

// ColumnNames returns the names of the columns.
func ColumnNames(columns []Column) []string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = c.Name
	}
	return all
}

// kindIndexes maps each column to its index among the columns of its kind.
func kindIndexes(columns []Column) (index []int, numeric, text int) {
	index = make([]int, len(columns))
	vectors := 0
	for i, c := range columns {
		count := &numeric
		switch c.Kind {
		case Text:
			count = &text
		case Vector:
			count = &vectors
		}
		index[i] = *count
		*count++
	}
	return index, numeric, text
}
