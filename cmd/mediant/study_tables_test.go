package main

import (
	"os"
	"strings"
	"testing"
)

// TestStudyTables: a small study has a line for each distribution and measure of a real table, times, choices and definitions.
func TestStudyTables(t *testing.T) {
	inFolder(t)
	at := func(i int) float64 { return float64(i * 31 % 83) }
	for name, y := range map[string]func(i int) any{
		"numbers": func(i int) any { return at(i) + float64(i%7) },
		"classes": func(i int) any { return []string{"a", "b"}[i%2] },
	} {
		if err := os.MkdirAll("real/"+name, 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, "real/"+name+"/xu.csv", table("x,u", 60, func(i int) []any { return []any{at(i) + float64(i%5), at(i)} }))
		write(t, "real/"+name+"/uy.csv", table("u,y", 60, func(i int) []any { return []any{at(i), y(i)} }))
		write(t, "real/"+name+"/xuy.csv", table("x,u,y", 24, func(i int) []any { return []any{at(i), at(i), y(i)} }))
	}
	got := succeed(t, words("study tables --draws 2 --rows 60 --test 100 --data real --only steps,numbers,classes --quiet")...)
	for _, part := range []string{"--draws 2 ", "\n| steps | 60 | 60 | ", "\n| numbers | 60 + 60, 12 | R² | ", "\n| classes | 60 + 60, 12 | accuracy | ", "\n- steps: ", "\n- **steps**: X uniform", "| table | mediant |\n|---|---|\n| steps | "} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in %s", part, got)
		}
	}
	if strings.Contains(got, "friedman") {
		t.Errorf("a distribution that is not asked for: %s", got)
	}
	for line, want := range map[string]string{"study tables --draws 1": "--draws", "study tables --only stairs --data real": "steps, lowrank", "study tables -o no/such.md": "no"} {
		if got := invoke(words(line)...); got.status == statusDone || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

// TestStudyCoverageOfScenarios: a line for each of them, and nothing of the other parts of the study.
func TestStudyCoverageOfScenarios(t *testing.T) {
	inFolder(t)
	command := "study coverage --scenario steps,t3 --rows 60 --repetitions 2 --test 100 --quiet --draws draws.jsonl"
	got := succeed(t, words(command)...)
	if again, draws := succeed(t, words(command)...), read(t, "draws.jsonl"); again != got || strings.Count(draws, "\n") != 4 {
		t.Errorf("draws that are there give %s, not %s; %s", again, got, draws)
	}
	if got := invoke(words("study coverage --draws no/such.jsonl")...); got.status == statusDone || !strings.Contains(got.stderr, "no/such.jsonl") {
		t.Errorf("draws that cannot be written: %+v", got)
	}
	if !strings.HasPrefix(got, "## Distributions of docs/tables.md") || strings.Count(got, "| 60 | 60 | ") != 2 || !strings.Contains(got, "\n| t3 | ") || !strings.Contains(got, "\nOf all 4 draws together ") {
		t.Errorf("the study wrote %s", got)
	}
	if got := invoke(words("study coverage --scenario stairs")...); got.status == statusDone || !strings.Contains(got.stderr, "friedman, steps") {
		t.Errorf("an unknown scenario: %+v", got)
	}
}
