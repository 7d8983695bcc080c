package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
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
	xu := table("x,u,w", 60, func(i int) []any { x := float64(i) / 10; return []any{x, math.Round(1e4*math.Sin(x)) / 1e4, 1} })
	uy := table("u,y,v", 41, func(i int) []any { u := float64(i)/20 - 1; return []any{u, 2*u + float64(i*i%7)/50, 1} })
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
