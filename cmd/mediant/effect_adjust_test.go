package main

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEffectAdjusted: the treated rows are those of high x, and Y = 2u of u = t + x, so that the effect is 2 and the difference of arms more.
func TestEffectAdjusted(t *testing.T) {
	inFolder(t)
	const rows = 600
	draw := rand.New(rand.NewPCG(26, 2)).Float64
	write(t, "xu.csv", table("arm,x,other,p,u", rows, func(int) []any {
		x := draw()
		p, arm := .1+.8*x, 0
		if draw() < p {
			arm = 1
		}
		return []any{arm, x, draw(), p, float64(arm) + x + draw() - .5}
	}))
	write(t, "uy.csv", table("u,y", rows, func(int) []any { u := 3*draw() - .5; return []any{u, 2*u + draw()} }))
	const line = "effect --xu xu.csv --uy uy.csv --treatment arm --psi linear"
	if r := invoke(words(line + " --x x --propensity estimate --report page.html")...); r.status != statusDone {
		t.Fatalf("%+v", r)
	}
	for _, want := range []string{"among rows of the same propensity", "adjusted for x", "propensity estimated", "effective sample size by arm"} {
		if page := read(t, "page.html"); !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	var got struct {
		Effects    []struct{ Estimate, SE float64 }
		X          []string
		Propensity *struct {
			From        string
			Trim        float64
			Trimmed, Of int
			Arms        []map[string]any
		}
	}
	read := func(more string) {
		t.Helper()
		got.Propensity, got.X = nil, nil
		r := invoke(words(line + " --json " + more)...)
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
			t.Fatalf("%s: %v: %+v", more, err, r)
		}
	}
	off := func() float64 { return math.Abs(got.Effects[0].Estimate-2) / got.Effects[0].SE }
	if read(""); off() < 5 || got.X != nil || got.Propensity != nil {
		t.Errorf("the difference of arms: %+v", got)
	}
	for _, more := range []string{"--x x --propensity estimate", "--propensity p --trim 0.02", "--x x,other --propensity p"} {
		if read(more); off() > 3 || got.Propensity.Of != rows || len(got.Propensity.Arms) != 2 {
			t.Errorf("%s: off by %.1f: %+v", more, off(), got)
		}
	}
	r := invoke(words(line + " --x x,other --propensity p --trim 0.2 --accept unit-differs")...)
	if r.status != statusDone || strings.Contains(r.stderr, "differs between the arms") {
		t.Errorf("%+v", r)
	}
	if r := invoke(words(line + " --accept unit-differs")...); !strings.Contains(r.stderr, `"x" differs between the arms`) {
		t.Errorf("no warning of a column that is not adjusted for: %+v", r)
	}
	r = invoke(words(line + " --x x --propensity estimate --trim 0.2 --accept unit-differs")...)
	out := r.stdout
	for _, want := range []string{"adjusted for x: right only if", "propensity estimated: right only if", "probability of treatment, quantiles 0, 5, ", "effective sample size by arm", "left out: ", "with a probability below 0.2 of an arm; the effect is that of the others"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	if out := invoke(words(line + " --propensity p")...).stdout; !strings.Contains(out, "propensity from column p\n") || !strings.Contains(out, "none is left out, and the effect is that of all rows") {
		t.Errorf("a known propensity: %s", out)
	}
	for more, says := range map[string]string{
		"--propensity estimate":      "--x",
		"--propensity p --trim 0.5":  "--trim",
		"--trim 0.1":                 "--propensity",
		"--complete-u=weight --by x": "--by",
		"--x ,":                      "--x",
		"--x x --probability 0.5":    "--probability",
		"--propensity= --x x":        "--propensity",
		"--propensity p --trim -0.1": "--trim",
	} {
		if r := invoke(words(line + " " + more)...); r.status != statusUsage || !strings.Contains(r.stderr, says) || r.stdout != "" {
			t.Errorf("%s: %+v", more, r)
		}
	}
	for more, says := range map[string]string{"--propensity other": "propensity", "--propensity nowhere": `"nowhere"`, "--propensity u": "second table", "--x arm": `"arm"`, "--x nowhere": `"nowhere"`} {
		if r := invoke(words(line + " " + more)...); r.status != statusData || !strings.Contains(r.stderr, says) || r.stdout != "" || strings.Count(r.stderr, "mediant: ") != 1 {
			t.Errorf("%s: %+v", more, r)
		}
	}
}

// TestEffectAdjustedInGroups: experiments, subgroups and coupled rows are adjusted; within a group the treated rows are those of high x, and the effect is 2.
func TestEffectAdjustedInGroups(t *testing.T) {
	inFolder(t)
	const rows = 900
	draw := rand.New(rand.NewPCG(26, 3)).Float64
	write(t, "xu.csv", table("arm,x,test,u,y", rows, func(i int) []any {
		x, arm := draw(), 0
		if draw() < .1+.8*x {
			arm = 1
		}
		u := float64(arm) + x + draw() - .5
		return []any{arm, x, []string{"a", "b"}[i%2], u, 2*u + draw()}
	}))
	write(t, "uy.csv", table("u,y", rows, func(int) []any { u := 3*draw() - .5; return []any{u, 2*u + draw()} }))
	const line = "effect --xu xu.csv --uy uy.csv --treatment arm --psi linear --u u --y y --x x --propensity estimate --accept unit-differs --json "
	type estimate struct {
		Group        string
		Estimate, SE float64
	}
	var got struct {
		Experiments []estimate
		Propensity  any
		Subgroups   struct{ Effects []estimate }
		Coupled     struct {
			Effects []struct{ Direct, Surrogate estimate }
		}
	}
	for _, more := range []string{"--experiment test", "--by test --coupled xu.csv"} {
		r := invoke(words(line + more)...)
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
			t.Fatalf("%s: %v: %+v", more, err, r)
		}
	}
	if len(got.Experiments) != 2 || len(got.Subgroups.Effects) != 2 || len(got.Coupled.Effects) != 1 || got.Propensity == nil {
		t.Fatalf("%+v", got)
	}
	for _, e := range append(append(got.Experiments, got.Subgroups.Effects...), got.Coupled.Effects[0].Direct, got.Coupled.Effects[0].Surrogate) {
		if math.Abs(e.Estimate-2) > 4*e.SE { // the difference of arms is 2.5 and more
			t.Errorf("%+v, want 2", e)
		}
	}
	text := invoke(words(strings.Replace(line, "--json ", "", 1) + "--experiment test")...)
	if !strings.Contains(text.stdout, "adjusted for x") || !strings.Contains(text.stdout, "propensity estimated") {
		t.Errorf("%+v", text)
	}
}
