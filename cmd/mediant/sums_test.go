package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// wavesTables writes tables in which U = x + noise and y depends on u, the second one in two parts too.
func wavesTables(t *testing.T) {
	t.Helper()
	row := func(i int) float64 { return float64(i*37%101)/25 - 2 }
	write(t, "xu.csv", table("x,z,u", 300, func(i int) []any { return []any{row(i), row(7 * i), row(i) + row(11*i)/8} }))
	uy := func(lo, hi int) string {
		return table("u,y", hi-lo, func(i int) []any { u := row(lo+i) + row(5*(lo+i))/8; return []any{u, u*u + row(3*(lo+i))/10} })
	}
	write(t, "uy.csv", uy(0, 400))
	write(t, "monday.csv", uy(0, 200))
	write(t, "tuesday.csv", uy(200, 400))
}

// TestSumsInPlaceOfRows: sums of S_Y by a plan are fitted with rows of X and U; sums and tables mix, and neither their order nor which of them is summed before changes a byte.
func TestSumsInPlaceOfRows(t *testing.T) {
	inFolder(t)
	wavesTables(t)
	shown := succeed(t, words("plan --uy uy.csv --y y --features 16 -o u.plan")...)
	for _, want := range []string{"X         not in the plan", "U         u; 16 features", "folds     5 of 4 blocks", "no row"} {
		if !strings.Contains(shown, want) {
			t.Errorf("plan does not say %q:\n%s", want, shown)
		}
	}
	for _, day := range []string{"monday", "tuesday"} {
		succeed(t, words("sums --plan u.plan --uy "+day+".csv --quiet -o "+day+".sums")...)
	}
	succeed(t, words("sums monday.sums tuesday.sums --quiet -o week.sums")...)
	succeed(t, words("sums tuesday.sums monday.sums --quiet -o other.sums")...)
	if read(t, "week.sums") != read(t, "other.sums") {
		t.Error("merged in another order the sums have other bytes")
	}
	fit := "fit --xu xu.csv --features 16 --quiet -o "
	for i, uy := range []string{"week.sums", "tuesday.sums,monday.sums", "monday.sums,tuesday.csv"} {
		name := string(rune('a'+i)) + ".mediant"
		succeed(t, words(fit+name+" --uy "+uy)...)
		if read(t, name) != read(t, "a.mediant") {
			t.Errorf("--uy %s: another model", uy)
		}
	}
	m := object(t, succeed(t, words("fit --xu xu.csv --uy week.sums --features 16 --json -o m.mediant")...))
	if at(t, m, "rows", "uy") != 400. || at(t, m, "rows", "xu") != 300. {
		t.Errorf("rows %v", m["rows"])
	}
	// Y = u² + .03 noise, and u = x + noise of deviation .15: the error is about the variance of 2 x · noise.
	if mse := at(t, m, "risk", "mse").(float64); mse < .02 || mse > .3 {
		t.Errorf("the risk is %g", mse)
	}
	if share := at(t, m, "diagnosis", "u_predicts_y", "r2").(float64); share < .9 {
		t.Errorf("U explains %g of Y, which is U² and little noise", share)
	}
	if got := succeed(t, words("predict m.mediant xu.csv")...); strings.Count(got, "\n") != 301 {
		t.Errorf("%d lines of predictions", strings.Count(got, "\n"))
	}
	write(t, "later.csv", table("x,z,u", 50, func(i int) []any { return []any{100 + float64(i), 0., 0.} }))
	if got := invoke(words("predict m.mediant later.csv")...); got.status == statusDone && !strings.Contains(got.stderr, `"x"`) {
		t.Errorf("predict of rows beyond those of X: %+v", got)
	}
	shown = succeed(t, words("inspect week.sums")...)
	for _, want := range []string{"sums      of 400 rows of U and Y, in 2 runs", "200 rows", "reveals   means"} {
		if !strings.Contains(shown, want) {
			t.Errorf("inspect does not say %q:\n%s", want, shown)
		}
	}
	if shown = succeed(t, words("inspect u.plan")...); !strings.Contains(shown, "no row") {
		t.Errorf("inspect of a plan:\n%s", shown)
	}
}

