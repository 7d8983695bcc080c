package main

import (
	"strings"
	"testing"

	"mediant/internal/slow"
)

func TestReproduceSynthetic(t *testing.T) {
	inFolder(t)
	flags := words("reproduce synthetic --dims 1 --rows 40 --test 100 --repetitions 2 --seed 1 -o out --quiet")
	text := succeed(t, flags...)
	for _, part := range []string{"Conditional mean independence holds", "is violated", "\n2Step-RR            networks  ", "\nBayes ", "\nlimit of uncoupled data ", "d = 1"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
	html := read(t, "out/report.html")
	for _, part := range []string{"Mean squared error of kernels", "Single draws", "Mean seconds of a fit", "ratio"} {
		if !strings.Contains(html, part) {
			t.Errorf("no %q in report.html", part)
		}
	}
	raw := object(t, read(t, "out/results.json"))
	if all := at(t, raw, "outcomes").([]any); len(all) != 2*2*12 {
		t.Errorf("%d outcomes, want %d", len(all), 2*2*12)
	}
	if !slow.Tagged() { // the same again
		return
	}
	first := read(t, "out/results.json")
	printed := succeed(t, append(flags, "--json", "--threads", "1")...)
	if read(t, "out/results.json") != first {
		t.Error("the same seed gives other raw results")
	}
	if at(t, object(t, printed), "experiment", "rows").(float64) != 40 {
		t.Errorf("--json prints %s", printed[:100])
	}
}

func TestReproduceUsage(t *testing.T) {
	for line, says := range map[string]string{
		"reproduce nosuch":                    "nosuch",
		"reproduce synthetic --repetitions 1": "--repetitions is 1",
		"reproduce synthetic --rows 9":        "--rows is 9",
		"reproduce synthetic --test 0":        "--test is 0",
		"reproduce synthetic --dims 0":        "--dims has 0",
		"reproduce synthetic --dims 5,2":      "--dims has 2",
		"reproduce synthetic --dims=":         "--dims",
		"reproduce synthetic --output=":       "--output is empty",
	} {
		if got := invoke(words(line)...); got.status != statusUsage || !strings.Contains(got.stderr, says) {
			t.Errorf("mediant %s: status %d, %q, want %q in it", line, got.status, got.stderr, says)
		}
	}
}
