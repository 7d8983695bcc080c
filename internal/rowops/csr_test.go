package rowops_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/internal/fixture"
	"mediant/internal/rowops"
)

func TestCSR(t *testing.T) {
	c := fixture.Must[*rowops.CSR](t)(rowops.NewCSR(3, 4, []int{0, 2, 2, 3}, []int{1, 3, 0}, []float64{5, 7, 9}))
	want := mat.NewDense(3, 4, []float64{0, 5, 0, 7, 0, 0, 0, 0, 9, 0, 0, 0})
	if !mat.Equal(c, want) || !mat.Equal(c.T(), want.T()) {
		t.Errorf("got %v, want %v", mat.Formatted(c), mat.Formatted(want))
	}
	var seen []float64
	c.DoRowNonZero(0, func(i, j int, v float64) { seen = append(seen, float64(i), float64(j), v) })
	if len(seen) != 6 || seen[1] != 1 || seen[2] != 5 || seen[4] != 3 || seen[5] != 7 {
		t.Errorf("row 0 has (row, column, value) %v", seen)
	}
	for _, call := range []func(){
		func() { c.At(3, 0) }, func() { c.At(0, -1) }, func() { c.DoRowNonZero(3, nil) },
	} {
		fixture.MustPanic(t, call)
	}
}

func TestCSROfIsItsMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, c := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "columns")
		entry := rapid.SampledFrom([]float64{0, 0, 1, -2.5, 1e300})
		x := mat.NewDense(r, c, rapid.SliceOfN(entry, r*c, r*c).Draw(t, "x"))
		if got := rowops.CSROf(x); !mat.Equal(got, x) {
			t.Errorf("got %v, want %v", mat.Formatted(got), mat.Formatted(x))
		}
	})
}

func TestCSRCopies(t *testing.T) {
	start, columns, values := []int{0, 1}, []int{1}, []float64{5}
	c := fixture.Must[*rowops.CSR](t)(rowops.NewCSR(1, 2, start, columns, values))
	start[1], columns[0], values[0] = 0, 0, 6
	if c.At(0, 1) != 5 {
		t.Error("the matrix changes with the slices it was made of")
	}
}

func TestCSRKeepsNaN(t *testing.T) {
	if c := rowops.CSROf(mat.NewDense(1, 2, []float64{0, math.NaN()})); !math.IsNaN(c.At(0, 1)) {
		t.Error("NaN was dropped")
	}
}

func TestCSRRefuses(t *testing.T) {
	one := []float64{1}
	for what, make := range map[string]func() (*rowops.CSR, error){
		"no rows":               func() (*rowops.CSR, error) { return rowops.NewCSR(0, 1, []int{0}, nil, nil) },
		"too few starts":        func() (*rowops.CSR, error) { return rowops.NewCSR(2, 1, []int{0, 1}, []int{0}, one) },
		"a late first start":    func() (*rowops.CSR, error) { return rowops.NewCSR(1, 1, []int{1, 1}, []int{0}, one) },
		"an early last start":   func() (*rowops.CSR, error) { return rowops.NewCSR(1, 1, []int{0, 0}, []int{0}, one) },
		"descending starts":     func() (*rowops.CSR, error) { return rowops.NewCSR(3, 1, []int{0, 1, 0, 1}, []int{0}, one) },
		"a start past the end":  func() (*rowops.CSR, error) { return rowops.NewCSR(2, 1, []int{0, 2, 1}, []int{0}, one) },
		"fewer columns":         func() (*rowops.CSR, error) { return rowops.NewCSR(1, 1, []int{0, 1}, nil, one) },
		"a column out of range": func() (*rowops.CSR, error) { return rowops.NewCSR(1, 1, []int{0, 1}, []int{1}, one) },
		"a negative column":     func() (*rowops.CSR, error) { return rowops.NewCSR(1, 1, []int{0, 1}, []int{-1}, one) },
		"a column twice": func() (*rowops.CSR, error) {
			return rowops.NewCSR(1, 2, []int{0, 2}, []int{1, 1}, []float64{1, 2})
		},
	} {
		if _, err := make(); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
