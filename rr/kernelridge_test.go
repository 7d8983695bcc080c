package rr_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/kernels"
	"mediant/rr"
)

// exactKernelRidge returns the coefficients c of kernel ridge regression, (K + n lambda I) c = y, by Gaussian elimination
// with 256 bits, rounded at the end.
func exactKernelRidge(gram *mat.Dense, y []float64, lambda float64) []float64 {
	const bits = 256
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(v) }
	n := len(y)
	a := make([][]*big.Float, n)
	for i := range a {
		for j := range n {
			a[i] = append(a[i], number(gram.At(i, j)))
		}
		a[i][i].Add(a[i][i], new(big.Float).SetPrec(bits).Mul(number(float64(n)), number(lambda)))
		a[i] = append(a[i], number(y[i]))
	}
	var scaled big.Float
	for i := range n { // a matrix with its ridge is positive definite, and needs no pivots
		for l := i + 1; l < n; l++ {
			ratio := new(big.Float).SetPrec(bits).Quo(a[l][i], a[i][i])
			for j := i; j <= n; j++ {
				a[l][j].Sub(a[l][j], scaled.SetPrec(bits).Mul(ratio, a[i][j]))
			}
		}
	}
	c := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			a[i][n].Sub(a[i][n], scaled.SetPrec(bits).Mul(a[i][j], number(c[j])))
		}
		c[i], _ = a[i][n].Quo(a[i][n], a[i][i]).Float64()
	}
	return c
}

// TestNystromOfAllRowsIsKernelRidge, within the bound of docs/theory.md, section 7: landmarks that are in the span of the
// others but for tau of the largest k(x,x) are left out, and
//
//	|f_N(x) - f(x)| <= mean|y - f_N| sqrt(tau r(x))/lambda + rms(y - f_N) tau/(2 lambda^(3/2)),   k(x,x) = 1
//
// with tau = 8 n eps and r(x) = 1 - |phi(x)|². Where rows are far from the span of others both agree to rounding.
func TestNystromOfAllRowsIsKernelRidge(t *testing.T) {
	const n = 40
	k, err := kernels.NewGaussian(1)
	if err != nil {
		t.Fatal(err)
	}
	worst := make(map[float64]float64)
	for _, d := range []int{1, 2, 6} {
		rnd := rand.New(rand.NewPCG(uint64(d), 2))
		x, far, y := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil), make([]float64, n)
		for i := range n {
			for j := range d {
				x.Set(i, j, rnd.NormFloat64())
				far.Set(i, j, 1.5*rnd.NormFloat64()) // beyond the rows that teach
			}
			y[i] = math.Sin(2*x.At(i, 0)) + .3*rnd.NormFloat64()
		}
		var gram, gramFar, phi mat.Dense
		k.GramTo(&gram, x, x)
		k.GramTo(&gramFar, far, x)
		m, err := features.NewNystrom(k, x)
		if err != nil {
			t.Fatal(err)
		}
		m.MapTo(&phi, far)
		_, rank := m.Dims()
		tau := 8 * n * 0x1p-52
		for _, lambda := range []float64{1e-4, 1e-6, 1e-8} {
			f, err := rr.Ridge{Spec: features.Spec{Kind: features.NystromFeatures, Bandwidth: 1, LandmarkRows: x}, Lambda: rr.Value(lambda), NoIntercept: true}.Fit(t.Context(), x, mat.NewDense(n, 1, y), nil)
			if err != nil {
				t.Fatal(err)
			}
			var own, got mat.Dense
			f.PredictTo(&own, x)
			f.PredictTo(&got, far)
			absolute, square := 0.0, 0.0
			for i, v := range y {
				e := math.Abs(v - own.At(i, 0))
				absolute, square = absolute+e/n, square+e*e/n
			}
			c := exactKernelRidge(&gram, y, lambda)
			for i := range n {
				want := mat.Dot(gramFar.RowView(i), mat.NewVecDense(n, c))
				r := max(0, 1-mat.Dot(phi.RowView(i), phi.RowView(i)))
				bound := absolute*math.Sqrt(tau*r)/lambda + math.Sqrt(square)*tau/(2*math.Pow(lambda, 1.5))
				if d == 6 { // no row is near the span of others: pivots are above 0.1, and the condition number below 1e3
					bound = 0
				}
				bound += 1e-11
				off := math.Abs(got.At(i, 0) - want)
				worst[lambda] = max(worst[lambda], off)
				if !(off <= bound) {
					t.Errorf("%d columns, lambda %g, rank %d: f(%v) is %g, want %g within %g", d, lambda, rank, far.RawRowView(i), got.At(i, 0), want, bound)
				}
			}
		}
	}
	if worst[1e-8] < 1e-5 { // else nothing is seen of what the bound allows for
		t.Errorf("largest differences by lambda: %v", worst)
	}
}
