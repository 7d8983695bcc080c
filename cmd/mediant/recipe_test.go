package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mediant/internal/slow"
)

// systemPython is the interpreter that Debian's packages are for, which another one may stand before in PATH.
const systemPython = "/usr/bin/python3"

// TestOtherLearnersRecipe runs the program of docs/other-learners.md as it stands there, on tables whose truth is known, where scikit-learn is installed.
func TestOtherLearnersRecipe(t *testing.T) {
	slow.Only(t)
	if exec.Command(systemPython, "-c", "import sklearn, pandas").Run() != nil {
		t.Skip("scikit-learn and pandas are not installed")
	}
	doc, err := os.ReadFile("../../docs/other-learners.md")
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(doc)
	if program == nil {
		t.Fatal("docs/other-learners.md has no program")
	}
	folder := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", folder, ".").CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	t.Chdir(folder)
	surrogateTables(t, 1500)
	script := "X_COLUMNS, U_COLUMNS, Y_COLUMN = ['x'], ['u', 'v'], 'y'\n" + strings.Replace(string(program[1]), `"--quiet")`, `"--quiet", "--x", "x", "--u", "u,v", "--ignore", "mine,half,fold")`, 1)
	write(t, "recipe.py", strings.Replace(script, `"--fold", "fold",`, `"--fold", "fold", "--json",`, 1))
	cmd := exec.Command(systemPython, "recipe.py")
	cmd.Env = append(os.Environ(), "PATH="+folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var got struct{ Risk struct{ MSE, SE float64 } }
	if err := json.Unmarshal(out[strings.Index(string(out), "{"):], &got); err != nil {
		t.Fatal(err)
	}
	// The best predictor has 1.333 (TestEvaluatesOtherPredictions); boosted trees with 1,200 rows are some percent worse.
	if got.Risk.MSE < 1.333-3*got.Risk.SE || got.Risk.MSE > 1.333*1.2+3*got.Risk.SE || math.IsNaN(got.Risk.SE) {
		t.Errorf("risk %+v", got.Risk)
	}
}

// TestCoverageProgram runs two repetitions of the coverage study of docs/other-learners.md, where scikit-learn is installed.
func TestCoverageProgram(t *testing.T) {
	slow.Only(t)
	if exec.Command(systemPython, "-c", "import sklearn").Run() != nil {
		t.Skip("scikit-learn is not installed")
	}
	program, err := filepath.Abs("../../docs/other-learners/coverage.py")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", folder, ".").CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	cmd := exec.Command(systemPython, program, "2", "200")
	cmd.Env = append(os.Environ(), "PATH="+folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "2 repetitions of 200 + 200 rows: ") || strings.Contains(string(out), "nan") {
		t.Errorf("%v: %s", err, out)
	}
}
