package main

import (
	"encoding/json"
	"math"
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
