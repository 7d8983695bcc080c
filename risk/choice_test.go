package risk

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/moments"
	"mediant/rr"
)

// foldRows are rows of one table by fold, in memory.
type foldRows struct{ a, b []*mat.Dense }

func drawFoldRows(rnd *rand.Rand, folds, p, q int) foldRows {
	var f foldRows
	for range folds {
		n := 5 + rnd.IntN(5)
		f.a, f.b = append(f.a, normal(rnd, n, p)), append(f.b, normal(rnd, n, q))
	}
	return f
}

func (f foldRows) splits(t *testing.T) crossfit.Splits {
	t.Helper()
	var pairs []*moments.CoMoments
	for k := range f.a {
		pair := moments.NewCoMoments(moments.ID{}, moments.ID{})
		pair.Add(f.a[k], f.b[k], nil)
		pairs = append(pairs, pair)
	}
	s, err := crossfit.Splitter{}.Split(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// argmin is the index of the least value.
func argmin(v []float64) int {
	at := 0
	for i := range v {
		if v[i] < v[at] {
			at = i
		}
	}
	return at
}

// choiceMus are so far apart that every one of them is the best for some draw.
var choiceMus = []float64{1e-6, 1e-2, .3, 3, 1e3}

// TestMuIsChosenOnHeldOutRows compares the choice, for each output, with the loss counted row by row:
// mean_SY r² - 2 mean_SX r f over each fold, weighed by the rows of S_Y.
func TestMuIsChosenOnHeldOutRows(t *testing.T) {
	seen := make(map[float64]bool)
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		const folds, q, k = 3, 2, 2
		x, y := drawFoldRows(rnd, folds, k, q), drawFoldRows(rnd, folds, q, 1)
		f := crossfit.Affine{Coef: mat.NewDense(k, k, []float64{1, 0, 0, 1}), Intercept: []float64{rnd.NormFloat64() * float64(seed%3), 0}} // phi is f's values
		for i := range x.a {
			for j := range mustRows(x.a[i]) { // f has something to do with psi in some draws
				x.a[i].Set(j, 1, x.a[i].At(j, 1)+float64(seed%4)*x.b[i].At(j, 0))
			}
		}
		xu, uy := x.splits(t), y.splits(t)
		var train, held []*mat.Dense
		for i := range folds {
			train, held = append(train, crossfit.Target(xu.Train[i], f)), append(held, crossfit.Target(xu.Held[i], f))
		}
		_, mus := weightsOf(t, crossfit.Riesz{UY: uy, Mus: choiceMus}, train, held)
		loss := make([][]float64, k)
		for _, mu := range choiceMus {
			gamma, _ := weightsOf(t, crossfit.Riesz{UY: uy, Mus: []float64{mu}}, train, held)
			for j := range k {
				loss[j] = append(loss[j], rieszLoss(gamma, x, y, f, j))
			}
		}
		for j := range k {
			seen[mus[j]] = true
			if want := choiceMus[argmin(loss[j])]; mus[j] != want {
				t.Errorf("seed %d: mu of output %d is %g, want %g", seed, j, mus[j], want)
			}
		}
	}
	if len(seen) < 4 {
		t.Errorf("only %v were chosen", seen)
	}
}

func mustRows(m *mat.Dense) int { n, _ := m.Dims(); return n }

// rieszLoss counts row by row.
func rieszLoss(gamma []crossfit.Affine, x, y foldRows, f crossfit.Affine, j int) float64 {
	total, rows := 0.0, 0
	for i := range gamma {
		var r, rx, fx mat.Dense
		gamma[i].ApplyTo(&r, y.a[i])
		gamma[i].ApplyTo(&rx, x.b[i])
		f.ApplyTo(&fx, x.a[i])
		n, m := mustRows(x.a[i]), mustRows(y.a[i])
		loss := 0.0
		for row := range m {
			loss += r.At(row, j) * r.At(row, j) / float64(m)
		}
		for row := range n {
			loss -= 2 * rx.At(row, j) * fx.At(row, j) / float64(n)
		}
		total, rows = total+float64(m)*loss, rows+m
	}
	return total / float64(rows)
}

// TestLambdaIsChosenOnHeldOutRows: h takes the penalty whose squared error over held-out rows, counted
// row by row, is least.
func TestLambdaIsChosenOnHeldOutRows(t *testing.T) {
	seen := make(map[float64]bool)
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 8))
		y := drawFoldRows(rnd, 3, 4, 2)
		for i := range y.a {
			for j := range mustRows(y.a[i]) {
				y.b[i].Set(j, 0, y.b[i].At(j, 0)*float64(seed%3)/4+y.a[i].At(j, 1)*float64(1-seed%2))
			}
		}
		s := y.splits(t)
		_, lambdas, err := new(fittedNuisances).chooseRidge(t.Context(), s, true, rr.Auto)
		if err != nil {
			t.Fatal(err)
		}
		lambda := lambdas[0]
		var loss []float64
		for _, l := range crossfit.Lambdas {
			h, _, err := new(fittedNuisances).chooseRidge(t.Context(), s, true, rr.Value(l))
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for i := range h {
				var out mat.Dense
				h[i].ApplyTo(&out, y.a[i])
				out.Sub(&out, y.b[i])
				norm := mat.Norm(&out, 2)
				sum += norm * norm
			}
			loss = append(loss, sum)
		}
		at := argmin(loss)
		seen[lambda] = true
		// Tiny penalties differ by less than rounding.
		if lambda != crossfit.Lambdas[at] && math.Abs(loss[indexOf(lambda)]-loss[at]) > 1e-12*loss[at] {
			t.Errorf("seed %d: lambda is %g, want %g", seed, lambda, crossfit.Lambdas[at])
		}
	}
	if len(seen) < 3 {
		t.Errorf("only %v were chosen", seen)
	}
}

