package moments

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// orthonormal draws r orthonormal columns of length p, nil for none.
func orthonormal(rnd *rand.Rand, p, r int) *mat.Dense {
	if r == 0 {
		return nil
	}
	a := mat.NewDense(p, r, nil)
	for i := range a.RawMatrix().Data {
		a.RawMatrix().Data[i] = rnd.NormFloat64()
	}
	var qr mat.QR
	qr.Factorize(a)
	var q mat.Dense
	qr.QTo(&q)
	return mat.DenseCopyOf(q.Slice(0, p, 0, r))
}

// TestOrthogonalIsThatOfTheRows: the moments of rows less their parts along the columns.
func TestOrthogonalIsThatOfTheRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64Range(1, 1e6).Draw(t, "seed"), 1))
		p, q, n := rapid.IntRange(2, 6).Draw(t, "p"), rapid.IntRange(2, 5).Draw(t, "q"), 9
		left, right := orthonormal(rnd, p, rapid.IntRange(0, p-1).Draw(t, "r")), orthonormal(rnd, q, rapid.IntRange(0, q-1).Draw(t, "s"))
		a, b, w := mat.NewDense(n, p, nil), mat.NewDense(n, q, nil), make([]float64, n)
		for i := range n {
			w[i] = rnd.Float64()
			for j := range p {
				a.Set(i, j, 3+rnd.NormFloat64())
			}
			for j := range q {
				b.Set(i, j, rnd.NormFloat64()-2)
			}
		}
		off := func(x, n *mat.Dense) *mat.Dense {
			if n == nil {
				return x
			}
			var along, back, out mat.Dense
			along.Mul(x, n)
			back.Mul(&along, n.T())
			out.Sub(x, &back)
			return &out
		}
		whole, want := NewCoMoments(ID{1}, ID{2}), NewCoMoments(ID{1}, ID{2})
		whole.Add(a, b, w)
		want.Add(off(a, left), off(b, right), w)
		got := whole.Orthogonal(left, right)
		if got.Left() != want.Left() || got.Rows() != n || got.Weight() != want.Weight() {
			t.Fatalf("%d rows of weight %g", got.Rows(), got.Weight())
		}
		const tol = 1e-12 // of sums of some ten values of size 10
		compare := func(name string, x, y mat.Matrix) {
			var d mat.Dense
			d.Sub(x, y)
			if off := mat.Norm(&d, 2); off > tol {
				t.Errorf("%s is off by %g", name, off)
			}
		}
		var cross, wantCross mat.Dense
		got.CrossTo(&cross, true)
		want.CrossTo(&wantCross, true)
		compare("cross moments", &cross, &wantCross)
		compare("left moments", got.LeftWithBias(), want.LeftWithBias())
		compare("right moments", got.RightWithBias(), want.RightWithBias())
		if math.Abs(whole.MeanA()[0]) < 1e-9 {
			t.Error("the moments themselves were changed")
		}
	})
	if empty := NewCoMoments(ID{}, ID{}); empty.Orthogonal(mat.NewDense(2, 1, nil), nil) != empty {
		t.Error("an empty Pair is not itself")
	}
}
