package solvers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/moments"
	"mediant/testdata"
)

// A problem is rows of features of both tables: phi and psi of S_X, psi2 and y of S_Y.
type problem struct {
	phi, psi, psi2, y *mat.Dense
	wx, wy            []float64
}

func random(rnd *rand.Rand, r, c int) *mat.Dense {
	d := mat.NewDense(r, c, nil)
	for i := range d.RawMatrix().Data {
		d.RawMatrix().Data[i] = rnd.NormFloat64() + .3
	}
	return d
}

// drawProblem draws all shapes: p > n and n > p, p != q, k = 1..5, with and without weights.
func drawProblem(t *rapid.T) problem {
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
	n, m := rapid.IntRange(2, 30).Draw(t, "n"), rapid.IntRange(2, 30).Draw(t, "m")
	p, q, k := rapid.IntRange(1, 20).Draw(t, "p"), rapid.IntRange(1, 20).Draw(t, "q"), rapid.IntRange(1, 5).Draw(t, "k")
	pr := problem{phi: random(rnd, n, p), psi: random(rnd, n, q), psi2: random(rnd, m, q), y: random(rnd, m, k)}
	if rapid.Bool().Draw(t, "weighted") {
		pr.wx, pr.wy = make([]float64, n), make([]float64, m)
		for _, w := range [][]float64{pr.wx, pr.wy} {
			for i := range w {
				w[i] = .5 + 1.5*rnd.Float64()
			}
		}
	}
	return pr
}

func drawParams(t *rapid.T) Params {
	p := Params{
		W:       rapid.SampledFrom([]float64{.1, .5, .9, 1}).Draw(t, "w"),
		LambdaF: rapid.SampledFrom([]float64{1e-2, .3, 5}).Draw(t, "lambda_f"),
		LambdaH: rapid.SampledFrom([]float64{1e-2, .3, 5}).Draw(t, "lambda_h"),
	}
	if p.W < 1 && rapid.Bool().Draw(t, "paper") {
		p.Penalty = Paper
	}
	return p
}

func (pr problem) moments() (xu, uy *moments.CoMoments) {
	xu, uy = moments.NewCoMoments(moments.ID{1}, moments.ID{2}), moments.NewCoMoments(moments.ID{2}, moments.ID{3})
	xu.Add(pr.phi, pr.psi, pr.wx)
	uy.Add(pr.psi2, pr.y, pr.wy)
	return xu, uy
}

func (pr problem) solve(t testing.TB, p Params, intercept bool) *Solution {
	t.Helper()
	xu, uy := pr.moments()
	s, err := NewSystem(xu, uy, intercept)
	if err != nil {
		t.Fatal(err)
	}
	return s.Solve(p)
}

// shares returns weights that sum to 1.
func shares(w []float64, n int) []float64 {
	out, total := make([]float64, n), 0.0
	for i := range out {
		out[i] = 1
		if w != nil {
			out[i] = w[i]
		}
		total += out[i]
	}
	for i := range out {
		out[i] /= total
	}
	return out
}

// withBias appends a column of ones.
func withBias(a *mat.Dense) *mat.Dense {
	n, p := a.Dims()
	b := mat.NewDense(n, p+1, nil)
	b.Slice(0, n, 0, p).(*mat.Dense).Copy(a)
	for i := range n {
		b.Set(i, p, 1)
	}
	return b
}

// weights of the two losses and of the two penalties in the objective
//
//	gf mean|f-h|² + gh mean|h-y|² + kf|alpha|² + kh|beta|²
//
// that Joint-RR minimises; 2Step-RR is the limit gf/gh -> 0.
func (p Params) objective() (gf, gh, kf, kh float64) {
	gf, gh = 1/p.W, 1/(1-p.W)
	if p.Penalty == Paper {
		return gf, gh, p.LambdaF, p.LambdaH
	}
	return gf, gh, gf * p.LambdaF, gh * p.LambdaH
}

