//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/slow"
	"mediant/kernels"
	"mediant/rr"
)

const (
	manyRows     = 300000
	distinctRows = 1000
	landmarks    = 2000
)

// built builds the program, without the race detector, and returns its path.
func built(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mediant")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	return path
}

// TestPredictManyRows: memory does not grow with the rows to predict, whose kernel matrix would take
// 4.8 GB (tseemann/cgmlst-dists PR #16, LSSTDESC/tomo_challenge#16, scikit-learn#9690), and a row's
// prediction does not depend on its company.
func TestPredictManyRows(t *testing.T) {
	slow.Only(t)
	program := built(t)
	inFolder(t)
	write(t, "new.csv", table("x", manyRows, func(i int) []any { return []any{float64(i%distinctRows) / distinctRows} }))
	t.Run("fitted", func(t *testing.T) {
		write(t, "xu.csv", table("x,u", landmarks, func(i int) []any { return []any{float64(i) / landmarks, float64(i) / landmarks} }))
		write(t, "uy.csv", table("u,y", landmarks, func(i int) []any {
			u := float64(i) / landmarks
			return []any{u, math.Sin(6 * u)}
		}))
		b := strconv.FormatFloat(math.Sqrt(1./20), 'g', -1, 64) // gamma = 10
		succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant --quiet --method 2step --no-standardize --lambda 1e-6 --features 2000 "+
			"--phi nystrom:gaussian --psi nystrom:gaussian --bandwidth-x "+b+" --bandwidth-u "+b)...)
		for i, f := range predictMany(t, program) {
			// A smooth function, without noise and with next to no ridge.
			if want := math.Sin(6 * float64(i) / distinctRows); math.Abs(f-want) > 1e-2 {
				t.Fatalf("f(%d/%d) = %g, want about %g", i, distinctRows, f, want)
			}
		}
	})
	// In the fit above 18 landmarks span the others to rounding. Here are as many as the case has.
	t.Run("2000 landmarks", func(t *testing.T) {
		saveSections(t)
		predictMany(t, program)
	})
}

// saveSections puts 2,000 kernel sections of a Gaussian into the fitted model m.mediant.
func saveSections(t *testing.T) {
	t.Helper()
	m, err := loadModel("m.mediant", 0)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := kernels.NewGaussian(math.Sqrt(1. / 20))
	if err != nil {
		t.Fatal(err)
	}
	at, coef := mat.NewDense(landmarks, 1, nil), mat.NewDense(landmarks, 1, nil)
	for i := range landmarks {
		at.Set(i, 0, float64(i)/landmarks)
		coef.Set(i, 0, math.Sin(float64(i)*.7)/landmarks)
	}
	sections, err := features.NewSections(kernel, at)
	if err != nil {
		t.Fatal(err)
	}
	m.F = &rr.Linear{Map: sections, Coef: coef, Intercept: []float64{1}}
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	write(t, "m.mediant", b.String())
}

// predictMany runs the program on new.csv with m.mediant, checks its memory and all its predictions,
// and returns those of the distinct rows.
func predictMany(t *testing.T, program string) []float64 {
	t.Helper()
	cmd := exec.Command(program, words("predict m.mediant new.csv -o out.csv")...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	t.Logf("peak %d MiB", peak>>20)
	if peak >= 1<<30 {
		t.Errorf("peak memory is %d MiB, want less than 1 GiB", peak>>20)
	}
	got := numbers(t, read(t, "out.csv"))
	if len(got) != manyRows {
		t.Fatalf("%d predictions, want %d", len(got), manyRows)
	}
	for i := range distinctRows {
		write(t, "one.csv", fmt.Sprintf("x\n%v\n", float64(i)/distinctRows))
		alone := numbers(t, succeed(t, words("predict m.mediant one.csv")...))[0]
		for j := i; j < manyRows; j += distinctRows {
			if d := math.Abs(got[j] - alone); d > 1e-13*math.Abs(alone) {
				t.Fatalf("row %d is %.17g, alone %.17g", j, got[j], alone)
			}
		}
	}
	return got[:distinctRows]
}

// TestProgram runs the built program itself: exit statuses, standard input and output, a pipe.
func TestProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	program := built(t)
	inFolder(t)
	small(t)
	exe := func(stdin, line string) (stdout, stderr string, status int) {
		cmd := exec.Command(program, words(line)...)
		cmd.Stdin = strings.NewReader(stdin) // a pipe
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		cmd.Run()
		return out.String(), errs.String(), cmd.ProcessState.ExitCode()
	}
	stdout, stderr, status := exe(smallXU, "fit --xu - --uy uy.csv -o m.mediant --phi linear --psi linear --json")
	if status != statusDone || stderr != "" || !json.Valid([]byte(stdout)) {
		t.Errorf("fit from a pipe: status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	model := read(t, "m.mediant")
	fitLinear(t)
	if read(t, "m.mediant") != model {
		t.Error("another model from a pipe than from the file")
	}
	stdout, stderr, status = exe(smallXU, "predict m.mediant -")
	if want := succeed(t, words("predict m.mediant xu.csv")...); status != statusDone || stderr != "" || stdout != want {
		t.Errorf("predict from a pipe: status %d, stdout %q, stderr %q, want %q", status, stdout, stderr, want)
	}
	if _, stderr, status = exe("", "predict m.mediant -"); status != statusData || stderr != "mediant: standard input: no rows\n" {
		t.Errorf("predict from nothing: status %d, stderr %q", status, stderr)
	}
	if _, _, status = exe("", "predict"); status != statusUsage {
		t.Errorf("wrong usage: status %d", status)
	}
}
