package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
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

// TestDemoExampleTeaches: on the example the naive chain is clearly worse, as it is to show.
func TestDemoExampleTeaches(t *testing.T) {
	inFolder(t)
	succeed(t, "demo", "--write", ".")
	mse := func(method string) float64 {
		succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant --quiet --features 100 --method "+method)...)
		return at(t, object(t, succeed(t, words("evaluate m.mediant --xy xy.csv --json")...)), "mse").(float64)
	}
	if naive, two, joint := mse("naive"), mse("2step"), mse("joint"); naive < 1.1*two || naive < 1.1*joint {
		t.Errorf("MSE is %g naive, %g 2step, %g joint", naive, two, joint)
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