// full solves the (p+q) stationarity system with explicit bias columns, by LU.
func (pr problem) full(p Params, intercept bool) *Solution {
	phi, psi, psi2 := pr.phi, pr.psi, pr.psi2
	if intercept {
		phi, psi, psi2 = withBias(phi), withBias(psi), withBias(psi2)
	}
	n, np := phi.Dims()
	m, nq := psi2.Dims()
	_, k := pr.y.Dims()
	a, b, c := product(phi, phi, shares(pr.wx, n)), product(phi, psi, shares(pr.wx, n)), product(psi, psi, shares(pr.wx, n))
	d, e := product(psi2, psi2, shares(pr.wy, m)), product(psi2, pr.y, shares(pr.wy, m))
	gf, gh, kf, kh := p.objective()
	if p.W == 1 { // two steps: the h equation without f
		gf, gh, kf, kh = 1, 1, p.LambdaF, p.LambdaH
	}
	big, rhs := mat.NewDense(np+nq, np+nq, nil), mat.NewDense(np+nq, k, nil)
	for i := range np {
		for j := range np {
			big.Set(i, j, gf*a.At(i, j))
		}
		if !(intercept && i == np-1) {
			big.Set(i, i, big.At(i, i)+kf)
		}
		for j := range nq {
			big.Set(i, np+j, -gf*b.At(i, j))
		}
	}
	for i := range nq {
		for j := range np {
			if p.W < 1 {
				big.Set(np+i, j, -gf*b.At(j, i))
			}
		}
		for j := range nq {
			v := gh * d.At(i, j)
			if p.W < 1 {
				v += gf * c.At(i, j)
			}
			big.Set(np+i, np+j, v)
		}
		if !(intercept && i == nq-1) {
			big.Set(np+i, np+i, big.At(np+i, np+i)+kh)
		}
		for j := range k {
			rhs.Set(np+i, j, gh*e.At(i, j))
		}
	}
	var theta mat.Dense
	if err := theta.Solve(big, rhs); err != nil {
		panic(err)
	}
	return pr.cut(&theta, intercept)
}

// cut splits stacked coefficients, bias columns last, into a Solution.
func (pr problem) cut(theta *mat.Dense, intercept bool) *Solution {
	_, p := pr.phi.Dims()
	_, q := pr.psi.Dims()
	_, k := pr.y.Dims()
	s := &Solution{InterceptF: make([]float64, k), InterceptH: make([]float64, k)}
	next := p
	if intercept {
		mat.Row(s.InterceptF, p, theta)
		next++
		mat.Row(s.InterceptH, next+q, theta)
	}
	s.Alpha = mat.DenseCopyOf(theta.Slice(0, p, 0, k))
	s.Beta = mat.DenseCopyOf(theta.Slice(next, next+q, 0, k))
	return s
}

func product(a, b *mat.Dense, w []float64) *mat.Dense {
	var out, scaled mat.Dense
	scaled.Apply(func(i, _ int, v float64) float64 { return w[i] * v }, a)
	out.Mul(scaled.T(), b)
	return &out
}

