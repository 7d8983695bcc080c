package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"mediant/distribution"
	"mediant/risk"
)

// spreadTables writes tables of X and U, of U and Y, whose noise is standard normal, and of coupled rows.
func spreadTables(t *testing.T) {
	t.Helper()
	row := func(i int) float64 { return float64(i*3701%10007)/5000 - 1 }
	u := func(i int) float64 { return row(i) + row(11*i)/4 }
	y := func(i int) float64 {
		return 2*u(i) + math.Sqrt2*math.Erfinv(float64(2*(i*5303%9973)+1)/9973-1)
	}
	arm := func(i int) string { return []string{"old", "new"}[i%2] }
	write(t, "xu.csv", table("x,arm,u", 300, func(i int) []any { return []any{row(i), arm(i), u(i)} }))
	write(t, "uy.csv", table("u,y", 300, func(i int) []any { return []any{u(i + 500), y(i + 500)} }))
	write(t, "xy.csv", table("x,arm,y", 300, func(i int) []any { return []any{row(i + 1000), arm(i + 1000), y(i + 1000)} }))
	write(t, "later_xu.csv", table("x,arm,u", 300, func(i int) []any { return []any{row(i + 3000), arm(i + 3000), u(i + 3000)} }))
	write(t, "later_uy.csv", table("u,y", 300, func(i int) []any { return []any{u(i + 4000), y(i + 4000)} }))
	write(t, "classes.csv", table("u,y", 300, func(i int) []any { return []any{u(i + 500), []string{"a", "b"}[i%2]} }))
	write(t, "two.csv", table("u,y,z", 300, func(i int) []any { return []any{u(i + 500), y(i + 500), row(i)} }))
}

// TestFitDistribution: fit says what intervals contain, predict writes them, quantiles and draws, evaluate agrees with and without coupled rows, and inspect shows what the file keeps.
func TestFitDistribution(t *testing.T) {
	inFolder(t)
	spreadTables(t)
	shown := succeed(t, words("fit --xu xu.csv --uy uy.csv --phi gaussian --psi gaussian --features 16 --method 2step --lambda 1e-4 --distribution --coverage-by arm -o m.mediant")...)
	for _, part := range []string{"\nCRPS      0.", "\nintervals 90.0 % of Y are in intervals of the nominal level ", ": arm = new\n", "if Y is independent of X given U"} {
		if !strings.Contains(shown, part) {
			t.Errorf("no %q in\n%s", part, shown)
		}
	}
	if shown := succeed(t, words("inspect m.mediant")...); !strings.Contains(shown, "\nintervals 90.0 %") {
		t.Errorf("inspect prints\n%s", shown)
	}
	asked := words("predict m.mediant xy.csv --quantiles .05,.5 --interval .9 --draws 3 --seed 7")
	got := invoke(asked...)
	if got.status != statusDone || !strings.Contains(got.stderr, "estimated 90.0 % of Y (standard error ") {
		t.Fatalf("%+v", got)
	}
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if lines[0] != "y,y_q0.05,y_q0.5,y_lower,y_upper,y_draw1,y_draw2,y_draw3" || len(lines) != 301 {
		t.Fatalf("%d lines, the first is %s", len(lines), lines[0])
	}
	coupled := strings.Split(strings.TrimSpace(read(t, "xy.csv")), "\n")
	in := 0.
	for i, line := range lines[1:] {
		cells := strings.Split(line, ",")
		mean, low, median, lo, hi := number(t, cells[0]), number(t, cells[1]), number(t, cells[2]), number(t, cells[3]), number(t, cells[4])
		if !(low <= median && lo <= hi && lo < mean && mean < hi) || cells[5] == cells[6] {
			t.Fatalf("row %d: %s", i, line)
		}
		y := number(t, strings.Split(coupled[i+1], ",")[2])
		if lo <= y && y <= hi {
			in++
		}
	}
	if share := in / 300; math.Abs(share-.9) > .07 { // 4 standard errors
		t.Errorf("intervals hold %g of the coupled rows", share)
	}
	for _, threads := range []string{"1", "2"} {
		if again := invoke(append(asked, "--threads", threads)...); again.stdout != got.stdout {
			t.Errorf("%s threads draw others", threads)
		}
	}
	if again := invoke(words("predict m.mediant xy.csv --quantiles .05,.5 --interval .9 --draws 3 --seed 8 --quiet")...); again.stdout == got.stdout || again.stderr != "" {
		t.Errorf("another seed draws the same, or --quiet prints %q", again.stderr)
	}
	coupledScore := object(t, succeed(t, words("evaluate m.mediant --xy xy.csv --json")...))
	later := object(t, succeed(t, words("evaluate m.mediant --xu later_xu.csv --uy later_uy.csv --json")...))
	a, b := at(t, coupledScore, "distribution", "crps").(float64), at(t, later, "distribution", "crps", "estimate").(float64)
	if math.Abs(a-b) > .15 {
		t.Errorf("the CRPS is %g, estimated as %g", a, b)
	}
	for command, part := range map[string]string{
		"evaluate m.mediant --xy xy.csv": "which was tuned to 90.0 %", "evaluate m.mediant --xu later_xu.csv --uy later_uy.csv --coverage-by x": "): x above ",
		"fit --xu xu.csv --uy uy.csv --distribution --dry-run": "\ntime ",
	} {
		if shown := succeed(t, words(command)...); !strings.Contains(shown, part) {
			t.Errorf("%s prints no %q:\n%s", command, part, shown)
		}
	}
}

