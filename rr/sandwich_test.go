package rr_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/baselines"
	"mediant/features"
	"mediant/inference"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
	"mediant/tables"
	"mediant/testdata"
)

// standardErrors returns se of the rows of x, whose columns are those of X.
func standardErrors(t testing.TB, m *mediant.Model, x mat.Matrix) *mat.Dense {
	t.Helper()
	n, _ := x.Dims()
	out := mat.NewDense(n, m.Y.Len(), nil)
	for b, err := range m.PredictErrors(context.Background(), table(t, strings.Join(m.Roles.X, " "), x)) {
		if err != nil {
			t.Fatal(err)
		}
		rows, _ := b.Errors.Dims()
		out.Slice(b.Start, b.Start+rows, 0, m.Y.Len()).(*mat.Dense).Copy(b.Errors)
	}
	return out
}

func TestGoldenSandwich(t *testing.T) {
	g := testdata.ReadGolden(t)
	var xu, uy mat.Dense
	xu.Augment(g.Input.Phi.Dense(), g.Input.Psi.Dense())
	uy.Augment(g.Input.Psi2.Dense(), g.Input.Y.Dense())
	setup := linear()
	for _, want := range g.Sandwich {
		method := withErrors{setup, rr.Joint{W: rr.Value(want.W), LambdaF: rr.Value(want.LambdaF), LambdaH: rr.Value(want.LambdaH)}, inference.Sandwich}
		m := fit(t, method, table(t, "x1 x2 x3 x4 u1 u2 u3", &xu), table(t, "u1 u2 u3 y1 y2", &uy))
		got := standardErrors(t, m, g.Input.PhiQuery.Dense())
		for i, se := range want.SEQuery {
			if d := math.Abs(got.At(i, want.Output) - se); d > 1e-9 {
				t.Errorf("w=%g, row %d: %.12g, off by %g", want.W, i, got.At(i, want.Output), d)
			}
		}
	}
	if len(g.Sandwich) != 2 {
		t.Errorf("%d golden cases, want 2", len(g.Sandwich))
	}
}

// rows are features of both tables, with the shares of the rows in the weight of their table.
type rows struct {
	phi, psi, psi2, y *mat.Dense
	sx, sy            []float64
}

// fitF fits and returns f of the rows of query.
func (r rows) fitF(p solvers.Params, query *mat.Dense) *mat.Dense {
	theta := r.theta(p, nil)
	_, k := theta.Dims()
	_, np := query.Dims()
	var f mat.Dense
	f.Mul(query, theta.Slice(0, np, 0, k))
	return &f
}

// theta solves the full system of Joint-RR or 2Step-RR, by LU, for (alpha, beta). What offset has is added
// to the residuals h - f of S_X, if it is not nil.
func (r rows) theta(p solvers.Params, offset *mat.Dense) *mat.Dense {
	c := (1 - p.W) / p.W
	lf, lh := p.LambdaF, p.LambdaH
	if p.Penalty == solvers.Paper {
		lf, lh = lf*p.W, lh*(1-p.W)
	}
	n, np := r.phi.Dims()
	m, nq := r.psi2.Dims()
	_, k := r.y.Dims()
	big, rhs := mat.NewDense(np+nq, np+nq, nil), mat.NewDense(np+nq, k, nil)
	add := func(at0, at1 int, scale float64, a, b *mat.Dense, s []float64) {
		for i := range s {
			for j, v := range a.RawRowView(i) {
				for l, w := range b.RawRowView(i) {
					big.Set(at0+j, at1+l, big.At(at0+j, at1+l)+scale*s[i]*v*w)
				}
			}
		}
	}
	add(0, 0, 1, r.phi, r.phi, r.sx[:n])
	add(0, np, -1, r.phi, r.psi, r.sx)
	add(np, 0, -c, r.psi, r.phi, r.sx)
	add(np, np, c, r.psi, r.psi, r.sx)
	add(np, np, 1, r.psi2, r.psi2, r.sy[:m])
	penalise := func(at, columns int, lambda float64, a *mat.Dense) {
		for j := range columns {
			if j == columns-1 && endsInOnes(a) {
				continue // the bias
			}
			big.Set(at+j, at+j, big.At(at+j, at+j)+lambda)
		}
	}
	penalise(0, np, lf, r.phi)
	penalise(np, nq, lh, r.psi2)
	for i, s := range r.sy {
		for j, v := range r.psi2.RawRowView(i) {
			for o, y := range r.y.RawRowView(i) {
				rhs.Set(np+j, o, rhs.At(np+j, o)+s*v*y)
			}
		}
	}
	for i, s := range r.sx {
		for o := 0; offset != nil && o < k; o++ {
			for j, v := range r.phi.RawRowView(i) {
				rhs.Set(j, o, rhs.At(j, o)+s*v*offset.At(i, o))
			}
			for j, v := range r.psi.RawRowView(i) {
				rhs.Set(np+j, o, rhs.At(np+j, o)-c*s*v*offset.At(i, o))
			}
		}
	}
	var theta mat.Dense
	if err := theta.Solve(big, rhs); err != nil {
		panic(err)
	}
	return &theta
}

