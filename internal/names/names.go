// Package names has the names of columns: the form in which they are compared, the patterns that choose some of them, and new names for
// old ones. Its errors begin with no package, since whoever reads a table says which.
package names

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Index finds a column by its name, exactly or else in canonical form; -1 if there is none.
func Index(names []string, name string) int {
	if i := slices.Index(names, name); i >= 0 {
		return i
	}
	name = Canonical(name)
	return slices.IndexFunc(names, func(n string) bool { return Canonical(n) == name })
}

// A Lookup, made by NewLookup, finds columns as Index does, where many are looked for.
type Lookup struct{ exact, canonical map[string]int }

// NewLookup returns that of the names.
func NewLookup(names []string) Lookup {
	l := Lookup{make(map[string]int, len(names)), make(map[string]int, len(names))}
	for i := len(names) - 1; i >= 0; i-- { // the first of several
		l.exact[names[i]] = i
		l.canonical[Canonical(names[i])] = i
	}
	return l
}

// Find returns the place of a column, -1 if there is none of that name.
func (l Lookup) Find(name string) int {
	if i, ok := l.exact[name]; ok {
		return i
	}
	if i, ok := l.canonical[Canonical(name)]; ok {
		return i
	}
	return -1
}

// Has reports whether there is a column of that name.
func (l Lookup) Has(name string) bool { return l.Find(name) >= 0 }

// Check refuses names that cannot tell columns apart.
func Check(names []string) error {
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

// Missing is the error of a name that no column has.
func Missing(names []string, name string) error {
	return fmt.Errorf("no column %q%s; there are %s", name, DidYouMean(names, name), List(names))
}

// Listed is how many names fit in a line that still can be read.
const Listed = 8

// List quotes names for an error, the first few if there are many.
func List(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	var b strings.Builder
	for i, n := range names[:min(len(names), Listed)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", n)
	}
	if len(names) > Listed {
		fmt.Fprintf(&b, " and %d more", len(names)-Listed)
	}
	return b.String()
}