// stacked solves the same least squares problem by QR of the stacked rows
//
//	[ sqrt(gf w_i) phi   -sqrt(gf w_i) psi ]   [ 0 ]
//	[ 0                   sqrt(gh v_j) psi2 ]  [ sqrt(gh v_j) y ]
//	[ sqrt(kf) I          0 ]                  [ 0 ]
//	[ 0                   sqrt(kh) I ]         [ 0 ]
func (pr problem) stacked(p Params, intercept bool) *Solution {
	phi, psi, psi2 := pr.phi, pr.psi, pr.psi2
	if intercept {
		phi, psi, psi2 = withBias(phi), withBias(psi), withBias(psi2)
	}
	n, np := phi.Dims()
	m, nq := psi2.Dims()
	_, k := pr.y.Dims()
	gf, gh, kf, kh := p.objective()
	wx, wy := shares(pr.wx, n), shares(pr.wy, m)
	rows := mat.NewDense(n+m+np+nq, np+nq, nil)
	rhs := mat.NewDense(n+m+np+nq, k, nil)
	for i := range n {
		for j := range np {
			rows.Set(i, j, math.Sqrt(gf*wx[i])*phi.At(i, j))
		}
		for j := range nq {
			rows.Set(i, np+j, -math.Sqrt(gf*wx[i])*psi.At(i, j))
		}
	}
	for i := range m {
		for j := range nq {
			rows.Set(n+i, np+j, math.Sqrt(gh*wy[i])*psi2.At(i, j))
		}
		for j := range k {
			rhs.Set(n+i, j, math.Sqrt(gh*wy[i])*pr.y.At(i, j))
		}
	}
	for j := range np {
		if !(intercept && j == np-1) {
			rows.Set(n+m+j, j, math.Sqrt(kf))
		}
	}
	for j := range nq {
		if !(intercept && j == nq-1) {
			rows.Set(n+m+np+j, np+j, math.Sqrt(kh))
		}
	}
	var theta mat.Dense
	var qr mat.QR
	qr.Factorize(rows)
	if err := qr.SolveTo(&theta, false, rhs); err != nil {
		panic(err)
	}
	return pr.cut(&theta, intercept)
}

// gap is the largest difference of two solutions relative to the largest coefficient.
func gap(a, b *Solution) float64 {
	diff, size := 0.0, 0.0
	see := func(x, y float64) {
		diff, size = max(diff, math.Abs(x-y)), max(size, math.Abs(y))
	}
	for _, pair := range [][2]*mat.Dense{{a.Alpha, b.Alpha}, {a.Beta, b.Beta}} {
		r, c := pair[1].Dims()
		for i := range r {
			for j := range c {
				see(pair[0].At(i, j), pair[1].At(i, j))
			}
		}
	}
	for j := range b.InterceptF {
		see(a.InterceptF[j], b.InterceptF[j])
		see(a.InterceptH[j], b.InterceptH[j])
	}
	if size == 0 {
		return diff
	}
	return diff / size
}

// exact is the tolerance promised for well conditioned problems. With lambda >= 1e-2 and features
// of size 1 the condition numbers stay below about 1e5, w included.
const exact = 1e-9

func TestSchurIsTheFullSystem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pr, p, intercept := drawProblem(t), drawParams(t), rapid.Bool().Draw(t, "intercept")
		xu, uy := pr.moments()
		s, err := NewSystem(xu, uy, intercept)
		if err != nil {
			t.Fatal(err)
		}
		got := s.Solve(p)
		if d := gap(got, pr.full(p, intercept)); d > exact {
			t.Errorf("differs from the full system by %g", d)
		}
		if p.W == 1 {
			return
		}
		if d := gap(got, pr.stacked(p, intercept)); d > exact {
			t.Errorf("differs from stacked least squares by %g", d)
		}
	})
}

func TestGradientIsZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pr, p, intercept := drawProblem(t), drawParams(t), rapid.Bool().Draw(t, "intercept")
		if p.W == 1 {
			p.W = .5
		}
		xu, uy := pr.moments()
		s, err := NewSystem(xu, uy, intercept)
		if err != nil {
			t.Fatal(err)
		}
		g, size := pr.gradient(s.Solve(p), p, intercept)
		// Each entry is a sum of n + p products that cancel; the solution itself is off by cond·eps.
		if tol := 1e-10 * (1 + size); g > tol {
			t.Errorf("gradient %g, tolerance %g", g, tol)
		}
	})
}

