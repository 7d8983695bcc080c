package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/experiments"
	"mediant/features"
	"mediant/internal/slow"
	"mediant/problem"
	"mediant/risk"
)

// numberAt returns the number of the keys.
func numberAt(t *testing.T, v map[string]any, keys ...string) float64 {
	t.Helper()
	n, ok := at(t, v, keys...).(float64)
	if !ok {
		t.Fatalf("%q is %v, want a number", keys, at(t, v, keys...))
	}
	return n
}

// TestRisk: fit tells the risk, keeps it in the model, and is not far from coupled rows; evaluate tells
// that of a saved model on other tables.
func TestRisk(t *testing.T) {
	inFolder(t)
	succeed(t, words("demo --write example")...)
	succeed(t, words("demo --write other --seed 5")...)
	fit := words("fit --xu example/xu.csv --uy example/uy.csv -o m.mediant --features 64")
	fitted := object(t, succeed(t, slices.Concat(fit, words("--json"))...))
	evaluated := object(t, succeed(t, words("evaluate m.mediant --xu other/xu.csv --uy other/uy.csv --json")...))
	coupled := object(t, succeed(t, words("evaluate m.mediant --xy example/xy.csv --json")...))
	header := object(t, succeed(t, words("inspect m.mediant --json")...))
	// The 1,000 coupled rows have an error of their own, 0.4/sqrt(1000) or about the standard error of
	// the risk: five of the latter together are 3.5 standard errors of the difference.
	for name, v := range map[string]map[string]any{"fit": fitted, "evaluate": evaluated} {
		mse, se := numberAt(t, v, "risk", "mse"), numberAt(t, v, "risk", "se")
		if d := math.Abs(mse - numberAt(t, coupled, "mse")); d > 5*se || se <= 0 || se > .05 {
			t.Errorf("%s: risk %g, standard error %g, coupled rows say %g", name, mse, se, numberAt(t, coupled, "mse"))
		}
		lo, hi := numberAt(t, v, "risk", "lo"), numberAt(t, v, "risk", "hi")
		if math.Abs((lo+hi)/2-mse) > 1e-12 || (hi-lo)/2 < 1.9599*se || (hi-lo)/2 > 1.966*se || numberAt(t, v, "risk", "form") != 1 {
			t.Errorf("%s: %v", name, v["risk"])
		}
		if lo, hi := numberAt(t, v, "bracket", "lo"), numberAt(t, v, "bracket", "hi"); !(lo < mse && mse < hi) {
			t.Errorf("%s: risk %g, bracket %g to %g", name, mse, lo, hi)
		}
		if _, has := v["accuracy"]; has {
			t.Errorf("%s: numbers have an accuracy", name)
		}
	}
	if kept := numberAt(t, header, "assessment", "risk", "mse"); kept != numberAt(t, fitted, "risk", "mse") {
		t.Errorf("the model keeps a risk of %g", kept)
	}
	out := succeed(t, fit...)
	for _, part := range []string{"risk      MSE ", "bracket   MSE ", "tighter   MSE "} {
		if !strings.Contains(out, part) || !strings.Contains(succeed(t, "inspect", "m.mediant"), part) {
			t.Errorf("fit prints %q, want %q in it", out, part)
		}
	}
	shifted := object(t, succeed(t, words("evaluate m.mediant --xu other/xu.csv --uy other/uy.csv --json --form 2")...))
	if numberAt(t, shifted, "risk", "form") != 2 || at(t, shifted, "bracket") != nil || numberAt(t, shifted, "risk", "mse") == numberAt(t, evaluated, "risk", "mse") {
		t.Errorf("form 2 gives %v", shifted)
	}
	without := object(t, succeed(t, slices.Concat(fit, words("--json --no-risk"))...))
	for _, key := range []string{"risk", "bracket", "accuracy"} {
		if _, has := without[key]; has {
			t.Errorf("--no-risk gives a %s", key)
		}
	}
}

// TestNoRiskIsAtMostZero: an interval that is wholly below 0 is no bound of an MSE; of one that is partly, the upper end is.
func TestNoRiskIsAtMostZero(t *testing.T) {
	for hi, want := range map[float64]string{-1: "no MSE can be estimated from these tables", 0: "no MSE can be estimated from these tables", 1.5: "at most 1.5"} {
		var a risk.Assessment
		a.Risk.MSE, a.Risk.Hi, a.Risk.Folds, a.Risk.Optimism = math.NaN(), hi, problem.DefaultFolds, .1
		if got := describeAssessment(&a); !strings.Contains(got, want) || strings.Contains(got, "at most 0") || strings.Contains(got, "having chosen") != (hi > 0) {
			t.Errorf("up to %g: %q, want %q", hi, got, want)
		}
	}
}

