package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
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
	// What the page holds is not in the repository.
	switch got, raw := invoke(words("export m.mediant --wasm-page page.html")...), readOrNone("page.html"); {
	case got.status == statusDone && strings.Contains(raw, "<title>Predict y</title>"):
	case got.status == statusData && raw == "" && strings.HasPrefix(got.stderr, "mediant: --wasm-page: this program was built without the library for browsers: run go generate ./export/page"):
	default:
		t.Errorf("of a page: %+v, %d bytes", got, len(raw))
	}
	for line, want := range map[string]string{
		"export m.mediant":                     "nothing to write: set --onnx, --safetensors or --wasm-page",
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

func readOrNone(name string) string {
	raw, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(raw)
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

// exportTables writes tables whose X has numbers with missing ones, levels, and columns that are constant where they are there.
func exportTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var xu, uy, fresh strings.Builder
	xu.WriteString("a,colour,gone,b,u\n")
	uy.WriteString("u,y\n")
	fresh.WriteString("b,colour,gone,a\n")
	for i := range 600 {
		a, b, colour, gone := fmt.Sprint(r.NormFloat64()), 100+r.Float64(), []string{"red", "green", "blue"}[r.IntN(3)], []string{"7", ""}[r.IntN(2)]
		if r.IntN(5) == 0 {
			a = ""
		}
		u := b - 100 + float64(len(colour)) + float64(len(gone)) + r.Float64()
		if i%2 == 0 {
			fmt.Fprintf(&xu, "%s,%s,%s,%g,%g\n", a, colour, gone, b, u)
			fmt.Fprintf(&fresh, "%g,%s,%s,%s\n", b, colour, gone, a)
		} else {
			fmt.Fprintf(&uy, "%g,%g\n", u, math.Sin(u)+.1*r.NormFloat64())
		}
	}
	write(t, "xu.csv", xu.String())
	write(t, "uy.csv", uy.String())
	write(t, "new.csv", fresh.String())
}

// TestSafetensorsReader runs the program of docs/export.md as it stands there and compares its predictions with those of predict.
func TestSafetensorsReader(t *testing.T) {
	if exec.Command(systemPython, "-c", "import numpy").Run() != nil {
		t.Skip("numpy is not installed (Debian: python3-numpy)")
	}
	doc, err := os.ReadFile("../../docs/export.md")
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile("(?s)```python\n(import csv.*?)```").FindSubmatch(doc)
	if program == nil {
		t.Fatal("docs/export.md has no program")
	}
	t.Chdir(t.TempDir())
	exportTables(t)
	write(t, "read.py", string(program[1]))
	write(t, "compare.py", "import sys, numpy as np\na, b = np.load('predicted.npy'), np.load('out.npy')\nprint(a.shape, b.shape, np.abs(a.reshape(b.shape) - b).max())\n")
	for _, phi := range []string{"gaussian", "quasi:matern32", "nystrom:gaussian", "fullmetric:gaussian"} {
		for _, line := range []string{
			"fit --xu xu.csv --uy uy.csv --phi " + phi + " --features 64 --method 2step --quiet --no-risk -o m.mediant",
			"export m.mediant --safetensors m.safetensors", "predict m.mediant new.csv --quiet -o predicted.npy",
		} {
			if got := invoke(words(line)...); got.status != statusDone {
				t.Fatal(got.stderr)
			}
		}
		if out, err := exec.Command(systemPython, "read.py", "m.safetensors", "new.csv", "out.npy").CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", phi, err, out)
		}
		out, err := exec.Command(systemPython, "compare.py").CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", phi, err, out)
		}
		fields := strings.Fields(string(out))
		var worst float64
		if _, err := fmt.Sscan(fields[len(fields)-1], &worst); err != nil || !(worst <= 1e-9) {
			t.Errorf("%s: differs by %s, want at most 1e-9: %v", phi, out, err)
		}
	}
}