// gradient returns the largest entry of the gradient of J_w, from rows, and the size of its terms.
func (pr problem) gradient(s *Solution, p Params, intercept bool) (largest, size float64) {
	n, m := len(shares(pr.wx, mustRows(pr.phi))), mustRows(pr.psi2)
	var f, h, h2 mat.Dense
	f.Mul(pr.phi, s.Alpha)
	h.Mul(pr.psi, s.Beta)
	h2.Mul(pr.psi2, s.Beta)
	gf, gh, kf, kh := p.objective()
	var dx, dy mat.Dense
	dx.Apply(func(i, j int, v float64) float64 {
		return v + s.InterceptF[j] - h.At(i, j) - s.InterceptH[j]
	}, &f)
	dy.Apply(func(i, j int, v float64) float64 { return v + s.InterceptH[j] - pr.y.At(i, j) }, &h2)
	wx, wy := shares(pr.wx, n), shares(pr.wy, m)
	phi, psi, psi2 := pr.phi, pr.psi, pr.psi2
	if intercept {
		phi, psi, psi2 = withBias(phi), withBias(psi), withBias(psi2)
	}
	ga, gb, gc := product(phi, &dx, wx), product(psi, &dx, wx), product(psi2, &dy, wy)
	see := func(v float64, terms ...float64) {
		largest = max(largest, math.Abs(v))
		for _, x := range terms {
			size = max(size, math.Abs(x))
		}
	}
	_, np := phi.Dims()
	_, nq := psi.Dims()
	for j := range s.InterceptF {
		for i := range np {
			pen := 0.0
			if !(intercept && i == np-1) {
				pen = kf * s.Alpha.At(i, j)
			}
			see(gf*ga.At(i, j)+pen, gf*ga.At(i, j), pen)
		}
		for i := range nq {
			pen := 0.0
			if !(intercept && i == nq-1) {
				pen = kh * s.Beta.At(i, j)
			}
			see(-gf*gb.At(i, j)+gh*gc.At(i, j)+pen, gf*gb.At(i, j), gh*gc.At(i, j), pen)
		}
	}
	return largest, size
}

func mustRows(a *mat.Dense) int { n, _ := a.Dims(); return n }

func TestScaledIsContinuousAtOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pr := drawProblem(t)
		p := Params{W: 1, LambdaF: 1e-2, LambdaH: rapid.SampledFrom([]float64{1e-2, 1}).Draw(t, "lambda_h")}
		xu, uy := pr.moments()
		s, err := NewSystem(xu, uy, rapid.Bool().Draw(t, "intercept"))
		if err != nil {
			t.Fatal(err)
		}
		two := s.Solve(p)
		p.W = 1 - 1e-12
		near := s.Solve(p)
		// beta moves by at most (1-w)/w |M⁻¹||C| relative, |M⁻¹| <= 1/lambda_h, and alpha with it
		// times |B|/lambda_f at the worst; rounding of the two solves adds cond·eps.
		c := mat.Norm(s.c, 2)
		tol := 1e-12*c/p.LambdaH*(1+mat.Norm(s.b, 2)/p.LambdaF) + 1e-11
		if d := gap(near, two); d > tol {
			t.Errorf("w = 1 - 1e-12 differs from w = 1 by %g, tolerance %g", d, tol)
		}
	})
}

func TestAllRowsTwiceChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pr, p, intercept := drawProblem(t), drawParams(t), rapid.Bool().Draw(t, "intercept")
		xu, uy := pr.moments()
		once, err := NewSystem(xu, uy, intercept)
		if err != nil {
			t.Fatal(err)
		}
		xu.Add(pr.phi, pr.psi, pr.wx)
		uy.Add(pr.psi2, pr.y, pr.wy)
		twice, err := NewSystem(xu, uy, intercept)
		if err != nil {
			t.Fatal(err)
		}
		if d := gap(twice.Solve(p), once.Solve(p)); d > exact {
			t.Errorf("differs by %g", d)
		}
	})
}

