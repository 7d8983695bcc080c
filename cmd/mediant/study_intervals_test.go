package main

import (
	"os"
	"strings"
	"testing"
)

// TestStudyIntervals: a small study has a line for each distribution in both tables, and one for real tables with a number Y.
func TestStudyIntervals(t *testing.T) {
	inFolder(t)
	for _, name := range []string{"real/classes", "real/numbers"} {
		if err := os.MkdirAll(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"classes", "numbers"} {
		y := func(i int) any { return float64(i*31%83) + float64(i%7) }
		if name == "classes" {
			y = func(i int) any { return []string{"a", "b"}[i%2] }
		}
		at := func(i int) float64 { return float64(i * 31 % 83) }
		write(t, "real/"+name+"/xu.csv", table("x,u", 60, func(i int) []any { return []any{at(i) + float64(i%5), at(i)} }))
		write(t, "real/"+name+"/uy.csv", table("u,y", 60, func(i int) []any { return []any{at(i), y(i)} }))
		write(t, "real/"+name+"/xy.csv", table("x,y", 60, func(i int) []any { return []any{at(i), y(i)} }))
	}
	got := succeed(t, words("study intervals --repetitions 2 --rows 60 --test 100 --data real")...)
	for _, part := range []string{"n = m = 60", "\n| 2 | 0.", "\n| 10 | 0.", "\n| 2, mean only | 0.", "\n| numbers | 60 | ", "--repetitions 2 "} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in %s", part, got)
		}
	}
	if strings.Contains(got, "| classes |") || strings.Count(got, "\n| 5 | ") != 2 {
		t.Errorf("classes have intervals, or a line is missing: %s", got)
	}
	for line, want := range map[string]string{"study intervals --repetitions 1": "--repetitions", "study intervals -o no/such.md": "no"} {
		if got := invoke(words(line)...); got.status == statusDone || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v", line, got)
		}
	}
}
