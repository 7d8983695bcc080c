package risk

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/moments"
	"mediant/solvers"
	"mediant/testdata"
)

// goldenTol is the tolerance for numbers of golden.json, which are of the order of 1. The systems
// have condition numbers below 1e3, so rounding leaves some 1e-13.
const goldenTol = 1e-9

func rowsOf(m *mat.Dense, rows []int) *mat.Dense {
	_, c := m.Dims()
	out := mat.NewDense(len(rows), c, nil)
	for i, r := range rows {
		out.SetRow(i, m.RawRowView(r))
	}
	return out
}

// goldenCase is the one held-out fold of golden.json.
type goldenCase struct {
	phi, psi, psi2, y *mat.Dense // held-out rows
	xu, uy, squares   crossfit.Splits
	f                 crossfit.Affine
}

// newGoldenCase fits f to targets y (those of the file, or one-hot labels).
func newGoldenCase(t *testing.T, g *testdata.Golden, y *mat.Dense) goldenCase {
	t.Helper()
	pair := func(a, b *mat.Dense, rows []int) *moments.CoMoments {
		p := moments.NewCoMoments(moments.ID{}, moments.ID{})
		p.Add(rowsOf(a, rows), rowsOf(b, rows), nil)
		return p
	}
	split := func(a, b *mat.Dense, train, held []int) crossfit.Splits {
		return crossfit.Splits{Train: []*moments.CoMoments{pair(a, b, train)}, Held: []*moments.CoMoments{pair(a, b, held)}}
	}
	r := g.Risk
	phi, psi, psi2 := g.Input.Phi.Dense(), g.Input.Psi.Dense(), g.Input.Psi2.Dense()
	var y2 mat.Dense
	y2.MulElem(y, y)
	c := goldenCase{
		phi: rowsOf(phi, r.HeldXU), psi: rowsOf(psi, r.HeldXU), psi2: rowsOf(psi2, r.HeldUY), y: rowsOf(y, r.HeldUY),
		xu: split(phi, psi, r.TrainXU, r.HeldXU), uy: split(psi2, y, r.TrainUY, r.HeldUY),
		squares: split(psi2, &y2, r.TrainUY, r.HeldUY),
	}
	system, err := solvers.NewSystem(c.xu.Train[0], c.uy.Train[0], true)
	if err != nil {
		t.Fatal(err)
	}
	s := system.Solve(solvers.Params{W: 1, LambdaF: r.LambdaF, LambdaH: r.LambdaHOfF})
	c.f = crossfit.Affine{Coef: s.Alpha, Intercept: s.InterceptF}
	return c
}

// nuisances fits h, v and the Riesz weights of f and of 1.
func (c goldenCase) nuisances(t *testing.T, lambda, mu float64) nuisances {
	t.Helper()
	h, err := crossfit.CrossValidate(t.Context(), c.uy, crossfit.Units{}, []float64{lambda}, true)
	if err != nil {
		t.Fatal(err)
	}
	v, err := crossfit.CrossValidate(t.Context(), c.squares, crossfit.Units{}, []float64{lambda}, true)
	if err != nil {
		t.Fatal(err)
	}
	one := crossfit.Affine{Coef: mat.NewDense(len(c.f.Coef.RawMatrix().Data)/len(c.f.Intercept), 1, nil), Intercept: []float64{1}}
	riesz := crossfit.Riesz{UY: c.uy, Mus: []float64{mu}}
	weights := func(f crossfit.Affine) crossfit.Affine {
		r, _ := weightsOf(t, riesz, []*mat.Dense{crossfit.Target(c.xu.Train[0], f)}, []*mat.Dense{crossfit.Target(c.xu.Held[0], f)})
		return r[0]
	}
	return nuisances{h: h.Fits[0][0], v: v.Fits[0][0], r: weights(c.f), omega: weights(one)}
}

func (c goldenCase) score(n nuisances, shifted, classes bool) *scorer {
	s := newScorer([]nuisances{n}, crossfit.Units{}, shifted, classes)
	var f mat.Dense
	c.f.ApplyTo(&f, c.phi)
	s.addXU(0, &f, c.psi, moments.Weights{})
	s.addUY(0, c.psi2, c.y, moments.Weights{})
	return s
}

func assessed(t *testing.T, s *scorer) *Assessment {
	t.Helper()
	a, err := s.assessment()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if d := math.Abs(got - want); !(d <= goldenTol) {
		t.Errorf("%s is %.12g, want %.12g: off by %.2g", name, got, want, d)
	} else {
		t.Logf("%s off by %.2g", name, d)
	}
}

