package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// TestOutputsOfTheirOwn: inspect, --json and the report list the hyperparameters of each column of Y where they differ.
func TestOutputsOfTheirOwn(t *testing.T) {
	inFolder(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	xu, uy := "x,u\n", "u,y,z\n"
	for range 150 {
		x, u := 2*rnd.Float64()-1, 2*rnd.Float64()-1
		xu += fmt.Sprintf("%.6f,%.6f\n", x, x+.2*rnd.NormFloat64())
		uy += fmt.Sprintf("%.6f,%.6f,%.6f\n", u, u+2*rnd.NormFloat64(), math.Sin(6*u)+.1*rnd.NormFloat64())
	}
	write(t, "xu.csv", xu)
	write(t, "uy.csv", uy)
	out := succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant --y y,z --phi gaussian --psi gaussian --features 32 --json --report r.html")...)
	if !strings.Contains(out, `"by_output"`) || !strings.Contains(out, `"r2_outputs"`) {
		t.Errorf("fit --json has no hyperparameters by output:\n%s", out)
	}
	page, err := os.ReadFile("r.html")
	if err != nil {
		t.Fatal(err)
	}
	text := succeed(t, words("inspect m.mediant")...)
	for _, name := range []string{"y", "z"} {
		if !strings.Contains(text, "output    "+name+": w ") || !strings.Contains(string(page), "output "+name) {
			t.Errorf("%s is missing from inspect or the report:\n%s", name, text)
		}
	}
}
