package main

import (
	"math"
	"strings"
	"testing"
)

// gradesTables writes tables of X and U, of U and a grade that depends on u, with predictions of it beside X, and coupled rows.
func gradesTables(t *testing.T) {
	t.Helper()
	row := func(i int) float64 { return float64(i*3701%10007)/2500 - 2 }
	u := func(i int) float64 { return row(i) + row(11*i)/4 }
	grade := func(i int) any {
		chance := 1 / (1 + math.Exp(-2*u(i)))
		if float64(i*5303%9973)/9973 < chance {
			return "good"
		}
		return "bad"
	}
	write(t, "later_xu.csv", table("x,u", 300, func(i int) []any { return []any{row(i + 3000), u(i + 3000)} }))
	write(t, "later_uy.csv", table("u,grade", 300, func(i int) []any { return []any{u(i + 4000), grade(i + 4000)} }))
	write(t, "xu.csv", table("x,u,p_bad,p_good,zero,one", 300, func(i int) []any {
		p := 1 / (1 + math.Exp(-2*row(i)))
		return []any{row(i), u(i), 1 - p, p, math.Min(0, row(i)), 1 - math.Min(0, row(i))}
	}))
	write(t, "uy.csv", table("u,grade", 300, func(i int) []any { return []any{u(i + 500), grade(i + 500)} }))
	write(t, "xy.csv", table("x,grade", 300, func(i int) []any { return []any{row(i + 1000), grade(i + 1000)} }))
	write(t, "counts.csv", table("u,n", 300, func(i int) []any { return []any{u(i), float64(int(math.Exp(u(i)/2)) + i%3)} }))
}

// TestFitWithLoss: probabilities of classes sum to 1, the model file keeps the loss, and the result has it in text and JSON; evaluate estimates it with and without coupled rows, also for predictions of other programs. Counts
// have positive means.
func TestFitWithLoss(t *testing.T) {
	inFolder(t)
	gradesTables(t)
	shown := succeed(t, words("fit --xu xu.csv --uy uy.csv --x x --u u --y grade --features 16 --loss log -o m.mediant")...)
	succeed(t, words("fit --xu xu.csv --uy uy.csv --x x --u u --y grade --features 16 --quiet -o auto.mediant")...)
	if read(t, "auto.mediant") != read(t, "m.mediant") {
		t.Error("classes have another model without --loss")
	}
	if !strings.Contains(shown, "loss      log loss 0.") || !strings.Contains(shown, "means of the log loss") {
		t.Errorf("fit prints\n%s", shown)
	}
	for i, line := range strings.Split(strings.TrimSpace(succeed(t, words("predict m.mediant xu.csv")...)), "\n") {
		cells := strings.Split(line, ",")[1:]
		if i == 0 {
			continue
		}
		if sum := number(t, cells[0]) + number(t, cells[1]); math.Abs(sum-1) > 1e-12 || !(number(t, cells[0]) > 0) {
			t.Fatalf("row %d: %s", i, line)
		}
	}
	of := object(t, succeed(t, words("fit --xu xu.csv --uy uy.csv --x x --u u --y grade --features 16 --loss log --lambda 1e-3 --json -o fixed.mediant")...))
	loss := at(t, of, "risk", "mse").(float64)
	estimated := at(t, of, "loss", "estimate").(float64)
	if at(t, of, "loss", "loss") != "log" || !(estimated > .3 && estimated < math.Ln2) || !(loss > .1 && loss < .6) {
		t.Errorf("loss %v", of["loss"])
	}
	coupled := object(t, succeed(t, words("evaluate fixed.mediant --xy xy.csv --json")...))
	if truth := at(t, coupled, "loss", "value").(float64); math.Abs(truth-estimated) > .1 {
		t.Errorf("the log loss is %g, estimated as %g", truth, estimated)
	}
	if shown := succeed(t, words("evaluate fixed.mediant --xy xy.csv")...); !strings.Contains(shown, "loss      log loss 0.") || !strings.Contains(shown, "ECE  ") || !strings.Contains(shown, `probability of "good"`) {
		t.Errorf("evaluate prints\n%s", shown)
	}
	if e := at(t, coupled, "calibration", "expected_error").(float64); !(e > 0 && e < .15) {
		t.Errorf("the expected calibration error is %g", e)
	}
	if label := succeed(t, words("predict m.mediant xu.csv --label-only")...); !strings.HasPrefix(label, "grade\n") {
		t.Errorf("labels alone are\n%.60s", label)
	}
	later := object(t, succeed(t, words("evaluate fixed.mediant --xu later_xu.csv --uy later_uy.csv --json")...))
	if again := at(t, later, "loss", "estimate").(float64); math.Abs(again-estimated) > .1 {
		t.Errorf("the model's log loss is %g, that of its folds %g", again, estimated)
	}
	if bins := at(t, later, "calibration", "bins").([]any); len(bins) < 3 {
		t.Errorf("%d bins", len(bins))
	}
	other := object(t, invoke(words("evaluate --xu xu.csv --uy uy.csv --u u --predictions p_bad,p_good --loss log --json")...).stdout)
	if own := at(t, other, "loss", "estimate").(float64); math.Abs(own-estimated) > .15 {
		t.Errorf("predictions have the log loss %g, the model %g", own, estimated)
	}
	counts := object(t, succeed(t, words("fit --xu xu.csv --uy counts.csv --x x --u u --y n --features 16 --loss poisson --lambda 1e-3 --json -o n.mediant")...))
	if at(t, counts, "loss", "loss") != "poisson" || !(at(t, counts, "loss", "estimate").(float64) < at(t, counts, "loss", "constant").(float64)) {
		t.Errorf("loss of counts %v", counts["loss"])
	}
}

