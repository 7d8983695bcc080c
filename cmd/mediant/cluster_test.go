package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// writeSchools writes xu.csv (school, arm, x, u) and uy.csv (school, u, y) of so many rows of each school, which share an error of U, or of Y; the second table has schools of its own.
// The arm is that of the school.
func writeSchools(t *testing.T, schools, rows int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(4, 4))
	own := make([]float64, 2*schools)
	for g := range own {
		own[g] = rnd.NormFloat64()
	}
	write(t, "xu.csv", table("school,arm,x,u", schools*rows, func(i int) []any {
		g := i % schools
		x := rnd.NormFloat64()
		return []any{fmt.Sprint("s", g), g % 2, x, x + float64(g%2) + own[g] + rnd.NormFloat64()}
	}))
	write(t, "uy.csv", table("school,u,y", schools*rows, func(i int) []any {
		g := schools + i%schools
		u := 1.5 * rnd.NormFloat64()
		return []any{fmt.Sprint("s", g), u, u + own[g] + rnd.NormFloat64()}
	}))
}

// clusteredResult is what the JSON of effect, fit and evaluate says of clusters and errors.
type clusteredResult struct {
	U        []string
	Clusters *struct{ XU, UY, Shared int }
	Effects  []struct{ Estimate, SE float64 }
	Notes    []string
	Findings []struct{ Code, Remedy string }
}

// TestEffectOfClusters: --cluster takes the column out of U, counts clusters and widens the error; the finding without it names the flag.
func TestEffectOfClusters(t *testing.T) {
	inFolder(t)
	writeSchools(t, 24, 12)
	args := words("effect --xu xu.csv --uy uy.csv --treatment arm --ignore x --psi linear")
	result := func(more ...string) (of clusteredResult, stderr string) {
		r := invoke(slices.Concat(args, more, words("--json"))...)
		if r.status != statusDone {
			t.Fatalf("%v: %+v", more, r)
		}
		if err := json.Unmarshal([]byte(r.stdout), &of); err != nil {
			t.Fatal(err)
		}
		return of, r.stderr
	}
	with, stderr := result("--cluster", "school")
	if with.Clusters == nil || *with.Clusters != struct{ XU, UY, Shared int }{24, 24, 0} || !slices.Equal(with.U, []string{"u"}) || strings.Contains(stderr, "grouped-rows") || strings.Contains(stderr, "clusters") {
		t.Errorf("with clusters: %+v, stderr %q", with, stderr)
	}
	without, _ := result("--ignore", "school")
	if without.Clusters != nil || with.Effects[0].SE < 1.8*without.Effects[0].SE || math.Abs(with.Effects[0].Estimate-without.Effects[0].Estimate) > with.Effects[0].SE {
		t.Errorf("with clusters %+v, without %+v", with.Effects, without.Effects)
	}
	if i := slices.IndexFunc(without.Findings, func(f struct{ Code, Remedy string }) bool { return f.Code == "grouped-rows" }); i < 0 || !strings.Contains(without.Findings[i].Remedy, `--cluster "school"`) {
		t.Errorf("findings without clusters: %+v", without.Findings)
	}
	if out := invoke(append(args, "--cluster", "school")...).stdout; !strings.Contains(out, `are in 24 clusters "school"`) {
		t.Errorf("for people: %q", out)
	}
	threads := func(n string) string {
		return succeed(t, append(args, "--cluster", "school", "--json", "--threads", n)...)
	}
	if threads("1") != threads("2") {
		t.Error("two threads give another result than one")
	}
	writeSchools(t, 8, 40)
	if _, stderr := result("--cluster", "school"); !strings.Contains(stderr, "warning: the table of X and U has 8 clusters: below 20") {
		t.Errorf("few clusters: %q", stderr)
	}
	for line, says := range map[string]string{
		"--cluster class":                  `no column "class" in either table`,
		"--cluster-xu class":               `"class"`,
		"--cluster school --folds 9":       "8 clusters",
		"--cluster arm":                    `"arm"`,
		"--cluster school --u school":      `"school" cannot be both`,
		"--cluster-uy u --ignore school":   "left for U",
		"--cluster x --ignore x":           `"x" cannot be both clusters and ignored`,
		"--cluster school --weights-xu no": `"no"`,
	} {
		r := invoke(slices.Concat(words("effect --xu xu.csv --uy uy.csv --treatment arm --psi linear"), words(line))...)
		if r.status == statusDone || !strings.Contains(r.stderr, says) || r.stdout != "" {
			t.Errorf("%s: %+v, want %q", line, r, says)
		}
	}
}

