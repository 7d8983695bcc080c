package moments

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestComposed: moments of a linear function of b, and of some of its columns, are those of the values in all rows, and sides that are swapped are those of rows that are. Values up to
// 1e4 are rounded to 1e-12, and 50 products of them with sums of some 10 to 1e-7.
func TestComposed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p, q, k := rapid.IntRange(2, 50).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "p"), rapid.IntRange(1, 4).Draw(t, "q"), rapid.IntRange(1, 3).Draw(t, "k")
		s := drawSample(t, n, p, q)
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "w"), 1))
		w, c := mat.NewDense(q, k, nil), make([]float64, k)
		for j := range c {
			c[j] = rnd.NormFloat64()
			for i := range q {
				w.Set(i, j, rnd.NormFloat64())
			}
		}
		var values mat.Dense
		values.Mul(s.b, w)
		for i := range n {
			for j := range k {
				values.Set(i, j, values.At(i, j)+c[j])
			}
		}
		want := sample{a: s.a, b: &values, weights: s.weights}.rows(0, n)
		if d := differ(s.rows(0, n).Composed(w, c, ID{2}), want); d > 1e-6 {
			t.Fatalf("off by %g", d)
		}
		some := rapid.SliceOfNDistinct(rapid.IntRange(0, q-1), 1, q, rapid.ID).Draw(t, "some")
		b := mat.NewDense(n, len(some), nil)
		for i, j := range some {
			b.SetCol(i, mat.Col(nil, j, s.b))
		}
		columns := sample{a: s.a, b: b, weights: s.weights}.rows(0, n)
		if d := differ(s.rows(0, n).RightColumns(some, ID{2}), columns); d > 1e-6 {
			t.Fatalf("columns %v: off by %g", some, d)
		}
		at := rapid.IntRange(0, n).Draw(t, "at")
		parts, err := Sum(s.rows(0, at).RightColumns(some, ID{2}), s.rows(at, n).RightColumns(some, ID{2}))
		if err != nil {
			t.Fatal(err)
		}
		if d := differ(parts, columns); d > 1e-6 {
			t.Fatalf("columns %v of two parts: off by %g", some, d)
		}
		swapped := sample{a: s.b, b: s.a, weights: s.weights}.rows(0, n)
		if d := differ(s.rows(0, n).Swapped(), swapped); d > 1e-6 {
			t.Fatalf("swapped: off by %g", d)
		}
	})
}
