package moments

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func TestRiskIsTheMeanSquare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 30).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "k")
		s := drawSample(t, n, 4, 3)
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "coefficients"), 7))
		wa, wb, offset := mat.NewDense(4, k, nil), mat.NewDense(3, k, nil), make([]float64, k)
		for _, v := range [][]float64{wa.RawMatrix().Data, wb.RawMatrix().Data, offset} {
			for i := range v {
				v[i] = rnd.NormFloat64()
			}
		}
		m := s.rows(0, n)
		if m.Weight() == 0 {
			return
		}
		var fa, fb mat.Dense
		fa.Mul(s.a, wa)
		fb.Mul(s.b, wb)
		got := m.Risk(wa, wb, offset)
		onlyA, onlyB := m.Risk(wa, nil, nil), m.Risk(nil, wb, nil)
		for j := range k {
			var all, a, b float64
			for i := range n {
				w := 1.0
				if s.weights != nil {
					w = s.weights[i]
				}
				d := offset[j] + fa.At(i, j) - fb.At(i, j)
				all, a, b = all+w*d*d/m.Weight(), a+w*fa.At(i, j)*fa.At(i, j)/m.Weight(), b+w*fb.At(i, j)*fb.At(i, j)/m.Weight()
			}
			tol := 1e-12 * float64(n+20) * (1 + a + b)
			for _, c := range [][2]float64{{got[j], all}, {onlyA[j], a}, {onlyB[j], b}} {
				if math.Abs(c[0]-c[1]) > tol {
					t.Errorf("output %d: risk %g, want %g, tolerance %g", j, c[0], c[1], tol)
				}
			}
		}
	})
}

func TestInnerIsTheMeanProduct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		s := drawSample(t, n, 3, 2)
		m := s.rows(0, n)
		if m.Weight() == 0 {
			return
		}
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "coefficients"), 9))
		// Some parts have fewer columns than others, and are repeated.
		const outputs = 6
		divisor := rapid.SampledFrom([]int{2, 3}).Draw(t, "divisor")
		columns := func(name string) int { return rapid.SampledFrom([]int{1, divisor, outputs}).Draw(t, name) }
		draw := func(name string, wide int) Form {
			f := Form{A: mat.NewDense(3, wide, nil), B: mat.NewDense(2, columns(name+" B"), nil), Offset: make([]float64, columns(name+" offset"))}
			for _, data := range [][]float64{f.A.(*mat.Dense).RawMatrix().Data, f.B.(*mat.Dense).RawMatrix().Data, f.Offset} {
				for i := range data {
					data[i] = rnd.NormFloat64()
				}
			}
			return f
		}
		x, y := draw("x", outputs), draw("y", columns("y A"))
		column := func(w mat.Matrix, j int) mat.Vector {
			_, c := w.Dims()
			return w.(*mat.Dense).ColView(j % c)
		}
		value := func(f Form, i, j int) float64 {
			return f.Offset[j%len(f.Offset)] + mat.Dot(s.a.RowView(i), column(f.A, j)) - mat.Dot(s.b.RowView(i), column(f.B, j))
		}
		got, mean := m.Inner(x, y), m.Mean(x)
		for j := range got {
			var want, wantMean, size float64
			for i := range n {
				w := 1 / m.Weight()
				if s.weights != nil {
					w *= s.weights[i]
				}
				want, wantMean = want+w*value(x, i, j)*value(y, i, j), wantMean+w*value(x, i, j)
				size = max(size, math.Abs(value(x, i, j)), math.Abs(value(y, i, j)))
			}
			if d := math.Abs(got[j] - want); d > 1e-12*float64(n+20)*(1+size*size) {
				t.Errorf("inner product off by %g", d)
			}
			if d := math.Abs(mean[j] - wantMean); d > 1e-12*(1+size) {
				t.Errorf("mean off by %g", d)
			}
		}
	})
}