func TestGoldenFits(t *testing.T) {
	g := testdata.ReadGolden(t)
	pr := problem{phi: g.Input.Phi.Dense(), psi: g.Input.Psi.Dense(), psi2: g.Input.Psi2.Dense(), y: g.Input.Y.Dense()}
	query := g.Input.PhiQuery.Dense()
	for _, fit := range g.Fit {
		pr.wx, pr.wy = nil, nil
		if fit.Weighted {
			pr.wx, pr.wy = g.Input.WeightsXU, g.Input.WeightsUY
		}
		p := Params{W: fit.W, LambdaF: fit.LambdaF, LambdaH: fit.LambdaH}
		if fit.Penalty == "paper" {
			p.Penalty = Paper
		}
		got := pr.solve(t, p, fit.Intercept)
		want := &Solution{Alpha: fit.Alpha.Dense(), Beta: fit.Beta.Dense(), InterceptF: fit.A0, InterceptH: fit.B0}
		if d := gap(got, want); d > 1e-10 {
			t.Errorf("%s w=%g intercept=%v weighted=%v: off by %g", fit.Penalty, fit.W, fit.Intercept, fit.Weighted, d)
		}
		var f mat.Dense
		f.Mul(query, got.Alpha)
		f.Apply(func(i, j int, v float64) float64 { return v + got.InterceptF[j] - fit.FQuery[i][j] }, &f)
		if d := mat.Norm(&f, math.Inf(1)); d > 1e-10 {
			t.Errorf("%s w=%g: f is off by %g", fit.Penalty, fit.W, d)
		}
	}
	if len(g.Fit) != 28 {
		t.Errorf("%d golden fits, want 28", len(g.Fit))
	}
}

func TestLambdaIsPerSample(t *testing.T) {
	// Hand-computed for linear features without intercept, lambda 0.5 (scikit-learn#4666 is a
	// confusion of this convention): 2Step alpha 116/93, beta 58/31; Joint under the paper's
	// penalty at w = 1/2 alpha 928/787, beta 1276/787.
	pr := problem{
		phi: mat.NewDense(2, 1, []float64{1, 2}), psi: mat.NewDense(2, 1, []float64{2, 1}),
		psi2: mat.NewDense(3, 1, []float64{1, 2, 3}), y: mat.NewDense(3, 1, []float64{2, 3, 7}),
	}
	for _, c := range []struct {
		p           Params
		alpha, beta float64
	}{
		{Params{W: 1, LambdaF: .5, LambdaH: .5}, 116. / 93, 58. / 31},
		{Params{W: .5, LambdaF: .5, LambdaH: .5, Penalty: Paper}, 928. / 787, 1276. / 787},
	} {
		s := pr.solve(t, c.p, false)
		if a, b := s.Alpha.At(0, 0), s.Beta.At(0, 0); math.Abs(a-c.alpha) > 1e-12 || math.Abs(b-c.beta) > 1e-12 {
			t.Errorf("%+v: alpha %.15g, beta %.15g, want %.15g and %.15g", c.p, a, b, c.alpha, c.beta)
		}
	}
}

func ExampleSystem() {
	xu, uy := moments.NewCoMoments(moments.ID{1}, moments.ID{2}), moments.NewCoMoments(moments.ID{2}, moments.ID{3})
	xu.Add(mat.NewDense(2, 1, []float64{1, 2}), mat.NewDense(2, 1, []float64{2, 1}), nil)
	uy.Add(mat.NewDense(3, 1, []float64{1, 2, 3}), mat.NewDense(3, 1, []float64{2, 3, 7}), nil)
	system, err := NewSystem(xu, uy, false)
	if err != nil {
		panic(err)
	}
	for _, w := range []float64{1, .5} {
		s := system.Solve(Params{W: w, LambdaF: .5, LambdaH: .5})
		fmt.Printf("w = %g: f(x) = %.4f x, h(u) = %.4f u\n", w, s.Alpha.At(0, 0), s.Beta.At(0, 0))
	}
	// Output:
	// w = 1: f(x) = 1.2473 x, h(u) = 1.8710 u
	// w = 0.5: f(x) = 1.0175 x, h(u) = 1.5263 u
}
