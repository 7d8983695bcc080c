package theory

import (
	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
)

// weightsNeeded compares the minimiser of the empirical J_w with the formula's weights to that of
// package solvers at the same w: without balls (their radius is 1e6) both are the same, and no pair
// of weights other than (1/w, 1/(1-w)), up to a factor, gives it. It returns the distance of the two
// coefficient vectors of h.
func weightsNeeded(f excessFormula, w float64, seed uint64) (float64, error) {
	l := excessDistributions()[1]
	l.radiusF, l.radiusH = 1e6, 1e6
	const n = 60
	rnd := draw.Rand(seed, "theory/excess/weights", 0)
	x, u := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
	u2, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)
	var m excessMoments
	for i := range n {
		a := l.drawX(rnd)
		b := l.drawU(rnd, a)
		c := l.drawU(rnd, l.drawX(rnd))
		v := l.beta.dot(c) + l.gamma*c[0]*c[1] + l.tau*(2*rnd.Float64()-1)
		x.SetRow(i, a[:])
		u.SetRow(i, b[:])
		u2.SetRow(i, c[:])
		y.Set(i, 0, v)
		m.a.addOuter(1./n, a, a)
		m.b.addOuter(1./n, a, b)
		m.c.addOuter(1./n, b, b)
		m.d.addOuter(1./n, c, c)
		m.e = m.e.plus(v/n, c)
		m.s += v * v / n
	}
	want, err := jointFromSolver(x, u, u2, y, w)
	if err != nil {
		return 0, err
	}
	wx, wy := f.weights(w)
	_, beta := l.fitJoint(m, wx, wy)
	return beta.plus(-1, want).norm(), nil
}