// TestRiskOfLabels: accuracy, and as many risks as classes.
func TestRiskOfLabels(t *testing.T) {
	inFolder(t)
	labels(t)
	got := object(t, succeed(t, slices.Concat(linearFit, words("--json"))...))
	// The label is a function of U and U one of X.
	if a := numberAt(t, got, "accuracy", "estimate"); math.Abs(a-1) > .05 {
		t.Errorf("accuracy is %g, want about 1", a)
	}
	isNumber(t, got, 0, "accuracy", "se")
	if outputs, ok := at(t, got, "risk", "outputs").([]any); !ok || len(outputs) != 3 {
		t.Errorf("outputs are %v, want 3", at(t, got, "risk", "outputs"))
	}
	evaluated := object(t, invoke(words("evaluate m.mediant --xu xu.csv --uy uy.csv --accept learned-rows --json")...).stdout) // stderr tells of equal rows
	if a := numberAt(t, evaluated, "accuracy", "estimate"); math.Abs(a-1) > .05 {
		t.Errorf("accuracy of the model is %g, want about 1", a)
	}
	if out := invoke(words("evaluate m.mediant --xu xu.csv --uy uy.csv --accept learned-rows")...).stdout; !strings.Contains(out, "accuracy  ") {
		t.Errorf("evaluate prints %q", out)
	}
}

// TestRiskWeights: evaluate reads the columns of weights that are set.
func TestRiskWeights(t *testing.T) {
	inFolder(t)
	rows := func(head string, y bool, from float64) string {
		return table(head, 40, func(i int) []any {
			a, b := math.Sin(from+float64(i)), math.Cos(from+float64(3*i))
			if y {
				return []any{a + b, a * b, 1 + i%3}
			}
			return []any{a, a + b, 1 + i%2}
		})
	}
	write(t, "xu.csv", rows("x,u,w", false, 0))
	write(t, "uy.csv", rows("u,y,v", true, 0))
	succeed(t, slices.Concat(linearFit, words("--weights-xu w --weights-uy v"))...)
	write(t, "xu.csv", rows("x,u,w", false, .5)) // rows that the model has not learned from
	write(t, "uy.csv", rows("u,y,v", true, .5))
	seen := make(map[float64]bool)
	for _, flags := range []string{"", "--weights-xu w", "--weights-uy v", "--weights-xu w --weights-uy v"} {
		got := object(t, succeed(t, slices.Concat(words("evaluate m.mediant --xu xu.csv --uy uy.csv --json"), words(flags))...))
		seen[numberAt(t, got, "risk", "mse")] = true
	}
	if len(seen) != 4 {
		t.Errorf("four ways to weigh give %d risks", len(seen))
	}
}

// TestNoRisk: too few rows are a warning of fit, not a failure, and an error of evaluate.
func TestNoRisk(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", "x,u\n1,1\n2,3\n")
	write(t, "uy.csv", "u,y\n1,1\n2,\n")
	got := invoke(words("fit --xu xu.csv --uy uy.csv -o m.mediant --phi linear --psi linear --lambda 1e-4 --w 0.5 --quiet --json")...)
	if got.status != statusDone {
		t.Fatalf("status %d, %q", got.status, got.stderr)
	}
	v := object(t, got.stdout)
	if w := at(t, v, "warnings").([]any); len(w) == 0 || !strings.Contains(w[len(w)-1].(string), "too few rows") {
		t.Errorf("warnings are %v", w)
	}
	if _, has := v["risk"]; has {
		t.Error("there is a risk")
	}
	if got := invoke(words("evaluate m.mediant --xu xu.csv --uy uy.csv")...); got.status != statusData || !strings.Contains(got.stderr, "too few rows") {
		t.Errorf("evaluate: status %d, %q", got.status, got.stderr)
	}
}

func TestRiskUsage(t *testing.T) {
	inFolder(t)
	small(t)
	fitLinear(t)
	for line, says := range map[string]string{
		"evaluate m.mediant":                                     "--xy",
		"evaluate m.mediant --xu xu.csv":                         "--uy is missing",
		"evaluate m.mediant --uy uy.csv":                         "--xu is missing",
		"evaluate m.mediant --xu - --uy -":                       "standard input",
		"evaluate m.mediant --xu xu.csv --uy uy.csv --xy xy.csv": "one at a time",
		"evaluate m.mediant --xu xu.csv --uy uy.csv --form 3":    "--form is 3",
		"fit --xu xu.csv --uy uy.csv -o n.mediant --form 0":      "--form is 0",
		"study nosuch":                   "nosuch",
		"study features --draws 1":       "--draws is 1",
		"study coverage --repetitions 1": "--repetitions is 1",
		"study coverage --rows 1":        "--rows is 1",
		"study coverage --test 1":        "--test is 1",
		"study coverage --nosuch":        "nosuch",
	} {
		if got := invoke(words(line)...); got.status != statusUsage || !strings.Contains(got.stderr, says) {
			t.Errorf("mediant %s: status %d, %q, want %q in it", line, got.status, got.stderr, says)
		}
	}
}

