package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestFitMixed: sums in mixed arithmetic are in the model and in what is shown of it, and move predictions by less than 1e-5 of their scale where they are not refined. By default sums of few rows are in float64.
func TestFitMixed(t *testing.T) {
	inFolder(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	var xu, uy strings.Builder
	xu.WriteString("x,u\n")
	uy.WriteString("u,y\n")
	for range 1500 {
		x, u := rnd.NormFloat64(), rnd.NormFloat64()
		fmt.Fprintf(&xu, "%g,%g\n", x, math.Sin(x)+.3*rnd.NormFloat64())
		fmt.Fprintf(&uy, "%g,%g\n", u, 100+u*u+.1*rnd.NormFloat64())
	}
	write(t, "xu.csv", xu.String())
	write(t, "uy.csv", uy.String())
	fit := func(model string, more ...string) []float64 {
		line := words("fit --xu xu.csv --uy uy.csv --quiet --no-diagnosis --features 100 --phi gaussian --psi gaussian --method 2step --lambda 1e-4 -o " + model)
		succeed(t, append(line, more...)...)
		var f []float64
		for i, cell := range strings.Fields(succeed(t, "predict", model, "xu.csv", "--quiet")) {
			if v, err := strconv.ParseFloat(cell, 64); err == nil {
				f = append(f, v)
			} else if i > 0 {
				t.Fatal(err)
			}
		}
		return f
	}
	want := fit("float64.mediant")
	got := fit("mixed.mediant", "--arithmetic", "mixed")
	fit("set.mediant", "--arithmetic", "float64")
	if read(t, "set.mediant") != read(t, "float64.mediant") {
		t.Error("--arithmetic float64 is not the default")
	}
	worst, scale := 0.0, 0.0
	for i, v := range want {
		worst, scale = max(worst, math.Abs(v-got[i])), max(scale, math.Abs(v-want[0]))
	}
	if len(want) != 1500 || worst == 0 || worst > 1e-5*scale {
		t.Errorf("%d predictions, off by %g of %g", len(want), worst, scale)
	}
	const shown = "sums      in mixed arithmetic\n"
	if out := succeed(t, "inspect", "mixed.mediant"); !strings.Contains(out, shown) {
		t.Errorf("inspect says nothing of the arithmetic: %s", out)
	}
	if out := succeed(t, "inspect", "float64.mediant"); strings.Contains(out, "arithmetic") {
		t.Errorf("inspect says of the default: %s", out)
	}
	if a := at(t, object(t, succeed(t, "inspect", "mixed.mediant", "--json")), "params", "arithmetic"); a != "mixed" {
		t.Errorf("the JSON of the model has the arithmetic %v", a)
	}
}