// residuals are h - f of S_X and y - h of S_Y.
func (r rows) residuals(theta *mat.Dense) (x, y *mat.Dense) {
	_, np := r.phi.Dims()
	total, k := theta.Dims()
	var f, h mat.Dense
	f.Mul(r.phi, theta.Slice(0, np, 0, k))
	h.Mul(r.psi, theta.Slice(np, total, 0, k))
	h.Sub(&h, &f)
	var y2 mat.Dense
	y2.Mul(r.psi2, theta.Slice(np, total, 0, k))
	y2.Sub(r.y, &y2)
	return &h, &y2
}

// interaction returns, for rows of query and outputs, what both tables' sums count of the variance of f, by
// moving one residual after the other and fitting anew: f and all residuals are linear in y and in
// offsets of h - f. A row's residual, divided by its left, moves the residuals of the other table, by as
// much as their variance has of it; what an offset of 1 in those moves f by is what they count for.
func (r rows) interaction(p solvers.Params, query *mat.Dense, left [2][]float64) *mat.Dense {
	theta := r.theta(p, nil)
	atX, atY := r.residuals(theta)
	n, k := atX.Dims()
	m, _ := atY.Dims()
	nq, np := query.Dims()
	// move puts v into row i of a table and returns what that moves: f of the query, residuals of X and Y.
	move := func(table, i int, v []float64) (f, x, y *mat.Dense) {
		var moved *mat.Dense
		offset, kept := mat.NewDense(n, k, nil), mat.DenseCopyOf(r.y)
		if table == 0 {
			offset.SetRow(i, v)
			moved = r.theta(p, offset)
		} else {
			for o := range v {
				r.y.Set(i, o, r.y.At(i, o)+v[o])
			}
			moved = r.theta(p, nil)
		}
		r.y.Copy(kept)
		x, y = r.residuals(moved)
		x.Sub(x, atX)
		y.Sub(y, atY)
		moved.Sub(moved, theta)
		f = new(mat.Dense)
		f.Mul(query, moved.Slice(0, np, 0, k))
		return f, x, y
	}
	out := mat.NewDense(nq, k, nil)
	for table, rowsOf := range []int{n, m} {
		other, own := []*mat.Dense{atY, atX}[table], 1-table
		shares, count := [][]float64{r.sy, r.sx}[table], []int{m, n}[table]
		noise := make([]*mat.Dense, count) // by row of the other table: what it moves residuals of this one by
		total := mat.NewDense(rowsOf, k, nil)
		for j := range noise {
			v := make([]float64, k)
			for o := range v {
				v[o] = other.At(j, o) / left[own][j]
			}
			_, x, y := move(own, j, v)
			noise[j] = []*mat.Dense{x, y}[table]
			total.Add(total, noise[j])
		}
		for i := range rowsOf {
			f, _, _ := move(table, i, ones(k))
			for o := range k {
				variance := 0.0
				for j, d := range noise {
					z := d.At(i, o) - shares[j]*total.At(i, o)
					variance += z * z
				}
				for q := range nq {
					a := f.At(q, o) / left[table][i]
					out.Set(q, o, out.At(q, o)+a*a*variance)
				}
			}
		}
	}
	return out
}

