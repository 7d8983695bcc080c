package experiments

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
)

// Scenarios are the distributions of docs/tables.md, on which methods are compared and intervals counted: smooth and rough ones, with idle columns, many
// columns, many levels, rare events, tables of very different sizes and noise of heavy tails.
func Scenarios() []Scenario {
	const rows, many, few = 1000, 5000, 200
	idle := friedman(friedmanIdleX, friedmanIdleU, constantNoise(.5))
	return []Scenario{
		{"friedman", "X uniform on [0, 1]^15, U_j = X_j + N(0, 0.2²) for j ≤ 5 and 20 idle columns uniform on [0, 1]; Y = 10 sin(π U_1 U_2) + 20 (U_3 - 1/2)² + 10 U_4 + 5 U_5 + N(0, 0.5²).", rows, rows, idle},
		{"steps", "X uniform on [-1, 1]^6, U_j = X_j + N(0, 0.03²); Y = 2·1(U_1 > 0) + 1.5·1(U_2 > 0.4) - 1(U_3 < -0.3) + 1.5·1(U_4 > 0, U_5 > 0) + N(0, 0.5²).", rows, rows, steps()},
		{"lowrank", "X uniform on [-1, 1]^6, Z = X + N(0, 0.2² I), U = Q Z + N(0, 0.5² I) in 200 columns, where the columns of Q are orthogonal with a mean square of 1/6; with V = 6/200 Q'U, which is Z and a little noise, Y = sin(2 V_1) + V_2² + V_3 V_4/2 + V_5/2 + N(0, 1.3²).", rows, rows, lowRank()},
		{"threeway", "X uniform on [-1, 1]^5, U_j = X_j + uniform[-0.3, 0.3]; Y = U_1 U_2 U_3 + N(0, 0.3²).", rows, rows, threeWay()},
		{"levels", "X is uniform on [-1, 1]^3 and has a column G of 50 equally likely levels, U_j = X_j + N(0, 0.3²), and the level L of U is G with probability 0.9 and any level else; Y = a_L + sin(2 U_1) + U_2² + U_3 + N(0, 1), where the 50 effects a_l are fixed draws of N(0, 0.5²).", rows, rows, fiftyLevels()},
		{"rare", "X uniform on [-1, 1]^10, U = X + N(0, 0.3² I); Y is 1 with probability 1/(1 + exp(6 - 3.5 U_1 - 2 U_2 - U_3)), 3 % of rows, and 0 else.", rows, rows, rareEvents()},
		{"n5000m200", "friedman, n = 5,000 and m = 200.", many, few, idle},
		{"n200m5000", "friedman, n = 200 and m = 5,000.", few, many, idle},
		{"t3", "friedman without idle columns, with noise of Student's t distribution of 3 degrees of freedom, whose variance is 3.", rows, rows, friedman(0, 0, studentNoise())},
		{"uneven", "friedman without idle columns, with noise N(0, σ²), σ = 0.2 + 2 max(U_4, 0).", rows, rows, friedman(0, 0, noiseOf(func(r *drawnRow) float64 { return .2 + 2*max(r.u[3], 0) }))},
	}
}

const (
	friedmanIdleX = 10
	friedmanIdleU = 20
)

// A noiseKind sets how a population draws Y - h(U).
type noiseKind func(p *population)

// noiseOf is normal noise of a standard deviation that depends on U.
func noiseOf(deviation func(r *drawnRow) float64) noiseKind {
	return func(p *population) {
		p.noise = func(rnd *rand.Rand, r *drawnRow, _ float64) float64 { return deviation(r) * rnd.NormFloat64() }
		p.variance = func(r *drawnRow, _ float64) float64 { return deviation(r) * deviation(r) }
	}
}

func constantNoise(deviation float64) noiseKind {
	return noiseOf(func(*drawnRow) float64 { return deviation })
}

// studentNoise is Z/(χ²_3/3)^½, of variance 3.
func studentNoise() noiseKind {
	return func(p *population) {
		p.noise = func(rnd *rand.Rand, _ *drawnRow, _ float64) float64 {
			z, chi := rnd.NormFloat64(), 0.
			for range 3 {
				v := rnd.NormFloat64()
				chi += v * v
			}
			return z / math.Sqrt(chi/3)
		}
		p.variance = func(*drawnRow, float64) float64 { return 3 }
	}
}

