package check

import (
	"regexp"
	"strings"
	"unicode"

	"mediant/internal/lookalike"
	"mediant/internal/names"
	"mediant/tables"
)

// A nearName is a pair of names, each in one table alone, that are equal but for case, spaces, _, -, dots, brackets and letters of other
// scripts that look alike, or for a unit in brackets behind one of them.
type nearName struct{ xu, uy string }

// nearNames lists such pairs in the order of the first table: columns that may be the same, but are not matched.
func nearNames(xu, uy []tables.Column) []nearName {
	inXU, inUY := lookup(xu), lookup(uy)
	alike := make(map[string][]string) // names that only the second has
	for _, b := range uy {
		if !inXU.Has(b.Name) {
			for _, key := range looseNames(b.Name) {
				alike[key] = append(alike[key], b.Name)
			}
		}
	}
	var near []nearName
	for _, a := range xu {
		if inUY.Has(a.Name) {
			continue
		}
		for i, key := range looseNames(a.Name) {
			for _, b := range alike[key] {
				if i == 0 || key == looseName(b) { // not both without their units, which may tell them apart
					near = append(near, nearName{a.Name, b})
				}
			}
		}
	}
	return near
}

// unitBehind is a name and, in brackets, what may be its unit: "weight (kg)", "load [%]", but not "income (year 10)".
var unitBehind = regexp.MustCompile(`^(.*[^\s])\s*(?:\([^()\s\d]{1,8}\)|\[[^\[\]\s\d]{1,8}\])$`)

// looseNames are the loose form of a name and, if it ends with a unit, that of the name without.
func looseNames(name string) []string {
	forms := []string{looseName(name)}
	if m := unitBehind.FindStringSubmatch(names.Canonical(name)); m != nil {
		forms = append(forms, looseName(m[1]))
	}
	return forms
}

// looseName is a name without what nearNames overlooks; one of nothing else is itself.
func looseName(name string) string {
	name = names.Canonical(name)
	loose := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("_-.()[]", r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r)) // also ς and σ
	}, name)
	if loose == "" {
		return name
	}
	return lookalike.Fold(loose)
}

func lookup(columns []tables.Column) names.Lookup {
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = c.Name
	}
	return names.NewLookup(heads)
}
