package main

import (
	"strings"
	"testing"

	"mediant/internal/slow"
)

func TestStudyIntegral(t *testing.T) {
	slow.Only(t)
	old := integralRows
	t.Cleanup(func() { integralRows = old })
	integralRows = []int{40, 80}
	text := succeed(t, words("study integral --draws 2 --quiet")...)
	for _, part := range []string{"| 1 | 40 | 2Step-RR | ", "| 2 | 80 | integral, least squares | ", "| 2 | integral, Nadaraya-Watson | "} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
}