// nearX sets X uniform on [lo, 1]^x and U_j = X_j + N(0, spread²), with uniform columns on [lo, 1] behind them.
func nearX(x, active, idleU int, lo, spread float64) population {
	p := population{x: x, u: active + idleU}
	p.drawX = uniformX(lo)
	p.drawU = func(rnd *rand.Rand, r *drawnRow) {
		for j := range r.u {
			if j < active {
				r.u[j] = r.x[j] + spread*rnd.NormFloat64()
			} else {
				r.u[j] = lo + (1-lo)*rnd.Float64()
			}
		}
	}
	return p
}

// uniformX draws X uniform on [lo, 1]^d.
func uniformX(lo float64) func(rnd *rand.Rand, r *drawnRow) {
	return func(rnd *rand.Rand, r *drawnRow) {
		for j := range r.x {
			r.x[j] = lo + (1-lo)*rnd.Float64()
		}
	}
}

// friedman is the function of [Friedman, Multivariate adaptive regression splines, Annals of Statistics 19, 1991].
func friedman(idleX, idleU int, noise noiseKind) population {
	const active, spread = 5, .2
	p := nearX(active+idleX, active, idleU, 0, spread)
	noise(&p)
	p.h = func(r *drawnRow) float64 {
		u := r.u
		return 10*math.Sin(math.Pi*u[0]*u[1]) + 20*(u[2]-.5)*(u[2]-.5) + 10*u[3] + 5*u[4]
	}
	expect := normalQuadrature()
	p.mean = func(r *drawnRow) float64 {
		x := r.x
		// E sin(c V) = sin(c μ) exp(-c²σ²/2) for V ~ N(μ, σ²), with c = π U_1.
		sine := expect(func(z float64) float64 {
			c := math.Pi * (x[0] + spread*z)
			return math.Sin(c*x[1]) * math.Exp(-c*c*spread*spread/2)
		})
		return 10*sine + 20*((x[2]-.5)*(x[2]-.5)+spread*spread) + 10*x[3] + 5*x[4]
	}
	return p
}

// steps has jumps along single columns and along two.
func steps() population {
	const spread = .03
	p := nearX(6, 6, 0, -1, spread)
	constantNoise(.5)(&p)
	p.h = func(r *drawnRow) float64 {
		u, y := r.u, 0.
		if u[0] > 0 {
			y += 2
		}
		if u[1] > .4 {
			y += 1.5
		}
		if u[2] < -.3 {
			y--
		}
		if u[3] > 0 && u[4] > 0 {
			y += 1.5
		}
		return y
	}
	p.mean = func(r *drawnRow) float64 {
		above := func(j int, cut float64) float64 { return phi((r.x[j] - cut) / spread) }
		return 2*above(0, 0) + 1.5*above(1, .4) - (1 - above(2, -.3)) + 1.5*above(3, 0)*above(4, 0)
	}
	return p
}

// lowRank has 200 columns of U that depend on 5 factors.
func lowRank() population {
	const rank, columns, spread, error = 6, 200, .2, .5
	loadings := orthogonalLoadings(columns, rank)
	p := population{x: rank, u: columns, drawX: uniformX(-1)}
	constantNoise(1.3)(&p)
	p.drawU = func(rnd *rand.Rand, r *drawnRow) {
		var z [rank]float64
		for k := range z {
			z[k] = r.x[k] + spread*rnd.NormFloat64()
		}
		for j := range r.u {
			r.u[j] = error * rnd.NormFloat64()
			for k, v := range z {
				r.u[j] += loadings.At(j, k) * v
			}
		}
	}
	p.h = func(r *drawnRow) float64 {
		var v [rank]float64
		for j, u := range r.u {
			for k := range v {
				v[k] += rank * loadings.At(j, k) * u / columns
			}
		}
		return math.Sin(2*v[0]) + v[1]*v[1] + v[2]*v[3]/2 + v[4]/2
	}
	// V given X is N(X, (spread² + error² rank/columns) I), since loadings'loadings = (columns/rank) I.
	variance := spread*spread + error*error*rank/columns
	p.mean = func(r *drawnRow) float64 {
		x := r.x
		return math.Sin(2*x[0])*math.Exp(-2*variance) + x[1]*x[1] + variance + x[2]*x[3]/2 + x[4]/2
	}
	return p
}

