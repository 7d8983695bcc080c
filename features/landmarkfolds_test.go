package features

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/fixture"
	"mediant/kernels"
	"mediant/tables"
)

// TestRowFolds: a row is found in its fold, equal rows in all of theirs, other rows nowhere, dense or sparse.
func TestRowFolds(t *testing.T) {
	values := []float64{0, 1, 2, 3, 1, 5}
	words := []string{"a b", "c", "d e f", "a", "c", "g"}
	for i := range 200 { // so that the words are free text
		values, words = append(values, 10+float64(i)), append(words, "word"+string(rune('A'+i%26))+string(rune('a'+i/26)))
	}
	src := fixture.Columns(t, tables.Numbers("x", values), tables.Strings("t", words))
	fold := func(row int) int { return row % 3 }
	for _, names := range [][]tables.Column{{{Name: "x"}}, {{Name: "x"}, {Name: "t", Kind: tables.Text}}} {
		e, err := FitEncoder(context.Background(), names, EncoderOptions{Text: TextOptions{Buckets: 512}}, src)
		if err != nil {
			t.Fatal(err)
		}
		all, _, err := e.EncodeAll(context.Background(), src, 1000)
		if err != nil {
			t.Fatal(err)
		}
		got, err := RowFolds(context.Background(), e, src, nil, PassOptions{Folds: 3, Fold: fold}, pickRows(all, []int{0, 1, 2, 3, 5}))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range [][]int{{0}, {1}, {2}, {0}, {2}} { // rows 1 and 4 are equal, and both in fold 1
			if !slices.Equal(got[i], want) {
				t.Errorf("%v: row %d is found in folds %v, want %v", names, i, got[i], want)
			}
		}
		other := fixture.Columns(t, tables.Numbers("x", []float64{2.5}), tables.Strings("t", []string{"z"}))
		rows, _, err := e.EncodeAll(context.Background(), other, 10)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := RowFolds(context.Background(), e, src, nil, PassOptions{Folds: 3}, rows); err != nil || got[0] != nil {
			t.Errorf("another row is found in %v, %v", got, err)
		}
	}
}

// TestRowFoldsNeedTheOtherSide: a row without Y is in no fold, since no sum has it.
func TestRowFoldsNeedTheOtherSide(t *testing.T) {
	src := fixture.Columns(t, tables.Numbers("u", []float64{1, 2, 1, 3}), tables.Numbers("y", []float64{0, 1, math.NaN(), math.NaN()}))
	ctx := context.Background()
	e, err := FitEncoder(ctx, []tables.Column{{Name: "u"}}, EncoderOptions{}, src)
	if err != nil {
		t.Fatal(err)
	}
	y, err := FitTargets(ctx, src, []string{"y"}, Regress)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := e.EncodeAll(ctx, src, 10)
	if err != nil {
		t.Fatal(err)
	}
	got, err := RowFolds(ctx, e, src, y, PassOptions{Folds: 2, Fold: func(row int) int { return row / 2 }}, rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]int{{0}, {0}, {0}, nil} {
		if !slices.Equal(got[i], want) {
			t.Errorf("row %d is found in folds %v, want %v", i, got[i], want)
		}
	}
}

// TestBesideIsWhatOtherLandmarksDoNotSpan: features less the directions of some landmarks have the inner products of the Nyström
// features of the other landmarks, and there are as many directions as landmarks.
func TestBesideIsWhatOtherLandmarksDoNotSpan(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	z, x := mat.NewDense(9, 2, nil), mat.NewDense(7, 2, nil)
	for _, m := range []*mat.Dense{z, x} {
		for i := range m.RawMatrix().Data {
			m.RawMatrix().Data[i] = rnd.NormFloat64()
		}
	}
	k, err := kernels.ByName("gaussian", 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewNystrom(k, z)
	if err != nil {
		t.Fatal(err)
	}
	kept := m.Landmarks().(*mat.Dense)
	for _, without := range [][]int{{0}, {3, 1}, {8, 2, 5, 0}} {
		var others []int
		for i := range 9 {
			if !slices.Contains(without, i) {
				others = append(others, i)
			}
		}
		fewer, err := NewNystrom(k, pickRows(kept, others))
		if err != nil {
			t.Fatal(err)
		}
		n := m.Beside(without)
		if r, c := n.Dims(); r != 9 || c != len(without) {
			t.Fatalf("%d×%d, want 9×%d", r, c, len(without))
		}
		var phi, want, along, back, gram, wantGram mat.Dense
		m.MapTo(&phi, x)
		along.Mul(&phi, n)
		back.Mul(&along, n.T())
		phi.Sub(&phi, &back)
		gram.Mul(&phi, phi.T())
		fewer.MapTo(&want, x)
		wantGram.Mul(&want, want.T())
		gram.Sub(&gram, &wantGram)
		if d := mat.Norm(&gram, 2); d > 1e-9 { // the Gram matrix of 9 landmarks has a condition below 1e6
			t.Errorf("without %v inner products are off by %g", without, d)
		}
	}
}
