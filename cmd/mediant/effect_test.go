package main

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEffectCommand: Y is exactly 10 + 3u, and u has means 5 and 1 in the arms, so the effect is 12.
func TestEffectCommand(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("arm,age,u", 40, func(i int) []any {
		if i == 3 {
			return []any{"", 7, 99}
		}
		return []any{i % 2, i, 1 + 4*(i%2) + (i/2)%2*(2*(i/4%2)-1)}
	}))
	write(t, "uy.csv", table("u,y", 30, func(i int) []any { return []any{i % 8, 10 + 3*(i%8)} }))
	args := words("effect --xu xu.csv --uy uy.csv --treatment arm --psi linear --lambda-h 0 --folds 2 --accept unit-differs --accept no-overlap")
	var got struct {
		Effects []struct {
			Y                    string
			Estimate, SE, Lo, Hi float64
		}
		Treated, Control int
		DroppedXU        int     `json:"dropped_xu"`
		LambdaH          float64 `json:"lambda_h"`
		Mu               *float64
	}
	if err := json.Unmarshal([]byte(invoke(append(args, "--json")...).stdout), &got); err != nil {
		t.Fatal(err)
	}
	e := got.Effects[0]
	// The row without treatment had u = 4 in the treated arm: 19 rows with mean 5 + 1/19.
	if want := 12 + 3./19; math.Abs(e.Estimate-want) > 1e-9 || e.Y != "y" || !(e.Lo < e.Estimate && e.Estimate < e.Hi) || !(e.SE > 0) {
		t.Errorf("effect %+v, want %g", e, want)
	}
	if got.Treated != 19 || got.Control != 20 || got.DroppedXU != 1 || got.Mu == nil {
		t.Errorf("result %+v", got)
	}
	out := invoke(args...).stdout
	if !strings.HasPrefix(out, "effect of arm on y: 12.16, ") || !strings.Contains(out, "1 row without treatment") {
		t.Errorf("for people: %q", out)
	}
	if strings.Contains(out, "note") {
		t.Errorf("a note on tables that need none: %q", out)
	}
	write(t, "short.csv", table("u,y", 300, func(i int) []any { return []any{float64(i%10) / 2, 10 + 3*float64(i%10)/2} }))
	short := invoke(words("effect --xu xu.csv --uy short.csv --treatment arm --psi linear --folds 2 --accept unit-differs --accept no-overlap")...)
	for _, want := range []string{`"u" is beyond its range there in 5`, "without overlap: 5 treated and 0 untreated rows", "bounds of the effect on y: "} {
		if short.status != statusDone || !strings.Contains(short.stdout, want) {
			t.Errorf("a U that the second table does not reach: no %q in %+v", want, short)
		}
	}
	write(t, "far.csv", table("u,y", 30, func(i int) []any { return []any{i % 3, 10 + 3*(i%3)} }))
	far := invoke(words("effect --xu xu.csv --uy far.csv --treatment arm --psi linear --folds 2 --accept unit-differs --accept no-overlap")...)
	if far.status != statusData || !strings.Contains(far.stderr, `of the 19 treated rows ("u" is beyond its range`) {
		t.Errorf("most treated rows without overlap: %+v", far)
	}
	for line, says := range map[string]string{
		"effect --xu xu.csv --uy uy.csv":                                   "--treatment",
		"effect --xu xu.csv --uy uy.csv --treatment arm --probability 1":   "--probability",
		"effect --xu xu.csv --uy uy.csv --treatment arm --mu -1":           "--mu",
		"effect --xu xu.csv --uy uy.csv --treatment arm --folds 0":         "--folds",
		"effect --xu - --uy - --treatment arm":                             "standard input",
		"effect --xu xu.csv --uy uy.csv --treatment arm --psi splines":     "--psi",
		"effect --xu xu.csv --uy uy.csv --treatment arm --memory plenty":   "--memory",
		"effect --xu xu.csv --uy uy.csv --treatment arm --lambda-h -1":     "--lambda-h",
		"effect --xu xu.csv --uy uy.csv --treatment arm --delimiter semis": "--delimiter",
		"effect more --xu xu.csv --uy uy.csv --treatment arm":              "unexpected",
	} {
		if r := invoke(words(line)...); r.status != statusUsage || !strings.Contains(r.stderr, says) {
			t.Errorf("%s: %+v", line, r)
		}
	}
	if r := invoke(words("effect --xu xu.csv --uy uy.csv --treatment age")...); r.status != statusData || !strings.Contains(r.stderr, "0 or 1") {
		t.Errorf("a treatment of many values: %+v", r)
	}
}

