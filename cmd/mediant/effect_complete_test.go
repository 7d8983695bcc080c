package main

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEffectOfWeighedRows: u is missing in treated rows of high x, which u grows with, and Y = 2u of u = t + x, so that the effect is 2 and that of complete rows less.
func TestEffectOfWeighedRows(t *testing.T) {
	inFolder(t)
	draw := rand.New(rand.NewPCG(26, 4)).Float64
	const rows = 800
	write(t, "xu.csv", table("arm,x,u", rows, func(i int) []any {
		x, arm := draw(), i%2
		var u any = float64(arm) + x + draw() - .5
		if arm == 1 && draw() < .8*x {
			u = ""
		}
		return []any{arm, x, u}
	}))
	write(t, "uy.csv", table("u,y", rows, func(int) []any { u := 3*draw() - .5; return []any{u, 2*u + draw()} }))
	const line = "effect --xu xu.csv --uy uy.csv --treatment arm --psi linear --x x"
	var got struct {
		Effects []struct{ Estimate, SE float64 }
		Missing struct {
			LeftOut bool `json:"left_out"`
			Weights *struct {
				By        []string
				Rows      int
				Largest   float64
				Effective float64 `json:"effective_rows"`
			}
		} `json:"missing_u"`
	}
	for _, more := range []string{"--complete-u weight --json", "--complete-u=weight --json"} {
		got.Missing.Weights = nil
		r := invoke(words(line + " " + more)...)
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
			t.Fatalf("%v: %+v", err, r)
		}
		w := got.Missing.Weights
		if math.Abs(got.Effects[0].Estimate-2) > 3*got.Effects[0].SE || !got.Missing.LeftOut || w == nil || len(w.By) != 1 || w.By[0] != "x" || !(w.Largest > 2) || !(w.Effective < float64(w.Rows)) {
			t.Errorf("%s: %+v", more, got)
		}
	}
	for more, want := range map[string][]string{
		" --complete-u weight": {"complete rows of the first table stand for all", "given the treatment and x, the others", "largest weight "},
		" --complete-u":        {"these rows are left out: the estimate is right if in each arm"},
	} {
		r := invoke(words(line + more)...)
		for _, part := range want {
			if r.status != statusDone || !strings.Contains(r.stdout, part) {
				t.Errorf("%s: no %q in %+v", more, part, r)
			}
		}
	}
	for _, more := range []string{" --complete-u=most", " --complete-u most", " weight"} {
		if r := invoke(words(line + more)...); r.status != statusUsage || r.stdout != "" {
			t.Errorf("%s: %+v", more, r)
		}
	}
}
