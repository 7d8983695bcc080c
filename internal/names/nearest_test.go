package names

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	columns := []string{"age", "income", "Income (EUR)", "weight", "wage", "gr\u00f6\u00dfe", "a", ""}
	for name, want := range map[string]string{
		"incme": "income", "incoem": "income", "INCOME": "income", "imcone": "income", "income eur": "Income (EUR)", "wieght": "weight", "wag": "wage", "aeg": "age",
		"gr\u00f6sse": "gr\u00f6\u00dfe", "inc\u043eme": "income", "A": "a", "height": "weight", // Cyrillic о
		"xyz": "", "b": "", "": "", "ag": "age", "temperature": "", strings.Repeat("income", 20): "",
	} {
		if got := Nearest(columns, name); got != want {
			t.Errorf("the nearest of %q is %q, want %q", name, got, want)
		}
	}
	if got := Nearest([]string{"bat", "cat"}, "rat"); got != "bat" {
		t.Errorf("of two that are as near %q, want the first", got)
	}
	if got := DidYouMean(columns, "incme") + DidYouMean(columns, "xyz"); got != ` (did you mean "income"?)` {
		t.Errorf("%q", got)
	}
}

// TestEdits compares the distance with its definition.
func TestEdits(t *testing.T) {
	var slow func(a, b []rune) int
	slow = func(a, b []rune) int {
		if len(a) == 0 || len(b) == 0 {
			return len(a) + len(b)
		}
		n, m := len(a), len(b)
		d := min(slow(a[:n-1], b)+1, slow(a, b[:m-1])+1)
		if a[n-1] == b[m-1] {
			d = min(d, slow(a[:n-1], b[:m-1]))
		} else {
			d = min(d, slow(a[:n-1], b[:m-1])+1)
		}
		if n > 1 && m > 1 && a[n-1] == b[m-2] && a[n-2] == b[m-1] {
			d = min(d, slow(a[:n-2], b[:m-2])+1)
		}
		return d
	}
	word := rapid.StringMatching(`[abc]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := []rune(word.Draw(t, "a")), []rune(word.Draw(t, "b"))
		if got, want := edits(a, b), slow(a, b); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}
