package main

import (
	"strings"
	"testing"

	"mediant/experiments"
)

func TestStudyEffects(t *testing.T) {
	text := succeed(t, words("study effects --draws 2 --quiet --only two-arms,three-arms")...)
	for _, part := range []string{"# Effects and their intervals", "--draws 2", "| two-arms | effect | 0.590 |", "| three-arms | low against control | 0.340 |", "| three-arms | joint interval | | | | |", "- **two-arms**: P(T"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
	if r := invoke(words("study effects --draws 2 --only four-arms")...); r.status != statusUsage || !strings.Contains(r.stderr, "two-arms, three-arms") {
		t.Errorf("an unknown scenario: %+v", r)
	}
	if r := invoke(words("study effects --draws 1")...); r.status != statusUsage || !strings.Contains(r.stderr, "--draws") {
		t.Errorf("one draw: %+v", r)
	}
}

// TestEffectScenariosAreComplete: each has a name of its own and says what it is.
func TestEffectScenariosAreComplete(t *testing.T) {
	names := make(map[string]bool)
	for _, s := range experiments.EffectScenarios() {
		if names[s.Name] || s.Name == "" || s.Definition == "" || len(s.Estimates) == 0 || s.Draw == nil {
			t.Errorf("scenario %+v", s)
		}
		names[s.Name] = true
	}
}
