package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// object parses JSON; numbers stay float64.
func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

// at follows keys into nested objects.
func at(t *testing.T, v map[string]any, keys ...string) any {
	t.Helper()
	var inner any = v
	for _, k := range keys {
		m, ok := inner.(map[string]any)
		if !ok {
			t.Fatalf("no object for %q in %v", keys, v)
		}
		if inner, ok = m[k]; !ok {
			t.Fatalf("no key %q of %q in %v", k, keys, v)
		}
	}
	return inner
}

// isNumber fails unless the value of the keys is a number of at least low.
func isNumber(t *testing.T, v map[string]any, low float64, keys ...string) {
	t.Helper()
	if n, ok := at(t, v, keys...).(float64); !ok || n < low {
		t.Errorf("%q is %v, want a number of at least %g", keys, at(t, v, keys...), low)
	}
}

// TestFitJSON holds the keys that other programs rely on.
func TestFitJSON(t *testing.T) {
	inFolder(t)
	small(t)
	write(t, "uy.csv", smallUY+"3,\n") // Y missing
	for method, want := range map[string]struct{ w any }{"joint": {.25}, "2step": {1.}, "cme": {1.}, "naive": {nil}} {
		args := slices.Concat(linearFit, words("--json --lambda-f 0.5 --lambda-h 0.25 --method "+method))
		if method == "joint" {
			args = append(args, "--w", "0.25")
		}
		got := object(t, succeed(t, args...))
		for key, value := range map[string]any{"method": method, "w": want.w, "lambda_f": .5, "lambda_h": .25, "model": "m.mediant"} {
			if at(t, got, key) != value {
				t.Errorf("%s: %s is %v, want %v", method, key, at(t, got, key), value)
			}
		}
		for key, rows := range map[string]float64{"xu": 3, "uy": 3, "dropped": 1} {
			if n := at(t, got, "rows", key); n != rows {
				t.Errorf("%s: rows of %s are %v, want %g", method, key, n, rows)
			}
		}
		for _, key := range []string{"read", "select", "fit", "total"} {
			isNumber(t, got, 0, "seconds", key)
		}
		if w, ok := at(t, got, "warnings").([]any); !ok || len(w) != 0 {
			t.Errorf("%s: warnings are %v, want an empty list", method, at(t, got, "warnings"))
		}
		if n, ok := at(t, got, "notes").([]any); !ok || len(n) != 1 {
			t.Errorf("%s: notes are %v, want the one on missing Y", method, at(t, got, "notes"))
		}
	}
}