// TestDistributionWithSE: standard errors stand in front of the columns of the distribution.
func TestDistributionWithSE(t *testing.T) {
	inFolder(t)
	spreadTables(t)
	succeed(t, words("fit --xu xu.csv --uy uy.csv --phi linear --psi linear --method 2step --lambda 1e-4 --se --distribution -o m.mediant --quiet")...)
	both, se := succeed(t, words("predict m.mediant xy.csv --se --interval .8 --quiet")...), succeed(t, words("predict m.mediant xy.csv --se --quiet")...)
	for i, line := range strings.Split(strings.TrimSpace(both), "\n") {
		if !strings.HasPrefix(line, strings.Split(se, "\n")[i]+",") {
			t.Fatalf("line %d: %s", i, line)
		}
	}
	// The other methods keep the distribution on their features of X.
	for _, method := range []string{"naive", "cme", "joint"} {
		succeed(t, words("fit --xu xu.csv --uy uy.csv --phi linear --psi linear --lambda 1e-4 --distribution --quiet -o m.mediant --method "+method)...)
		if out := succeed(t, words("predict m.mediant xy.csv --quantiles .5 --quiet")...); !strings.HasPrefix(out, "y,y_q0.5\n") {
			t.Errorf("%s: %.40s", method, out)
		}
	}
}

