package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mediant/internal/lookalike"
	"mediant/tables"
)

// wordLetters is the least number of letters of words that may be one but for a letter: of shorter ones too many are. Longer ones than
// longestWord are sentences, and too long: a word is kept without each of its letters, which takes the square of its length.
const wordLetters, longestWord = 4, 100

// spellings finds levels that are nearly equal to another one.
type spellings struct {
	folded map[string]string   // form without case and separators -> level
	words  map[string][]string // word without one letter, or whole -> levels
}

func newSpellings(levels map[string]int) *spellings {
	s := &spellings{folded: make(map[string]string), words: make(map[string][]string)}
	for _, level := range sortedKeys(levels) {
		s.add(level)
	}
	return s
}

func (s *spellings) add(level string) {
	if form := foldLevel(level); s.folded[form] == "" {
		s.folded[form] = level
	}
	if isWord(level) {
		for _, form := range withoutOne(level) {
			s.words[form] = append(s.words[form], level)
		}
	}
}

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// nearest is the level that another one is nearly equal to, "" if there is none: but for how it is written, or (letter) for one
// letter that is left out, put in, replaced or swapped with the next one.
func (s *spellings) nearest(level string) (near string, letter bool) {
	if near, ok := s.folded[foldLevel(level)]; ok {
		return near, false
	}
	if !isWord(level) {
		return "", false
	}
	for _, form := range withoutOne(level) {
		for _, near := range s.words[form] {
			if oneApart([]rune(strings.ToLower(level)), []rune(strings.ToLower(near))) {
				return near, true
			}
		}
	}
	return "", false
}

// NearLevel returns the one of the levels that another level is nearly equal to, "" if there is none: in case, spaces, Unicode form or the
// marks _ - . alone, as another spelling of one number, or, for words, but for one letter.
func NearLevel(level string, levels []string) string {
	all := make(map[string]int, len(levels))
	for _, l := range levels {
		all[l]++
	}
	near, _ := newSpellings(all).nearest(level)
	return near
}

// foldLevel is equal for levels that differ in case, Unicode form, spaces, the marks _ - . and letters of other scripts that look alike alone, and for
// one number written in several ways. Marks between digits stay, and - at either end: 1-2 is not 12, and A- is not A.
func foldLevel(level string) string {
	text := lookalike.Fold(canonical(level))
	if v, ok := readNumber(text); ok {
		return "#" + strconv.FormatFloat(v, 'g', -1, 64)
	}
	runes := []rune(text)
	var b strings.Builder
	for i, r := range runes {
		end := r == '-' && (i == 0 || i+1 == len(runes))
		if !end && strings.ContainsRune("_-.", r) || unicode.IsSpace(r) {
			if i > 0 && i+1 < len(runes) && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1]) {
				b.WriteRune('-')
			}
			continue
		}
		b.WriteRune(r)
	}
	if b.Len() == 0 { // a level of marks alone
		return text
	}
	return b.String()
}

// unlikeLetter says by which letter of another script, or of another Unicode form, a level differs from another one that looks alike, "" if it is not so.
func unlikeLetter(level, other string) string {
	if marks := combining(level); canonical(level) == canonical(other) && marks != combining(other) {
		if marks > 0 {
			return ", with marks apart from their letters (another Unicode form)"
		}
		return ", with letters and their marks in one (another Unicode form)"
	}
	a, b := []rune(canonical(level)), []rune(canonical(other))
	if len(a) != len(b) {
		return ""
	}
	for i, r := range a {
		if r != b[i] && lookalike.Fold(string(r)) == lookalike.Fold(string(b[i])) {
			return fmt.Sprintf(", with %q (U+%04X) for %q (U+%04X)", r, r, b[i], b[i])
		}
	}
	return ""
}

// combining counts marks that are runes of their own.
func combining(text string) int {
	n := 0
	for _, r := range text {
		if unicode.Is(unicode.Mn, r) {
			n++
		}
	}
	return n
}

// readNumber reads a decimal number, with a comma for a point too.
func readNumber(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	if text == "" || !strings.ContainsFunc(text, unicode.IsDigit) || strings.ContainsAny(text, "xXpP_") {
		return 0, false
	}
	if strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(text, 64)
	return v + 0, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// isWord reports a level of letters alone, spaces apart, that is long enough and not too long.
func isWord(level string) bool {
	if len(level) > utf8.UTFMax*longestWord || utf8.RuneCountInString(level) > longestWord {
		return false
	}
	letters := 0
	for _, r := range level {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters++
		case r != ' ':
			return false
		}
	}
	return letters >= wordLetters
}

// withoutOne are a word and all that it is without one letter; two words that are one letter apart share one of them.
func withoutOne(word string) []string {
	runes := []rune(strings.ToLower(word))
	forms := []string{string(runes)}
	for i := range runes {
		forms = append(forms, string(runes[:i])+string(runes[i+1:]))
	}
	return forms
}

// oneApart reports whether two different words are one letter, or two swapped neighbours, apart.
func oneApart(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(b) > len(a):
		return len(b) == len(a)+1 && slices.Equal(a[i:], b[i+1:])
	case i == len(a):
		return false
	case slices.Equal(a[i+1:], b[i+1:]):
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && slices.Equal(a[i+2:], b[i+2:])
}

// truths are forms of the truth values.
var truths = map[string]bool{
	"true": true, "t": true, "yes": true, "y": true, "on": true, "1": true, "ja": true, "j": true, "oui": true, "o": true, "si": true, "sí": true,
	"false": false, "f": false, "no": false, "n": false, "off": false, "0": false, "nein": false, "non": false,
}

// sameTruth reports whether all levels of both are truth values, with both of them in one table at least.
func sameTruth(x, y map[string]int) bool {
	both := 0
	for _, levels := range []map[string]int{x, y} {
		seen := make(map[bool]bool)
		for level := range levels {
			v, ok := truths[foldLevel(level)]
			if n, number := readNumber(level); number && (n == 0 || n == 1) {
				v, ok = n == 1, true
			}
			if !ok {
				return false
			}
			seen[v] = true
		}
		both = max(both, len(seen))
	}
	return both == 2
}

// canonical is text in lower case and in the form of names of columns.
func canonical(text string) string {
	return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, tables.CanonicalName(text))
}
