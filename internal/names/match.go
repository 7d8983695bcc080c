package names

import (
	"encoding/csv"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// Match returns the columns that a single pattern names: the one of this name, the parts of a column of dates of this name, or those that it
// matches as a glob of package path in which * and ? match every character. None is no error; a malformed pattern is.
func Match(names []string, pattern string) ([]int, error) {
	if i := Index(names, pattern); i >= 0 {
		return []int{i}, nil
	}
	if parts := datesOf(names, pattern); parts != nil {
		return parts, nil
	}
	var hit []int
	glob := maskSlash(Canonical(pattern))
	for i, n := range names {
		// path.Match keeps * away from slashes, which mean nothing in a column name.
		ok, err := path.Match(glob, maskSlash(Canonical(n)))
		if err != nil {
			return nil, fmt.Errorf("malformed pattern %q", pattern)
		}
		if ok {
			hit = append(hit, i)
		}
	}
	return hit, nil
}

func maskSlash(s string) string { return strings.ReplaceAll(s, "/", "\x00") }

// Matches reports whether a column is among those that lists of patterns name.
func Matches(name string, patterns []string) bool {
	column := []string{name}
	return slices.ContainsFunc(Resolve(column, patterns), func(p string) bool {
		hit, err := Match(column, p)
		return err == nil && len(hit) > 0
	})
}

// NoMatch is the error of a pattern that matches no column.
func NoMatch(names []string, pattern string) error {
	if strings.ContainsAny(pattern, `*?[\`) {
		return fmt.Errorf("no column matches %q; there are %s", pattern, List(names))
	}
	return Missing(names, pattern)
}

// Resolve takes lists with commas apart into single names and patterns: one that is a column's name is left as it is.
func Resolve(names, patterns []string) []string {
	var single []string
	for _, p := range patterns {
		if Index(names, p) >= 0 || datesOf(names, p) != nil {
			single = append(single, p)
		} else {
			single = append(single, Split(p)...)
		}
	}
	return single
}

// Split takes a list with commas apart. Items may stand in quotes as in CSV; where the quotes are not those of CSV, they
// are letters like others.
func Split(list string) []string {
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

// dateParts are the columns that a column of dates becomes, behind its name.
var dateParts = [...]string{" year", " month", " weekday", " days"}

// DateParts is the number of columns that a column of dates becomes.
const DateParts = len(dateParts)

// OfDates are the names of the columns that a column of dates becomes: its year, month, weekday and days.
func OfDates(name string) []string {
	all := make([]string, len(dateParts))
	for i, part := range dateParts {
		all[i] = name + part
	}
	return all
}

// datesOf finds the columns that a column of dates of this name has become, none if they are not all there.
func datesOf(names []string, name string) []int {
	var parts []int
	for _, n := range OfDates(name) {
		i := Index(names, n)
		if i < 0 {
			return nil
		}
		parts = append(parts, i)
	}
	return parts
}
