package theory

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/moments"
	"mediant/report"
	"mediant/solvers"
)

// limitChecks measures what the three methods tend to, on the distribution's own moments.
func (k consistency) limitChecks(limits fitted, o Options) []Check {
	var two, naive, gap tally
	for _, x := range xNodes {
		two.equal(limits.twoStep(x.at), k.best(x.at), 1)
		naive.equal(limits.naive(x.at), k.naive(x.at), 1)
	}
	gap.equal(meanSquare(limits.naive, k.best), k.gap, 1)
	joint := meanSquare(limits.joint, k.best)
	var normal tally
	for i := range 200 {
		k.onNormal(&normal, newSampler(o, "consistency/normal", i))
	}
	// Systems of the distribution's moments have condition numbers below 1e3.
	const tol = 1e-11
	return []Check{
		two.within("limit of 2Step-RR = f*(x) = x⁶ + 1/12", tol),
		naive.within("limit of naive = h*(E[U|x]) = x⁶", tol),
		gap.within("squared error of the limit of naive = 1/144", tol),
		above("squared error of the limit of Joint-RR at w = 1/2", joint, 1e-4),
		normal.within("limit of Joint-RR for normal X and U = Σ rho^k b_k / (1 + (1-w)/w (1-rho^2k)) He_k(x)", conditioned),
	}
}

// limitTable is the squared error of the limit of Joint-RR over w on the distribution's own moments.
func (k consistency) limitTable(distribution polynomialDistribution) report.Table {
	t := report.Table{Caption: "Squared error of the limit of Joint-RR, paper's synthetic distribution in one dimension", Columns: []string{"w", "E (f_w - f*)²"}}
	xu, uy := distribution.population()
	system, err := solvers.NewSystem(xu, uy, true)
	if err != nil {
		panic(err) // both pairs are made above, of the same map
	}
	for _, w := range []float64{.01, .1, .25, .5, .75, .9, .99, .999, 1} {
		s := system.Solve(solvers.Params{W: w})
		gap := meanSquare(polynomial(mat.Col(nil, 0, s.Alpha), s.InterceptF[0]), k.best)
		t.Rows = append(t.Rows, []report.Cell{{Value: &w}, {Value: &gap}})
	}
	return t
}

// onNormal fits Joint-RR to the moments of a random normal distribution, by quadrature, with He_1..He_4 as features
// of both X and U, and compares f with its limit.
func (k consistency) onNormal(t *tally, s sampler) {
	const order = 4
	rho, w, b := s.between(-.95, .95), s.weight(), s.values(order)
	nodes := standardNormal(order + 1) // exact for degree 9, products have 8
	rows := len(nodes) * len(nodes)
	phi, psi, y, weights := mat.NewDense(rows, order, nil), mat.NewDense(rows, order, nil), mat.NewDense(rows, 1, nil), make([]float64, rows)
	for i, x := range nodes {
		for j, z := range nodes {
			row := i*len(nodes) + j
			hermite(phi.RawRowView(row), x.at)
			hermite(psi.RawRowView(row), rho*x.at+math.Sqrt(1-rho*rho)*z.at)
			for d, v := range psi.RawRowView(row) {
				y.Set(row, 0, y.At(row, 0)+b[d]*v)
			}
			weights[row] = x.weight * z.weight
		}
	}
	xu, uy := moments.NewCoMoments(idPhi, idPsi), moments.NewCoMoments(idPsi, idY)
	xu.Add(phi, psi, weights)
	uy.Add(psi, y, weights)
	system, err := solvers.NewSystem(xu, uy, true)
	if err != nil {
		t.note(math.NaN(), 1)
		return
	}
	f := system.Solve(solvers.Params{W: w})
	for d := range order {
		power := math.Pow(rho, float64(d+1))
		t.equal(f.Alpha.At(d, 0), power*b[d]*k.joint(w, power), 1)
	}
}

// hermite stores He_1(x)..He_k(x), divided by the roots of their second moments k!, in dst.
func hermite(dst []float64, x float64) {
	previous, h := 1.0, x
	for k := range dst {
		dst[k] = h
		n := float64(k + 1)
		previous, h = h, (x*h-math.Sqrt(n)*previous)/math.Sqrt(n+1)
	}
}

// traces returns K_X and K_Y by quadrature.
func (k consistency) traces(distribution polynomialDistribution) (kx, ky float64) {
	one := func(a *mat.Dense) *mat.Dense {
		r, c := a.Dims()
		out := mat.NewDense(r, c+1, nil)
		for i := range r {
			out.SetRow(i, append([]float64{1}, a.RawRowView(i)...))
		}
		return out
	}
	v := uniform(4, -.5, .5)
	b := newBlock(len(xNodes) * len(v))
	variance := make([]float64, b.rows)
	for i, x := range xNodes {
		for j, v := range v {
			row := i*4 + j
			b.set(row, x.at, x.at*x.at*x.at+v.at, 0, 0)
			variance[row] = k.variance(x.at)
			root := math.Sqrt(x.weight * v.weight * float64(b.rows))
			for _, m := range []*mat.Dense{b.phi, b.psi} {
				for c := range m.RawRowView(row) {
					m.RawRowView(row)[c] *= root
				}
			}
			b.y.Set(row, 0, root)
		}
	}
	phi, psi := one(b.phi), one(b.psi)
	for i := range b.rows {
		phi.Set(i, 0, b.y.At(i, 0))
		psi.Set(i, 0, b.y.At(i, 0))
	}
	a, cross, d := meanProduct(phi, phi), meanProduct(phi, psi), meanProduct(psi, psi)
	var weighted mat.Dense
	weighted.Apply(func(i, _ int, v float64) float64 { return v * variance[i] }, phi)
	return trace(solve(a, meanProduct(phi, &weighted))), distribution.noise * trace(product(solve(a, cross), solve(d, cross.T())))
}
