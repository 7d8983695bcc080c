package problem

import (
	"context"
	"math"
	"slices"
	"testing"

	"mediant/encode"
	"mediant/internal/fixture"
	"mediant/internal/rowops"
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
		e, err := encode.FitEncoder(context.Background(), names, encode.EncoderOptions{Text: encode.TextOptions{Buckets: 512}}, src)
		if err != nil {
			t.Fatal(err)
		}
		all, _, err := e.EncodeAll(context.Background(), src, 1000)
		if err != nil {
			t.Fatal(err)
		}
		got, err := rowFolds(context.Background(), e, src, nil, PassOptions{Folds: 3, Fold: fold}, rowops.Pick(all, []int{0, 1, 2, 3, 5}))
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
		if got, err := rowFolds(context.Background(), e, src, nil, PassOptions{Folds: 3}, rows); err != nil || got[0] != nil {
			t.Errorf("another row is found in %v, %v", got, err)
		}
	}
}

// TestRowFoldsNeedTheOtherSide: a row without Y is in no fold, since no sum has it.
func TestRowFoldsNeedTheOtherSide(t *testing.T) {
	src := fixture.Columns(t, tables.Numbers("u", []float64{1, 2, 1, 3}), tables.Numbers("y", []float64{0, 1, math.NaN(), math.NaN()}))
	ctx := context.Background()
	e, err := encode.FitEncoder(ctx, []tables.Column{{Name: "u"}}, encode.EncoderOptions{}, src)
	if err != nil {
		t.Fatal(err)
	}
	y, err := encode.FitTargets(ctx, src, []string{"y"}, encode.Regress)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := e.EncodeAll(ctx, src, 10)
	if err != nil {
		t.Fatal(err)
	}
	got, err := rowFolds(ctx, e, src, y, PassOptions{Folds: 2, Fold: func(row int) int { return row / 2 }}, rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]int{{0}, {0}, {0}, nil} {
		if !slices.Equal(got[i], want) {
			t.Errorf("row %d is found in folds %v, want %v", i, got[i], want)
		}
	}
}
