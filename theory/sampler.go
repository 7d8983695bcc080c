package theory

import "mediant/internal/draw"

// A sampler gives numbers in [0, 1): a random stream in Verify, rapid's choices in tests.
type sampler func() float64

// newSampler returns the i-th stream of a purpose.
func newSampler(o Options, purpose string, i int) sampler {
	return draw.Rand(o.Seed, "theory/"+purpose, i).Float64
}

func (s sampler) between(lo, hi float64) float64 { return lo + (hi-lo)*s() }

// integer returns one of lo..hi.
func (s sampler) integer(lo, hi int) int { return lo + int(float64(hi-lo+1)*s()) }

// values returns n numbers in [-2, 2).
func (s sampler) values(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = s.between(-2, 2)
	}
	return v
}

// vectors returns n vectors of d numbers.
func (s sampler) vectors(n, d int) [][]float64 {
	v := make([][]float64, n)
	for i := range v {
		v[i] = s.values(d)
	}
	return v
}

// weight is one over which distributions of (X, U) mix: w in (0, 1), away from the ends, where 1/w and 1/(1-w)
// would swamp all other terms.
func (s sampler) weight() float64 { return s.between(.02, .98) }

// distribution returns a distribution on 1 to 5 atoms of X and of U and 3 to 5 of Y. All atoms of X and U have positive
// probability, pairs may have 0. With cmi, E[Y|U,X] = E[Y|U], while the distribution of Y given (X, U) still
// depends on X.
func (s sampler) distribution(cmi bool) *Distribution {
	nx, nu, ny := s.integer(1, 5), s.integer(1, 5), s.integer(3, 5)
	return s.distributionOf(s.pairs(nx, nu), nx, nu, s.levels(ny), cmi)
}

// chartDistribution returns a distribution on 3 atoms of X, of U and of Y, all triples possible, so that nothing drawn of it
// is 0 or empty.
func (s sampler) chartDistribution(cmi bool) *Distribution {
	return s.distributionOf(s.shares(9), 3, 3, s.levels(3), cmi)
}

// pairs returns weights of the pairs (x, u), some 0, but with all margins positive.
func (s sampler) pairs(nx, nu int) []float64 {
	w := make([]float64, nx*nu)
	for x := range nx {
		for u := range nu {
			must := x%nu == u || u%nx == x
			if v := s.between(.05, 1); must || s() < .75 {
				w[x*nu+u] = v
			}
		}
	}
	return w
}

// levels returns n increasing values of Y, at least 0.2 apart.
func (s sampler) levels(n int) []float64 {
	y := make([]float64, n)
	y[0] = s.between(-2, 1)
	for i := 1; i < n; i++ {
		y[i] = y[i-1] + s.between(.2, 1.2)
	}
	return y
}

// shares returns n positive numbers of sum 1.
func (s sampler) shares(n int) []float64 {
	p := make([]float64, n)
	sum := 0.0
	for i := range p {
		p[i] = s.between(.05, 1)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// distributionOf returns a distribution with the given weights of pairs and values of Y.
func (s sampler) distributionOf(pairs []float64, nx, nu int, y []float64, cmi bool) *Distribution {
	ny := len(y)
	byU := make([][]float64, nu)
	for u := range byU {
		byU[u] = s.shares(ny)
	}
	weight := make([]float64, 0, nx*nu*ny)
	for x := range nx {
		for u := range nu {
			py := byU[u]
			if cmi {
				py = s.sameMean(py, y)
			} else {
				py = s.shares(ny)
			}
			for _, p := range py {
				weight = append(weight, pairs[x*nu+u]*p)
			}
		}
	}
	return NewDistribution(s.vectors(nx, s.integer(1, 2)), s.vectors(nu, s.integer(1, 2)), y, weight)
}

// sameMean returns p changed on its first three atoms a < b < c along (c-b, a-c, b-a), which has sum
// 0 and mean 0, by at most nine tenths of what keeps it positive.
func (s sampler) sameMean(p, y []float64) []float64 {
	v := [3]float64{y[2] - y[1], y[0] - y[2], y[1] - y[0]}
	up := .9 * p[1] / -v[1]
	down := .9 * min(p[0]/v[0], p[2]/v[2])
	t := s.between(-down, up)
	out := append([]float64(nil), p...)
	for i := range v {
		out[i] += t * v[i]
	}
	return out
}

// around returns a distribution with the given weights of pairs and E[Y|U,X] = mean(x, u): Y is that mean plus
// or minus a spread that depends on x.
func (s sampler) around(pairs []float64, x, u [][]float64, mean func(x, u int) float64) *Distribution {
	y := make([]float64, 2*len(pairs))
	weight := make([]float64, len(pairs)*len(y))
	for i := range x {
		spread := s.between(.1, 1)
		for j := range u {
			cell := i*len(u) + j
			for k, sign := range []float64{-1, 1} {
				y[2*cell+k] = mean(i, j) + sign*spread
				weight[cell*len(y)+2*cell+k] = pairs[cell]
			}
		}
	}
	return NewDistribution(x, u, y, weight)
}
