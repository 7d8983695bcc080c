package features

import (
	"context"
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/tables"
)

// TestMomentsOfLabels compares the moments of labels over several batches, the last one short, with
// means and covariances from the numbers of rows of each class: x is 1 where the class is the first.
func TestMomentsOfLabels(t *testing.T) {
	const n = 2500
	labels, x := make([]string, n), make([]float64, n)
	counts := make(map[string]float64)
	for i := range n {
		labels[i] = []string{"a", "b", "c"}[(i*i+i/7)%3]
		counts[labels[i]]++
		if labels[i] == "a" {
			x[i] = 1
		}
	}
	src := columns(t, tables.Numbers("x", x), tables.Strings("y", labels))
	y, err := FitTargets(context.Background(), src, []string{"y"}, AutoTask)
	if err != nil {
		t.Fatal(err)
	}
	e, err := FitEncoder(context.Background(), src.Columns()[:1], EncoderOptions{NoStandardize: true}, src)
	if err != nil {
		t.Fatal(err)
	}
	folds, dropped, err := Accumulate(context.Background(), src, e, y, PassOptions{Folds: 1})
	if err != nil || dropped != 0 {
		t.Fatalf("%d dropped, %v", dropped, err)
	}
	var cross mat.Dense
	folds[0].CrossTo(&cross, true)
	share := counts["a"] / n
	for j, class := range y.Classes() {
		want := counts[class] / n
		if got := folds[0].MeanB()[j]; math.Abs(got-want) > 1e-13 { // 2,500 additions of 0 and 1
			t.Errorf("class %s has share %g, want %g", class, got, want)
		}
		cov := -share * want
		if class == "a" {
			cov += want
		}
		if got := cross.At(0, j); math.Abs(got-cov) > 1e-13 {
			t.Errorf("class %s has covariance %g, want %g", class, got, cov)
		}
	}
}

func TestClassesMustRepeat(t *testing.T) {
	labels := func(classes, rows int) []string {
		out := make([]string, rows)
		for i := range out {
			out[i] = strconv.Itoa(i%classes) + ".5"
		}
		return append(out, "", "") // rows without a label do not count
	}
	for _, c := range []struct {
		classes, rows int
		refused       bool
	}{
		{100, 100, false}, // every row its own, but few
		{101, 101, true},
		{101, 201, true},
		{101, 202, false},
	} {
		_, err := FitTargets(context.Background(), columns(t, tables.Strings("price", labels(c.classes, c.rows))), []string{"price"}, Classify)
		refused := err != nil && strings.Contains(err.Error(), `"price" of Y is free text or a number, not a class: 101 different`)
		if refused != c.refused || err != nil && !refused {
			t.Errorf("%d classes in %d rows: error %v", c.classes, c.rows, err)
		}
	}
}

func TestClassIsThatOfTheOutput(t *testing.T) {
	y, err := FitTargets(context.Background(), columns(t, tables.Strings("y", []string{"10", "9"})), []string{"y"}, AutoTask)
	if err != nil {
		t.Fatal(err)
	}
	if y.Class(0) != "9" || y.Class(1) != "10" {
		t.Errorf("classes %q and %q", y.Class(0), y.Class(1))
	}
}
