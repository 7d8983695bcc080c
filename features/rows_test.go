package features_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/kernels"
)

// mapped returns m's features of x.
func mapped(m features.Map, x mat.Matrix) *mat.Dense {
	var phi mat.Dense
	m.MapTo(&phi, x)
	return &phi
}

// products returns the inner products of m's features of the rows of x.
func products(m features.Map, x mat.Matrix) *mat.Dense {
	var k mat.Dense
	phi := mapped(m, x)
	k.Mul(phi, phi.T())
	return &k
}

func gram(k kernels.Kernel, x mat.Matrix) *mat.Dense {
	var g mat.Dense
	k.GramTo(&g, x, x)
	return &g
}

func gaussian(t testing.TB, bandwidth float64) kernels.Gaussian {
	t.Helper()
	return fixture.Must[kernels.Gaussian](t)(kernels.NewGaussian(bandwidth))
}

// byName makes one of the kernels with a spectral distribution.
func byName(t testing.TB, name string, bandwidth float64) kernels.Spectral {
	t.Helper()
	return fixture.Must[kernels.Kernel](t)(kernels.ByName(name, bandwidth)).(kernels.Spectral)
}

var spectral = []string{"gaussian", "laplacian", "matern12", "matern32", "matern52", "matern:0.8", "matern:4", "rq:1.5", "periodic:5"}

// countRows draws n rows of d columns without negative entries, a quarter of them 0.
func countRows(n, d int) *mat.Dense {
	x := fixture.NormalRows(n, d)
	x.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, x)
	return x
}
