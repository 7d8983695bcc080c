package main

import (
	"strings"
	"testing"

	"mediant/internal/slow"
)

func TestStudyCollect(t *testing.T) {
	slow.Only(t)
	rows := collectRows
	t.Cleanup(func() { collectRows = rows })
	collectRows = []int{60}
	text := succeed(t, words("study collect --draws 2 --quiet")...)
	for _, part := range []string{"# Do the forecasts", "--draws 2`", "| linear | 60 | ", "| kernel | 60 | ", "| nearly interpolating | 60 | ", "over 2 draws"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
}