// TestSumsOfBothTables: a plan of both tables, and a fit from two files alone.
func TestSumsOfBothTables(t *testing.T) {
	inFolder(t)
	wavesTables(t)
	succeed(t, words("plan --xu xu.csv --uy uy.csv --features 16 --quiet -o both.plan")...)
	succeed(t, words("sums --plan both.plan --xu xu.csv --quiet -o x.sums")...)
	succeed(t, words("sums --plan both.plan --uy uy.csv --quiet -o y.sums")...)
	succeed(t, words("fit --xu x.sums --uy y.sums --quiet -o a.mediant")...)
	succeed(t, words("fit --xu xu.csv --uy y.sums --quiet -o b.mediant")...)
	if a, b := succeed(t, words("predict a.mediant xu.csv")...), succeed(t, words("predict b.mediant xu.csv")...); a != b {
		t.Error("rows are not fitted as their sums")
	}
	if shown := succeed(t, words("inspect b.mediant")...); !strings.Contains(shown, "but for those of X and U") {
		t.Errorf("inspect:\n%s", shown)
	}
	succeed(t, words("fit --plan both.plan --xu xu.csv --uy uy.csv --quiet -o c.mediant")...)
	if read(t, "a.mediant") != read(t, "c.mediant") {
		t.Error("the sums of two parties are not fitted as one party's rows by their plan")
	}
}

// TestSumsOfManyShards: 16 shards of both tables, merged in any order and in any groups, are one file, and give one model.
func TestSumsOfManyShards(t *testing.T) {
	inFolder(t)
	wavesTables(t)
	succeed(t, words("plan --xu xu.csv --uy uy.csv --features 8 --quiet -o both.plan")...)
	row := func(i int) float64 { return float64(i*37%101)/25 - 2 }
	var shards []string
	for shard := range 16 {
		base := 100 * (shard + 4)
		name := fmt.Sprintf("part%d", shard)
		write(t, "part.csv", table("x,z,u,y", 100, func(i int) []any {
			i += base
			return []any{row(i), row(7 * i), row(i) + row(11*i)/8, row(i) * row(3*i)}
		}))
		succeed(t, words("sums --plan both.plan --xu part.csv --uy part.csv --quiet -o "+name+".sums")...)
		shards = append(shards, name+".sums")
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for trial := range 4 {
		rnd.Shuffle(len(shards), func(i, j int) { shards[i], shards[j] = shards[j], shards[i] })
		left := slices.Clone(shards)
		for step := 0; len(left) > 1; step++ {
			n := min(len(left), 2+rnd.IntN(6))
			name := fmt.Sprintf("merged%d.sums", step)
			succeed(t, append(words("sums --quiet -o "+name), left[:n]...)...)
			left = append(left[n:], name)
		}
		final := fmt.Sprintf("all%d.sums", trial)
		if err := os.Rename(left[0], final); err != nil {
			t.Fatal(err)
		}
		if read(t, final) != read(t, "all0.sums") {
			t.Fatalf("order %v: other bytes", shards)
		}
	}
	if shown := succeed(t, words("inspect all0.sums")...); !strings.Contains(shown, "of 1600 rows of X and U, in 16 runs") {
		t.Errorf("inspect:\n%s", shown)
	}
}

// TestDiscountedSums: a state that is discounted each day is what all days give at once, and the older half of the rows counts less.
func TestDiscountedSums(t *testing.T) {
	inFolder(t)
	wavesTables(t)
	write(t, "wednesday.csv", table("u,y", 200, func(i int) []any { return []any{float64(i%40) / 10, 5.} }))
	succeed(t, words("plan --uy uy.csv --y y --features 16 --quiet -o u.plan")...)
	for _, day := range []string{"monday", "tuesday", "wednesday"} {
		succeed(t, words("sums --plan u.plan --uy "+day+".csv --quiet -o "+day+".sums")...)
	}
	succeed(t, words("sums monday.sums --discount .5 --plan u.plan --uy tuesday.csv --quiet -o state.sums")...)
	succeed(t, words("sums state.sums --discount .5 --plan u.plan --uy wednesday.csv --quiet -o new.sums")...)
	succeed(t, words("sums monday.sums tuesday.sums wednesday.sums --discount .5 --quiet -o all.sums")...)
	if read(t, "new.sums") != read(t, "all.sums") {
		t.Error("discounted day by day, the sums have other bytes")
	}
	if shown := succeed(t, words("inspect all.sums")...); strings.Count(shown, "counted 0.25 times") != 1 || strings.Count(shown, "counted 0.5 times") != 1 {
		t.Errorf("inspect:\n%s", shown)
	}
	succeed(t, words("sums monday.sums tuesday.sums wednesday.sums --quiet -o even.sums")...)
	riskOf := func(uy string) float64 {
		m := object(t, succeed(t, words("fit --xu xu.csv --uy "+uy+" --features 16 --json -o m.mediant")...))
		return at(t, m, "risk", "mse").(float64)
	}
	if even, late := riskOf("even.sums"), riskOf("all.sums"); late == even {
		t.Errorf("the discount changes nothing: risk %g", even)
	}
}

// TestSumsAreRefused: what does not go together is named, and nothing is written.
func TestSumsAreRefused(t *testing.T) {
	inFolder(t)
	wavesTables(t)
	succeed(t, words("plan --uy uy.csv --y y --features 16 --quiet -o u.plan")...)
	succeed(t, words("plan --uy uy.csv --y y --features 16 --seed 1 --quiet -o other.plan")...)
	succeed(t, words("sums --plan u.plan --uy uy.csv --quiet -o y.sums")...)
	succeed(t, words("sums --plan other.plan --uy monday.csv --quiet -o foreign.sums")...)
	write(t, "cut.sums", read(t, "y.sums")[:3000])
	write(t, "few.csv", table("u,y", 50, func(i int) []any { return []any{float64(i), float64(i)} }))
	for line, want := range map[string]string{
		"sums y.sums y.sums":                            "y.sums: sums 2 of 2: their run",
		"sums y.sums foreign.sums":                      "foreign.sums: sums 2 of 2: they are of another plan",
		"sums cut.sums y.sums":                          "cut.sums: damaged sums file: it was cut",
		"sums u.plan":                                   "u.plan: not a sums file",
		"sums --plan y.sums --uy uy.csv":                "y.sums: not a plan file",
		"sums --plan u.plan --uy few.csv":               "--few-rows",
		"sums --plan u.plan --xu xu.csv":                "lacks the encoder of X",
		"sums --plan u.plan y.sums":                     "--plan has no meaning",
		"sums --uy uy.csv":                              "--plan is missing",
		"plan --uy uy.csv":                              "name U",
		"plan --uy uy.csv --y y --psi nystrom:gaussian": "--allow-rows",
		"plan --uy uy.csv --y y --folds 1":              "--folds is 1",
		"fit --xu y.sums --uy uy.csv":                   "y.sums: it has sums of U and Y, which --xu does not take",
		"fit --xu xu.csv --uy y.sums --se":              "--se has no meaning with sums",
		"fit --xu xu.csv --uy y.sums --dry-run":         "--dry-run has no meaning with sums",
		"fit --xu xu.csv --uy y.sums --report out":      "--report has no meaning with sums",
		"fit --xu xu.csv --uy cut.sums":                 "cut.sums: damaged sums file",
		"fit --plan other.plan --xu xu.csv --uy y.sums": "y.sums: sums 2 of 2: they are of another plan",
		"fit --plan y.sums --xu xu.csv --uy uy.csv":     "y.sums: not a plan file",
		"sums --discount .9 y.sums":                     "--discount has no meaning",
		"sums --discount 1.1 y.sums y.sums":             "--discount is 1.1",
		"fit --xu xu.csv --uy y.sums --method naive":    "needs the rows of both tables",
	} {
		got := invoke(words(line + " -o out")...)
		if got.status == statusDone || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") > 2 {
			t.Errorf("%s: %+v, want an error with %q", line, got, want)
		}
		if _, err := os.Stat("out"); err == nil {
			t.Fatalf("%s: there is an output", line)
		}
	}
}

