package tables

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// MatchNames returns the names of the columns that the patterns name, each once, in the order of
// the table. A pattern is the name of a column or, if no column has this name, a list of patterns with commas between, of
// which those with commas or quotes stand in quotes as in CSV, or the name of a column of dates, which names its parts (CSVOptions.Dates),
// or else a glob of package
// path in which * and ? match every character. Names are compared as CanonicalName has them. A pattern that matches nothing is
// an error, as is a malformed one.
func MatchNames(columns []Column, patterns []string) ([]string, error) {
	chosen := make([]bool, len(columns))
	for _, p := range ResolveNames(columns, patterns) {
		hit, err := matchOne(columns, p)
		if err != nil {
			return nil, err
		}
		if len(hit) == 0 {
			return nil, noMatch(columns, p)
		}
		for _, i := range hit {
			chosen[i] = true
		}
	}
	var names []string
	for i, c := range columns {
		if chosen[i] {
			names = append(names, c.Name)
		}
	}
	return names, nil
}

// ResolveNames takes lists with commas apart into single names and globs, as MatchNames does: one that is a column's name is
// left as it is.
func ResolveNames(columns []Column, patterns []string) []string {
	var single []string
	for _, p := range patterns {
		if columnIndex(columns, p) >= 0 || dateParts(columns, p) != nil {
			single = append(single, p)
		} else {
			single = append(single, SplitList(p)...)
		}
	}
	return single
}

// SplitList takes a list with commas apart. Items may stand in quotes as in CSV; where the quotes are not those of CSV, they
// are letters like others.
func SplitList(list string) []string {
	if !strings.ContainsAny(list, `,"`) {
		return []string{list}
	}
	r := csv.NewReader(strings.NewReader(list))
	r.TrimLeadingSpace = true
	items, err := r.Read()
	if _, more := r.Read(); err != nil || more != io.EOF {
		return strings.Split(list, ",")
	}
	return items
}

// matchOne returns the columns that a single pattern names.
func matchOne(columns []Column, pattern string) ([]int, error) {
	if i := columnIndex(columns, pattern); i >= 0 {
		return []int{i}, nil
	}
	if parts := dateParts(columns, pattern); parts != nil {
		return parts, nil
	}
	var hit []int
	glob := maskSlash(CanonicalName(pattern))
	for i, c := range columns {
		// path.Match keeps * away from slashes, which mean nothing in a column name.
		ok, err := path.Match(glob, maskSlash(CanonicalName(c.Name)))
		if err != nil {
			return nil, fmt.Errorf("tables: malformed pattern %q", pattern)
		}
		if ok {
			hit = append(hit, i)
		}
	}
	return hit, nil
}

func maskSlash(s string) string { return strings.ReplaceAll(s, "/", "\x00") }

// A nameIndex finds columns by their names, exactly or else in canonical form, as columnIndex does, where many are looked for.
type nameIndex struct{ exact, canonical map[string]int }

func newNameIndex(columns []Column) nameIndex {
	x := nameIndex{make(map[string]int, len(columns)), make(map[string]int, len(columns))}
	for i := len(columns) - 1; i >= 0; i-- { // the first of several
		x.exact[columns[i].Name] = i
		x.canonical[CanonicalName(columns[i].Name)] = i
	}
	return x
}

// find returns the place of a column, -1 if there is none of that name.
func (x nameIndex) find(name string) int {
	if i, ok := x.exact[name]; ok {
		return i
	}
	if i, ok := x.canonical[CanonicalName(name)]; ok {
		return i
	}
	return -1
}

func (x nameIndex) has(name string) bool { return x.find(name) >= 0 }

// columnIndex finds a column by its name, exactly or else in canonical form.
func columnIndex(columns []Column, name string) int {
	if i := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name }); i >= 0 {
		return i
	}
	name = CanonicalName(name)
	return slices.IndexFunc(columns, func(c Column) bool { return CanonicalName(c.Name) == name })
}

func noMatch(columns []Column, pattern string) error {
	if strings.ContainsAny(pattern, `*?[\`) {
		return fmt.Errorf("tables: no column matches %q; there are %s", pattern, listColumns(columns))
	}
	return fmt.Errorf("tables: %w", missingName(columns, pattern))
}

func missingName(columns []Column, name string) error {
	return fmt.Errorf("no column %q; there are %s", name, listColumns(columns))
}

// listed is how many names fit in a line that still can be read.
const listed = 8

// listColumns quotes the names of the columns for an error, the first few if there are many.
func listColumns(columns []Column) string {
	return listNames(columnNames(columns))
}

func listNames(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	var b strings.Builder
	for i, n := range names[:min(len(names), listed)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", n)
	}
	if len(names) > listed {
		fmt.Fprintf(&b, " and %d more", len(names)-listed)
	}
	return b.String()
}

// checkNames refuses names that cannot tell columns apart.
func checkNames(names []string) error {
	if len(names) == 0 {
		return errors.New("no columns")
	}
	at := make(map[string]int, len(names))
	for i, n := range names {
		if n == "" {
			return fmt.Errorf("column %d has no name", i+1)
		}
		if first, ok := at[n]; ok {
			return fmt.Errorf("two columns are named %q (columns %d and %d)", n, first+1, i+1)
		}
		at[n] = i
	}
	return nil
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
