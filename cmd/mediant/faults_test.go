package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestManySparseRows: tables in the format of libsvm with more rows than a diagnosis looks at are fitted and diagnosed.
func TestManySparseRows(t *testing.T) {
	inFolder(t)
	const rows = 10_050
	lines := func(label func(i int) float64, power float64) string {
		var b strings.Builder
		for i := range rows {
			fmt.Fprintf(&b, "%.4g %d:%.3f %d:%.3f\n", label(i), 1+i%4, math.Pow(float64(i%10)/10, power), 6+i%5, math.Pow(float64(i%7)/7, power))
		}
		return b.String()
	}
	none := func(int) float64 { return 0 }
	write(t, "x.svm", lines(none, 1))
	write(t, "u.svm", lines(none, 2))
	if err := os.Mkdir("y", 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, "y/u.svm", lines(func(i int) float64 { return float64(i%10) / 10 }, 2))
	out := succeed(t, words("fit --xu x.svm,u.svm --uy y/u.svm --phi linear --psi linear --lambda 1e-3 --method 2step -o m.mediant")...)
	if !strings.Contains(out, "explains") {
		t.Errorf("no diagnosis:\n%s", out)
	}
}

// TestRowsOfNoWeight: far rows of weight 0 change neither predictions nor what is said (scikit-learn/scikit-learn#17444,
// #16298), whatever the features and the method.
func TestRowsOfNoWeight(t *testing.T) {
	inFolder(t)
	xu := table("x,u,w", 60, func(i int) []any {
		x := float64(i)/10 + float64(i*i%7)/97
		return []any{x, math.Round(1e4*math.Sin(x)) / 1e4, 1}
	})
	uy := table("u,y,v", 41, func(i int) []any { u := float64(i)/20 - 1; return []any{u, 2*u + float64(i*i%7)/10, 1} })
	write(t, "xu.csv", xu)
	write(t, "uy.csv", uy)
	write(t, "xu0.csv", xu+"1e6,-5e5,0\n3e5,0,0\n-1,1e9,0\n")
	write(t, "uy0.csv", uy+"7e5,-9e5,0\n-8e5,1e9,0\n")
	write(t, "q.csv", table("x", 10, func(i int) []any { return []any{float64(i) / 2} }))
	for _, how := range []string{
		"--method 2step --phi linear --psi linear --lambda 1e-3", "--method joint --features 32", "--phi nystrom:gaussian --psi additive:gaussian --features 24 --lambda 1e-4",
		"--method naive --features 16", "--method cme --features 16", "--shift --precision --features 16 --method 2step --lambda 1e-4", "",
	} {
		var predicted, said [2]string
		for i, zeros := range []string{"", "0"} {
			fit := words("fit --xu xu" + zeros + ".csv --uy uy" + zeros + ".csv --weights-xu w --weights-uy v -o m.mediant " + how)
			said[i], _, _ = strings.Cut(succeed(t, fit...), "written to")
			predicted[i] = succeed(t, "predict", "m.mediant", "q.csv")
		}
		if predicted[0] != predicted[1] || said[0] != said[1] {
			t.Errorf("%q: with rows of weight 0\n%s\nand without them\n%s", how, said[1], said[0])
		}
	}
}

// TestOutputsOfTwoScales: beside an unrelated column of large numbers y is predicted about as well as alone.
func TestOutputsOfTwoScales(t *testing.T) {
	inFolder(t)
	noise := func(i int) float64 { return math.Mod(math.Abs(math.Sin(float64(i)*12.9898)*43758.5453), 1) - .5 }
	at := func(i int) float64 { return 2*math.Mod(float64(i)*.618034, 1) - 1 }
	write(t, "xu.csv", table("x,u", 500, func(i int) []any { return []any{at(i), at(i) + .8*noise(i)} }))
	h := func(u float64) float64 { return u*u + u }
	alone := func(i int) []any { u := 1.4 * at(i+3); return []any{u, h(u) + .3*noise(i+1000)} }
	write(t, "uy.csv", table("u,y", 500, alone))
	write(t, "two.csv", table("u,y,wealth", 500, func(i int) []any { return append(alone(i), 1e6*noise(i+5000)) }))
	write(t, "x.csv", table("x", 200, func(i int) []any { return []any{2*float64(i)/199 - 1} }))
	var mse []float64
	for _, uy := range []string{"uy.csv", "two.csv"} {
		succeed(t, words("fit --xu xu.csv --uy "+uy+" -o m.mediant --no-risk --features 64 --quiet")...)
		_, rows := cells(t, succeed(t, "predict", "m.mediant", "x.csv"))
		sum := 0.0
		for i, row := range rows {
			x := 2*float64(i)/199 - 1
			truth := h(x) + .64/12 // E[h(U)|X=x], noise being uniform of width 0.8
			sum += math.Pow(number(t, row[0])-truth, 2) / 200
		}
		mse = append(mse, sum)
	}
	// The variance of the truth is 0.42; the fit alone errs by some 1e-3.
	if mse[1] > 2*mse[0]+1e-3 {
		t.Errorf("mean squared error %g beside the column, %g alone", mse[1], mse[0])
	}
}

