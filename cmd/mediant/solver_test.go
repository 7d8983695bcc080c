package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// solverTables are tables of Y = U² with U = sin X + noise.
func solverTables(t *testing.T, rows int) {
	t.Helper()
	inFolder(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	var xu, uy strings.Builder
	xu.WriteString("x,u\n")
	uy.WriteString("u,y\n")
	for range rows {
		x, u := rnd.NormFloat64(), rnd.NormFloat64()
		fmt.Fprintf(&xu, "%g,%g\n", x, math.Sin(x)+.3*rnd.NormFloat64())
		fmt.Fprintf(&uy, "%g,%g\n", u, 100+u*u+.1*rnd.NormFloat64())
	}
	write(t, "xu.csv", xu.String())
	write(t, "uy.csv", uy.String())
}

const solved = "fit --xu xu.csv --uy uy.csv --no-diagnosis --phi gaussian --psi gaussian --bandwidth-x 1 --bandwidth-u 1 --method 2step --precision=false --lambda 1e-4 "

// TestFitBySolver: conjugate gradients give the predictions and the risk of the closed form, and say how they got there.
func TestFitBySolver(t *testing.T) {
	solverTables(t, 400)
	predictions := func(model string) (f []float64) {
		for _, cell := range strings.Fields(succeed(t, "predict", model, "xu.csv", "--quiet"))[1:] {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			f = append(f, v)
		}
		return f
	}
	risk := make(map[string]float64)
	for _, solver := range []string{"closed", "cg"} {
		out := object(t, succeed(t, words(solved+"--features 100 --json -o "+solver+".mediant --solver "+solver)...))
		risk[solver] = at(t, out, "risk", "mse").(float64)
		if _, there := out["iterations"]; there != (solver == "cg") {
			t.Errorf("--solver %s: iterations in the JSON: %v", solver, there)
		}
		if solver == "cg" && at(t, out, "iterations", "f", "converged") != true {
			t.Errorf("iterations are %v", out["iterations"])
		}
	}
	want, got := predictions("closed.mediant"), predictions("cg.mediant")
	for i, v := range want {
		if math.Abs(v-got[i]) > 1e-6 {
			t.Fatalf("prediction %d is %g, want %g", i, got[i], v)
		}
	}
	if d := math.Abs(risk["cg"] - risk["closed"]); d > 1e-5*risk["closed"] {
		t.Errorf("risks are %v", risk)
	}
	if out := succeed(t, "inspect", "cg.mediant"); !strings.Contains(out, "iterations of conjugate gradients, converged: predictions within") {
		t.Errorf("inspect says nothing of iterations: %s", out)
	}
}

// TestFitByMemory: where the closed form does not fit into --memory, and --features is set, conjugate gradients take its place and say so; --solver closed refuses, and so does auto for what they cannot do.
func TestFitByMemory(t *testing.T) {
	solverTables(t, 300)
	const small = "--features 2000 --memory 100MB --quiet -o m.mediant "
	out := object(t, succeed(t, words(solved+small+"--json")...))
	if notes := fmt.Sprint(out["notes"]); !strings.Contains(notes, "solved by conjugate gradients: the closed form would need") {
		t.Errorf("notes %s", notes)
	}
	if at(t, out, "iterations", "h", "converged") != true {
		t.Errorf("iterations are %v", out["iterations"])
	}
	dry := object(t, succeed(t, words(solved+small+"--json --dry-run")...))
	if bytes := at(t, dry, "memory", "bytes").(float64); bytes > 100e6 {
		t.Errorf("a dry run says %g bytes, above the limit that the fit keeps", bytes)
	}
	if features := fmt.Sprint(at(t, dry, "features", "final")); features != "[2000 2000]" {
		t.Errorf("a dry run says %s features", features)
	}
	for _, more := range []string{"--solver closed", "--se"} {
		if got := invoke(words(solved + small + more)...); got.status == statusDone || !strings.Contains(got.stderr, "above the limit") {
			t.Errorf("%s: %+v, want a refusal for lack of memory", more, got)
		}
	}
	if got := invoke(words(solved + "--features 2000 --memory 37MB --quiet -o m.mediant")...); got.status == statusDone || !strings.Contains(got.stderr, "above the limit") {
		t.Errorf("37 MB: %+v, want a refusal for lack of memory", got)
	}
}

// TestSolverRefuses: flags that mean nothing for conjugate gradients are named.
func TestSolverRefuses(t *testing.T) {
	solverTables(t, 30)
	const begin = "fit --xu xu.csv --uy uy.csv -o m.mediant --solver cg "
	for _, flags := range []string{"--method joint", "--method naive", "--w 0.5", "--loss poisson", "--se", "--shift", "--precision", "--components", "--distribution", "--phi metric:gaussian", "--psi metric:gaussian"} {
		name, _, _ := strings.Cut(flags, " ")
		if got := invoke(words(begin + flags)...); got.status != statusUsage || !strings.Contains(got.stderr, name) || !strings.Contains(got.stderr, "--solver cg") {
			t.Errorf("%s: %+v", flags, got)
		}
	}
	if got := invoke(words("fit --xu xu.csv --uy uy.csv -o m.mediant --solver fast")...); got.status != statusUsage || !strings.Contains(got.stderr, "want auto, closed or cg") {
		t.Errorf("--solver fast: %+v", got)
	}
}