// TestStudyCoverage: a small study has all lines, as Markdown in a file and as JSON.
func TestStudyCoverage(t *testing.T) {
	slow.Only(t)
	inFolder(t)
	flags := words("study coverage --repetitions 2 --rows 60 --test 100 --quiet")
	succeed(t, slices.Concat(flags, words("-o coverage.md"))...)
	text := read(t, "coverage.md")
	for _, part := range []string{"n = 60 rows", "2 repetitions", "\n| fixed | 1 | 10 | 0 |", "\n| selected | 1 | 2 | 0 |", "\n| fixed | 2 | 2 | 2 |", "\n| selected | 5 | ", "\n| Nyström | 1 | 5 | 0 |"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
	got := object(t, `{"all":`+succeed(t, slices.Concat(flags, words("--json --overlap"))...)+`}`)
	if all := at(t, got, "all").([]any); len(all) != 16 {
		t.Errorf("%d results of rows without overlap, want 16", len(all))
	}
	got = object(t, `{"all":`+succeed(t, slices.Concat(flags, words("--json --sums"))...)+`}`)
	for _, r := range at(t, got, "all").([]any) {
		line := r.(map[string]any)
		if se := at(t, line, "mean_se").(float64); !(se > 0 && se < at(t, line, "mean_mse").(float64)) {
			t.Errorf("of sums: %v", line)
		}
	}
}

// TestStudyCoverageParts: a flag leaves one part of the study, whose cases are of all kinds.
func TestStudyCoverageParts(t *testing.T) {
	for _, c := range []struct {
		flags                      coverageFlags
		cases, few, sums, overlaps int
	}{
		{coverageFlags{}, 12, 10, 6, 16},
		{coverageFlags{synthetic: true}, 12, 0, 0, 0},
		{coverageFlags{few: true}, 0, 10, 0, 0},
		{coverageFlags{sums: true}, 0, 0, 6, 0},
		{coverageFlags{overlap: true}, 0, 0, 0, 16},
	} {
		if cases, few, sums, overlaps := c.flags.parts(); len(cases) != c.cases || len(few) != c.few || len(sums) != c.sums || len(overlaps) != c.overlaps {
			t.Errorf("%+v: %d cases, %d of few rows, %d of sums, %d of overlap", c.flags, len(cases), len(few), len(sums), len(overlaps))
		}
	}
}

// TestStudyFeatures: two draws in few columns and sizes have a line for each map, with its means.
func TestStudyFeatures(t *testing.T) {
	defer func(sizes []int) { studiedSizes = sizes }(studiedSizes)
	studiedSizes = []int{16}
	lines, err := studyColumns(t.Context(), 5, 2, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, l := range lines {
		seen[l.name]++
		if len(l.results) != 2 || !(l.mean(func(r experiments.MapResult) float64 { return r.MSE }) < 2) {
			t.Errorf("%s: %+v", l.name, l.results)
		}
	}
	if seen["quasi:gaussian"] != 1 || seen["polynomial:2"] != 1 || seen["nystrom:gaussian, leverage"] != 1 || seen["polynomial:3"] != 0 {
		t.Errorf("lines %v", seen)
	}
	l := studiedLine{results: []experiments.MapResult{{MSE: 1}, {MSE: 3}}}
	if got := l.text(func(r experiments.MapResult) float64 { return r.MSE }); got != "2 ± 1" {
		t.Errorf("mean and standard error %q", got)
	}
	for _, l := range studiedLines(200) {
		if l.spec.Quasi || l.spec.Kind == features.PolynomialFeatures {
			t.Errorf("200 columns have %s", l.name)
		}
	}
}

// TestFewRowsAreSaid: with the interval of a few rows comes a word on it, with that of many none.
func TestFewRowsAreSaid(t *testing.T) {
	inFolder(t)
	for rows, few := range map[int]bool{24: true, 400: false} {
		xu, uy := "x,u\n", "u,y\n"
		rnd := rand.New(rand.NewPCG(uint64(rows), 1))
		for range rows {
			x := rnd.NormFloat64()
			xu += fmt.Sprintf("%g,%g\n", x, x+rnd.NormFloat64())
			u := 1.4 * rnd.NormFloat64()
			uy += fmt.Sprintf("%g,%g\n", u, u+rnd.NormFloat64())
		}
		write(t, "xu.csv", xu)
		write(t, "uy.csv", uy)
		fit := words("fit --xu xu.csv --uy uy.csv -o m.mediant --method 2step --phi linear --psi linear --lambda 1e-3 --no-diagnosis")
		if text := succeed(t, fit...); strings.Contains(text, "few rows: the interval may be too narrow") != few {
			t.Errorf("%d rows: %s", rows, text)
		}
		risk := object(t, succeed(t, append(fit, "--json")...))["risk"].(map[string]any)
		if (risk["few_rows"] == true) != few || !few && risk["few_rows"] != nil {
			t.Errorf("%d rows: %v", rows, risk)
		}
	}
}
