package main

import (
	"encoding/json"
	"strings"
	"testing"

	"mediant/check"
)

// TestStudyCorruption: the same runs twice, in both forms.
func TestStudyCorruption(t *testing.T) {
	line := words("study corruption --runs 3 --rows 60 --draws 1 --full 1000 --only currency --quiet")
	text := succeed(t, line...)
	for _, part := range []string{"# What becomes of faults", "3 runs of 1 kinds", "| group | runs | refused |", "| marks in numbers | 3 |", "| currency | ", "## By pair"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
	if again := succeed(t, line...); again != text {
		t.Errorf("another run says %s", again)
	}
	var runs []spoiltRun
	if err := json.Unmarshal([]byte(succeed(t, append(line, "--json")...)), &runs); err != nil || len(runs) != 3 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, r := range runs {
		if r.Corruption != "currency" || r.Clean.Estimate == nil || r.Verdict == "" {
			t.Errorf("%+v", r)
		}
	}
}

// TestVerdicts: by hand, on an interval of 1 to 3.
func TestVerdicts(t *testing.T) {
	result := func(estimate, truth float64) *commandResult {
		return &commandResult{Estimate: &estimate, SE: 1 / 1.96, Lo: estimate - 1, Hi: estimate + 1, Truth: truth}
	}
	finding := func(r *commandResult, severity check.Severity, columns ...string) *commandResult {
		r.Findings = []check.Finding{{Code: "c", Severity: severity, Columns: columns}}
		r.Doubted = severity > check.Note
		return r
	}
	for _, c := range []struct {
		clean, spoilt *commandResult
		columns       []string
		unseen        bool
		want          verdict
	}{
		{result(2, 2), &commandResult{Refused: "no"}, nil, false, refusedRun},
		{result(2, 2), &commandResult{}, nil, false, refusedRun},
		{result(2, 2), finding(result(2, 9), check.Note, "u"), []string{"u"}, false, namedRun},
		{result(2, 2), finding(result(2, 9), check.Note, "u"), nil, false, namedRun},
		{finding(result(2, 2), check.Note, "u"), finding(result(2, 9), check.Note, "u"), []string{"u"}, false, silentRun},
		{result(2, 2), finding(result(2, 9), check.Note, "v"), []string{"u"}, false, silentRun},
		{result(2, 2), finding(result(2, 9), check.Warning, "v"), []string{"u"}, false, warnedRun},
		{result(2, 2), &commandResult{Estimate: new(float64), Lo: -1, Hi: 1, Truth: 9, Said: []string{`"u" is odd`}}, []string{"u"}, false, namedRun},
		{result(2, 2), result(2, 2.9), nil, false, rightRun},
		{result(2, 2.95), result(2, 3.1), nil, false, negligibleRun},
		{result(2, 2.5), result(2, 3.1), nil, false, silentRun},
		{result(2, 2.5), result(2, 3.1), nil, true, unseenRun},
		{result(2, 3.5), result(2, 9), nil, false, asCleanRun},
		{result(2, 2), &commandResult{Estimate: new(float64), Hi: 1, Truth: 9, Unjudged: "no"}, nil, false, unjudgedRun},
	} {
		r := spoiltRun{Clean: c.clean, Spoilt: c.spoilt, Columns: c.columns}
		if r.judge(c.unseen); r.Verdict != c.want {
			t.Errorf("%+v, %+v: %s, want %s", c.clean, c.spoilt, r.Verdict, c.want)
		}
	}
	uncertain := result(2, 3.5)
	if uncertain.holds() {
		t.Error("3.5 is within 1 to 3")
	}
	if uncertain.TruthSE = 1; !uncertain.holds() { // 2 ± 1.96·√(1/1.96² + 1) = 2 ± 2.2
		t.Error("3.5 ± 1.96 is not within 1 to 3")
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
