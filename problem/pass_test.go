package problem

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/moments"
	"mediant/tables"
)

// passTable draws n rows of x, y (some missing) and whole weights w, some 0.
func passTable(t testing.TB, n int) (src tables.Source, x, y, w []float64) {
	rnd := rand.New(rand.NewPCG(uint64(n), 1))
	x, y, w = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i], w[i] = rnd.NormFloat64(), rnd.NormFloat64(), float64(rnd.IntN(4))
		if i%7 == 3 {
			y[i] = math.NaN()
		}
	}
	return fixture.Columns(t, tables.Numbers("x", x), tables.Numbers("y", y), tables.Numbers("w", w)), x, y, w
}

// sides are the encoded x and the target y of a passTable, both as they are.
func sides(t testing.TB, src tables.Source) (*encode.Encoder, *encode.Targets) {
	t.Helper()
	e, err := encode.FitEncoder(context.Background(), []tables.Column{{Name: "x"}}, encode.EncoderOptions{NoStandardize: true}, src)
	if err != nil {
		t.Fatal(err)
	}
	y, err := encode.FitTargets(context.Background(), src, []string{"y"}, encode.AutoTask)
	if err != nil {
		t.Fatal(err)
	}
	return e, y
}

func TestAccumulateIsAddOfTheCompleteRows(t *testing.T) {
	const n = 2500 // two whole blocks and a part
	src, x, y, w := passTable(t, n)
	e, targets := sides(t, src)
	for _, weights := range []string{"", "w"} {
		folds, dropped, err := Accumulate(context.Background(), fixture.Weigh(t, src, weights), e, targets, PassOptions{Folds: 1})
		if err != nil {
			t.Fatal(err)
		}
		var cx, cy, cw []float64
		missing := 0.0
		for i := range n {
			v := 1.0
			if weights != "" {
				v = w[i]
			}
			switch {
			case math.IsNaN(y[i]):
				missing += v
			case v > 0:
				cx, cy, cw = append(cx, x[i]), append(cy, y[i]), append(cw, v)
			}
		}
		want := moments.NewCoMoments(e.ID(), targets.ID())
		want.Add(mat.NewDense(len(cx), 1, cx), mat.NewDense(len(cy), 1, cy), cw)
		if float64(dropped) != missing || folds[0].Rows() != len(cx) {
			t.Errorf("%d rows and %d dropped, want %d and %g", folds[0].Rows(), dropped, len(cx), missing)
		}
		var got, all mat.Dense
		folds[0].CrossTo(&got, true)
		want.CrossTo(&all, true)
		if d := math.Abs(got.At(0, 0) - all.At(0, 0)); d > 1e-14 { // 2,500 products of size 1/2,500
			t.Errorf("weights %q: moments differ by %g", weights, d)
		}
		if got, want := folds[0].Weight(), want.Weight(); math.Abs(got-want) > 1e-12*want {
			t.Errorf("weight %g, want %g", got, want)
		}
	}
}

func TestMatricesAreTheRowsOfAccumulate(t *testing.T) {
	table, _, _, _ := passTable(t, 1500)
	e, targets := sides(t, table)
	src := fixture.Weigh(t, table, "w")
	a, b, w, dropped, err := Matrices(context.Background(), src, e, targets, PassOptions{})
	if err != nil {
		t.Fatal(err)
	}
	folds, droppedToo, err := Accumulate(context.Background(), src, e, targets, PassOptions{Folds: 1})
	if err != nil {
		t.Fatal(err)
	}
	pair, err := AccumulateRows(context.Background(), features.NewLinear(1), a, b, w)
	if err != nil {
		t.Fatal(err)
	}
	var got, want mat.Dense
	pair.CrossTo(&got, false)
	folds[0].CrossTo(&want, false)
	if d := math.Abs(got.At(0, 0) - want.At(0, 0)); d > 1e-14 || dropped != droppedToo {
		t.Errorf("moments differ by %g, dropped %d and %d", d, dropped, droppedToo)
	}
}

func TestFoldsArePermutationsOfRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		folds, n := rapid.IntRange(1, 12).Draw(t, "folds"), rapid.IntRange(1, 60).Draw(t, "n")
		f := foldAssigner{folds: folds, seed: rapid.Uint64().Draw(t, "seed")}
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		whole := f.split(tables.Batch{}, all)
		count := make([]int, folds)
		for fold, rows := range whole {
			count[fold] = len(rows)
			for _, i := range rows {
				// Batches begin anywhere: the fold of a row is a matter of its number alone.
				g := foldAssigner{folds: folds, seed: f.seed}
				if alone := g.split(tables.Batch{Start: i}, []int{0}); len(alone[fold]) != 1 {
					t.Fatalf("row %d is in fold %d in company, not alone", i, fold)
				}
			}
		}
		if slices.Max(count)-slices.Min(count) > 1 {
			t.Errorf("folds of %v rows", count)
		}
	})
}