// TestSumsWithinMemory: sums that do not fit the limit are refused in one line before a table is read, or merged, and the memory that the line asks for is enough.
func TestSumsWithinMemory(t *testing.T) {
	inFolder(t)
	wavesTables(t)
	succeed(t, words("plan --xu xu.csv --uy uy.csv --phi gaussian --psi gaussian --features 16 --quiet -o p.plan")...)
	for _, day := range []string{"monday", "tuesday"} {
		succeed(t, words("sums --plan p.plan --uy "+day+".csv --quiet -o "+day+".sums")...)
	}
	write(t, "faulty.csv", read(t, "uy.csv")+"3,oops\n")
	for line, says := range map[string]string{
		"sums --plan p.plan --uy faulty.csv --few-rows":           "for the sums of faulty.csv, 20 blocks of each product",
		"sums --plan p.plan --xu xu.csv --uy uy.csv":              "for the sums of",
		"sums monday.sums tuesday.sums":                           "merging tuesday.sums with those before",
		"sums --plan p.plan --xu xu.csv monday.sums tuesday.sums": "this needs about",
	} {
		got := invoke(words(line + " -o all.sums --quiet --memory 20MiB")...)
		if got.status != statusData || !strings.Contains(got.stderr, says) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stderr %q, want %q", line, got.status, got.stderr, says)
			continue
		}
		_, asks, _ := strings.Cut(got.stderr, "(--memory ")
		asks, _, _ = strings.Cut(asks, ")")
		if got = invoke(words(line + " -o all.sums --quiet --memory " + asks)...); strings.Contains(got.stderr, "this needs") {
			t.Errorf("%s --memory %s: %s", line, asks, got.stderr)
		}
	}
}
