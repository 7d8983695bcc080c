package search

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/features"
	"mediant/inference"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// fan draws tables whose E[h(U)|X] = X and Var(h(U)|X) = (0.05 + X²)/10 are both linear in (X, X²); Y is U
// exactly.
func fan(t testing.TB, n, m int, seed uint64) (xu, uy tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 1))
	column := func(rows int) (x, u []float64) {
		for range rows {
			v := 2*rnd.Float64() - 1
			x, u = append(x, v), append(u, v+math.Sqrt((.05+v*v)/10)*rnd.NormFloat64())
		}
		return x, u
	}
	source := func(name string, values, u []float64) tables.Source {
		src, err := tables.FromColumns(tables.Numbers(name, values), tables.Numbers("u", u))
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	x, u := column(n)
	_, u2 := column(m)
	return source("x", x, u), source("y", u2, u2)
}

func fanSetup() problem.Setup {
	return problem.Setup{
		Phi: features.Spec{Kind: features.PolynomialFeatures, Degree: 2}, Psi: features.Spec{Kind: features.LinearFeatures},
		NoStandardize: true, Folds: 5,
	}
}

func weighed(t testing.TB, p *problem.Problem) *problem.Problem {
	t.Helper()
	return fixture.Must[*problem.Problem](t)(WeighByPrecision(t.Context(), p))
}

// The variance is found: its standard error at a point is about sqrt(2) v sqrt(3/n), 0.04 v in the middle of
// v's range, and more at its ends.
func TestPrecisionFindsTheVariance(t *testing.T) {
	xu, uy := fan(t, 4000, 1000, 1)
	p := weighed(t, problemtest.Prepared(t, fanSetup(), xu, uy))
	x := mat.NewDense(5, 1, []float64{-.9, -.5, 0, .5, .9})
	var phi mat.Dense
	p.Phi().MapTo(&phi, x)
	w := p.FitWeights(&phi, moments.Weights{Factor: []float64{1, 1, 1, 1, 2}}).Products()
	mean := (.05 + 1./3) / 10
	for i := range 5 {
		v := (.05 + math.Pow(x.At(i, 0), 2)) / 10
		want := .1 * mean / max(v, .1*mean)
		if i == 4 {
			want *= 2
		}
		if math.Abs(w[i]/want-1) > .25 {
			t.Errorf("at %g the weight is %.4f, want %.4f", x.At(i, 0), w[i], want)
		}
	}
}

