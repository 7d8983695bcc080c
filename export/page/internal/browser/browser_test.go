package browser

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"mediant"
	"mediant/features"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// TestPredict: predictions are in the order of the rows, dates are read as in training, and rows unlike those of training are warned of or refused.
func TestPredict(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 2000)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	xu, err := tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", x))
	must(t, err)
	uy, err := tables.FromColumns(tables.Numbers("u", x), tables.Numbers("y", x))
	must(t, err)
	linear := features.Spec{Kind: features.LinearFeatures}
	fitted, err := rr.Fit(ctx, problem.Setup{Phi: linear, Psi: linear}, rr.TwoStep{LambdaF: rr.Value(0), LambdaH: rr.Value(0)}, xu, uy)
	must(t, err)
	var file bytes.Buffer
	must(t, (&mediant.Model{Model: fitted, Reading: tables.Reading{NA: []string{"none"}, Aliases: map[string]string{"ex": "x"}}}).Save(&file))
	m, err := Load(file.Bytes())
	must(t, err)

	out, warnings, err := Predict(ctx, m, "new.csv", []byte("other;ex\n1;0.5\n2;none\n3;0.25\n"))
	must(t, err)
	if want := fmt.Sprintf("y\n0.5\n%g\n0.25\n", stat.Mean(x, nil)); !near(string(out), want) {
		t.Errorf("predictions %q, want %q", out, want)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], `column "x": 1 missing, none in training`) {
		t.Errorf("warnings %q", warnings)
	}
	for table, want := range map[string]string{
		"":              "new.csv",
		"z\n1\n":        `"x"`,
		"x\n1\nseven\n": "seven",
	} {
		if out, _, err := Predict(ctx, m, "new.csv", []byte(table)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %q and the error %v, want %s in it", table, out, err, want)
		}
	}
	other := "x\n"
	for range 2000 {
		other += fmt.Sprintln(r.NormFloat64() / 100)
	}
	if out, _, err := Predict(ctx, m, "new.csv", []byte(other)); err == nil || !strings.HasPrefix(err.Error(), "new.csv: ") {
		t.Errorf("a column in another unit gives %.40q and the error %v", out, err)
	}
	if _, err := Load(file.Bytes()[:100]); err == nil {
		t.Error("a part of a model is read")
	}
}

// near compares columns of numbers, but for rounding.
func near(got, want string) bool {
	a, b := strings.Fields(got), strings.Fields(want)
	return slices.EqualFunc(a, b, func(x, y string) bool {
		v, errV := strconv.ParseFloat(x, 64)
		w, errW := strconv.ParseFloat(y, 64)
		return errV == nil && errW == nil && math.Abs(v-w) < 1e-12 || x == y
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