func TestFoldsPartitionThePass(t *testing.T) {
	src, _, _, _ := passTable(t, 1100)
	e, targets := sides(t, src)
	folds, _, err := Accumulate(context.Background(), src, e, targets, PassOptions{Folds: 3, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	whole, _, err := Accumulate(context.Background(), src, e, targets, PassOptions{Folds: 1})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := moments.Sum(folds...)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Rows() != whole[0].Rows() || math.Abs(sum.MeanB()[0]-whole[0].MeanB()[0]) > 1e-14 {
		t.Errorf("%d rows of mean %g, want %d of %g", sum.Rows(), sum.MeanB()[0], whole[0].Rows(), whole[0].MeanB()[0])
	}
}

func TestAccumulateRefuses(t *testing.T) {
	src := fixture.Columns(t, tables.Numbers("x", []float64{1, 2}), tables.Numbers("y", []float64{1, 2}))
	e, targets := sides(t, src)
	other := fixture.Columns(t, tables.Numbers("x", []float64{1}))
	if _, _, err := Accumulate(context.Background(), other, e, targets, PassOptions{Folds: 1}); err == nil || !strings.Contains(err.Error(), "y") {
		t.Errorf("a table without y: %v", err)
	}
	empty := fixture.Columns(t, tables.Numbers("x", []float64{1}), tables.Numbers("y", []float64{math.NaN()}))
	if _, _, _, _, err := Matrices(context.Background(), empty, e, targets, PassOptions{}); err == nil {
		t.Error("matrices of no complete row")
	}
}

func TestSidesHaveIdentities(t *testing.T) {
	src, _, _, _ := passTable(t, 20)
	e, targets := sides(t, src)
	standard, err := encode.FitEncoder(context.Background(), []tables.Column{{Name: "x"}}, encode.EncoderOptions{}, src)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[moments.ID]string)
	for name, side := range map[string]encode.Side{
		"x": e, "standardised x": standard, "y": targets,
		"linear": features.Mapped{Encoder: e, Map: features.NewLinear(1)}, "bias": features.Mapped{Encoder: e, Map: features.NewBias(1)}, "linear of standardised": features.Mapped{Encoder: standard, Map: features.NewLinear(1)},
	} {
		if other, ok := seen[side.ID()]; ok {
			t.Errorf("%s and %s have the same identity", name, other)
		}
		seen[side.ID()] = name
	}
}

func TestSampleRows(t *testing.T) {
	x := mat.NewDense(50, 1, nil)
	for i := range 50 {
		x.Set(i, 0, float64(i))
	}
	if SampleRows(x, nil, 50, 1, "p") != x {
		t.Error("a sample of all rows is a copy")
	}
	weights := make([]float64, 50)
	weights[7], weights[8] = 3, 2
	if all := SampleRows(x, weights, 50, 1, "p").RawMatrix().Data; !slices.Equal(all, []float64{7, 7, 7, 8, 8}) {
		t.Errorf("rows of weights 3 and 2 are %v", all)
	}
	s := SampleRows(x, nil, 10, 1, "p").RawMatrix().Data
	if !slices.IsSorted(s) || len(slices.Compact(slices.Clone(s))) != 10 {
		t.Errorf("sample %v", s)
	}
}

// TestSquares: the squares of the outputs, under another identity, the same rows left out.
func TestSquares(t *testing.T) {
	src, _, y, _ := passTable(t, 40)
	e, targets := sides(t, src)
	squares := encode.Squares{Of: targets}
	if squares.ID() == targets.ID() {
		t.Error("squares have the identity of the outputs")
	}
	_, b, _, dropped, err := Matrices(context.Background(), src, e, squares, PassOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for _, v := range y {
		if !math.IsNaN(v) {
			want = append(want, v*v)
		}
	}
	if !slices.Equal(b.RawMatrix().Data, want) || dropped != len(y)-len(want) {
		t.Errorf("squares are %v, %d dropped, want %v", b.RawMatrix().Data, dropped, want)
	}
}

// TestKeep: the rows of some folds are those of a pass over all.
func TestKeep(t *testing.T) {
	src, _, _, _ := passTable(t, 2500)
	e, targets := sides(t, src)
	all, _, err := Accumulate(context.Background(), src, e, targets, PassOptions{Folds: 3, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	some, _, err := Accumulate(context.Background(), src, e, targets, PassOptions{Folds: 3, Seed: 5, Keep: func(fold int) bool { return fold != 1 }})
	if err != nil {
		t.Fatal(err)
	}
	for f := range all {
		if want := all[f].Weight(); f == 1 && some[f].Rows() != 0 || f != 1 && (some[f].Weight() != want || some[f].MeanA()[0] != all[f].MeanA()[0]) {
			t.Errorf("fold %d has %d rows", f, some[f].Rows())
		}
	}
}

// TestPassRefusesRowsThatAMapCannotTake, by batch and row, on either side.
func TestPassRefusesRowsThatAMapCannotTake(t *testing.T) {
	const n = 1100 // a batch of 1,024 rows and a part
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = float64(i%5), float64(i)
	}
	x[1030] = -2
	src := fixture.Columns(t, tables.Numbers("x", x), tables.Numbers("y", y))
	e, targets := sides(t, src)
	m, err := features.NewChiSquared(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	const want = `row 1031: column "x" is -2 once encoded; chi2: want no negative entry`
	for _, s := range [][2]encode.Side{{features.Mapped{Encoder: e, Map: m}, targets}, {targets, features.Mapped{Encoder: e, Map: m}}} {
		_, _, err := Accumulate(context.Background(), src, s[0], s[1], PassOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

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
	src := fixture.Columns(t, tables.Numbers("x", x), tables.Strings("y", labels))
	y, err := encode.FitTargets(context.Background(), src, []string{"y"}, encode.AutoTask)
	if err != nil {
		t.Fatal(err)
	}
	e, err := encode.FitEncoder(context.Background(), src.Columns()[:1], encode.EncoderOptions{NoStandardize: true}, src)
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
