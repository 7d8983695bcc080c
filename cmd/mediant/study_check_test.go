package main

import (
	"strings"
	"testing"
)

func TestStudyCheck(t *testing.T) {
	rows, columns, faulty := cleanRows, cleanColumns, faultRows
	t.Cleanup(func() { cleanRows, cleanColumns, faultRows = rows, columns, faulty })
	cleanRows, cleanColumns, faultRows = []int{40}, []int{3}, 500
	text := succeed(t, words("study check --draws 6 --quiet")...)
	for _, part := range []string{"## How often is it wrong?", "0 of 6 pairs (0 %)", "| note | pairs | standard error | normal |", "n = m = 500", "| spread 1.5 times | 100.0 % | 100.0 % |", "level-spelling 2"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
}