// endsInOnes reports whether the last column of a is all ones.
func endsInOnes(a *mat.Dense) bool {
	n, p := a.Dims()
	for i := range n {
		if a.At(i, p-1) != 1 {
			return false
		}
	}
	return true
}

// jackknife returns the standard errors from leaving out each row in turn, with the penalties and the
// other shares kept: with d_i what leaving row i out takes from f, the sum over both tables of
// (d_i - s_i Σd)². Each d_i is first multiplied by that row's factor, of S_X in factors[0].
func (r rows) jackknife(p solvers.Params, query *mat.Dense, factors [2][]float64) *mat.Dense {
	full := r.fitF(p, query)
	nq, k := full.Dims()
	out := mat.NewDense(nq, k, nil)
	for table, shares := range [][]float64{r.sx, r.sy} {
		var moved []*mat.Dense
		total := mat.NewDense(nq, k, nil)
		for i, s := range shares {
			shares[i] = 0
			var d mat.Dense
			d.Sub(full, r.fitF(p, query))
			shares[i] = s
			d.Scale(factors[table][i], &d)
			moved = append(moved, &d)
			total.Add(total, &d)
		}
		for i, s := range shares {
			for a := range nq {
				for b := range k {
					z := moved[i].At(a, b) - s*total.At(a, b)
					out.Set(a, b, out.At(a, b)+z*z)
				}
			}
		}
	}
	out.Apply(func(_, _ int, v float64) float64 { return math.Sqrt(v) }, out)
	return out
}

func withOnes(a *mat.Dense) *mat.Dense {
	n, _ := a.Dims()
	ones := mat.NewDense(n, 1, nil)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, ones)
	var out mat.Dense
	out.Augment(a, ones)
	return &out
}