// TestRiskOfClusters: fit and evaluate count clusters, widen the error by them, and refuse what they cannot do with them.
func TestRiskOfClusters(t *testing.T) {
	inFolder(t)
	writeSchools(t, 24, 12)
	type result struct {
		Risk     struct{ MSE, SE float64 }
		Clusters *struct{ XU, UY, Shared int }
		Warnings []string
		Notes    []string

		Diagnosis struct{ Clusters string }
	}
	run := func(line string, more ...string) (of result) {
		t.Helper()
		r := invoke(slices.Concat(words(line), more, words("--json"))...)
		if r.status != statusDone {
			t.Fatalf("%s %q: %+v", line, more, r)
		}
		if err := json.Unmarshal([]byte(r.stdout), &of); err != nil {
			t.Fatal(err)
		}
		return of
	}
	fit := "fit --xu xu.csv --uy uy.csv --ignore arm -o m.mediant --method 2step --phi linear --psi linear --lambda 1e-4 --no-diagnosis"
	without, with := run(fit+" --ignore school"), run(fit+" --cluster school")
	if with.Clusters == nil || *with.Clusters != struct{ XU, UY, Shared int }{24, 24, 0} || without.Clusters != nil || with.Risk.SE < 1.15*without.Risk.SE || len(with.Warnings) > 0 {
		t.Errorf("fit with clusters %+v, without %+v", with, without)
	}
	if !slices.ContainsFunc(with.Notes, func(n string) bool { return strings.Contains(n, `in 24 clusters "school"`) }) {
		t.Errorf("notes %q", with.Notes)
	}
	evaluate := "evaluate m.mediant --xu xu.csv --uy uy.csv --accept learned-rows"
	without, with = run(evaluate), run(evaluate+" --cluster-xu school --cluster school")
	if with.Clusters == nil || *with.Clusters != struct{ XU, UY, Shared int }{24, 24, 0} || with.Risk.SE < 1.15*without.Risk.SE {
		t.Errorf("evaluate with clusters %+v, without %+v", with, without)
	}
	if !strings.Contains(with.Diagnosis.Clusters, "p-values are too small") || without.Diagnosis.Clusters != "" {
		t.Errorf("diagnosis with clusters %q, without %q", with.Diagnosis.Clusters, without.Diagnosis.Clusters)
	}
	predicted := "evaluate --xu xu.csv --uy uy.csv --predictions x --ignore arm"
	without, with = run(predicted+" --ignore school"), run(predicted+" --cluster school")
	if with.Clusters == nil || with.Risk.SE < 1.15*without.Risk.SE {
		t.Errorf("evaluate --predictions with clusters %+v, without %+v", with, without)
	}
	rnd := rand.New(rand.NewPCG(8, 8))
	own := make([]float64, 15)
	for g := range own {
		own[g] = rnd.NormFloat64()
	}
	write(t, "xy.csv", table("school,x,y", 300, func(i int) []any {
		x := rnd.NormFloat64()
		return []any{i % 15, x, x + own[i%15] + .3*rnd.NormFloat64()}
	}))
	type score struct {
		MSE, SE  float64
		Clusters int
	}
	coupled := func(more ...string) (of score) {
		t.Helper()
		if err := json.Unmarshal([]byte(succeed(t, slices.Concat(words("evaluate m.mediant --xy xy.csv --json"), more)...)), &of); err != nil {
			t.Fatal(err)
		}
		return of
	}
	if by, rows := coupled("--cluster", "school"), coupled(); by.Clusters != 15 || by.MSE != rows.MSE || by.SE < 1.5*rows.SE {
		t.Errorf("evaluate --xy with clusters %+v, without %+v", by, rows)
	}
	for line, says := range map[string]string{
		fit + " --cluster school --se": "--se has no meaning with --cluster",
		fit + " --cluster class":       `no column "class" in either table`,
		"fit --xu xu.csv --uy uy.csv -o m.mediant --cluster school --plan p": "--cluster has no meaning with sums",
		fit + " --cluster-xu x":                              "left for X",
		"evaluate m.mediant --xy xy.csv --cluster x":         `"x" cannot be clusters`,
		"evaluate m.mediant --xy xy.csv --cluster class":     `no column "class"`,
		"evaluate m.mediant --xy xy.csv --cluster-xu school": "--cluster-xu has no meaning with --xy",
		evaluate + " --cluster x":                            `"x" cannot be both clusters and X`,
		evaluate + " --cluster class":                        `no column "class" in either table`,
	} {
		if r := invoke(words(line)...); r.status == statusDone || !strings.Contains(r.stderr, says) {
			t.Errorf("%s: %+v, want %q", line, r, says)
		}
	}
	writeSchools(t, 8, 40)
	if few := run(fit + " --cluster school"); len(few.Warnings) != 1 || !strings.Contains(few.Warnings[0], "8 clusters") {
		t.Errorf("few clusters: %q", few.Warnings)
	}
	writeSchools(t, 4, 40)
	if r := invoke(words(fit + " --cluster school")...); r.status != statusData || !strings.Contains(r.stderr, "4 clusters \"school\", too few for 5 folds") {
		t.Errorf("fewer clusters than folds: %+v", r)
	}
}