// TestDistributionOfOtherU: where U differs between the tables --form 2 is that of the CRPS too, which has no bracket then, and lines say which rows are left out. A note of the tables is printed once.
func TestDistributionOfOtherU(t *testing.T) {
	inFolder(t)
	spreadTables(t)
	row := func(i int) float64 { return float64(i*3701%10007)/5000 - 1 }
	write(t, "wide.csv", table("x,arm,u", 300, func(i int) []any { return []any{1.6 * row(i), "old", 1.6 * (row(i) + row(11*i)/4)} }))
	shownBy := func(command string) string { // U differs, which is a warning
		got := invoke(words(command)...)
		if got.status != statusDone {
			t.Fatalf("%s: %+v", command, got)
		}
		return got.stdout
	}
	const fit = "fit --uy uy.csv --phi linear --psi linear --method 2step --lambda 1e-4 --distribution -o m.mediant "
	shown := shownBy(fit + "--xu wide.csv")
	for _, part := range []string{" of 300 rows whose U the second table has\nbracket   CRPS ", " even if not, over all 300 rows; ", "likewise, of these rows; predict"} {
		if !strings.Contains(shown, part) {
			t.Errorf("no %q in\n%s", part, shown)
		}
	}
	for _, command := range []string{fit + "--xu wide.csv --form 2", "evaluate m.mediant --xu later_xu.csv --uy later_uy.csv --form 2"} {
		shown := shownBy(command)
		if !strings.Contains(shown, "; the distribution of U may differ\nintervals ") || strings.Count(shown, "left out of fit and risk") > 1 {
			t.Errorf("%s prints\n%s", command, shown)
		}
	}
	write(t, "wider.csv", table("x,arm,u", 300, func(i int) []any { return []any{1.6 * row(i+7000), "old", 1.6 * (row(i+7000) + row(11*i)/4)} }))
	if shown := shownBy("evaluate m.mediant --xu wider.csv --uy later_uy.csv"); strings.Count(shown, "left out of fit and risk") != 1 || !strings.Contains(shown, ", of these rows") {
		t.Errorf("evaluate prints\n%s", shown)
	}
	form := func(command string) any {
		return at(t, object(t, shownBy(command+" --json")), "distribution", "crps").(map[string]any)["form"]
	}
	if two, one := form(fit+"--xu xu.csv --form 2"), form(fit+"--xu xu.csv"); two != 2. || one != nil {
		t.Errorf("forms %v and %v", two, one)
	}
}

func TestDescribeCRPS(t *testing.T) {
	for want, of := range map[string]risk.Interval{"0.5, 95 % interval 0.4 to 0.6": {Value: .5, Lo: .4, Hi: .6}, "the estimate is below 0; at most 0.1 (": {Value: -.2, Hi: .1}} {
		if got := describeCRPS(distribution.CRPS{Interval: of}); !strings.Contains(got, want) {
			t.Errorf("%+v is %q, want %q", of, got, want)
		}
	}
}

// TestDistributionOfSparseX: libsvm rows of X have intervals, also with weights for covariate shift, and no groups of coverage.
func TestDistributionOfSparseX(t *testing.T) {
	inFolder(t)
	var x, u, y, xy strings.Builder
	for i := range 240 {
		a, b := float64(i*37%101)/50-1, float64(i*53%97)/50-1
		noise := float64(i*71%89)/44 - 1
		fmt.Fprintf(&x, "0 %d:%g 5000:%g\n", i%3+1, b, a)
		fmt.Fprintf(&u, "0 1:%g\n", a)
		fmt.Fprintf(&y, "%g 1:%g\n", b+noise, b)
		fmt.Fprintf(&xy, "%g %d:%g 5000:%g\n", b+noise, i%3+1, a, b)
	}
	for _, folder := range []string{"y", "xy"} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "x.svm", x.String())
	write(t, "u.svm", u.String())
	write(t, "y/u.svm", y.String())
	write(t, "xy/x.svm", xy.String())
	const fit = "fit --xu x.svm,u.svm --uy y/u.svm --features 16 --method 2step --phi nystrom:gaussian --psi nystrom:linear --lambda 1e-3 --distribution -o m.mediant --quiet "
	for _, shift := range []string{"", "--shift"} {
		succeed(t, words(fit+shift)...)
		score := object(t, succeed(t, append(words("evaluate m.mediant --xy xy/x.svm --json --rename"), "x label=u label")...))
		levels := at(t, score, "distribution", "levels").([]any)
		if cover := levels[len(levels)-1].(map[string]any)["coverage"].(float64); math.Abs(cover-.9) > .08 { // 4 standard errors
			t.Errorf("%q: tuned intervals contain %g of the coupled rows", shift, cover)
		}
		if out := succeed(t, words("predict m.mediant x.svm --interval .9 --draws 2 --quiet")...); !strings.HasPrefix(out, "u label,u label_lower,u label_upper,u label_draw1,u label_draw2\n") || strings.Count(out, "\n") != 241 {
			t.Errorf("%q: predict writes %.80s", shift, out)
		}
	}
	if got := invoke(words(fit + "--coverage-by x")...); got.status != statusData || !strings.Contains(got.stderr, `--coverage-by is column "x", which is sparse rows: want numbers or labels`) {
		t.Errorf("coverage by sparse rows: %+v", got)
	}
}