// orthogonalLoadings are orthogonal columns with a mean square of 1/rank.
func orthogonalLoadings(rows, rank int) *mat.Dense {
	rnd := draw.Rand(0, "experiments/scenario/loadings", 0)
	g := mat.NewDense(rows, rank, nil)
	for i := range rows {
		for k := range rank {
			g.Set(i, k, rnd.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(g)
	var q, out mat.Dense
	qr.QTo(&q)
	out.Scale(math.Sqrt(float64(rows)/float64(rank)), q.Slice(0, rows, 0, rank))
	return &out
}

// threeWay is a product of three columns, without any effect of one or two of them.
func threeWay() population {
	const half = .3
	p := population{x: 5, u: 5, drawX: uniformX(-1)}
	constantNoise(.3)(&p)
	p.drawU = func(rnd *rand.Rand, r *drawnRow) {
		for j := range r.u {
			r.u[j] = r.x[j] + half*(2*rnd.Float64()-1)
		}
	}
	p.h = func(r *drawnRow) float64 { return r.u[0] * r.u[1] * r.u[2] }
	p.mean = func(r *drawnRow) float64 { return r.x[0] * r.x[1] * r.x[2] }
	return p
}

// fiftyLevels has a level in X, and one in U that is mostly the same.
func fiftyLevels() population {
	const levels, same, spread = 50, .9, .3
	var effects [levels]float64
	rnd, centre := draw.Rand(0, "experiments/scenario/effects", 0), 0.
	for l := range effects {
		effects[l] = .5 * rnd.NormFloat64()
		centre += effects[l] / levels
	}
	p := nearX(3, 3, 0, -1, spread)
	constantNoise(1)(&p)
	p.levels = true
	drawX, drawU := p.drawX, p.drawU
	p.drawX = func(rnd *rand.Rand, r *drawnRow) {
		drawX(rnd, r)
		r.levelX = rnd.IntN(levels)
	}
	p.drawU = func(rnd *rand.Rand, r *drawnRow) {
		drawU(rnd, r)
		if r.levelU = r.levelX; rnd.Float64() >= same {
			r.levelU = rnd.IntN(levels)
		}
	}
	p.h = func(r *drawnRow) float64 { return effects[r.levelU] + math.Sin(2*r.u[0]) + r.u[1]*r.u[1] + r.u[2] }
	p.mean = func(r *drawnRow) float64 {
		return same*effects[r.levelX] + (1-same)*centre + math.Sin(2*r.x[0])*math.Exp(-2*spread*spread) + r.x[1]*r.x[1] + spread*spread + r.x[2]
	}
	return p
}

// rareEvents has a Y of 0 and 1 whose probability is logistic in three columns of U.
func rareEvents() population {
	const spread, level = .3, -6.
	slopes := []float64{3.5, 2, 1}
	p := nearX(10, 10, 0, -1, spread)
	index := func(v []float64) float64 {
		t := level
		for j, b := range slopes {
			t += b * v[j]
		}
		return t
	}
	p.h = func(r *drawnRow) float64 { return logistic(index(r.u)) }
	p.noise = func(rnd *rand.Rand, _ *drawnRow, h float64) float64 {
		if rnd.Float64() < h {
			return 1 - h
		}
		return -h
	}
	p.variance = func(_ *drawnRow, h float64) float64 { return h * (1 - h) }
	squares := 0.
	for _, b := range slopes {
		squares += b * b
	}
	// The index given X is normal with this standard deviation.
	deviation, expect := spread*math.Sqrt(squares), normalQuadrature()
	p.mean = func(r *drawnRow) float64 {
		at := index(r.x)
		return expect(func(z float64) float64 { return logistic(at + deviation*z) })
	}
	return p
}

func logistic(t float64) float64 { return 1 / (1 + math.Exp(-t)) }

// normalQuadrature returns the mean of a function of a standard normal variable by Gauss and Hermite's rule of 20 nodes: ∫ f(z) φ(z) dz = π^-½ Σ w f(√2 t).
func normalQuadrature() func(f func(z float64) float64) float64 {
	const nodes = 20
	at, weights := make([]float64, nodes), make([]float64, nodes)
	quad.Hermite{}.FixedLocations(at, weights, math.Inf(-1), math.Inf(1))
	return func(f func(z float64) float64) (sum float64) {
		for i, t := range at {
			sum += weights[i] / math.Sqrt(math.Pi) * f(math.Sqrt2*t)
		}
		return sum
	}
}
