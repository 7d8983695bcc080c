package tables

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
)

// Rename returns src with other names for some of its columns, old names to new ones, all at once, so that two can change
// places. Rows and what is known of them stay. The error says that there is no such column, or names one that two columns
// would have.
func Rename(src Source, names map[string]string) (Source, error) {
	columns := slices.Clone(src.Columns())
	renamed, found, err := renameAll(columnNames(columns), names)
	if err != nil {
		return nil, fmt.Errorf("tables: rename: %w", err)
	}
	for _, old := range slices.Sorted(maps.Keys(names)) {
		if !slices.Contains(found, CanonicalName(old)) {
			return nil, fmt.Errorf("tables: rename: %w", missingName(columns, old))
		}
	}
	for i := range columns {
		columns[i].Name = renamed[i]
	}
	switch s := unguarded(src).(type) {
	case *Table:
		t := *s
		t.columns, t.facts = columns, s.facts.renamed(s.columns, columns)
		return &t, nil
	case *Sparse:
		t := *s
		t.columns = columns
		return &t, nil
	case *CSV:
		c := *s
		c.columns, c.facts = columns, s.facts.renamed(s.columns, columns)
		return &c, nil
	}
	return renamedSource{NewGuard("", src), columns, nil}, nil
}

// renamedSource is a Source with other names, or with an indicator in the place of a column.
type renamedSource struct {
	guard     *Guard
	columns   []Column
	indicator *indicator // nil: rows stay as they are
}

func (r renamedSource) Columns() []Column { return r.columns }

func (r renamedSource) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	if r.indicator != nil {
		return r.indicator.batches(ctx, r.guard)
	}
	return r.guard.Batches(ctx)
}

// renameAll returns the names with those in the map replaced, and the old ones that are there, in canonical form. The error
// names a column that has its name twice.
func renameAll(names []string, change map[string]string) (renamed, found []string, err error) {
	renamed = slices.Clone(names)
	for _, old := range slices.Sorted(maps.Keys(change)) {
		name := CanonicalName(change[old])
		old = CanonicalName(old)
		if name == "" {
			return nil, nil, fmt.Errorf("column %q has no new name", old)
		}
		if i := slices.IndexFunc(names, func(n string) bool { return CanonicalName(n) == old }); i >= 0 {
			renamed[i] = name
			found = append(found, old)
		}
	}
	if len(found) == 0 {
		return renamed, nil, nil
	}
	slices.Sort(found)
	firsts := make(map[string]int, len(renamed))
	for i, name := range renamed {
		first, again := firsts[name]
		if !again {
			firsts[name] = i
		}
		if again && (names[i] != name || names[first] != name) {
			if names[i] == name { // the other was renamed
				i = first
			}
			return nil, nil, fmt.Errorf("column %q cannot become %q: another column has that name", names[i], name)
		}
	}
	return renamed, found, nil
}

// addAliases are the renames and all aliases, or, where two columns would have one name by that, those aliases whose new name no
// column has, as it is or renamed.
func addAliases(names []string, change, aliases map[string]string) map[string]string {
	given, all := make(map[string]string), make(map[string]string)
	for _, old := range slices.Sorted(maps.Keys(aliases)) { // of two that look the same the last counts
		all[CanonicalName(old)] = CanonicalName(aliases[old])
	}
	for _, old := range slices.Sorted(maps.Keys(change)) {
		given[CanonicalName(old)] = CanonicalName(change[old])
	}
	maps.Copy(all, given)
	if _, _, err := renameAll(names, all); err == nil || len(aliases) == 0 {
		return all
	}
	taken := make(map[string]bool)
	for _, name := range names {
		taken[name] = true
	}
	for old, name := range given {
		if slices.Contains(names, old) {
			taken[name] = true
		}
	}
	maps.DeleteFunc(all, func(old, name string) bool {
		_, kept := given[old]
		return !kept && taken[name]
	})
	return all
}

func columnNames(columns []Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}
