package tables

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mediant/internal/lookalike"
)

// CanonicalName is the form in which names of columns are compared, and in which OpenCSV gives them: composed letters
// (Unicode's NFC), without characters that cannot be seen (zero-width spaces and joiners, byte order marks, soft hyphens, marks of
// direction), with a plain space for every kind of space, and without spaces at either end. Names that look the same are then the same,
// whatever program wrote them.
func CanonicalName(name string) string {
	if plainName(name) {
		return name
	}
	if !utf8.ValidString(name) {
		return strings.TrimSpace(name)
	}
	name = strings.Map(func(r rune) rune {
		switch {
		case invisible(r):
			return -1
		case unicode.Is(unicode.Zs, r):
			return ' '
		}
		return r
	}, name)
	return strings.TrimSpace(norm.NFC.String(name))
}

// plainName reports a name of visible ASCII without spaces at either end.
func plainName(name string) bool {
	for i := range len(name) {
		if name[i] < ' ' || name[i] >= utf8.RuneSelf {
			return false
		}
	}
	return name == "" || plainByte(name[0]) && plainByte(name[len(name)-1])
}

// invisible reports characters that take no room: the format characters of Unicode, and the selectors of variants.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || r == '\u034f' || r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0'
}

// A NearName is a pair of names, each in one table alone, that are equal but for case, spaces, _, -, dots, brackets and letters of other
// scripts that look alike, or for a unit in brackets behind one of them.
type NearName struct{ XU, UY string }

// NearNames lists such pairs in the order of the first table: columns that may be the same, but are not matched.
func NearNames(xu, uy []Column) []NearName {
	inXU, inUY := newNameIndex(xu), newNameIndex(uy)
	alike := make(map[string][]string) // names that only the second has
	for _, b := range uy {
		if !inXU.has(b.Name) {
			for _, key := range looseNames(b.Name) {
				alike[key] = append(alike[key], b.Name)
			}
		}
	}
	var near []NearName
	for _, a := range xu {
		if inUY.has(a.Name) {
			continue
		}
		for i, key := range looseNames(a.Name) {
			for _, b := range alike[key] {
				if i == 0 || key == looseName(b) { // not both without their units, which may tell them apart
					near = append(near, NearName{a.Name, b})
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
	if m := unitBehind.FindStringSubmatch(CanonicalName(name)); m != nil {
		forms = append(forms, looseName(m[1]))
	}
	return forms
}

// looseName is a name without what NearNames overlooks; one of nothing else is itself.
func looseName(name string) string {
	name = CanonicalName(name)
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