// TestLeaveOneOutWithoutPenalty: a penalty of 0 is a candidate like any other, and NaN none
// (scikit-learn/scikit-learn#4781, #23074). The errors are those of two columns without intercept, left-out row by
// row, by Cramer's rule; without the last row, the only one with a second column, the system is singular and the
// least-norm solution leaves that column out.
func TestLeaveOneOutWithoutPenalty(t *testing.T) {
	lambdas := []float64{0, 1e-16, .1, 1, 10}
	for _, c := range []struct {
		name string
		x    []float64 // two columns
		y    []float64
	}{
		{"regular", []float64{1, 2, 3, 1, 0, 2, 2, -1}, []float64{5.1, 4.9, 4, 0.1}},
		{"singular without the last", []float64{1, 0, 2, 0, 4, 0, 1, 3}, []float64{2, 4.5, 8, 11}},
	} {
		var f foldRows
		for i, y := range c.y {
			f.a, f.b = append(f.a, mat.NewDense(1, 2, c.x[2*i:2*i+2])), append(f.b, mat.NewDense(1, 1, []float64{y}))
		}
		got, err := crossfit.CrossValidate(t.Context(), f.splits(t), crossfit.Units{}, lambdas, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, lambda := range lambdas {
			if want := leaveOneOut(c.x, c.y, lambda); !(math.Abs(got.Risk[i][0]-want) <= 1e-12*want) { // systems of condition below 100
				t.Errorf("%s: leave-one-out error at lambda %g is %g, want %g", c.name, lambda, got.Risk[i][0], want)
			}
		}
		if c.name == "regular" && got.Lambda() > 1e-16 { // y is 2 for each unit of the second column, 1 of the first
			t.Errorf("lambda %g is chosen of errors %g, want none", got.Lambda(), got.Risk)
		}
	}
}

// leaveOneOut is the mean squared error of least squares on two columns, each row left out.
func leaveOneOut(x, y []float64, lambda float64) float64 {
	sum, n := 0.0, float64(len(y)-1)
	for out := range y {
		var a, b, d, r, s float64
		for i := range y {
			if i != out {
				u, v := x[2*i], x[2*i+1]
				a, b, d, r, s = a+u*u/n, b+u*v/n, d+v*v/n, r+u*y[i]/n, s+v*y[i]/n
			}
		}
		a, d = a+lambda, d+lambda
		f := x[2*out] * r / a // the second column is 0 in all rows
		if det := a*d - b*b; d > 1e-15 {
			f = (x[2*out]*(d*r-b*s) + x[2*out+1]*(a*s-b*r)) / det
		}
		sum += (f - y[out]) * (f - y[out])
	}
	return sum / float64(len(y))
}

func indexOf(lambda float64) int {
	for i, l := range crossfit.Lambdas {
		if l == lambda {
			return i
		}
	}
	return -1
}

// TestOutputsAreRisksOfTheirOwn: each output of several has the risk and standard error that it has
// alone.
func TestOutputsAreRisksOfTheirOwn(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	const q = 3
	n := nuisances{h: function(rnd, q, 2), r: function(rnd, q, 2), v: function(rnd, q, 2), omega: function(rnd, q, 1)}
	f, psi, psi2, y, w := normal(rnd, 9, 2), normal(rnd, 9, q), normal(rnd, 14, q), normal(rnd, 14, 2), ones(14)
	w[3] = 2
	score := func(n nuisances, f, y *mat.Dense, shifted bool) *Assessment {
		s := newScorer([]nuisances{n}, crossfit.Units{}, shifted, false)
		s.addXU(0, f, psi, moments.Weights{})
		s.addUY(0, psi2, y, moments.Weights{Factor: w})
		return assessed(t, s)
	}
	for _, shifted := range []bool{false, true} {
		both := score(n, f, y, shifted)
		for j := range 2 {
			own := nuisances{h: n.h.Outputs(j, j+1), r: n.r.Outputs(j, j+1), v: n.v.Outputs(j, j+1), omega: n.omega}
			one := score(own, mat.DenseCopyOf(f.Slice(0, 9, j, j+1)), mat.DenseCopyOf(y.Slice(0, 14, j, j+1)), shifted).Risk
			got := both.Risk.Outputs[j]
			if math.Abs(got.MSE-one.MSE) > finiteTol || math.Abs(got.SE-one.SE) > finiteTol || math.Abs(got.Hi-one.Hi) > finiteTol {
				t.Errorf("shifted %v: output %d is %+v, alone %+v", shifted, j, got, one)
			}
		}
	}
}

// TestRieszWeightsHaveTheirPlaces: among the weights of f, of classes and of 1, which are solved
// together, each is where it belongs: the one of 1 is that of the constant, those of the classes add up to
// it.
func TestRieszWeightsHaveTheirPlaces(t *testing.T) {
	ctx := context.Background()
	xu, uy := fixture.Surrogates(t, 90, 80, true)
	p := problemtest.Prepared(t, problemtest.Setup(features.FourierFeatures), xu, uy)
	m, err := fitFolds(ctx, p, Fitted(rr.TwoStep{}))
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := fitNuisances(ctx, evidenceOf(p), m, AssessOptions{Form: CovariateShift, Mu: rr.Value(1e-2)})
	if err != nil {
		t.Fatal(err)
	}
	all := fitted.of
	_, features := p.Phi().Dims()
	one := crossfit.Affine{Coef: mat.NewDense(features, 1, nil), Intercept: []float64{1}}
	uySplits, err := p.Splitter().Split(t.Context(), p.FoldsUY())
	if err != nil {
		t.Fatal(err)
	}
	xuSplits, err := p.Splitter().Split(t.Context(), p.FoldsXU())
	if err != nil {
		t.Fatal(err)
	}
	var train, held []*mat.Dense
	for k := range all {
		train, held = append(train, crossfit.Target(xuSplits.Train[k], one)), append(held, crossfit.Target(xuSplits.Held[k], one))
	}
	omega, _ := weightsOf(t, crossfit.Riesz{UY: uySplits, Mus: []float64{1e-2}}, train, held)
	for k, n := range all {
		var sum, d mat.Dense
		sum.Add(n.hit.Coef.Slice(0, mustRows(n.hit.Coef), 0, 1), n.hit.Coef.Slice(0, mustRows(n.hit.Coef), 1, 2))
		for name, got := range map[string]mat.Matrix{"omega": n.omega.Coef, "the classes": &sum} {
			if d.Sub(got, omega[k].Coef); mat.Norm(&d, math.Inf(1)) > assessTol {
				t.Errorf("fold %d: %s is off by %g", k, name, mat.Norm(&d, math.Inf(1)))
			}
			d.Reset()
		}
	}
}

// weightsOf are the Riesz weights and their penalties.
func weightsOf(t *testing.T, r crossfit.Riesz, train, held []*mat.Dense) ([]crossfit.Affine, []float64) {
	t.Helper()
	weights, mus, err := r.Weights(t.Context(), train, held)
	if err != nil {
		t.Fatal(err)
	}
	return weights, mus
}
