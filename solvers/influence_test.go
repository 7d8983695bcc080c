package solvers

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/moments"
)

// residuals returns R of e = R y for the ridge regression of y on the rows of v with shares s of the
// weight and the penalty matrix: R = I - V (V'SV + P)⁻¹ V'S.
func residuals(v *mat.Dense, s []float64, penalty *mat.Dense) *mat.Dense {
	n, _ := v.Dims()
	k := product(v, v, s)
	k.Add(k, penalty)
	var vs, r mat.Dense
	vs.Apply(func(i, _ int, x float64) float64 { return s[i] * x }, v)
	if err := r.Solve(k, vs.T()); err != nil {
		panic(err)
	}
	var out mat.Dense
	out.Mul(v, &r)
	out.Scale(-1, &out)
	for i := range n {
		out.Set(i, i, out.At(i, i)+1)
	}
	return &out
}

// place adds a, times scale, to the block of dst that begins at (i, i).
func place(dst *mat.Dense, i int, scale float64, a mat.Matrix) {
	r, c := a.Dims()
	for j := range r {
		for l := range c {
			dst.Set(i+j, i+l, dst.At(i+j, i+l)+scale*a.At(j, l))
		}
	}
}

func ridgeMatrix(n int, lambda float64, intercept bool) *mat.Dense {
	d := mat.NewDense(n, n, nil)
	for i := range n {
		if !(intercept && i == n-1) {
			d.Set(i, i, lambda)
		}
	}
	return d
}

// TestLeveragesAreThoseOfTheResiduals compares l and pen with the matrices that turn noise into
// residuals: entry (i, i) of R is 1 - s l, and for noise of variance 1/s, a constant one without weights,
// the variance of e is (1 - s (l + pen))/s.
func TestLeveragesAreThoseOfTheResiduals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pr, p, intercept := drawProblem(t), drawParams(t), rapid.Bool().Draw(t, "intercept")
		phi, psi, psi2 := pr.phi, pr.psi, pr.psi2
		if intercept {
			phi, psi, psi2 = withBias(phi), withBias(psi), withBias(psi2)
		}
		n, np := phi.Dims()
		m, nq := psi2.Dims()
		sx, sy := shares(pr.wx, n), shares(pr.wy, m)
		lf, lh := p.scaled()
		c := (1 - p.W) / p.W

		// S_X: the joint regression of noise in h - f on (phi, -psi), whose beta is held by S_Y.
		rx := residuals(phi, sx, ridgeMatrix(np, lf, intercept))
		unexplained := times(rx, psi)
		schur := mat.NewDense(nq, nq, nil) // of S_X alone, for beta
		if c > 0 {
			var v mat.Dense
			var minus mat.Dense
			minus.Scale(-1, psi)
			v.Augment(phi, &minus)
			penalty := mat.NewDense(np+nq, np+nq, nil)
			place(penalty, 0, 1, ridgeMatrix(np, lf, intercept))
			place(penalty, np, 1/c, product(psi2, psi2, sy))
			place(penalty, np, 1/c, ridgeMatrix(nq, lh, intercept))
			place(schur, 0, c, product(psi, unexplained, sx))
			rx = residuals(&v, sx, penalty)
		}
		place(schur, 0, 1, ridgeMatrix(nq, lh, intercept))
		ry := residuals(psi2, sy, schur)

		xu, uy := pr.moments()
		system, err := NewSystem(xu, uy, intercept)
		if err != nil {
			t.Fatal(err)
		}
		v := system.Influence(p)
		check := func(table string, r *mat.Dense, s, l, pen []float64) {
			for i := range l {
				variance := 0.0
				for k, w := range r.RawRowView(i) {
					variance += w * w / s[k]
				}
				// Penalties of 0.01 and up with moments near 10: systems of condition below 1e5.
				if d := math.Abs(r.At(i, i) - (1 - s[i]*l[i])); d > 1e-9 {
					t.Fatalf("%s, row %d: 1 - s l is off by %g", table, i, d)
				}
				if d := math.Abs(s[i]*variance - (1 - s[i]*(l[i]+pen[i]))); d > 1e-9 {
					t.Fatalf("%s, row %d: the share of the variance is off by %g", table, i, d)
				}
			}
		}
		var rows, tilt mat.Dense
		l, pen := make([]float64, n), make([]float64, n)
		v.RowsXTo(&rows, &tilt, l, pen, pr.phi, pr.psi)
		_, columns := pr.psi.Dims()
		for i := range n {
			for j := range columns {
				// As above.
				if d := math.Abs(tilt.At(i, j) - unexplained.At(i, j)); d > 1e-9 {
					t.Fatalf("row %d: what phi leaves of psi is off by %g", i, d)
				}
			}
		}
		check("S_X", rx, sx, l, pen)
		rows.Reset()
		l, pen = make([]float64, m), make([]float64, m)
		v.RowsYTo(&rows, l, pen, pr.psi2)
		check("S_Y", ry, sy, l, pen)
	})
}

func times(a, b mat.Matrix) *mat.Dense {
	var c mat.Dense
	c.Mul(a, b)
	return &c
}

func TestInfluenceRefusesShapes(t *testing.T) {
	a, y := mat.NewDense(4, 2, []float64{0, 1, 1, 0, 2, 1, 1, 3}), mat.NewDense(4, 1, []float64{1, 2, 3, 5})
	xu, uy := moments.NewCoMoments(moments.ID{1}, moments.ID{2}), moments.NewCoMoments(moments.ID{2}, moments.ID{3})
	xu.Add(a, a, nil)
	uy.Add(a, y, nil)
	system, err := NewSystem(xu, uy, true)
	if err != nil {
		t.Fatal(err)
	}
	v := system.Influence(Params{W: .5, LambdaF: 1, LambdaH: 1})
	two, three := mat.NewSymDense(2, nil), mat.NewSymDense(3, nil)
	v.CovarianceX(three)
	v.CovarianceY(three)
	v.BetaCovarianceX(two)
	v.BetaCovarianceY(three)
	for name, call := range map[string]func(){
		"covariance, x":   func() { v.CovarianceX(two) },
		"covariance, y":   func() { v.CovarianceY(two) },
		"beta from S_X":   func() { v.BetaCovarianceX(three) },
		"beta from S_Y":   func() { v.BetaCovarianceY(two) },
		"rows of 3 for l": func() { v.RowsXTo(new(mat.Dense), new(mat.Dense), make([]float64, 3), make([]float64, 4), a, a) },
		"columns of v": func() {
			v.RowsXTo(mat.NewDense(4, 2, nil), new(mat.Dense), make([]float64, 4), make([]float64, 4), a, a)
		},
		"columns of t": func() {
			v.RowsXTo(new(mat.Dense), mat.NewDense(4, 3, nil), make([]float64, 4), make([]float64, 4), a, a)
		},
		"rows of S_Y": func() { v.RowsYTo(mat.NewDense(3, 3, nil), make([]float64, 4), make([]float64, 4), a) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