// TestFitAuto: what is not given is chosen, and the report of the search says what was tried.
func TestFitAuto(t *testing.T) {
	inFolder(t)
	small(t)
	got := object(t, succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant --json")...))
	header := object(t, succeed(t, "inspect", "m.mediant", "--json"))
	for name, report := range map[string]map[string]any{"fit": got, "inspect": header} {
		chosen := make(map[string]map[string]any)
		for _, v := range at(t, report, "search").([]any) {
			if trial := v.(map[string]any); trial["chosen"] == true {
				chosen[trial["stage"].(string)] = trial
			}
		}
		for _, stage := range []string{"psi", "phi", "hyperparameters", "method"} {
			if chosen[stage] == nil {
				t.Errorf("%s: nothing was chosen in stage %s", name, stage)
			}
		}
		if n := chosen["hyperparameters"]; got["method"] != "naive" && (n["w"] != got["w"] || n["lambda_f"] != got["lambda_f"] || n["lambda_h"] != got["lambda_h"]) {
			t.Errorf("%s: chosen %v, fitted %v", name, n, got)
		}
		if chosen["method"]["name"] != got["method"] {
			t.Errorf("%s: %v was chosen, %v fitted", name, chosen["method"]["name"], got["method"])
		}
	}
	for _, e := range []string{"encoder_x", "encoder_u"} {
		if at(t, header, e, "standardize") != true {
			t.Errorf("%s does not standardise", e)
		}
	}
	for method, want := range map[string]string{"joint": "joint", "2step": "2step"} {
		got := object(t, succeed(t, "fit", "--xu", "xu.csv", "--uy", "uy.csv", "-o", "m.mediant", "--method", method, "--json"))
		if got["method"] != want {
			t.Errorf("--method %s fits %v", method, got["method"])
		}
	}
}

// TestFitSays: what fit prints for people, which inspect repeats.
func TestFitSays(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", "x,k,u\n1,7,2\n2,7,1\n3,7,4\n")
	write(t, "uy.csv", smallUY)
	out := succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant --phi linear --psi nystrom:gaussian --features 2 --w 0.5 --lambda 1e-4")...)
	for _, part := range []string{"joint", "0.5, penalty scaled", "3 of X and U, 3 of U and Y", "x, k\n", `column "k" is left out`, "written to m.mediant"} {
		if !strings.Contains(out, part) {
			t.Errorf("fit prints %q, want %q in it", out, part)
		}
	}
	seen, _, _ := strings.Cut(out, "tables ") // the diagnosis is of the tables, not of the model
	inspected := succeed(t, "inspect", "m.mediant")
	for _, line := range strings.SplitAfter(seen, "\n") {
		if !strings.Contains(inspected, line) {
			t.Errorf("inspect prints %q without %q, which fit does", inspected, line)
		}
	}
	if !strings.Contains(inspected, "learned ") {
		t.Errorf("inspect prints %q, nothing of what was learned from", inspected)
	}
}

// TestFitWarns: a warning is shown once, on stderr, unless --quiet.
func TestFitWarns(t *testing.T) {
	inFolder(t)
	small(t)
	line := words("fit --xu xu.csv --uy uy.csv -o m.mediant --phi polynomial:6 --psi linear --lambda 0")
	got := invoke(line...)
	const singular = "the system for f is singular to rounding"
	if got.status != statusDone || strings.Count(got.stderr, singular) != 1 || !strings.HasPrefix(got.stderr, "warning: ") {
		t.Errorf("status %d, stderr %q, want one warning", got.status, got.stderr)
	}
	if strings.Contains(got.stdout, singular) {
		t.Errorf("the warning is in stdout too: %q", got.stdout)
	}
	if out := succeed(t, append(line, "--quiet")...); out != "" {
		t.Errorf("--quiet prints %q", out)
	}
	summary := object(t, succeed(t, append(line, "--quiet", "--json")...))
	if w := at(t, summary, "warnings").([]any); len(w) != 1 || !strings.Contains(w[0].(string), singular) {
		t.Errorf("--json has warnings %v", w)
	}
	if out := succeed(t, "inspect", "m.mediant"); !strings.Contains(out, singular) {
		t.Errorf("inspect does not repeat the warning: %q", out)
	}
}

// TestRoles: flags name the columns of X, U and Y, with globs.
func TestRoles(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", "x1,x2,z,u1,u2\n1,5,1,2,3\n2,3,1,1,5\n3,9,2,4,4\n")
	write(t, "uy.csv", "y1,u2,u1,y2,z\n2,1,1,3,1\n3,2,4,5,2\n9,3,2,1,3\n")
	for _, c := range []struct{ flags, x, u, y string }{
		{"", "x1 x2", "z u1 u2", "y1 y2"},
		{"--u u*", "", "", ""}, // z would be X and Y
		{"--u u* --y y2", "x1 x2 z", "u1 u2", "y2"},
		{"--x x2 --u u1,z --y y?", "x2", "z u1", "y1 y2"},
		{"--y y1", "x1 x2", "z u1 u2", "y1"},
	} {
		args := slices.Concat(linearFit, words(c.flags))
		got := invoke(args...)
		if c.x == "" {
			if got.status != statusData || !strings.Contains(got.stderr, `"z"`) {
				t.Errorf("%s: status %d, stderr %q", c.flags, got.status, got.stderr)
			}
			continue
		}
		if got.status != statusDone {
			t.Fatalf("%s: %s", c.flags, got.stderr)
		}
		header := object(t, succeed(t, "inspect", "m.mediant", "--json"))
		for role, want := range map[string]string{"x": c.x, "u": c.u, "y": c.y} {
			var names []string
			for _, n := range at(t, header, "roles", role).([]any) {
				names = append(names, n.(string))
			}
			if !slices.Equal(names, words(want)) {
				t.Errorf("%s: %s is %q, want %q", c.flags, role, names, want)
			}
		}
	}
}

// TestWeightsAreRepeats: integer weights are repeated rows, and their columns have no role. The
// columns of U come in another order in the second table.
func TestWeightsAreRepeats(t *testing.T) {
	inFolder(t)
	weighted := "x1,x2,u1,u2,w\n1,0,2,1,2\n2,1,1,3,1\n0,3,4,0,3\n5,2,1,1,0\n1,4,2,2,1\n"
	repeated := "x1,x2,u1,u2\n1,0,2,1\n1,0,2,1\n2,1,1,3\n0,3,4,0\n0,3,4,0\n0,3,4,0\n1,4,2,2\n"
	weightedUY := "u2,y,v,u1\n1,2,1,3\n2,5,4,1\n0,1,2,2\n3,3,1,0\n"
	repeatedUY := "u2,y,u1\n1,2,3\n2,5,1\n2,5,1\n2,5,1\n2,5,1\n0,1,2\n0,1,2\n3,3,0\n"
	write(t, "query.csv", "x1,x2\n0,0\n1,2\n-3,7\n4,4\n")
	for _, more := range []string{"--method 2step", "--method 2step --no-intercept", "--method joint --w 0.3", "--method naive", "--method cme --lambda-f 0.1"} {
		write(t, "xu.csv", weighted)
		write(t, "uy.csv", weightedUY)
		flags := append(words("--no-standardize --lambda 0.1"), words(more)...)
		fitLinear(t, append(flags, words("--weights-xu w --weights-uy v")...)...)
		got := numbers(t, succeed(t, "predict", "m.mediant", "query.csv"))
		if out := succeed(t, "inspect", "m.mediant"); strings.Contains(out, "x1, x2, w") || !strings.Contains(out, "u1, u2\n") || !strings.Contains(out, "Y         y\n") {
			t.Errorf("%s: a column of weights has a role: %s", more, out)
		}
		write(t, "xu.csv", repeated)
		write(t, "uy.csv", repeatedUY)
		fitLinear(t, flags...)
		near(t, got, numbers(t, succeed(t, "predict", "m.mediant", "query.csv")), 1e-10)
	}
}

// TestFitKeepsTheOldModel: a fit that fails, early or while it writes, leaves what was there.
func TestFitKeepsTheOldModel(t *testing.T) {
	inFolder(t)
	small(t)
	write(t, "bad.csv", "u,y\n1,2\n2,inf\n")
	write(t, "m.mediant", "the old model")
	for _, args := range []string{
		"fit --xu xu.csv --uy bad.csv -o m.mediant", "fit --xu xu.csv --uy uy.csv -o m.mediant --memory 1KiB",
		"fit --xu xu.csv --uy uy.csv -o m.mediant --y z", "fit --xu xu.csv --uy uy.csv -o m.mediant --lambda -1",
	} {
		if got := invoke(words(args)...); got.status == statusDone {
			t.Errorf("%s: done", args)
		}
		if read(t, "m.mediant") != "the old model" {
			t.Errorf("%s: the old model is gone", args)
		}
	}
	if got := files(t); !slices.Equal(got, []string{"bad.csv", "m.mediant", "uy.csv", "xu.csv"}) {
		t.Errorf("left %q", got)
	}
	if err := os.Chmod("m.mediant", 0o640); err != nil {
		t.Fatal(err)
	}
	fitLinear(t)
	if !strings.HasPrefix(read(t, "m.mediant"), "MEDIANT\n") {
		t.Error("a fit that succeeds does not replace the file")
	}
}

// TestFitPenaltyFlags: --lambda is both penalties and the flags of each override it.
func TestFitPenaltyFlags(t *testing.T) {
	inFolder(t)
	small(t)
	for flags, want := range map[string][2]float64{
		"--lambda 0.5":                     {.5, .5},
		"--lambda 0.5 --lambda-f 2":        {2, .5},
		"--lambda 0.5 --lambda-h 0":        {.5, 0},
		"--lambda-f 1 --lambda-h 3":        {1, 3},
		"--penalty paper --lambda 2":       {2, 2},
		"--method 2step --w 1 --lambda 3":  {3, 3},
		"--method joint --w 1 --lambda .5": {.5, .5},
	} {
		got := object(t, succeed(t, slices.Concat(linearFit, words(flags), []string{"--json"})...))
		if at(t, got, "lambda_f") != want[0] || at(t, got, "lambda_h") != want[1] {
			t.Errorf("%s: lambdas %v and %v, want %v", flags, at(t, got, "lambda_f"), at(t, got, "lambda_h"), want)
		}
	}
}

// TestJointAtOneIsTwoStep: with w = 1 Joint-RR predicts as 2Step-RR does.
func TestJointAtOneIsTwoStep(t *testing.T) {
	inFolder(t)
	small(t)
	var out []string
	for _, flags := range []string{"--method joint --w 1", "--method 2step", "--method 2step --w 1"} {
		fitLinear(t, words(flags)...)
		out = append(out, succeed(t, "predict", "m.mediant", "xu.csv"))
	}
	if out[0] != out[1] || out[1] != out[2] {
		t.Errorf("predictions differ: %q", out)
	}
}

// TestChiSquaredMaps take text, whose columns are 0 and 1, and refuse numbers by name, row and column.
func TestChiSquaredMaps(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("x,u", 40, func(i int) []any { return []any{"a" + string(rune('a'+i%5)), "b" + string(rune('a'+i%7))} }))
	write(t, "uy.csv", table("u,y", 40, func(i int) []any { return []any{"b" + string(rune('a'+i%7)), i % 7} }))
	write(t, "numbers.csv", table("x,u", 40, func(i int) []any { return []any{i, "b" + string(rune('a'+i%7))} }))
	for _, spec := range words("chi2 nystrom:chi2 nystrom:expchi2") {
		args := words("--uy uy.csv -o m.mediant --quiet --phi " + spec + " --psi " + spec)
		if spec != "chi2" {
			args = append(args, "--features", "6")
		}
		succeed(t, append(words("fit --xu xu.csv"), args...)...)
		if got := numbers(t, succeed(t, "predict", "m.mediant", "xu.csv")); len(got) != 40 {
			t.Errorf("%s: %d predictions", spec, len(got))
		}
		r := invoke(append(words("fit --xu numbers.csv"), args...)...)
		if r.status != 1 || !strings.Contains(r.stderr, `X and U: numbers.csv:2: column "x" is -`) || !strings.Contains(r.stderr, "want no negative entry") {
			t.Errorf("%s of numbers: status %d, %s", spec, r.status, r.stderr)
		}
	}
}

