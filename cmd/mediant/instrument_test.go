package main

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// instrumentTables writes tables in which y = 2 x + 3 c - region + noise, x = z1 + .5 z2 + region + c + noise with a confounder c, and one x of 20 is missing.
func instrumentTables(t *testing.T) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(7, 7))
	digits := func(v float64) float64 { return math.Round(1e4*v) / 1e4 }
	draw := func() (z1, z2 float64, region int, x, y float64) {
		z1, z2, region = rnd.NormFloat64(), rnd.NormFloat64(), rnd.IntN(3)
		c := rnd.NormFloat64()
		x = z1 + .5*z2 + float64(region) + c + .5*rnd.NormFloat64()
		return digits(z1), digits(z2), region, digits(x), digits(2*x + 3*c - float64(region) + rnd.NormFloat64())
	}
	write(t, "a.csv", table("z1,z2,region,x", 1000, func(i int) []any {
		z1, z2, region, x, _ := draw()
		if i%20 == 0 {
			return []any{z1, z2, "abc"[region : region+1], ""}
		}
		return []any{z1, z2, "abc"[region : region+1], x}
	}))
	write(t, "b.csv", table("z1,z2,region,y", 1200, func(int) []any {
		z1, z2, region, _, y := draw()
		return []any{z1, z2, "abc"[region : region+1], y}
	}))
}

// instrumentOutput is what a test reads of --json.
type instrumentOutput struct {
	Method, Error string
	X, Controls   []string
	Instruments   []string
	Coefficients  []struct {
		Y, X             string
		Control          bool
		Estimate, SE, Lo float64
	}
	FirstStage []struct {
		X string
		F float64
	} `json:"first_stage"`
	Overidentification []struct{ J, P float64 }
	Explains           *float64 `json:"first_stage_explains"`
	LambdaF            *float64 `json:"lambda_f"`
	DroppedXU          int      `json:"dropped_xu"`
	Rows               struct{ XU, UY int }
	Assumptions        struct{ Instrument, Mediator string }
	Notes, Warnings    []string
	Findings           []any
}