// f is the weighted least-squares fit, as rows and normal equations give it, also without folds; h and the
// risk do not see the weights.
func TestPrecisionIsWeightedLeastSquares(t *testing.T) {
	xu, uy := fan(t, 300, 200, 2)
	for _, folds := range []int{0, 5} {
		setup := fanSetup()
		setup.Folds = folds
		q := problemtest.Prepared(t, setup, xu, uy)
		p := weighed(t, q)
		zero := rr.Value(0)
		m, err := rr.TwoStep{LambdaF: zero, LambdaH: zero}.Fit(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if !m.Params.Precision {
			t.Error("the model does not say that rows were weighed")
		}
		a, b := mat.NewDense(300, 3, nil), mat.NewDense(300, 1, nil)
		at := 0
		err = p.WalkXU(context.Background(), p.SidePhi(), p.U(), func(_ int, phi, u *mat.Dense, w moments.Weights) {
			for i, v := range p.FitWeights(phi, w).Products() {
				root := math.Sqrt(v)
				a.SetRow(at, []float64{root, root * phi.At(i, 1), root * phi.At(i, 2)}) // phi begins with a constant
				b.Set(at, 0, root*u.At(i, 0))
				at++
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		var coef mat.Dense
		if err := coef.Solve(a, b); err != nil {
			t.Fatal(err)
		}
		x := mat.NewDense(2, 1, []float64{-.7, .4})
		var phi, got mat.Dense
		p.Phi().MapTo(&phi, x)
		m.F.PredictTo(&got, x)
		for i := range 2 {
			want := coef.At(0, 0) + coef.At(1, 0)*phi.At(i, 1) + coef.At(2, 0)*phi.At(i, 2)
			// h is u to rounding, and the systems have condition numbers of some 10³.
			if math.Abs(got.At(i, 0)-want) > 1e-10 {
				t.Errorf("%d folds: f is %v, weighted least squares gives %v", folds, got.At(i, 0), want)
			}
		}
		if p.XU().Weight() != q.XU().Weight() {
			t.Error("the moments that the risk is made of are weighed")
		}
	}
}

// Over 200 draws the slope has the variance that the theorem of Gauss and Markov gives, which is less than
// that of least squares, and standard errors tell it. A standard deviation over 200 draws is within 15 %
// of the truth but for 3 in 1,000; two are compared here with a fixed seed.
func TestPrecisionIsEfficient(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits, which find no race that few do not")
	}
	const n, draws = 200, 200
	slopes := map[bool][]float64{}
	var se []float64
	for d := range draws {
		xu, uy := fan(t, n, 50, uint64(d))
		for _, precision := range []bool{false, true} {
			setup := fanSetup()
			p := problemtest.Prepared(t, setup, xu, uy)
			if precision {
				p = weighed(t, p)
			}
			m, err := rr.TwoStep{LambdaF: rr.Value(0), LambdaH: rr.Value(0)}.Fit(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			var f, e mat.Dense
			at := mat.NewDense(2, 1, []float64{0, .5})
			m.F.PredictTo(&f, at)
			slopes[precision] = append(slopes[precision], f.At(0, 0))
			if precision {
				errors, err := inference.Estimate(context.Background(), p, m, inference.Corrected)
				if err != nil {
					t.Fatal(err)
				}
				errors.PredictTo(&e, at)
				se = append(se, e.At(0, 0))
			}
		}
	}
	// Of the intercept, by the information of (1, x, x²) under the uniform distribution: by least squares and with
	// true weights cut at a tenth of their mean.
	info := func(weight func(v float64) float64) *mat.SymDense {
		s := mat.NewSymDense(3, nil)
		const steps = 4000
		for i := range steps {
			x := -1 + (2*float64(i)+1)/steps
			s.SymRankOne(s, weight((.05+x*x)/10)/steps, mat.NewVecDense(3, []float64{1, x, x * x}))
		}
		return s
	}
	floor := .1 * (.05 + 1./3) / 10
	sd := func(weight func(v float64) float64) float64 {
		a := info(weight)
		b := info(func(v float64) float64 { return weight(v) * weight(v) * v })
		e := mat.NewVecDense(3, []float64{1, 0, 0})
		var z mat.VecDense
		if err := z.SolveVec(a, e); err != nil {
			t.Fatal(err)
		}
		return math.Sqrt(mat.Inner(&z, b, &z) / n)
	}
	plain, best := sd(func(float64) float64 { return 1 }), sd(func(v float64) float64 { return 1 / max(v, floor) })
	if best > .8*plain {
		t.Fatalf("this distribution cannot tell them apart: %g and %g", best, plain)
	}
	for precision, want := range map[bool]float64{false: plain, true: best} {
		if got := stat.StdDev(slopes[precision], nil); math.Abs(got/want-1) > .15 {
			t.Errorf("precision %v: standard deviation %.5f, want %.5f", precision, got, want)
		}
	}
	if got := stat.Mean(se, nil); math.Abs(got/best-1) > .15 {
		t.Errorf("standard errors are %.5f on average, the deviation is %.5f", got, best)
	}
}

// A search tries both, unless one is set, and says which it took.
func TestSearchWeighsByPrecision(t *testing.T) {
	xu, uy := fan(t, 300, 200, 3)
	spec := fanSetup()
	search := func(s Search) (*Choice, int, int) {
		t.Helper()
		s.Setup = spec
		c, err := s.Choose(context.Background(), xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		count := map[bool]int{}
		for _, trial := range c.Trials {
			if trial.Stage == "hyperparameters" {
				count[trial.Precision]++
				if trial.Precision != strings.Contains(trial.Name, "precision") {
					t.Errorf("trial %q", trial.Name)
				}
			}
		}
		return c, count[false], count[true]
	}
	if c, plain, weighed := search(Search{}); plain == 0 || weighed != plain || !c.Problem.HasFitWeights() {
		t.Errorf("%d plain trials and %d weighed ones; weighed ones chosen: %v", plain, weighed, c.Problem.HasFitWeights())
	}
	if c, plain, weighed := search(Search{Precision: Never}); plain == 0 || weighed != 0 || c.Problem.HasFitWeights() {
		t.Errorf("without weights: %d plain trials and %d weighed ones", plain, weighed)
	}
	if c, plain, weighed := search(Search{Precision: Always}); plain != 0 || weighed == 0 || !c.Problem.HasFitWeights() {
		t.Errorf("weights asked for: %d plain trials and %d weighed ones", plain, weighed)
	}
}

// Where f and h agree in every row there is nothing to weigh by: the search says so and goes on, unless
// weights are asked for.
func TestNoPrecisionWithoutResiduals(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	xu, err := tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", x))
	if err != nil {
		t.Fatal(err)
	}
	uy, err := tables.FromColumns(tables.Numbers("u", x), tables.Numbers("y", make([]float64, len(x))))
	if err != nil {
		t.Fatal(err)
	}
	l := features.Spec{Kind: features.LinearFeatures}
	s := Search{Setup: problem.Setup{Phi: l, Psi: l, Folds: 4}}
	c, err := s.Choose(context.Background(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	last := c.Trials[len(c.Trials)-1]
	if !last.Precision || last.Error == "" || last.Chosen || c.Problem.HasFitWeights() {
		t.Errorf("%+v", last)
	}
	s.Precision = Always
	if _, err := s.Choose(context.Background(), xu, uy); err == nil || !strings.Contains(err.Error(), "precision") {
		t.Errorf("weights are asked for: %v", err)
	}
}

func TestPrecisionRefusals(t *testing.T) {
	xu, uy := fan(t, 30, 20, 4)
	s := fanSetup()
	p := weighed(t, problemtest.Prepared(t, s, xu, uy))
	if _, err := (rr.TwoStep{H: rr.Ridge{Spec: s.Psi}}).Fit(context.Background(), p); err == nil || !strings.Contains(err.Error(), "precision") {
		t.Errorf("a regressor of one's own: %v", err)
	}
}
