package main

import (
	"os"
	"strings"
	"testing"
)

// TestExport writes a model in each format, and nothing where it cannot.
func TestExport(t *testing.T) {
	t.Chdir(t.TempDir())
	surrogateTables(t, 100)
	fitLine := "fit --xu xu.csv --uy uy.csv --x x --u u,v --ignore mine,half,fold --phi gaussian --psi gaussian --features 32 --method 2step --quiet --no-risk -o "
	if got := invoke(words(fitLine + "m.mediant")...); got.status != statusDone {
		t.Fatal(got.stderr)
	}
	if out := succeed(t, words("export m.mediant --onnx m.onnx")...); out != "" {
		t.Errorf("says %q", out)
	}
	if raw, err := os.ReadFile("m.onnx"); err != nil || !strings.Contains(string(raw), `mediant.numbers`+"\x12\x05"+`["x"]`) {
		t.Errorf("%d bytes without the names of columns: %v", len(raw), err)
	}
	if got := invoke(words(fitLine + "errors.mediant --se")...); got.status != statusDone {
		t.Fatal(got.stderr)
	}
	if got := invoke(words("export errors.mediant --onnx e.onnx")...); got.status != statusDone || !strings.HasPrefix(got.stderr, "note: --onnx has the predictions alone") {
		t.Errorf("of a model with standard errors: %+v", got)
	}
	for line, want := range map[string]string{
		"export m.mediant":                     "nothing to write: set --onnx",
		"export":                               "the model file is missing",
		"export m.mediant --onnx m.mediant":    "--onnx m.mediant would replace an input",
		"export m.mediant --onnx -":            "--onnx - : give a file name",
		"export m.mediant --onnx none/m.onnx":  "--onnx: ",
		"export xu.csv --onnx none.onnx":       "xu.csv: not a mediant model file",
		"export m.mediant other --onnx m.onnx": `unexpected argument "other"`,
	} {
		got := invoke(words(line)...)
		if got.status == statusDone || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %q, want %q", line, got.status, got.stderr, want)
		}
	}
	if _, err := os.Stat("none.onnx"); err == nil {
		t.Error("a file is written of what is no model")
	}
}

// TestExportRefuses: what a format cannot express is named, with the flag, and no file is left.
func TestExportRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	var xu, uy strings.Builder
	xu.WriteString("note,u\n")
	uy.WriteString("u,y\n")
	for i := range 150 {
		text := strings.Repeat("w", i%7+1) + " number " + strings.Repeat("z", i%11+1) + strings.Repeat(" k", i)
		xu.WriteString(text + "," + formatNumber(float64(i%13)+.5*float64(i%5)) + "\n")
		uy.WriteString(formatNumber(float64(i%13)+.25*float64(i%7)) + "," + formatNumber(float64(i%17)) + "\n")
	}
	write(t, "xu.csv", xu.String())
	write(t, "uy.csv", uy.String())
	if got := invoke(words("fit --xu xu.csv --uy uy.csv --phi nystrom:linear --psi gaussian --features 20 --method 2step --quiet --no-risk -o m.mediant")...); got.status != statusDone {
		t.Fatal(got.stderr)
	}
	got := invoke(words("export m.mediant --onnx m.onnx")...)
	if want := "mediant: --onnx: ONNX cannot express the hashed free text of column \"note\"\n"; got.status != statusData || got.stderr != want {
		t.Errorf("status %d, %q, want %q", got.status, got.stderr, want)
	}
	if _, err := os.Stat("m.onnx"); err == nil {
		t.Error("a file is left")
	}
}