func TestDistributionRefusals(t *testing.T) {
	inFolder(t)
	spreadTables(t)
	succeed(t, words("fit --xu xu.csv --uy uy.csv --phi linear --psi linear --method 2step --lambda 1e-4 --quiet -o plain.mediant")...)
	for command, want := range map[string]string{
		"fit --xu xu.csv --uy classes.csv --distribution -o m.mediant":                                                    "--distribution is for one column of numbers, and Y, \"y\", is classes",
		"fit --xu xu.csv --uy two.csv --distribution -o m.mediant":                                                        "Y is 2 columns: y, z",
		"fit --xu xu.csv --uy uy.csv --distribution --no-risk -o m.mediant":                                               "--no-risk has no meaning with --distribution",
		"fit --xu xu.csv --uy uy.csv --coverage-by x -o m.mediant":                                                        "--coverage-by has no meaning without --distribution",
		"predict plain.mediant xy.csv --interval .9":                                                                      "keeps no distribution of Y: fit it with --distribution",
		"predict plain.mediant xy.csv --interval 90":                                                                      "--interval is 90",
		"predict plain.mediant xy.csv --quantiles 0":                                                                      "--quantiles has 0",
		"predict plain.mediant xy.csv --quantiles .5,.5":                                                                  "--quantiles has 0.5 twice",
		"predict plain.mediant xy.csv --draws -1":                                                                         "--draws is -1",
		"predict plain.mediant xy.csv --seed 1":                                                                           "--seed has no meaning without --draws",
		"evaluate plain.mediant --xy xy.csv --coverage-by x":                                                              "--coverage-by has no meaning with --xy",
		"evaluate plain.mediant --xu later_xu.csv --uy later_uy.csv --coverage-by x":                                      "--coverage-by has no meaning for a model without a distribution",
		"fit --xu xu.csv --uy uy.csv --phi linear --psi linear --lambda 1e-4 --distribution --coverage-by u -o m.mediant": `column "u", which is no column of X`,
	} {
		if got := invoke(words(command)...); got.status == statusDone || !strings.Contains(got.stderr, want) || strings.Count(strings.TrimSpace(got.stderr), "\n") > 2 {
			t.Errorf("%s: status %d, %s", command, got.status, got.stderr)
		}
	}
}

// TestDistributionOfClusters: rows that stand three times, in clusters, have the standard error of the CRPS that they have once, and not that of three times as many rows.
func TestDistributionOfClusters(t *testing.T) {
	inFolder(t)
	spreadTables(t)
	few := strings.SplitAfter(read(t, "xu.csv"), "\n")[:61] // so few that they make most of the error
	write(t, "few.csv", strings.Join(few, ""))
	var three strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(strings.Join(few, "")), "\n") {
		if i == 0 {
			three.WriteString(line + ",school\n")
			continue
		}
		three.WriteString(strings.Repeat(fmt.Sprintf("%s,school %d\n", line, i), 3))
	}
	write(t, "three.csv", three.String())
	fit := "fit --uy uy.csv --phi gaussian --psi gaussian --features 16 --method 2step --lambda 1e-4 --distribution --copies keep --json -o m.mediant --ignore x --xu "
	se := func(flags string) float64 {
		return at(t, object(t, succeed(t, words(fit+flags)...)), "distribution", "crps", "se").(float64)
	}
	once, clustered, rows := se("few.csv"), se("three.csv --cluster-xu school"), se("three.csv --ignore school --accept grouped-rows")
	if clustered < .8*once || rows > .9*once { // S_Y has its own part of the error
		t.Errorf("standard errors are %g once, %g in clusters and %g as rows", once, clustered, rows)
	}
}
