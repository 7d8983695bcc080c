package main

import (
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mediant/tables"
)

// renames are the arguments of --rename.
type renames struct {
	names map[string]string // new ones by old ones
	found map[string]bool   // the old ones that a table has had
}

// Set takes A=B. Names with = stand in quotes as in CSV.
func (r *renames) Set(text string) error {
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma = '='
	parts, err := reader.Read()
	if err != nil { // quotes that are letters
		parts = strings.Split(text, "=")
	}
	if len(parts) != 2 {
		return fmt.Errorf(`want A=B, and names with = in quotes: "A"="B"`)
	}
	from, to := tables.CanonicalName(parts[0]), tables.CanonicalName(parts[1])
	if before, ok := r.names[from]; from == "" || to == "" || ok && before != to {
		return fmt.Errorf("want A=B, each A once")
	}
	r.names[from] = to
	return nil
}

func (r *renames) Type() string { return "A=B" }

func (r *renames) String() string { return strings.Join(r.GetSlice(), ",") }

// GetSlice returns arguments that Set takes.
func (r *renames) GetSlice() (all []string) {
	quoted := func(name string) string {
		if strings.ContainsAny(name, `="`) {
			return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		return name
	}
	for _, from := range slices.Sorted(maps.Keys(r.names)) {
		all = append(all, quoted(from)+"="+quoted(r.names[from]))
	}
	return all
}

// see notes the old names that a table has.
func (r *renames) see(found []string) {
	for _, name := range found {
		r.found[name] = true
	}
}
