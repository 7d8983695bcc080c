// Package lookalike finds letters of other scripts that look like Latin ones, as a keyboard of another language puts between them.
package lookalike

import "strings"

// latin are the lower-case Latin letters of those that look alike in lower case or in upper case, and others of theirs in lower case. Greek letters
// whose lower case does not look like the Latin one are not among them, since they are symbols: α and a. No two letters of one script are the same in Latin.
var latin = strings.NewReplacer(
	"а", "a", "в", "b", "с", "c", "е", "e", "н", "h", "і", "i", "ј", "j", "к", "k", "м", "m", "о", "o", "р", "p", "ѕ", "s", "т", "t", "у", "y", "х", "x", // Cyrillic
	"ο", "o", "ν", "v", "ι", "i", "κ", "k", "ρ", "p", "τ", "t", "υ", "u", "χ", "x", // Greek
)

// Fold returns a lower-case text with Latin letters in the place of those that look alike.
func Fold(lower string) string {
	for i := range len(lower) {
		if lower[i] >= 0x80 {
			return latin.Replace(lower)
		}
	}
	return lower
}
