package main

import (
	"encoding/json"
	"strings"
	"testing"

	"mediant/internal/corruption/study"
)

// TestStudyCorruption: the same runs twice, in both forms.
func TestStudyCorruption(t *testing.T) {
	line := words("study corruption --runs 3 --rows 60 --draws 1 --full 1000 --only currency --quiet")
	text := succeed(t, line...)
	for _, part := range []string{"# How faults in the tables end", "3 runs of 1 kinds", "| group | runs | refused |", "| marks in numbers | 3 |", "| currency | ", "## By pair"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
	if again := succeed(t, line...); again != text {
		t.Errorf("another run says %s", again)
	}
	var runs []study.Run
	if err := json.Unmarshal([]byte(succeed(t, append(line, "--json")...)), &runs); err != nil || len(runs) != 3 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, r := range runs {
		if r.Corruption != "currency" || r.Clean.Estimate == nil || r.Verdict == "" {
			t.Errorf("%+v", r)
		}
	}
}

func TestStudyCorruptionRefuses(t *testing.T) {
	for _, line := range []string{"--runs 0", "--rows 3", "--full 0", "--draws 0", "--only nonsense", "--pair nonsense"} {
		if got := invoke(words("study corruption --quiet " + line)...); got.status != statusUsage || got.stdout != "" {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if got := invoke(words("study corruption --quiet --data nowhere")...); got.status != statusData {
		t.Errorf("--data nowhere: %+v", got)
	}
}
