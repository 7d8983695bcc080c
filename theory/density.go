package theory

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"mediant/internal/draw"
	"mediant/solvers"
)

// quarterRoot is the bandwidth in x and in u of the kernel density of claim 10.
func quarterRoot(n int) float64 { return math.Pow(float64(n), -.25) / 2 }

// densityCurve returns the mean squared error of the density integral at several n = m.
func (k embedding) densityCurve(ctx context.Context, o Options) (*curve, error) {
	distribution := polynomialDistribution{noise: .1}
	const reps = 300
	largest := 8000
	if o.Quick {
		largest = 4000
	}
	c := &curve{name: "density integral to f*"}
	for n := 250; n <= largest; n *= 2 {
		values := make([]float64, reps)
		for i := range values {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			f, err := k.density(distribution, draw.Rand(o.Seed, fmt.Sprintf("theory/density/%d", n), i), n)
			if err != nil {
				return nil, fmt.Errorf("embedding: %w", err)
			}
			values[i] = meanSquare(f, rightConsistency.best)
		}
		c.add(n, values)
	}
	return c, nil
}

// density returns x -> ∫ h(u) phat(u|x) du on n rows of each table, for the quotient
//
//	phat(u|x) = Σ_i N(x; x_i, s²) N(u; u_i, s²) / Σ_i N(x; x_i, s²)
//
// of kernel estimates and h the ridge regression of Y on (u, u²).
func (k embedding) density(distribution polynomialDistribution, rnd *rand.Rand, n int) (func(x float64) float64, error) {
	_, uy := distribution.sample(rnd, 1, n)
	h, err := solvers.Ridge(uy, 1/float64(n), true)
	if err != nil {
		return nil, err
	}
	s := k.bandwidth(n)
	x, inner := make([]float64, n), make([]float64, n)
	nodes := standardNormal(3) // exact for degree 5, h has 2
	for i := range x {
		x[i] = 2*rnd.Float64() - 1
		u := x[i]*x[i]*x[i] + rnd.Float64() - .5
		for _, z := range nodes {
			v := u + s*z.at
			inner[i] += k.integral(h.Intercept[0]+h.Coef.At(0, 0)*v+h.Coef.At(1, 0)*v*v, z.weight)
		}
	}
	return func(at float64) float64 {
		sum, mass := 0.0, 0.0
		for i, v := range x {
			w := math.Exp(-squared((at-v)/s) / 2)
			sum += w * inner[i]
			mass += w
		}
		return sum / mass
	}, nil
}