// TestFlagsOfSquaredError: classes are fitted by squared error where a flag is for that alone.
func TestFlagsOfSquaredError(t *testing.T) {
	inFolder(t)
	gradesTables(t)
	for _, flags := range []string{"--loss squared", "--se", "--method joint", "--w .5", "--lambda 0", "--form 2 --no-diagnosis", "--shift", "--precision"} {
		of := object(t, succeed(t, words("fit --xu xu.csv --uy uy.csv --x x --u u --y grade --features 12 --bandwidth-x 1 --bandwidth-u 1 --json -o m.mediant "+flags)...))
		if of["loss"] != nil {
			t.Errorf("%s: the loss is %v", flags, of["loss"])
		}
	}
	if shown := succeed(t, words("predict m.mediant xu.csv")...); !strings.HasPrefix(shown, "grade\n") {
		t.Errorf("raw scores were not asked for:\n%.60s", shown)
	}
}

// TestLossIsRefused: what a loss is not for is named in a line, before or after reading.
func TestLossIsRefused(t *testing.T) {
	inFolder(t)
	gradesTables(t)
	const fit = "fit --xu xu.csv --x x --u u --features 16 -o out "
	for line, want := range map[string]string{
		fit + "--uy uy.csv --loss quadratic":                                                     `--loss "quadratic"`,
		fit + "--uy uy.csv --loss log --se":                                                      "--se has no meaning",
		fit + "--uy uy.csv --loss log --method joint":                                            "--method joint has no meaning",
		fit + "--uy uy.csv --loss log --w .5":                                                    "--w 0.5 has no meaning",
		fit + "--uy uy.csv --loss log --lambda 0":                                                "must be above 0",
		fit + "--uy counts.csv --loss log":                                                       "is for classes",
		"fit --xu xu.csv --uy uy.csv --u u --x x --loss poisson --y grade --task regress -o out": "grade",
		"evaluate --xu xu.csv --uy uy.csv --u u --predictions zero,one --loss log":               "outside the domain",
		"evaluate --xy xy.csv m.mediant --loss log":                                              "--loss has no meaning",
		"evaluate --xu xu.csv --uy uy.csv --u u --predictions p_bad,p_good --loss squares":       `--loss "squares"`,
	} {
		got := invoke(words(line)...)
		if got.status == statusDone || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v, want an error with %q", line, got, want)
		}
	}
}
