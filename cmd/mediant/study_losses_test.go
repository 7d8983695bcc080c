package main

import (
	"strings"
	"testing"
)

// TestStudyLosses: a small study has a line for each loss and number of dimensions.
func TestStudyLosses(t *testing.T) {
	got := succeed(t, words("study losses --repetitions 2 --rows 60 --test 100")...)
	for _, part := range []string{"n = m = 60", "\n| 2 | log | 0.", "\n| 10 | brier | ", "2 repetitions"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in %s", part, got)
		}
	}
	for line, want := range map[string]string{"study losses --repetitions 1": "--repetitions", "study losses -o no/such.md": "no"} {
		if got := invoke(words(line)...); got.status == statusDone || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v", line, got)
		}
	}
}
