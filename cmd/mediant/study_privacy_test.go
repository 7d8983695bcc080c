package main

import (
	"strings"
	"testing"

	"mediant/internal/slow"
)

func TestStudyPrivacy(t *testing.T) {
	slow.Only(t)
	rows, test, cover, draws := privacyRows, privacyTestRows, privacyCoverRows, privacyDraws
	t.Cleanup(func() { privacyRows, privacyTestRows, privacyCoverRows, privacyDraws = rows, test, cover, draws })
	privacyRows, privacyTestRows, privacyCoverRows, privacyDraws = []int{2000}, 500, 2000, 200
	text := succeed(t, words("study privacy --draws 2 --quiet")...)
	for _, part := range []string{"## Measured", "--draws 2`", "| 2000 | 0.", "| 5 | 1 | ", "| 20 | 4 | ", "| 1 | 0.05 | 1.0000 | "} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
}
