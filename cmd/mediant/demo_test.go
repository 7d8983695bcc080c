package main

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"mediant/report"
)

// TestDemoWrite runs the three commands that demo --write prints.
func TestDemoWrite(t *testing.T) {
	inFolder(t)
	out := succeed(t, "demo", "--write", "a/b")
	lines := regexp.MustCompile(`(?m)^  mediant (.*)$`).FindAllStringSubmatch(out, -1)
	if len(lines) != 3 {
		t.Fatalf("demo --write prints %q, want three commands", out)
	}
	for i, command := range []string{"fit", "predict", "evaluate"} {
		if args := words(lines[i][1]); args[0] != command {
			t.Errorf("command %d is %q, want %s", i, args, command)
		} else {
			out = succeed(t, args...)
		}
	}
	if got := files(t); !slices.Equal(got, []string{"a", "model.mediant", "out.csv"}) {
		t.Errorf("files are %q", got)
	}
	if n := len(numbers(t, read(t, "out.csv"))); n != exampleTest {
		t.Errorf("%d predictions, want %d", n, exampleTest)
	}
	got := object(t, succeed(t, words("evaluate model.mediant --xy a/b/xy.csv --json")...))
	// The distribution's best predictor has MSE 0.1 + 3·0.0532 = 0.26 and the mean of Y 0.41.
	if mse := at(t, got, "mse").(float64); mse < .2 || mse > .33 {
		t.Errorf("MSE %g, want about 0.26 to 0.3", mse)
	}
	if !strings.Contains(out, "rows      1000\n") {
		t.Errorf("evaluate prints %q", out)
	}
}

// TestDemoWriteIsSeeded: the same seed writes the same example.
func TestDemoWriteIsSeeded(t *testing.T) {
	inFolder(t)
	succeed(t, words("demo --write a")...)
	succeed(t, words("demo --write b --seed 0")...)
	succeed(t, words("demo --write c --seed 1")...)
	for _, name := range []string{"xu.csv", "uy.csv", "xy.csv"} {
		if read(t, "a/"+name) != read(t, "b/"+name) || read(t, "a/"+name) == read(t, "c/"+name) {
			t.Errorf("%s does not depend on the seed and it alone", name)
		}
	}
}

// TestDemoExample: both methods, with a risk that agrees with the error on test rows, and the naive chain the worse; what is printed
// and drawn has these numbers.
func TestDemoExample(t *testing.T) {
	r, err := example{rows: 400, test: 300, features: 64, seed: 3}.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Naive.MSE < 1.1*r.TwoStep.MSE || r.Naive.Risk < 1.1*r.TwoStep.Risk {
		t.Errorf("naive has MSE %g and risk %g, 2Step-RR %g and %g", r.Naive.MSE, r.Naive.Risk, r.TwoStep.MSE, r.TwoStep.Risk)
	}
	for name, m := range map[string]exampleMethod{"2step": r.TwoStep, "naive": r.Naive} {
		if m.Lo-3*m.SE > m.MSE || m.MSE > m.Hi+3*m.SE {
			t.Errorf("%s: MSE %g with standard error %g is far from the interval %g to %g", name, m.MSE, m.SE, m.Lo, m.Hi)
		}
		line := fmt.Sprintf("\n%s    %.3f (%.3f to %.3f)", name, m.Risk, m.Lo, m.Hi)
		var out strings.Builder
		if err := r.print(&out); err != nil || !strings.Contains(out.String(), line) {
			t.Errorf("%q lacks %q; %v", out.String(), line, err)
		}
		if d := stat.Mean(m.means.Y, nil) - stat.Mean(r.known.Y, nil); (d < -.1) != (name == "naive") {
			t.Errorf("%s: predictions in the picture are %g from Y on average", name, d)
		}
	}
	if err := r.document().WriteHTML(io.Discard); err != nil {
		t.Error(err)
	}
}

// TestBinned: means and standard errors of the values in each of the bins, the last of which has its upper end.
func TestBinned(t *testing.T) {
	var x, y []float64
	for b := range exampleBins {
		at := -1 + 2*float64(b)/exampleBins
		x, y = append(x, at+.01, at+.1), append(y, float64(b), float64(b)+2)
	}
	x, y = append(x, 1), append(y, exampleBins)
	got := binned("", report.Points, x, y)
	for b := range exampleBins {
		mean, se := float64(b)+1, 1.
		if b == exampleBins-1 {
			se = 1 / math.Sqrt(3) // of b, b + 2 and b + 1
		}
		if math.Abs(got.Y[b]-mean) > 1e-12 || math.Abs(got.Err[b]-se) > 1e-12 || math.Abs(got.X[b]-(-1+(float64(b)+.5)/6)) > 1e-12 {
			t.Errorf("bin %d at %g: %g ± %g, want %g ± %g", b, got.X[b], got.Y[b], got.Err[b], mean, se)
		}
	}
}

// TestDemoPrints: a table of the methods in order, and what is not plain from it below.
func TestDemoPrints(t *testing.T) {
	for splits, want := range map[int]string{1: "; mean over 1 split\n", 3: "; means over 3 splits\n"} {
		r := demoResult{Splits: splits, SharedSeconds: 2, Methods: map[string]*demoMethod{"naive": {.5, .25, 1}, "cme": {.75, .125, 3}}}
		var out strings.Builder
		if err := r.print(&out, []string{"naive", "cme"}); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{want, "\nnaive       50.00%   0.2500       1.0              88.06% 0.184\n", "\ncme         75.00%   0.1250       3.0\n", "\n\ncme: kernel conditional mean embedding,", "took 2.0 s a split\n"} {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%q lacks %q", out.String(), part)
			}
		}
	}
}
