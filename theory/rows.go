package theory

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// A sample is rows of both tables, as features: phi and psi of S_X, psi2 and y of S_Y.
type sample struct{ phi, psi, psi2, y *mat.Dense }

// identities of the maps of phi, psi and y, for moments.
var idPhi, idPsi, idY = moments.NewID([]byte("theory/phi")), moments.NewID([]byte("theory/psi")), moments.NewID([]byte("theory/y"))

// newSample returns 10 to 40 rows of each table and 1 to 8 features of each kind, with numbers in
// [-2, 2).
func (s sampler) newSample() sample {
	n, m, p, q, k := s.integer(10, 40), s.integer(10, 40), s.integer(1, 8), s.integer(1, 8), s.integer(1, 3)
	return sample{phi: s.dense(n, p), psi: s.dense(n, q), psi2: s.dense(m, q), y: s.dense(m, k)}
}

func (s sampler) dense(r, c int) *mat.Dense { return mat.NewDense(r, c, s.values(r*c)) }

// pairs returns the moments of both tables; nil weights, of the rows of S_X, are 1.
func (s sample) pairs(weights []float64) (xu, uy *moments.CoMoments) {
	xu, uy = moments.NewCoMoments(idPhi, idPsi), moments.NewCoMoments(idPsi, idY)
	xu.Add(s.phi, s.psi, weights)
	uy.Add(s.psi2, s.y, nil)
	return xu, uy
}

// centred returns the rows less the means of their own table, which is what intercepts amount to.
func (s sample) centred() sample {
	return sample{phi: centred(s.phi), psi: centred(s.psi), psi2: centred(s.psi2), y: centred(s.y)}
}

func centred(a *mat.Dense) *mat.Dense {
	r, c := a.Dims()
	out := mat.DenseCopyOf(a)
	for j := range c {
		mean := floats.SumCompensated(mat.Col(nil, j, a)) / float64(r)
		for i := range r {
			out.Set(i, j, a.At(i, j)-mean)
		}
	}
	return out
}

// A crossMoments is A, B, C of S_X and D, E of S_Y, formed from rows without package moments.
type crossMoments struct{ a, b, c, d, e *mat.Dense }

func (s sample) moments() crossMoments {
	return crossMoments{
		a: meanProduct(s.phi, s.phi), b: meanProduct(s.phi, s.psi), c: meanProduct(s.psi, s.psi),
		d: meanProduct(s.psi2, s.psi2), e: meanProduct(s.psi2, s.y),
	}
}

// meanProduct returns the mean of a_i b_i' over rows.
func meanProduct(a, b *mat.Dense) *mat.Dense {
	r, _ := a.Dims()
	var m mat.Dense
	m.Mul(a.T(), b)
	m.Scale(1/float64(r), &m)
	return &m
}

// plus returns a + s·b, b being nil for the identity.
func plus(a mat.Matrix, s float64, b mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(a)
	if b == nil {
		r, _ := out.Dims()
		for i := range r {
			out.Set(i, i, out.At(i, i)+s)
		}
		return out
	}
	var scaled mat.Dense
	scaled.Scale(s, b)
	out.Add(out, &scaled)
	return out
}

// product returns the product of matrices.
func product(first mat.Matrix, others ...mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(first)
	for _, o := range others {
		var next mat.Dense
		next.Mul(out, o)
		out = &next
	}
	return out
}

// solve returns a⁻¹b by LU, filled with NaN where a is singular.
func solve(a, b mat.Matrix) *mat.Dense {
	var x mat.Dense
	if err := x.Solve(a, b); err != nil {
		if _, ill := err.(mat.Condition); !ill || x.IsEmpty() {
			r, c := b.Dims()
			x.Reset()
			x.ReuseAs(r, c)
			x.Apply(func(_, _ int, _ float64) float64 { return math.NaN() }, &x)
		}
	}
	return &x
}

// symmetric returns the symmetric part of a.
func symmetric(a *mat.Dense) *mat.SymDense {
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	return s
}

// extremes returns the least and the largest eigenvalue of the symmetric part of a.
func extremes(a *mat.Dense) (least, largest float64) {
	var eig mat.EigenSym
	if !eig.Factorize(symmetric(a), false) {
		return math.NaN(), math.NaN()
	}
	v := eig.Values(nil)
	return v[0], v[len(v)-1]
}

// norm is the Frobenius norm.
func norm(a mat.Matrix) float64 { return mat.Norm(a, 2) }

// equalMatrix compares two matrices in a tally, relative to the size.
func (t *tally) equalMatrix(a, b mat.Matrix, size float64) {
	var d mat.Dense
	d.Sub(a, b)
	t.note(norm(&d), size)
}