// TestEffectOfArms: u has the means 0, 1 and 3 in three arms and Y is 10 + 3u, so the effects are 3 and 9, and 6 of one against the other.
func TestEffectOfArms(t *testing.T) {
	inFolder(t)
	arms := []string{"placebo", "low", "high"}
	spread := func(i int) float64 { return float64(2*(i%2)-1) * (1 + float64(i/2)/100) } // of pairs, so that the means of arms are exact, and no row is a copy
	write(t, "xu.csv", table("arm,u", 60, func(i int) []any { return []any{arms[i%3], float64([]int{0, 1, 3}[i%3]) + spread(i/3)} }))
	write(t, "uy.csv", table("u,y", 70, func(i int) []any { return []any{float64(i)/10 - 2, 10 + 3*(float64(i)/10-2)} }))
	const line = "effect --xu xu.csv --uy uy.csv --treatment arm --psi linear --lambda-h 0 --folds 2 --accept unit-differs --accept no-overlap"
	type effects struct {
		Effects []struct {
			Y, Arm, Against      string
			Estimate, SE, Lo, Hi float64
			Joint                *struct{ Lo, Hi float64 }
		}
		Arms []struct {
			Level string
			Rows  int
		}
		Treated, Control int
		TreatedLevel     string `json:"treated_level"`
	}
	run := func(more string) (got effects) {
		r := invoke(words(line + " --json " + more)...)
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
			t.Fatalf("%v: %+v", err, r)
		}
		return got
	}
	got := run("") // placebo is a word for the control
	if len(got.Effects) != 2 || len(got.Arms) != 3 || got.Arms[0].Level != "placebo" || got.Arms[0].Rows != 20 || got.Treated != 40 || got.Control != 20 || got.TreatedLevel != "" {
		t.Fatalf("%+v", got)
	}
	for i, want := range []float64{9, 3} {
		e := got.Effects[i]
		if math.Abs(e.Estimate-want) > 1e-9 || e.Against != "placebo" || e.Joint == nil || !(e.Joint.Lo < e.Lo && e.Lo < e.Hi && e.Hi < e.Joint.Hi) {
			t.Errorf("%+v, want %g", e, want)
		}
	}
	if pairs := run("--control low --pairs"); len(pairs.Effects) != 3 || math.Abs(pairs.Effects[0].Estimate-6) > 1e-9 || pairs.Effects[2].Arm != "placebo" || math.Abs(pairs.Effects[2].Estimate+9) > 1e-9 {
		t.Errorf("pairs: %+v", pairs)
	}
	out := invoke(words(line)...).stdout
	for _, want := range []string{"effect of arm high against placebo on y: 9, standard error ", ", joint interval ", "control: arm is placebo\nrows by arm: placebo 20, high 20, low 20; 70 rows of U and Y"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
	write(t, "two.csv", table("arm,u", 60, func(i int) []any { return []any{[]string{"A", "B"}[i%2], float64(i%2) + spread(i/2)} }))
	two := strings.Replace(line, "xu.csv", "two.csv", 1)
	if a, b := invoke(words(two+" --control A")...), invoke(words(strings.Replace(two, "arm", "arm=B", 1))...); a.status != statusDone || a.stdout != b.stdout || !strings.HasPrefix(a.stdout, "effect of arm on y: 3, ") {
		t.Errorf("a control of two arms: %+v, want %+v", a, b)
	}
	for _, c := range []struct {
		line, says string
		status     int
	}{
		{line + " --control none", `has no level "none": it has the levels "high", "low", "placebo"`, statusData},
		{two, "name it with --treatment COLUMN=LEVEL, or the other with --control", statusData},
		{strings.Replace(line, "arm", "arm=low", 1) + " --control placebo", "both say which level is treated", statusUsage},
		{line + " --control=", "--control is empty", statusUsage},
		{line + " --probability .3", "--probability is of two arms", statusData},
	} {
		if r := invoke(words(c.line)...); r.status != c.status || !strings.Contains(r.stderr, c.says) || r.stdout != "" {
			t.Errorf("%s: %+v, want %q", c.line, r, c.says)
		}
	}
}

