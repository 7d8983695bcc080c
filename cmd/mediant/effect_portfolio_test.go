package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// spreadOfPair moves pairs of rows apart by the same, so that means of arms are exact and no row is a copy.
func spreadOfPair(i int) float64 { return float64(2*(i%2)-1) * (1 + float64(i/2)/100) }

// writeExperiments writes four experiments, in which u moves by 1 to 4, Y being 10 + 3u, with levels of U and shares of their own, and one of one arm.
func writeExperiments(t *testing.T) {
	var b strings.Builder
	b.WriteString("experiment,arm,u,sex\n")
	n := 0
	for e := 1; e <= 4; e++ {
		for i := range 40 + 20*e {
			arm := 0
			if i >= 40 {
				arm = 1
			}
			fmt.Fprintf(&b, "e%d,%s,%g,%s\n", e, []string{"control", "new"}[arm], float64(e)/4+float64(arm*e)+spreadOfPair(n), []string{"f", "m"}[n/2%2])
			n++
		}
	}
	for i := range 12 {
		fmt.Fprintf(&b, "e5,new,%d.5,f\n", i)
	}
	write(t, "xu.csv", b.String())
	write(t, "uy.csv", table("u,y", 120, func(i int) []any { return []any{float64(i)/10 - 4, 10 + 3*(float64(i)/10-4)} }))
	write(t, "truth.csv", "experiment,effect,se\ne1,3,0\ne2,6.1,0.2\ne3,0,0\ne9,1,0\n")
}

const experimentsLine = "effect --xu xu.csv --uy uy.csv --treatment arm=new --psi linear --lambda-h 0 --folds 2 --accept unit-differs --accept no-overlap --accept distribution-differs"