// stacked puts the intercepts below the coefficients, as golden.json has them.
func stacked(f crossfit.Affine) *mat.Dense {
	var all mat.Dense
	all.Stack(f.Coef, mat.NewDense(1, len(f.Intercept), f.Intercept))
	return &all
}

func TestGoldenNuisances(t *testing.T) {
	g := testdata.ReadGolden(t)
	c := newGoldenCase(t, g, g.Input.Y.Dense())
	n := c.nuisances(t, g.Risk.LambdaH, g.Risk.Mu)
	for _, f := range []struct {
		name      string
		got, want *mat.Dense
	}{
		{"h", stacked(n.h), g.Risk.BetaH.Dense()}, {"v", stacked(n.v), g.Risk.BetaV.Dense()},
		{"r", stacked(n.r), g.Risk.Gamma.Dense()}, {"omega", stacked(n.omega), mat.NewDense(len(g.Risk.Omega), 1, g.Risk.Omega)},
	} {
		var d mat.Dense
		d.Sub(f.got, f.want)
		near(t, f.name, mat.Norm(&d, math.Inf(1)), 0)
	}
}

func TestGoldenRisk(t *testing.T) {
	g := testdata.ReadGolden(t)
	c := newGoldenCase(t, g, g.Input.Y.Dense())
	n := c.nuisances(t, g.Risk.LambdaH, g.Risk.Mu)
	one, two := assessed(t, c.score(n, false, false)), assessed(t, c.score(n, true, false))
	near(t, "form 1", one.Risk.MSE, g.Risk.Form1.MSE)
	near(t, "its standard error", one.Risk.SE, g.Risk.Form1.SE)
	near(t, "form 2", two.Risk.MSE, g.Risk.Form2.MSE)
	near(t, "its standard error", two.Risk.SE, g.Risk.Form2.SE)
	near(t, "lower end", one.Bracket.Lo, g.Risk.Bracket.Lo)
	near(t, "upper end", one.Bracket.Hi, g.Risk.Bracket.Hi)
	near(t, "tight lower end", one.Tight.Lo, max(0, g.Risk.Tight.Centre-g.Risk.Tight.HalfWidth))
	near(t, "tight upper end", one.Tight.Hi, g.Risk.Tight.Centre+g.Risk.Tight.HalfWidth)
	fs, hs, rs := []crossfit.Affine{c.f}, []crossfit.Affine{n.h}, []crossfit.Affine{n.r}
	near(t, "form 1 from sums", floats.Sum(crossfit.FoldRisk(c.xu, c.uy, fs, hs, rs)), g.Risk.Form1.MSE)
	near(t, "form 2 from sums", floats.Sum(foldRiskShifted(c.xu, c.uy, c.squares, fs, hs, rs, []crossfit.Affine{n.v}, []crossfit.Affine{n.omega})), g.Risk.Form2.MSE)
}

func TestGoldenAccuracy(t *testing.T) {
	g := testdata.ReadGolden(t)
	y := mat.NewDense(len(g.Accuracy.Labels), 2, nil)
	for i, label := range g.Accuracy.Labels {
		y.Set(i, label, 1)
	}
	c := newGoldenCase(t, g, y)
	n := c.nuisances(t, g.Risk.LambdaH, g.Risk.Mu)
	hit := newTargets(1, 2, 3)
	for k, rows := range [][]int{g.Risk.HeldXU, g.Risk.TrainXU} { // fold 0 is held out
		var f, onehot mat.Dense
		c.f.ApplyTo(&f, rowsOf(g.Input.Phi.Dense(), rows))
		onehot.CloneFrom(&f)
		argmaxTo(&onehot, &f)
		hit.add(k, rowsOf(g.Input.Psi.Dense(), rows), moments.Weights{}, false, func(int) *mat.Dense { return &onehot })
	}
	train, held := hit.means()
	r, _ := weightsOf(t, crossfit.Riesz{UY: c.uy, Mus: []float64{g.Risk.Mu}}, train, held)
	n.hit = r[0]
	a := assessed(t, c.score(n, false, true))
	near(t, "accuracy", a.Accuracy.Value, g.Accuracy.Estimate.Estimate)
	near(t, "its standard error", a.Accuracy.SE, g.Accuracy.SE)
}