// TestNoCommonLevel: where U has other levels in each table nothing can be learned of Y given X, and no error is claimed
// (JuliaEarth/GeoStats.jl#192). Five ways for U to be somewhere else.
func TestNoCommonLevel(t *testing.T) {
	inFolder(t)
	levels := func(of string) func(i int) []any {
		return func(i int) []any { return []any{string(of[i%3])} }
	}
	for name, c := range map[string]struct {
		xu, uy func(i int) []any
		u      string
	}{
		"levels":                           {levels("abc"), levels("xyz"), "u"},
		"levels and their case":            {levels("abc"), levels("ABC"), "u"},
		"numbers":                          {func(i int) []any { return []any{float64(i % 3)} }, func(i int) []any { return []any{100 + float64(i%3)} }, "u"},
		"two columns of levels":            {func(i int) []any { return []any{string("ab"[i%2]), string("cd"[i/2%2])} }, func(i int) []any { return []any{string("xy"[i%2]), string("zw"[i%3%2])} }, "u,v"},
		"a level for a number that is one": {func(i int) []any { return []any{fmt.Sprint("only", i%2)} }, func(i int) []any { return []any{fmt.Sprint("other", i%4)} }, "u"},
	} {
		write(t, "xu.csv", table("x,"+c.u, 30, func(i int) []any { return append([]any{i % 7}, c.xu(i)...) }))
		write(t, "uy.csv", table(c.u+",y", 30, func(i int) []any { return append(c.uy(i), i%3) }))
		got := object(t, succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant --json --quiet --accept level-spelling --accept levels-disjoint --accept no-overlap --accept unit-differs")...))
		for _, key := range []string{"risk", "bracket", "accuracy"} {
			if v, ok := got[key]; ok && v != nil {
				t.Errorf("%s: %s is %v of a Y of which nothing is known", name, key, v)
			}
		}
		if got := fmt.Sprint(got["warnings"], at(t, got, "rows", "no_overlap")); !strings.Contains(got, "no risk: ") || !strings.Contains(got, `"u" is `) || !strings.HasSuffix(got, " 30") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestModelBeforeItsRisk: the model is there before its risk is known, so that whatever ends the command then does not cost it.
func TestModelBeforeItsRisk(t *testing.T) {
	inFolder(t)
	at := func(i int) float64 { return math.Mod(float64(i)*.618034, 1) }
	write(t, "xu.csv", table("x,u", 4000, func(i int) []any { return []any{at(i), at(i) * at(i+7)} }))
	write(t, "uy.csv", table("u,y", 4000, func(i int) []any { return []any{at(i + 3), math.Sin(9*at(i+3)) + at(i*7)} }))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stdout, stderr bytes.Buffer
	ended := make(chan int)
	go func() {
		ended <- run(ctx, words("fit --xu xu.csv --uy uy.csv -o m.mediant --method 2step --phi gaussian --psi gaussian --bandwidth-x 1 --bandwidth-u 1 --lambda 1e-6 --features 700"), &stdout, &stderr)
	}()
	for _, err := os.Stat("m.mediant"); err != nil; _, err = os.Stat("m.mediant") {
		select {
		case status := <-ended:
			t.Fatalf("status %d without a model: %s", status, stderr.String())
		default:
			time.Sleep(time.Millisecond)
		}
	}
	cancel()
	if status := <-ended; status == statusDone {
		t.Fatal("the risk took no time: a larger fit is needed")
	}
	if got := files(t); !slices.Equal(got, []string{"m.mediant", "uy.csv", "xu.csv"}) {
		t.Errorf("left %q", got)
	}
	write(t, "x.csv", "x\n0.2\n0.7\n")
	if got := numbers(t, succeed(t, "predict", "m.mediant", "x.csv")); len(got) != 2 {
		t.Errorf("predictions %v", got)
	}
	if text := succeed(t, "inspect", "m.mediant"); strings.Contains(text, "risk") {
		t.Errorf("a risk that was not finished:\n%s", text)
	}
}