// TestEveryFeatureMap fits, saves and predicts with every name that the help has.
func TestEveryFeatureMap(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("x,u", 40, func(i int) []any { return []any{i, i % 7} }))
	write(t, "uy.csv", table("u,y", 40, func(i int) []any { return []any{i % 9, (i % 9) * (i % 9)} }))
	for _, spec := range words("auto linear gaussian laplacian matern12 matern32 matern52 additive:gaussian additive:laplacian " +
		"additive:matern12 additive:matern32 additive:matern52 nystrom:gaussian nystrom:laplacian nystrom:matern12 nystrom:matern32 " +
		"nystrom:matern52 nystrom:linear nystrom:polynomial:2 polynomial:3 matern:0.7 rq:2 periodic:3 additive:matern:4 additive:rq:0.5 " +
		"nystrom:matern:1 nystrom:rq:1 nystrom:periodic:2 nystrom:cosine quasi:gaussian quasi:matern12 quasi:rq:2 tensorsketch:2 countsketch") {
		args := words("fit --xu xu.csv --uy uy.csv -o m.mediant --quiet --phi " + spec + " --psi " + spec)
		if spec != "linear" && !strings.HasPrefix(spec, "polynomial") {
			args = append(args, "--features", "8")
		}
		if spec != "linear" && !strings.Contains(spec, "polynomial") && !strings.Contains(spec, "sketch") && spec != "nystrom:linear" && spec != "nystrom:cosine" {
			args = append(args, "--bandwidth-x", "1.5", "--bandwidth-u", "0.5")
		}
		succeed(t, args...)
		if got := numbers(t, succeed(t, "predict", "m.mediant", "xu.csv")); len(got) != 40 {
			t.Errorf("%s: %d predictions", spec, len(got))
		}
	}
}

// TestSeedMatters: the seed changes random features and nothing else does.
func TestSeedMatters(t *testing.T) {
	inFolder(t)
	small(t)
	model := func(flags string) string {
		succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant --quiet --features 8 "+flags)...)
		return read(t, "m.mediant")
	}
	if model("") != model("--seed 0") {
		t.Error("the seed is not 0 by default")
	}
	if model("--seed 1") == model("--seed 2") {
		t.Error("two seeds give one model")
	}
}
