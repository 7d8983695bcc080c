package main

import (
	"os"
	"strings"
	"testing"
)

// TestPrivateSums: sums with noise say so, are fitted as others are, and do not give away how many rows lack Y; inspect says what they reveal.
func TestPrivateSums(t *testing.T) {
	inFolder(t)
	row := func(i int) float64 { return float64(i*37%101)/25 - 2 }
	write(t, "xu.csv", table("x,u", 4000, func(i int) []any { return []any{row(i), row(i) + row(11*i)/8} }))
	write(t, "uy.csv", table("u,y", 4000, func(i int) []any {
		u := row(i) + row(5*i)/8
		if i%50 == 0 {
			return []any{u, ""}
		}
		return []any{u, u*u + row(3*i)/10}
	}))
	succeed(t, words("plan --xu xu.csv --uy uy.csv --features 8 --blocks 1 --phi gaussian --psi gaussian --bandwidth-x .7 --bandwidth-u .7 --quiet -o both.plan")...)
	shown := succeed(t, words("sums --plan both.plan --uy uy.csv --epsilon 8 --delta 1e-5 --clip -1:6 -o y.sums")...)
	for _, want := range []string{"of 4000 rows of U and Y, in 1 run", "with noise: epsilon 8, delta 1e-05", "the odds of a row", "their epsilons and deltas add"} {
		if !strings.Contains(shown, want) {
			t.Errorf("sums does not say %q:\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "left out") {
		t.Errorf("the number of rows without Y is shown:\n%s", shown)
	}
	succeed(t, words("sums --plan both.plan --xu xu.csv --epsilon 8 --quiet -o x.sums")...)
	m := object(t, succeed(t, words("fit --xu x.sums --uy y.sums --json -o m.mediant")...))
	// Y is u² + .03 noise, and u = x + noise of deviation .15: without noise for privacy the error is .1 or so, and that of a constant 1.6.
	if mse := at(t, m, "risk", "mse").(float64); mse > 1 {
		t.Errorf("the risk is %g", mse)
	}
	if notes := strings.Join(stringsOf(m["notes"]), "; "); !strings.Contains(notes, "is added to lambda_f") || !strings.Contains(notes, "the diagnosis is left out") {
		t.Errorf("notes %s", notes)
	}
	succeed(t, words("sums --plan both.plan --uy uy.csv --quiet -o plain.sums")...)
	succeed(t, words("sums y.sums plain.sums --quiet -o mixed.sums")...)
	if shown = succeed(t, words("inspect mixed.sums")...); !strings.Contains(shown, "protected by nothing else") || strings.Contains(shown, "no noise is added") {
		t.Errorf("inspect of sums with and without noise:\n%s", shown)
	}
	if shown = succeed(t, words("inspect plain.sums")...); !strings.Contains(shown, "no noise is added") {
		t.Errorf("inspect of sums without noise:\n%s", shown)
	}
}

func stringsOf(list any) []string {
	var out []string
	for _, v := range list.([]any) {
		out = append(out, v.(string))
	}
	return out
}

// TestClip: ranges of one column and of several, by name or for all.
func TestClip(t *testing.T) {
	inFolder(t)
	write(t, "uy.csv", table("u,y,z", 600, func(i int) []any { return []any{float64(i % 41), float64(i % 7), float64(i % 5)} }))
	succeed(t, words("plan --uy uy.csv --u u --features 4 --blocks 1 --phi gaussian --psi gaussian --bandwidth-u 1 --quiet -o u.plan")...)
	const sums = "sums --plan u.plan --uy uy.csv --epsilon 8 --delta 1e-4 --quiet -o out "
	for line, want := range map[string]string{"--clip 9": "-9 to 9, -9 to 9", "--clip y=0:6 --clip z=0:4": "0 to 6, 0 to 4", "--clip -1:2 --clip z=3": "-1 to 2, -3 to 3"} {
		succeed(t, words(sums+line)...)
		s, err := readSums("out")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range s.Runs[0].Private.Clip {
			got = append(got, formatNumber(r.Lo)+" to "+formatNumber(r.Hi))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if err := os.Remove("out"); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"--clip y=1":                     `--clip is missing for "z"`,
		"--clip 1 --clip q=2":            `"q" is no column of Y`,
		"--clip 2:1":                     "--clip 2:1: want LO:HI",
		"--clip 1 --clip 2":              "it is set twice",
		"--clip x":                       "--clip x: want LO:HI",
		"--clip 9 --weights-uy u":        "--weights-uy have no meaning with --epsilon",
		"--clip 9 --psi linear":          "unknown flag",
		"--clip 9 --checkpoint steps":    "--checkpoint has no meaning with --epsilon",
		"--clip 9 --discount .5":         "without older sums",
		"--clip 1 --clip y=2 --clip z=:": "--clip z=:",
	} {
		got := invoke(words(sums + line)...)
		if got.status == statusDone || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v, want an error with %q", line, got, want)
		}
		if _, err := os.Stat("out"); err == nil {
			t.Fatalf("%s: there is an output", line)
		}
	}
	for line, want := range map[string]string{
		"--delta 1e-4":                          "have no meaning without --epsilon",
		"--clip 3":                              "have no meaning without --epsilon",
		"--clip 3 --epsilon 0":                  "--epsilon is 0",
		"--clip 3 --epsilon 99":                 "epsilon is 99",
		"--clip 3 --epsilon 1 --delta .01":      "--delta is 0.01 for 600 rows",
		"--clip 3 --epsilon .001 --delta 1e-12": "too few rows",
	} {
		if got := invoke(words("sums --plan u.plan --uy uy.csv -o out " + line)...); got.status == statusDone || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v, want an error with %q", line, got, want)
		}
	}
	succeed(t, words("plan --uy uy.csv --u u --psi linear --quiet -o linear.plan")...)
	if got := invoke(words("sums --plan linear.plan --uy uy.csv --epsilon 1 --clip 3 -o out")...); got.status == statusDone || !strings.Contains(got.stderr, "need features of bounded norm") {
		t.Errorf("linear features: %+v", got)
	}
}
