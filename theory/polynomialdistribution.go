package theory

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// A polynomialDistribution is the paper's synthetic distribution in one dimension: X uniform on [-1, 1], U = X³ + V with V
// uniform on [-1/2, 1/2], Y = U² + N(0, noise). h*(u) = u². Everything is polynomial, so that Gauss
// quadrature is exact: its nodes, weighted, are a sample with the moments of the distribution.
type polynomialDistribution struct{ noise float64 }

// degree is that of phi, the Legendre polynomials P_1..P_6 of x; psi is (u, u²). Constants are left to
// intercepts.
const degree = 6

// legendre stores P_1(x)..P_k(x) in dst.
func legendre(dst []float64, x float64) {
	previous, p := 1.0, x
	for k := range dst {
		dst[k] = p
		n := float64(k + 1)
		previous, p = p, ((2*n+1)*x*p-n*previous)/(n+1)
	}
}

// A node is a point of a quadrature rule.
type node struct{ at, weight float64 }

// uniform returns n nodes of the uniform distribution on [lo, hi], exact for degree 2n-1.
func uniform(n int, lo, hi float64) []node {
	x, w := make([]float64, n), make([]float64, n)
	quad.Legendre{}.FixedLocations(x, w, lo, hi)
	out := make([]node, n)
	for i := range out {
		out[i] = node{x[i], w[i] / (hi - lo)}
	}
	return out
}

// standardNormal returns n nodes of N(0, 1), exact for degree 2n-1.
func standardNormal(n int) []node {
	x, w := make([]float64, n), make([]float64, n)
	quad.Hermite{}.FixedLocations(x, w, math.Inf(-1), math.Inf(1))
	out := make([]node, n)
	for i := range out {
		out[i] = node{math.Sqrt2 * x[i], w[i] / math.Sqrt(math.Pi)}
	}
	return out
}

// xNodes serve integrals over X of polynomials up to degree 31: predictions of naive have degree 12,
// their squares 24.
var xNodes = uniform(16, -1, 1)

// population returns moments of the distribution itself. Noise does not enter A to E.
func (l polynomialDistribution) population() (xu, uy *moments.CoMoments) {
	v := uniform(4, -.5, .5) // degree 7; u⁴ has 4
	b := newBlock(len(xNodes) * len(v))
	var weights []float64
	for i, x := range xNodes {
		for j, v := range v {
			u := x.at*x.at*x.at + v.at
			b.set(i*4+j, x.at, u, u, u*u)
			weights = append(weights, x.weight*v.weight)
		}
	}
	xu, uy = moments.NewCoMoments(idPhi, idPsi), moments.NewCoMoments(idPsi, idY)
	xu.Add(b.phi, b.psi, weights)
	uy.Add(b.psi2, b.y, weights)
	return xu, uy
}

// sample returns moments of n rows of each table.
func (l polynomialDistribution) sample(rnd *rand.Rand, n, m int) (xu, uy *moments.CoMoments) {
	const rows = 256
	xu, uy = moments.NewCoMoments(idPhi, idPsi), moments.NewCoMoments(idPsi, idY)
	noise := math.Sqrt(l.noise)
	for lo := 0; lo < max(n, m); lo += rows {
		b := newBlock(min(rows, max(n, m)-lo))
		for i := range b.rows {
			x := 2*rnd.Float64() - 1
			u := x*x*x + rnd.Float64() - .5
			z := 2*rnd.Float64() - 1
			other := z*z*z + rnd.Float64() - .5
			b.set(i, x, u, other, other*other+noise*rnd.NormFloat64())
		}
		if k := min(b.rows, n-lo); k > 0 {
			xu.Add(top(b.phi, k), top(b.psi, k), nil)
		}
		if k := min(b.rows, m-lo); k > 0 {
			uy.Add(top(b.psi2, k), top(b.y, k), nil)
		}
	}
	return xu, uy
}

func top(a *mat.Dense, rows int) *mat.Dense {
	_, c := a.Dims()
	return a.Slice(0, rows, 0, c).(*mat.Dense)
}

// A block is rows of features of both tables.
type block struct {
	sample
	rows int
}

func newBlock(n int) *block {
	return &block{sample{mat.NewDense(n, degree, nil), mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)}, n}
}

// set fills in row i: (x, u) of S_X, (other, y) of S_Y.
func (b *block) set(i int, x, u, other, y float64) {
	legendre(b.phi.RawRowView(i), x)
	copy(b.psi.RawRowView(i), []float64{u, u * u})
	copy(b.psi2.RawRowView(i), []float64{other, other * other})
	b.y.Set(i, 0, y)
}

// meanSquare returns E (f(X) - g(X))² for polynomials f and g of degree up to 15.
func meanSquare(f, g func(x float64) float64) float64 {
	var sum accumulator
	for _, x := range xNodes {
		sum.add(x.weight * squared(f(x.at)-g(x.at)))
	}
	return sum.value()
}
