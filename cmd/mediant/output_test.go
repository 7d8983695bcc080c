package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

func TestOutputsMayNotReplaceInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"xu.csv": "x,u\n1,2\n2,1\n3,5\n", "uy.csv": "u,y\n1,2\n2,3\n3,7\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	try := func(line string) (int, string) {
		var stdout, stderr bytes.Buffer
		status := run(context.Background(), strings.Fields(line), &stdout, &stderr)
		return status, stderr.String()
	}
	if status, stderr := try("fit --xu xu.csv --uy uy.csv -o m.mediant"); status != 0 {
		t.Fatal(stderr)
	}
	for line, want := range map[string]int{
		"fit --xu xu.csv --uy uy.csv -o uy.csv":      statusUsage,
		"fit --xu xu.csv --uy uy.csv -o ./xu.csv":    statusUsage,
		"fit --xu xu.csv --uy uy.csv -o -":           statusUsage,
		"fit --xu xu.csv --uy uy.csv -o no/m":        statusData,
		"fit --xu xu.csv --uy uy.csv -o xu.csv/m":    statusData,
		"predict m.mediant xu.csv -o m.mediant":      statusUsage,
		"predict m.mediant xu.csv -o xu.csv":         statusUsage,
		"fit --xu xu.csv --uy uy.csv --text z -o m2": statusData,
	} {
		if status, stderr := try(line); status != want || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %q", line, status, stderr)
		}
	}
	if raw, err := os.ReadFile("uy.csv"); err != nil || string(raw[:3]) != "u,y" {
		t.Errorf("an input was replaced (%v)", err)
	}
}

func TestMessagesAreForPeople(t *testing.T) {
	for in, want := range map[string]string{
		"tables: a.csv:3: bad":                          "a.csv:3: bad",
		"t.csv: features: encoder: tables: no column z": "t.csv: no column z",
		`column "rr: x" is odd`:                         `column "rr: x" is odd`,
	} {
		if got := plain(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestVersionFlag(t *testing.T) {
	var a, b bytes.Buffer
	run(context.Background(), []string{"--version"}, &a, &a)
	run(context.Background(), []string{"version"}, &b, &b)
	if a.String() != b.String() || !strings.HasPrefix(a.String(), "mediant ") {
		t.Errorf("%q and %q", a.String(), b.String())
	}
}
