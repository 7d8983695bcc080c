package main

import (
	"strings"
	"testing"
)

func TestStudyIntegral(t *testing.T) {
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
