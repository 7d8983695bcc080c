package features_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
)

func TestPolynomial(t *testing.T) {
	featurestest.Run(t, fixture.Must[*features.Polynomial](t)(features.NewPolynomial(4, 3)), fixture.NormalRows(200, 4))
}

// TestPolynomialDegrees has the numbers of oneDAL pull request 1532, where degrees above 2 came
// out as repeated squares.
func TestPolynomialDegrees(t *testing.T) {
	x := mat.NewDense(2, 1, []float64{2, 3})
	for degree, want := range map[int]float64{1: 7, 2: 49, 3: 343, 4: 2401} {
		m := fixture.Must[*features.Polynomial](t)(features.NewPolynomial(1, degree))
		// degree+1 products, each with a root squared: a few units of rounding each.
		if got := products(m, x).At(0, 1); math.Abs(got-want) > 1e-14*want*float64(degree) {
			t.Errorf("degree %d: %g, want %g", degree, got, want)
		}
	}
}

func TestPolynomialByHand(t *testing.T) {
	m := fixture.Must[*features.Polynomial](t)(features.NewPolynomial(2, 2))
	got := mapped(m, mat.NewDense(1, 2, []float64{3, 5})).RawRowView(0)
	r := math.Sqrt2
	want := []float64{1, r * 3, r * 5, 9, r * 15, 25}
	if len(got) != len(want) {
		t.Fatalf("%d features, want %d", len(got), len(want))
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-14*want[i] {
			t.Errorf("feature %d is %g, want %g", i, got[i], want[i])
		}
	}
}

func TestPolynomialIsItsKernel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in, degree := rapid.IntRange(1, 5).Draw(rt, "in"), rapid.IntRange(1, 5).Draw(rt, "degree")
		m, err := features.NewPolynomial(in, degree)
		if err != nil {
			rt.Fatal(err)
		}
		if _, out := m.Dims(); out != features.Monomials(in, degree) {
			rt.Fatalf("%d features, want %d", out, features.Monomials(in, degree))
		}
		entries := rapid.SliceOfN(rapid.Float64Range(-2, 2), 2*in, 2*in).Draw(rt, "x")
		x := mat.NewDense(2, in, entries)
		var dot, size float64
		for j := range in {
			dot += x.At(0, j) * x.At(1, j)
			size += math.Abs(x.At(0, j) * x.At(1, j))
		}
		got, want := products(m, x).At(0, 1), math.Pow(dot+1, float64(degree))
		// The terms of the sum are at most (|x|'|y| + 1)^degree together; each has some
		// 2·degree + 4 roundings and the sum as many as there are features.
		tolerance := float64(2*degree+4+features.Monomials(in, degree)) * 0x1p-52 * math.Pow(size+1, float64(degree))
		if d := math.Abs(got - want); d > tolerance {
			rt.Errorf("%g, want %g: off by %g, tolerance %g", got, want, d, tolerance)
		}
	})
}

func TestMonomials(t *testing.T) {
	over := features.MaxMonomials + 1
	for _, c := range []struct{ in, degree, want int }{
		{1, 1, 2}, {1, 9, 10}, {2, 2, 6}, {3, 4, 35}, {10, 3, 286}, {360, 2, 65341}, {361, 2, over},
		{math.MaxInt32, 1, over}, {math.MaxInt32, math.MaxInt32, over}, {40, 40, over}, {5, 0, 1},
	} {
		if got := features.Monomials(c.in, c.degree); got != c.want {
			t.Errorf("C(%d+%d, %d) is %d, want %d", c.in, c.degree, c.degree, got, c.want)
		}
	}
}

func TestPolynomialRefuses(t *testing.T) {
	for _, c := range []struct {
		in, degree int
		want       string
	}{{1, 0, "degree 0"}, {1, -1, "degree -1"}, {400, 2, "65536"}, {1, 3000, "float64"}} {
		if _, err := features.NewPolynomial(c.in, c.degree); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("degree %d in %d columns: error %v, want one with %q", c.degree, c.in, err, c.want)
		}
	}
	fixture.MustPanic(t, func() { features.NewPolynomial(0, 1) })
}

func BenchmarkPolynomialMapTo(b *testing.B) {
	m := fixture.Must[*features.Polynomial](b)(features.NewPolynomial(20, 3))
	x, phi := fixture.NormalRows(1024, 20), new(mat.Dense)
	for b.Loop() {
		m.MapTo(phi, x)
	}
}
