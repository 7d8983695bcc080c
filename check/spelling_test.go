package check

import (
	"strings"
	"testing"
)

// TestLongCells: cells that are too long for a slip of one letter are compared in time and memory in the order of their length.
func TestLongCells(t *testing.T) {
	long := strings.Repeat("abcdefghij", 10_000)
	levels := map[string]int{long: 1, "business": 9}
	allocated := testing.AllocsPerRun(1, func() {
		s := newSpellings(levels)
		if near, _ := s.nearest(long[1:]); near != "" {
			t.Errorf("%d letters are compared", len(long))
		}
		if near, letter := s.nearest(strings.ToUpper(long)); near != long || letter {
			t.Error("another case of a long cell is not found")
		}
		if near, letter := s.nearest("busines"); near != "business" || !letter {
			t.Errorf("%q is near %q", "busines", near)
		}
	})
	if allocated > 1000 {
		t.Errorf("%v allocations", allocated)
	}
}

// TestUnlikeLetter: what the eye cannot tell apart is said.
func TestUnlikeLetter(t *testing.T) {
	for pair, want := range map[[2]string]string{
		{"Zu\u0308rich", "Zürich"}: "marks apart from their letters",
		{"Zürich", "Zu\u0308rich"}: "letters and their marks in one",
		{"r\u0456ght", "right"}:    "(U+0456)",
		{"Right", "right"}:         "",
		{"right\u200b", "right"}:   "", // which a quoted text shows
	} {
		if got := unlikeLetter(pair[0], pair[1]); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q and %q: %q, want %q", pair[0], pair[1], got, want)
		}
	}
}