// TestInstrumentCommand: the coefficients are within 3 standard errors of 2 and -1, and the model predicts with them.
func TestInstrumentCommand(t *testing.T) {
	inFolder(t)
	instrumentTables(t)
	const line = "instrument --xu a.csv --uy b.csv --controls region"
	var got instrumentOutput
	if err := json.Unmarshal([]byte(succeed(t, words(line+" --json -o m.mediant")...)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Method != "ts2sls" || len(got.Coefficients) != 3 || got.DroppedXU != 50 || got.Rows.XU != 950 || got.Rows.UY != 1200 || len(got.Instruments) != 2 || got.FirstStage[0].F < 100 ||
		got.Overidentification[0].P < .001 || got.Warnings == nil || got.Notes == nil || got.Findings == nil || !strings.Contains(got.Assumptions.Mediator, "E[Y|U,X] = E[Y|U]") {
		t.Errorf("%+v", got)
	}
	for i, want := range []float64{2, -1, -2} {
		if c := got.Coefficients[i]; math.Abs(c.Estimate-want) > 3*c.SE || c.Control != (i > 0) {
			t.Errorf("%+v, want %g", c, want)
		}
	}
	write(t, "new.csv", "region,x\na,0\na,1\nc,1\n")
	var y [3]float64
	for i, cell := range strings.Fields(succeed(t, words("predict m.mediant new.csv")...))[1:] {
		if err := json.Unmarshal([]byte(cell), &y[i]); err != nil {
			t.Fatal(err)
		}
	}
	if math.Abs(y[1]-y[0]-got.Coefficients[0].Estimate) > 1e-9 || math.Abs(y[2]-y[1]-got.Coefficients[2].Estimate) > 1e-9 {
		t.Errorf("predictions %v with coefficients %+v", y, got.Coefficients)
	}
	if out := succeed(t, words("inspect m.mediant")...); !strings.Contains(out, "method    ts2sls\n") || strings.Count(out, "region") != 2 || !strings.Contains(out, "controls  region\n") {
		t.Errorf("inspect: %s", out)
	}
	out := succeed(t, words(line)...)
	for _, want := range []string{
		"coefficient of x on y: ", "\ncoefficient of control region=c on y: -", "\nfirst stage of x: F ", " with 2 and 945 degrees of freedom\n", "\nover-identification on y: J ",
		"\nassumed: X changes Y; Z affects Y only through X (and the controls) and is independent of the error", "\nfit on these tables assumes instead: E[Y|U,X] = E[Y|U]", "left out: 50 rows without X\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
	if _, err := os.Stat("m.mediant"); err != nil || strings.Contains(out, "written") {
		t.Errorf("%v, %q", err, out)
	}
}

// TestInstrumentKernel: f of features explains the first stage and rises by 8 from x = -1 to 3, to a quarter; the standard error of a linear f is .6 there.
func TestInstrumentKernel(t *testing.T) {
	inFolder(t)
	instrumentTables(t)
	line := "instrument --xu a.csv --uy b.csv --controls region --kernel --features 60 -o k.mediant"
	var got instrumentOutput
	if err := json.Unmarshal([]byte(succeed(t, words(line+" --json")...)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Method != "kernel-iv" || got.Coefficients != nil || got.FirstStage != nil || got.Explains == nil || *got.Explains < .2 || got.LambdaF == nil || got.Rows.XU != 950 {
		t.Errorf("%+v", got)
	}
	write(t, "new.csv", "region,x\nb,-1\nb,3\n")
	var y [2]float64
	for i, cell := range strings.Fields(succeed(t, words("predict k.mediant new.csv")...))[1:] {
		if err := json.Unmarshal([]byte(cell), &y[i]); err != nil {
			t.Fatal(err)
		}
	}
	if math.Abs(y[1]-y[0]-8) > 2 {
		t.Errorf("predictions %v, want a difference of 8", y)
	}
	if out := succeed(t, words(line)...); !strings.Contains(out, "of the variance of the features of X in held-out rows\n") || !strings.Contains(out, "written to k.mediant\n") {
		t.Errorf("for people: %q", out)
	}
	if out := succeed(t, words("inspect k.mediant")...); !strings.Contains(out, "lambda_xu ") {
		t.Errorf("inspect: %s", out)
	}
}

// TestInstrumentRefuses: each is one line, writes nothing and has its status.
func TestInstrumentRefuses(t *testing.T) {
	inFolder(t)
	instrumentTables(t)
	rnd := rand.New(rand.NewPCG(8, 8))
	write(t, "weak.csv", table("z1,z2,region,x", 300, func(int) []any {
		return []any{rnd.NormFloat64(), rnd.NormFloat64(), "abc"[rnd.IntN(3):][:1], rnd.NormFloat64()}
	}))
	write(t, "two.csv", table("z1,x1,x2", 300, func(int) []any { return []any{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()} }))
	if r := invoke(words("instrument --xu weak.csv --uy b.csv")...); r.status != statusDone || !strings.Contains(r.stderr, `warning: the first stage is weak: F is `) {
		t.Errorf("a weak instrument: %+v", r)
	}
	for _, c := range []struct {
		line, says string
		status     int
	}{
		{"--xu a.csv", "--uy is missing", statusUsage},
		{"--xu - --uy -", "standard input", statusUsage},
		{"--xu a.csv --uy b.csv --phi linear", "--phi has no meaning without --kernel", statusUsage},
		{"--xu a.csv --uy b.csv --lambda-f 1", "--lambda-f has no meaning without --kernel", statusUsage},
		{"--xu a.csv --uy b.csv --kernel --lambda-xu -1", "--lambda-xu", statusUsage},
		{"--xu a.csv --uy b.csv --kernel --phi splines", "--phi", statusUsage},
		{"--xu a.csv --uy b.csv -o a.csv", "would replace an input", statusUsage},
		{"--xu two.csv --uy b.csv --u z1 --y y", `2 endogenous columns ("x1", "x2") need as many instruments, and there are 1 ("z1")`, statusData},
		{"--xu a.csv --uy b.csv --controls z1,z2,region", "no instrument is left", statusData},
		{"--xu a.csv --uy b.csv --controls x", `controls are columns of U: no column "x"`, statusData},
	} {
		r := invoke(words("instrument " + c.line + " --accept no-overlap")...)
		if r.status != c.status || !strings.Contains(r.stderr, c.says) || r.stdout != "" {
			t.Errorf("%s: %+v, want %q", c.line, r, c.says)
		}
	}
}
