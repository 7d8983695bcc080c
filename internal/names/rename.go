package names

import (
	"fmt"
	"maps"
	"slices"
)

// Rename returns the names with those in the map replaced, and the old ones that are there, in canonical form. The error
// names a column that has its name twice.
func Rename(names []string, change map[string]string) (renamed, found []string, err error) {
	renamed = slices.Clone(names)
	for _, old := range slices.Sorted(maps.Keys(change)) {
		name := Canonical(change[old])
		old = Canonical(old)
		if name == "" {
			return nil, nil, fmt.Errorf("column %q has no new name", old)
		}
		if i := slices.IndexFunc(names, func(n string) bool { return Canonical(n) == old }); i >= 0 {
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

// WithAliases are the renames and all aliases, or, where two columns would have one name by that, those aliases whose new name no
// column has, as it is or renamed.
func WithAliases(names []string, change, aliases map[string]string) map[string]string {
	given, all := make(map[string]string), make(map[string]string)
	for _, old := range slices.Sorted(maps.Keys(aliases)) { // of two that look the same the last counts
		all[Canonical(old)] = Canonical(aliases[old])
	}
	for _, old := range slices.Sorted(maps.Keys(change)) {
		given[Canonical(old)] = Canonical(change[old])
	}
	maps.Copy(all, given)
	if _, _, err := Rename(names, all); err == nil || len(aliases) == 0 {
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