// TestJackknifeLeavesRowsOut is the test of the closed form: the standard errors of f are those from
// fitting anew without each row. n and m differ, U's mean is another in each table, Y has two columns.
func TestJackknifeLeavesRowsOut(t *testing.T) {
	const n, m = 17, 23
	rnd := rand.New(rand.NewPCG(5, 8))
	x, u, u2, y := uniform(rnd, n, 2), uniform(rnd, n, 3), uniform(rnd, m, 3), uniform(rnd, m, 2)
	u2.Apply(func(_, _ int, v float64) float64 { return v + .4 }, u2)
	y.Apply(func(i, j int, v float64) float64 { return v + u2.At(i, j)*u2.At(i, 2) + 3 }, y)
	query := uniform(rnd, 4, 2)
	wx, wy := make([]float64, n), make([]float64, m)
	for _, w := range [][]float64{wx, wy} {
		for i := range w {
			w[i] = .5 + rnd.Float64()
		}
	}
	var xu, uy mat.Dense
	xu.Augment(x, u)
	uy.Augment(u2, y)
	weighted := func(rows *mat.Dense, w []float64) *mat.Dense {
		var out mat.Dense
		out.Augment(rows, mat.NewDense(len(w), 1, w))
		return &out
	}
	share := func(w []float64, n int, use bool) []float64 {
		s, total := make([]float64, n), 0.0
		for i := range s {
			s[i] = 1
			if use {
				s[i] = w[i]
			}
			total += s[i]
		}
		for i := range s {
			s[i] /= total
		}
		return s
	}
	for _, c := range []struct {
		name        string
		w           float64
		penalty     solvers.Penalty
		noIntercept bool
		weights     bool
		phi         features.Spec
	}{
		{"2step", 1, solvers.Scaled, false, false, features.Spec{Kind: features.LinearFeatures}},
		{"2step without intercept", 1, solvers.Scaled, true, false, features.Spec{Kind: features.LinearFeatures}},
		{"joint", .5, solvers.Scaled, false, false, features.Spec{Kind: features.LinearFeatures}},
		{"joint, weights, nystrom", .3, solvers.Scaled, false, true, nystrom(1, 6)},
		{"paper, weights", .8, solvers.Paper, false, true, features.Spec{Kind: features.LinearFeatures}},
		{"joint without intercept, weights", .6, solvers.Scaled, true, true, features.Spec{Kind: features.LinearFeatures}},
	} {
		setup := problem.Setup{Phi: c.phi, Psi: features.Spec{Kind: features.LinearFeatures}, NoStandardize: true, NoIntercept: c.noIntercept}
		srcX, srcY := table(t, "x1 x2 u1 u2 u3 a", weighted(&xu, wx)), table(t, "u1 u2 u3 y1 y2 b", weighted(&uy, wy))
		if c.weights {
			setup.Roles = tables.RoleOptions{WeightsXU: "a", WeightsUY: "b"}
		} else {
			setup.Roles = tables.RoleOptions{X: []string{"x*"}, U: []string{"u*"}, Y: []string{"y*"}}
		}
		problem, err := problem.Prepare(context.Background(), setup, srcX, srcY)
		if err != nil {
			t.Fatal(err)
		}
		params := solvers.Params{W: c.w, LambdaF: .03, LambdaH: .07, Penalty: c.penalty}
		model, err := recorded(rr.Joint{W: rr.Value(c.w), LambdaF: rr.Value(.03), LambdaH: rr.Value(.07), Penalty: c.penalty}.Fit(context.Background(), problem))
		if err != nil {
			t.Fatal(err)
		}
		if err := addErrors(problem, model, inference.Jackknife); err != nil {
			t.Fatal(err)
		}
		var phi, phiQuery mat.Dense
		problem.Phi().MapTo(&phi, x)
		problem.Phi().MapTo(&phiQuery, query)
		r := rows{phi: &phi, psi: u, psi2: u2, y: y, sx: share(wx, n, c.weights), sy: share(wy, m, c.weights)}
		at := &phiQuery
		if !c.noIntercept {
			r.phi, r.psi, r.psi2, at = withOnes(&phi), withOnes(u), withOnes(u2), withOnes(&phiQuery)
		}
		want := r.jackknife(params, at, [2][]float64{ones(n), ones(m)})
		// Errors are near 1; the differences d_i, some 0.05, of two fits have lost two digits.
		if d := off(standardErrors(t, model, query), want); d > 1e-10 {
			t.Errorf("%s: %v, want %v", c.name, mat.Formatted(standardErrors(t, model, query)), mat.Formatted(want))
		}
		if err := addErrors(problem, model, inference.Corrected); err != nil {
			t.Fatal(err)
		}
		factors, left := corrections(t, problem, params, &phi, r)
		sums, shared := r.jackknife(params, at, factors), r.interaction(params, at, left)
		want.Apply(func(i, j int, sum float64) float64 {
			return math.Sqrt(sum*sum - min(shared.At(i, j), sum*sum/2))
		}, sums)
		if d := off(standardErrors(t, model, query), want); d > 1e-10 {
			t.Errorf("%s: corrected errors are off by %g", c.name, d)
		}
		between(t, c.name, problem, model, query)
	}
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// corrections returns left, the root of what the fit leaves of the noise's variance in each row, of which
// solvers tests the parts, and factors that turn the jackknife's division of a residual by 1 - s l into
// that by left.
func corrections(t *testing.T, p *problem.Problem, params solvers.Params, phi *mat.Dense, r rows) (factors, left [2][]float64) {
	t.Helper()
	system, err := p.System()
	if err != nil {
		t.Fatal(err)
	}
	v := system.Influence(params)
	n, _ := phi.Dims()
	m, _ := r.psi2.Dims()
	_, q := p.Psi().Dims()
	factors, left = [2][]float64{ones(n), ones(m)}, [2][]float64{ones(n), ones(m)}
	l, pen := ones(max(n, m)), ones(max(n, m))
	var rows mat.Dense
	v.RowsXTo(&rows, new(mat.Dense), l[:n], pen[:n], phi, mat.DenseCopyOf(r.psi.Slice(0, n, 0, q)))
	for i := range n {
		left[0][i] = math.Sqrt(1 - r.sx[i]*(l[i]+pen[i]))
		factors[0][i] = (1 - r.sx[i]*l[i]) / left[0][i]
	}
	rows.Reset()
	v.RowsYTo(&rows, l[:m], pen[:m], mat.DenseCopyOf(r.psi2.Slice(0, m, 0, q)))
	for i := range m {
		left[1][i] = math.Sqrt(1 - r.sy[i]*(l[i]+pen[i]))
		factors[1][i] = (1 - r.sy[i]*l[i]) / left[1][i]
	}
	return factors, left
}

// between fails unless the plain and the corrected errors lie below the jackknife's, whose residuals are
// larger; leverages here are near 0.3.
func between(t *testing.T, name string, p *problem.Problem, m *mediant.Model, query *mat.Dense) {
	t.Helper()
	var se [3]*mat.Dense
	for i, kind := range []inference.Covariance{inference.Sandwich, inference.Corrected, inference.Jackknife} {
		if err := addErrors(p, m, kind); err != nil {
			t.Fatal(err)
		}
		se[i] = standardErrors(t, m, query)
	}
	n, k := se[0].Dims()
	for i := range n {
		for j := range k {
			if a, b, c := se[0].At(i, j), se[1].At(i, j), se[2].At(i, j); !(1.02*a < c && 1.02*b < c) {
				t.Errorf("%s: plain %g, corrected %g, jackknife %g", name, a, b, c)
			}
		}
	}
}

func TestErrorsAreKeptInTheModelFile(t *testing.T) {
	xu, uy := tablesOf(t, 90, 70, 2)
	setup := problem.Setup{Phi: nystrom(1, 30), Psi: features.Spec{Size: 32}}
	model := fit(t, withErrors{setup, rr.TwoStep{}, inference.Jackknife}, xu, uy)
	raw := saved(t, model)
	loaded, err := mediant.Load(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	query := uniform(rand.New(rand.NewPCG(1, 1)), 8, 2)
	if got, want := standardErrors(t, loaded, query), standardErrors(t, model, query); !mat.Equal(got, want) {
		t.Errorf("standard errors are others after loading")
	}
	if !bytes.Equal(saved(t, loaded), raw) {
		t.Error("saved again, the bytes are others")
	}
}

func TestErrorsRefuse(t *testing.T) {
	// Three rows and three features without a penalty: each row is met, whatever it says.
	xu := table(t, "x u", mat.NewDense(3, 2, []float64{0, 0, 1, 1, 2, .5}))
	uy := table(t, "u y", mat.NewDense(4, 2, []float64{0, 1, .3, 3, 1, 10, .7, 20}))
	setup := problem.Setup{Phi: nystrom(1, 3), Psi: features.Spec{Kind: features.LinearFeatures}, NoStandardize: true}
	if _, err := (withErrors{setup, rr.TwoStep{LambdaF: rr.Value(0)}, inference.Jackknife}).Fit(context.Background(), xu, uy); err == nil || !strings.Contains(err.Error(), "leverage 1") {
		t.Errorf("an interpolating fit gives %v", err)
	}
	problem, err := problem.Prepare(context.Background(), problem.Setup{Phi: features.Spec{Size: 8}, Psi: features.Spec{Size: 8}}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	naive, err := baselines.Naive{}.Fit(context.Background(), problem)
	if err != nil {
		t.Fatal(err)
	}
	if se, err := inference.Estimate(context.Background(), problem, naive, inference.Jackknife); err == nil || se != nil {
		t.Errorf("the naive method gives %v", err)
	}
}
