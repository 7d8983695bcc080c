package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// apart writes tables whose columns of U are those of X and noise, each its own.
func apart(t *testing.T) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(3, 3))
	var xu, uy strings.Builder
	xu.WriteString("a,b,u,v\n")
	uy.WriteString("u,v,y\n")
	for range 120 {
		a, b := rnd.NormFloat64(), rnd.NormFloat64()
		fmt.Fprintf(&xu, "%g,%g,%g,%g\n", a, b, a+.5*rnd.NormFloat64(), b+.5*rnd.NormFloat64())
		u, v := rnd.NormFloat64(), rnd.NormFloat64()
		fmt.Fprintf(&uy, "%g,%g,%g\n", u, v, u*u-v+.1*rnd.NormFloat64())
	}
	write(t, "xu.csv", xu.String())
	write(t, "uy.csv", uy.String())
}

func TestFitByComponents(t *testing.T) {
	inFolder(t)
	apart(t)
	line := "fit --xu xu.csv --uy uy.csv -o m.mediant --features 16 "
	got := object(t, succeed(t, words(line+"--components --se --json")...))
	header := object(t, succeed(t, "inspect", "m.mediant", "--json"))
	for name, kept := range map[string]any{"fit": at(t, got, "components"), "inspect": at(t, header, "params", "components")} {
		if fmt.Sprint(kept) != "[1 1]" { // of 120 rows and correlations of 0.9
			t.Errorf("%s: components keep %v groups, want one each", name, kept)
		}
	}
	for _, v := range at(t, got, "search").([]any) {
		trial := v.(map[string]any)
		if stage := trial["stage"]; stage == "hyperparameters" && trial["components"] != true || stage != "hyperparameters" && !strings.Contains(trial["name"].(string), "additive") {
			t.Errorf("%v was tried", trial["name"])
		}
	}
	for _, command := range []string{line + "--components", "inspect m.mediant"} {
		if out := succeed(t, words(command)...); !strings.Contains(out, "by components: each of 2 parts of h(U) by itself, on those of 2 groups of columns of X that it depends on, 1\n") {
			t.Errorf("%s says %q", command, out)
		}
	}
	if header, _ := cells(t, succeed(t, "predict", "m.mediant", "xu.csv")); len(header) != 1 {
		t.Errorf("columns are %q", header)
	}
	got = object(t, succeed(t, words(line+"--components=false --json")...))
	for _, v := range at(t, got, "search").([]any) {
		if v.(map[string]any)["components"] == true {
			t.Errorf("%v was tried", v)
		}
	}
	got = object(t, succeed(t, words(line+"--components --phi additive:gaussian --psi additive:gaussian --bandwidth-x 2 --bandwidth-u 2 --method 2step --lambda 1e-4 --json")...))
	if fmt.Sprint(at(t, got, "components")) != "[1 1]" {
		t.Errorf("with all numbers given components keep %v", got["components"])
	}
	if r := invoke(words(line + "--components --phi gaussian --psi linear")...); r.status != statusUsage || !strings.Contains(r.stderr, "want additive") {
		t.Errorf("linear features: %+v", r)
	}
}
