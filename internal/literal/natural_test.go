package literal

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNaturalLess(t *testing.T) {
	sorted := []string{
		"", "-1", "-2", "0", "00", "01", "1", "1.0", "1.5", "1.10", "002", "02", "2", "9a", "10", "10a", "10b",
		"99999999999999999999", "100000000000000000000", "a", "a01", "a1", "a1b01", "a01b2", "a2", "a10", "b", "b0", "é",
	}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := NaturalLess(a, b); got != (i < j) {
				t.Errorf("%q < %q: %v, want %v", a, b, got, i < j)
			}
		}
	}
}

// slowKey has the parts NaturalCompare compares, runs of digits padded to one length.
func slowKey(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		if n := digitsEnd(s, 0); n > 0 {
			b.WriteString(strings.Repeat("0", 30-n) + s[:n])
			s = s[n:]
			continue
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}

func TestNaturalCompareAgainstPadding(t *testing.T) {
	// Bytes below '0' only: padding tells a run of digits from a byte above '9' by its first digit.
	text := rapid.StringMatching(`[-./0129a]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		want := cmp.Or(strings.Compare(slowKey(a), slowKey(b)), strings.Compare(a, b))
		if got := NaturalCompare(a, b); got != want {
			t.Errorf("%q and %q compare %d, want %d", a, b, got, want)
		}
	})
}

func TestNaturalOrderIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SliceOfN(rapid.StringMatching(`[01a.]{0,4}`), 3, 3).Draw(t, "s")
		slices.SortFunc(s, NaturalCompare)
		for i := range s {
			for j := range s {
				if c := NaturalCompare(s[i], s[j]); c != -NaturalCompare(s[j], s[i]) || (c == 0) != (s[i] == s[j]) || i < j && c > 0 {
					t.Errorf("%q and %q compare %d", s[i], s[j], c)
				}
			}
		}
	})
}
