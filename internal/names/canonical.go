package names

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Canonical is the form in which names of columns are compared: composed letters (Unicode's NFC), without characters that cannot be seen
// (zero-width spaces and joiners, byte order marks, soft hyphens, marks of direction), with a plain space for every kind of space, and
// without spaces at either end. Names that look the same are then the same, whatever program wrote them.
func Canonical(name string) string {
	if Plain(name) {
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

// Plain reports a name of visible ASCII without spaces at either end, which is its own canonical form.
func Plain(name string) bool {
	for i := range len(name) {
		if name[i] < ' ' || name[i] >= utf8.RuneSelf {
			return false
		}
	}
	return name == "" || visible(name[0]) && visible(name[len(name)-1])
}

// visible reports a byte of ASCII that is no space.
func visible(b byte) bool { return ' ' < b && b < utf8.RuneSelf }

// invisible reports characters that take no room: the format characters of Unicode, and the selectors of variants.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || r == '\u034f' || r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0'
}