// TestEffectOfExperiments: effects are 3, 6, 9 and 12, exactly, in text, JSON and CSV.
func TestEffectOfExperiments(t *testing.T) {
	inFolder(t)
	writeExperiments(t)
	line := experimentsLine + " --experiment experiment --truth truth.csv -o effects.csv"
	r := invoke(words(line + " --json")...)
	var got struct {
		Experiments []struct {
			Group, Y, Arm    string
			Estimate, SE     float64
			Joint, Shrunken  *struct{ Lo, Hi, Estimate float64 }
			Treated, Control int
		}
		Shrinkage []struct {
			Y      string
			Mean   struct{ Estimate float64 }
			Tau, P float64
		}
		LeftOut []struct {
			Group, Reason string
			Rows          int
		} `json:"left_out"`
		Backtest []struct {
			Compared, Unknown int
			Unmatched         []string
			Raw               map[string]any
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	for i, e := range got.Experiments {
		if want := float64(3 * (i + 1)); math.Abs(e.Estimate-want) > 1e-9 || e.Group != fmt.Sprintf("e%d", i+1) || e.Arm != "" || e.Joint == nil || e.Shrunken == nil || e.Control != 40 || e.Treated != 20*(i+1) {
			t.Errorf("%+v, want %g", e, want)
		}
	}
	if len(got.Experiments) != 4 || len(got.Shrinkage) != 1 || got.Shrinkage[0].Tau < 3 || got.Shrinkage[0].P > 1e-6 || len(got.LeftOut) != 1 || got.LeftOut[0].Rows != 12 {
		t.Errorf("%+v", got)
	}
	if b := got.Backtest[0]; b.Compared != 3 || b.Unknown != 1 || len(b.Unmatched) != 1 || b.Raw["significant"] != 3. || b.Raw["false_positives"].(map[string]any)["value"] != 1./3 || b.Raw["coverage"].(map[string]any)["value"] != 2./3 {
		t.Errorf("backtest %+v", b)
	}
	file, err := os.Open("effects.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil || len(lines) != 6 || lines[2][0] != "e2" || lines[5][0] != "e5" || lines[5][16] != "it has one arm alone, new" {
		t.Errorf("%v, %q", err, lines)
	}
	out := invoke(words(line)...).stdout
	for _, want := range []string{"effects of arm on y by experiment", "e2          40       40       6       ", "left out: e5, 12 rows: it has one arm alone, new\n", "truth in the 95 % interval  66.7 % (", "known effects without an estimate: e9"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
	// Without the flag the column is a note, and nothing more.
	if plain := invoke(words(experimentsLine)...).stdout; !strings.Contains(plain, "note: the first table has a column \"experiment\": with --experiment experiment the effect is estimated within each") {
		t.Errorf("plain: %q", plain)
	}
	write(t, "twice.csv", "experiment,effect\ne1,3\ne1,4\n")
	write(t, "words.csv", "experiment,effect\ne1,large\n")
	for _, c := range []struct {
		line, says string
		status     int
	}{
		{experimentsLine + " --truth truth.csv", "--truth goes with --experiment", statusUsage},
		{experimentsLine + " -o effects.csv", "--output goes with --experiment", statusUsage},
		{experimentsLine + " --experiment=", "--experiment is empty", statusUsage},
		{experimentsLine + " --experiment experiment --pairs", "--pairs does not go with --experiment", statusUsage},
		{experimentsLine + " --experiment experiment -o xu.csv", "would replace an input", statusUsage},
		{experimentsLine + " --experiment site", `no column "site"`, statusData},
		{experimentsLine + " --experiment experiment --truth none.csv", "none.csv", statusData},
		{experimentsLine + " --experiment experiment --truth twice.csv", `twice.csv: experiment "e1" has two known effects`, statusData},
		{experimentsLine + " --experiment experiment --truth words.csv", `column "effect" is text`, statusData},
		{experimentsLine + " --experiment experiment --truth uy.csv", `no column "experiment"`, statusData},
	} {
		if r := invoke(words(c.line)...); r.status != c.status || !strings.Contains(r.stderr, c.says) || r.stdout != "" {
			t.Errorf("%s: %+v, want %q", c.line, r, c.says)
		}
	}
}

// TestEffectBySubgroup: u moves by 1 among women and by 3 among men, and Y is 10 + 3u.
func TestEffectBySubgroup(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("arm,u,sex,age", 160, func(i int) []any {
		arm, sex := i/2%2, i/4%2
		return []any{arm, float64(arm*(1+2*sex)) + spreadOfPair(i), []string{"f", "m"}[sex], 20 + i%40}
	}))
	write(t, "uy.csv", table("u,y", 120, func(i int) []any { return []any{float64(i)/10 - 5, 10 + 3*(float64(i)/10-5)} }))
	line := "effect --xu xu.csv --uy uy.csv --treatment arm --psi linear --lambda-h 0 --folds 2 --accept unit-differs --accept no-overlap --accept distribution-differs"
	r := invoke(words(line + " --by sex --json")...)
	var got struct {
		Effects   []struct{ Estimate float64 }
		Subgroups struct {
			By      string
			Effects []struct {
				Group, Y string
				Estimate float64
				Joint    *struct{ Lo, Hi float64 }
			}
			Tests []struct {
				Freedom int `json:"degrees_of_freedom"`
				P       float64
			}
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	s := got.Subgroups
	if math.Abs(got.Effects[0].Estimate-6) > 1e-9 || len(s.Effects) != 2 || s.Effects[0].Group != "f" || math.Abs(s.Effects[0].Estimate-3) > 1e-9 || math.Abs(s.Effects[1].Estimate-9) > 1e-9 || s.Effects[1].Joint == nil || len(s.Tests) != 1 || s.Tests[0].Freedom != 1 || s.Tests[0].P > 1e-3 {
		t.Errorf("%+v", got)
	}
	out := invoke(words(line + " --by sex")...).stdout
	for _, want := range []string{"effect of arm on y: 6, ", "effects by sex, with 95 % intervals of each and of all together\n", "  m    40       40       9       ", "equal effects: chi-squared "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
	if out := invoke(words(line + " --by age")...).stdout; !strings.Contains(out, "\n  up to 29 ") || !strings.Contains(out, "\n  above 39 up to 49 ") {
		t.Errorf("quarters: %q", out)
	}
	for _, c := range []struct {
		line, says string
		status     int
	}{
		{line + " --by=", "--by is empty", statusUsage},
		{line + " --by sex --experiment age", "give one of them", statusUsage},
		{line + " --by sex --probability .5", "does not go with --by", statusUsage},
		{line + " --by town", `no column "town"`, statusData},
	} {
		if r := invoke(words(c.line)...); r.status != c.status || !strings.Contains(r.stderr, c.says) || r.stdout != "" {
			t.Errorf("%s: %+v, want %q", c.line, r, c.says)
		}
	}
}

// TestEffectTrust: Y is 10 + 3u + 2 arm in coupled rows, so that 2 of 5 are beside U, and all is on the page.
func TestEffectTrust(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("arm,u,sex", 160, func(i int) []any {
		arm := i / 2 % 2
		return []any{arm, float64(arm) + spreadOfPair(i), []string{"f", "m"}[i/4%2]}
	}))
	write(t, "uy.csv", table("u,y", 120, func(i int) []any {
		u := float64(i)/10 - 5
		return []any{u, 10 + 3*u + float64(2*(i/2%2)-1)/2} // noise of the standard deviation .5
	}))
	write(t, "coupled.csv", table("arm,u,y", 80, func(i int) []any {
		arm := i / 2 % 2
		u := float64(arm) + spreadOfPair(i)
		return []any{arm, u, 10 + 3*u + 2*float64(arm) + float64(2*(i/4%2)-1)/2}
	}))
	line := "effect --xu xu.csv --uy uy.csv --treatment arm --psi linear --lambda-h 0 --folds 2 --accept unit-differs --accept no-overlap --accept distribution-differs --coupled coupled.csv"
	r := invoke(words(line + " --json")...)
	var got struct {
		Effects []struct {
			Lo        float64
			Violation struct {
				ToZero   float64 `json:"to_zero"`
				ToZeroSD float64 `json:"to_zero_sd"`
			}
			Weights struct {
				Rows    float64 `json:"effective_rows"`
				Largest float64 `json:"largest_share"`
			} `json:"weights_u"`
		}
		Coupled struct {
			Rows    int
			Effects []struct {
				Direct, Surrogate, Difference struct{ Estimate float64 }
				P                             float64
				Through                       struct {
					Estimate float64
					Interval *struct{ Lo, Hi float64 }
				} `json:"through_u"`
			}
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	e, c := got.Effects[0], got.Coupled
	if e.Lo <= 0 || e.Violation.ToZero != e.Lo || math.Abs(e.Violation.ToZeroSD/(e.Lo/.5)-1) > .05 || e.Weights.Rows < 10 || e.Weights.Rows > 120 || e.Weights.Largest < 1./120 {
		t.Errorf("%+v", e)
	}
	if one := c.Effects[0]; c.Rows != 80 || math.Abs(one.Direct.Estimate-5) > 1e-9 || math.Abs(one.Surrogate.Estimate-3) > .3 || math.Abs(one.Difference.Estimate-2) > .3 || one.P > 1e-3 || one.Through.Interval == nil || math.Abs(one.Through.Estimate-.6) > .06 {
		t.Errorf("%+v", c)
	}
	out := invoke(words(line + " --by sex --report page.html")...).stdout
	for _, want := range []string{"  untreated  80    0                                \n  treated    80    0                ", "effect of arm on y: the interval touches 0 at c = -", " standard deviations of Y given U\n", "in 80 coupled rows, with 95 % intervals", "effects by sex"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
	page, err := os.ReadFile("page.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Long-term effects", "Effects by sex", "Directly and through U", "What the effects depend on", "data-rows=", "joint interval"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q on the page", want)
		}
	}
	for _, c := range []struct {
		line, says string
		status     int
	}{
		{line + " --experiment sex", "--coupled does not go with --experiment", statusUsage},
		{strings.Replace(line, "coupled.csv", "uy.csv", 1), `uy.csv: coupled rows: no column "arm"`, statusData},
		{line + " --report xu.csv", "file that the command reads or writes", statusUsage},
	} {
		if r := invoke(words(c.line)...); r.status != c.status || !strings.Contains(r.stderr, c.says) || r.stdout != "" {
			t.Errorf("%s: %+v, want %q", c.line, r, c.says)
		}
	}
	writeExperiments(t)
	if r := invoke(words(experimentsLine + " --experiment experiment --truth truth.csv --report pages/")...); r.status != statusDone {
		t.Fatalf("%+v", r)
	}
	text, err := os.ReadFile("pages/report.md")
	if err != nil || !strings.Contains(string(text), "Against known effects on y") || !strings.Contains(string(text), "it has one arm alone") {
		t.Errorf("%v: %s", err, text)
	}
	for _, name := range []string{"pages/experiments-1.svg", "pages/experiments-1.png"} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}
