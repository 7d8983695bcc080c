package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestStudyScale(t *testing.T) {
	inFolder(t)
	defer func(workers, shards []int) { scaleWorkers, scaleShards = workers, shards }(scaleWorkers, scaleShards)
	scaleWorkers, scaleShards = []int{4, 20}, []int{2}
	text := succeed(t, words("study scale --draws 3")...)
	for _, want := range []string{"study scale --draws 3", "| 20 workers, ideal 7000 s |", "| equal workers | 1.00 (1.00), 0.0 % |", "| and is lost every 30 min |", "| 2, of 3500.0 s |"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if again := succeed(t, words("study scale --draws 3")...); again != text {
		t.Error("another run gives other times")
	}
	if other := succeed(t, words("study scale --draws 3 --seed 2")...); other == text {
		t.Error("another seed gives the same times")
	}
	succeed(t, words("study scale --write parts --rows 400 --parts 3")...)
	if parts, _ := filepath.Glob("parts/*.parquet"); len(parts) != 6 {
		t.Errorf("%q are written", parts)
	}
	fit := succeed(t, words("fit --xu parts/xu-*.parquet --uy parts/uy-*.parquet --features 16 --method naive --no-diagnosis -o m")...)
	if !strings.Contains(fit, "400 of X and U, 400 of U and Y") {
		t.Errorf("the fit says %s", fit)
	}
	for line, says := range map[string]string{
		"study scale --draws 1":                "--draws is 1",
		"study scale --write parts --rows 0":   "number of rows is 0",
		"study scale --write parts --parts 0 ": "number of parts is 0",
	} {
		if got := invoke(words(line)...); got.status != statusUsage || !strings.Contains(got.stderr, says) {
			t.Errorf("%s: status %d, stderr %q, want %q", line, got.status, got.stderr, says)
		}
	}
}
