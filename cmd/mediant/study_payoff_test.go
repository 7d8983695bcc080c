package main

import (
	"strings"
	"testing"

	"mediant/internal/slow"
)

func TestStudyPayoff(t *testing.T) {
	slow.Only(t)
	rows, cases := payoffRows, payoffCases
	t.Cleanup(func() { payoffRows, payoffCases = rows, cases })
	payoffRows, payoffCases = 60, cases[4:]
	text := succeed(t, words("study payoff --draws 2 --quiet")...)
	for _, part := range []string{"# When the method pays", "^5, U_j", "n = m = 60", "| 1 | 1 | 0.1736 | ", "| 1 | 0.2 | 0.0003 | ", "linear"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
}