// TestEffectMissingSurrogates is case 55 of the collection: two scores carry the effect of 2.2, and 30 % of them are missing in both tables. That is
// said with what it does, and --complete-u holds the effect, which the estimate from all rows is below.
func TestEffectMissingSurrogates(t *testing.T) {
	inFolder(t)
	rnd := rand.New(rand.NewPCG(2, 55))
	cell := func(v float64) any {
		if rnd.Float64() < .3 {
			return ""
		}
		return math.Round(1000*v) / 1000
	}
	write(t, "xu.csv", table("t,s1,s2", 4000, func(int) []any {
		treated := float64(rnd.IntN(2))
		return []any{treated, cell(.6*treated + 1.5*rnd.NormFloat64()), cell(.5*treated + rnd.NormFloat64())}
	}))
	write(t, "uy.csv", table("s1,s2,y", 6000, func(int) []any {
		a, b := .3+1.6*rnd.NormFloat64(), .2+1.2*rnd.NormFloat64()
		return []any{cell(a), cell(b), math.Round(1000*(15+2*a+2*b+rnd.NormFloat64())) / 1000}
	}))
	type result struct {
		Effects []struct{ Estimate, Lo, Hi float64 }
		Missing *struct {
			Columns []struct {
				Column string
				XU, UY int
			}
			XU, UY   struct{ Rows, Of int }
			LeftOut  bool `json:"left_out"`
			Complete []struct{ Estimate, Lo, Hi float64 }
		} `json:"missing_u"`
	}
	line := words("effect --xu xu.csv --uy uy.csv --treatment t --psi polynomial:2")
	run := func(more ...string) (got result) {
		r := invoke(append(append(line, "--json"), more...)...)
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
			t.Fatalf("%v: %+v", err, r)
		}
		return got
	}
	all, complete := run(), run("--complete-u")
	if m := all.Missing; m == nil || m.LeftOut || len(m.Columns) != 2 || m.Columns[0].Column != "s1" || m.Columns[0].XU < 1000 || m.Columns[1].UY > 2000 || m.XU.Of != 4000 || m.UY.Rows < 2900 ||
		len(m.Complete) != 1 || m.Complete[0] != complete.Effects[0] {
		t.Errorf("missing %+v", m)
	}
	if one := all.Effects[0]; one.Hi > 2.2 {
		t.Errorf("all rows: %+v, which should be below 2.2", one)
	}
	if one := complete.Effects[0]; one.Lo > 2.2 || one.Hi < 2.2 || !complete.Missing.LeftOut || complete.Missing.Complete != nil {
		t.Errorf("complete rows: %+v, which should hold 2.2; %+v", one, complete.Missing)
	}
	out, without := invoke(line...).stdout, invoke(append(line, "--complete-u")...).stdout
	for _, want := range []string{"missing U, in rows of the first and of the second table: s", "the estimate is nearer to 0 than the effect", "(--complete-u)\n  effect of t on y: "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
	if !strings.Contains(without, "these rows are left out: the estimate is right if in each arm they are like the others") || strings.Contains(without, "nearer to 0") {
		t.Errorf("complete rows: %q", without)
	}
}

// TestTreatmentInOtherWords: a column of U, or a covariate, that is the treatment in other words is a warning, and an outcome that is nearly so is not.
func TestTreatmentInOtherWords(t *testing.T) {
	inFolder(t)
	outcome := func(i int) float64 { return float64(i%2) + math.Sin(float64(i)) }
	other := func(i int) string { return []string{"a", "b"}[i%2] }
	nearly := func(i int) string { return other(i + i/399) } // another in the last row
	write(t, "xu.csv", table("arm,group,nearly,u", 400, func(i int) []any { return []any{i % 2, other(i), nearly(i), outcome(i)} }))
	write(t, "uy.csv", table("u,group,nearly,y", 400, func(i int) []any {
		k := i*7 + 3
		return []any{outcome(k), other(k / 3), nearly(k / 5), outcome(k) + math.Cos(float64(5*k))}
	}))
	write(t, "y.csv", table("u,y", 400, func(i int) []any { return []any{outcome(i*7 + 3), outcome(i*7+3) + math.Cos(float64(35*i))} }))
	for line, want := range map[string]string{
		"--uy uy.csv --ignore nearly":          `"group" has one value in each arm of "arm"`,
		"--uy uy.csv --ignore group":           "",
		"--uy y.csv --x group":                 `"group" has one value in each arm of "arm"`,
		"--uy y.csv --x nearly":                "",
		"--uy y.csv --ignore group --x nearly": "",
	} {
		got := invoke(words("effect --xu xu.csv --treatment arm " + line)...)
		if said := strings.Contains(got.stderr, "in other words"); got.status != statusDone || said != (want != "") || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v", line, got)
		}
	}
}
