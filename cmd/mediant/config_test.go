package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestConfigFile: a run prints its own flags, and with these gives the same model and the same output, to the byte.
func TestConfigFile(t *testing.T) {
	inFolder(t)
	small(t)
	write(t, "new.csv", "x,note\n1,a\n2.5,b\n")
	for _, line := range []string{
		"fit --xu xu.csv --uy uy.csv -o m.mediant --quiet --phi linear --psi linear --seed 3",
		"fit --xu xu.csv --uy uy.csv -o m.mediant --json --no-risk --phi gaussian --psi linear --lambda 1e-3 --features 16 --x v --y y --u u --precision=false --accept no-overlap --accept copies --rename x=v --na -99,?",
	} {
		args := words(line)
		config := succeed(t, append(slices.Clone(args), "--print-config")...)
		if _, err := os.Stat("m.mediant"); err == nil {
			t.Fatal("--print-config fits a model")
		}
		if got := invoke(args...); got.status != statusDone {
			t.Fatalf("%+v", got)
		}
		want := read(t, "m.mediant")
		write(t, "run.yaml", config)
		os.Remove("m.mediant")
		if got := invoke("fit", "--config", "run.yaml"); got.status != statusDone {
			t.Fatalf("%+v", got)
		}
		if read(t, "m.mediant") != want {
			t.Error("the model is another one by the printed flags")
		}
		if again := succeed(t, "fit", "--config", "run.yaml", "--print-config"); again != config {
			t.Errorf("printed\n%s, and of these\n%s", config, again)
		}
		os.Remove("m.mediant")
	}
	fitLinear(t)
	write(t, "predict.yaml", succeed(t, "predict", "m.mediant", "new.csv", "--append", "--print-config"))
	if got, want := succeed(t, "predict", "m.mediant", "new.csv", "--config", "predict.yaml"), succeed(t, "predict", "m.mediant", "new.csv", "--append"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	write(t, "evaluate.yaml", "xu: xu.csv\nuy: uy.csv\npredictions: x\n") // on which depends how many arguments there are
	if got := invoke("evaluate", "--config", "evaluate.yaml", "--print-config"); got.status != statusDone {
		t.Errorf("%+v", got)
	}
}

// TestConfigRefused: what a file of flags cannot say is one line that has its name, and the line if it has one.
func TestConfigRefused(t *testing.T) {
	inFolder(t)
	write(t, "unknown.yaml", "xu: a\nmetod: 2step\n")
	write(t, "type.yaml", "xu: a\n\nlambda: big\n")
	write(t, "nested.yaml", "config: a\n")
	write(t, "broken.yaml", "xu: [a\n")
	write(t, "rename.yaml", "rename: [ab]\n")
	for file, want := range map[string]struct {
		message string
		status  int
	}{
		"unknown.yaml": {`unknown.yaml:2: there is no flag metod (did you mean "method"?)`, statusUsage},
		"type.yaml":    {`type.yaml:3: lambda: "big", want a number`, statusUsage},
		"nested.yaml":  {`nested.yaml:1: there is no flag config`, statusUsage},
		"rename.yaml":  {`rename.yaml:1: rename: "ab": want A=B`, statusUsage},
		"broken.yaml":  {`broken.yaml:1: is no YAML: `, statusData},
		"none.yaml":    {`open none.yaml: no such file`, statusData},
	} {
		if got := invoke("fit", "--config", file); got.status != want.status || !strings.HasPrefix(got.stderr, "mediant: "+want.message) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v, want status %d and %q", file, got, want.status, want.message)
		}
	}
}

// TestCommandLineWins: a flag of the command line takes the place of the file's, of a list as a whole.
func TestCommandLineWins(t *testing.T) {
	inFolder(t)
	write(t, "run.yaml", "xu: a.csv\nx: [a, b]\nquiet: true\nlambda: 0.5\n")
	got := succeed(t, words("fit --config run.yaml --xu b.csv --x c --quiet=false --print-config")...)
	for _, want := range []string{"\nxu: b.csv\n", "\nx: [c]\n", "\nquiet: false\n", "\nlambda: 0.5\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
