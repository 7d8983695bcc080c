package main

import (
	"math"
	"strings"
	"testing"
)

// TestEvaluateNumbers checks mse, rmse and r2 with their formulas, over two outputs.
func TestEvaluateNumbers(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", "x,u\n1,1\n2,2\n3,3\n")
	write(t, "uy.csv", "u,y,z\n1,1,2\n2,2,4\n3,3,6\n")
	fitLinear(t, "--lambda", "0") // f(x) = (x, 2x)
	write(t, "xy.csv", "z,y,x,id\n2,1,1,a\n4,4,2,b\n5,3,3,c\n,3,3,d\n6,NA,3,e\n")
	got := object(t, succeed(t, words("evaluate m.mediant --xy xy.csv --json")...))
	// Errors are 0, 0; 2, 0; 0, 1 in y, z: SSE = 4 + 1. SST: y = 1, 4, 3 and z = 2, 4, 5 have 14/3 each.
	mse := 5. / 3
	for key, want := range map[string]float64{"rows": 3, "mse": mse, "rmse": math.Sqrt(mse), "r2": 1 - 5/(28./3), "dropped": 2} {
		v, ok := at(t, got, key).(float64)
		if !ok || math.Abs(v-want) > 1e-12 {
			t.Errorf("%s is %v, want %g", key, got[key], want)
		}
	}
	if _, has := got["accuracy"]; has {
		t.Error("numbers have an accuracy")
	}
	out := succeed(t, words("evaluate m.mediant --xy xy.csv")...)
	for _, line := range []string{"rows      3\n", "MSE       1.667, standard error 1.202\n", "RMSE      1.291\n", "R²        0.4643\n", "left out  2 rows without all columns of Y\n"} {
		if !strings.Contains(out, line) {
			t.Errorf("evaluate prints %q, want %q in it", out, line)
		}
	}
	write(t, "one.csv", "z,y,x\n2,1,1\n")
	if r2 := at(t, object(t, succeed(t, words("evaluate m.mediant --xy one.csv --json")...)), "r2"); r2 != nil {
		t.Errorf("r2 of a constant Y is %v, want null", r2)
	}
	withStdin(t, "xy.csv", func() {
		if again := succeed(t, words("evaluate m.mediant --xy -")...); again != out {
			t.Errorf("from standard input: %q", again)
		}
	})
}

// TestEvaluateLabels: accuracy counts rows with a label, one that training did not have as missed.
func TestEvaluateLabels(t *testing.T) {
	inFolder(t)
	labels(t)
	fitLinear(t)
	write(t, "xy.csv", "colour,size,mood\nred,1,sad\nblue,1,glad\ngreen,1,glad\nred,3,furious\nred,3,\n")
	warned := func(args ...string) string {
		t.Helper()
		got := invoke(append(words("evaluate m.mediant --xy xy.csv"), args...)...)
		if got.status != statusDone || got.stderr != "warning: 1 of 4 rows with a label has one that no class has: \"furious\" (1); they count as missed\n" {
			t.Fatalf("%+v", got)
		}
		return got.stdout
	}
	got := object(t, warned("--json"))
	if at(t, got, "accuracy") != .5 || at(t, got, "rows") != 4. || at(t, got, "dropped") != 1. {
		t.Errorf("got %v, want accuracy 0.5 of 4 rows, 1 dropped", got)
	}
	isNumber(t, got, 0, "mse")
	if out := warned(); !strings.Contains(out, "accuracy  0.5\n") {
		t.Errorf("evaluate prints %q", out)
	}
}
