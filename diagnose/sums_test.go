package diagnose

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// ofRows are the moments of rows, the right side being the same; weights may be nil.
func ofRows(rows *mat.Dense, weights []float64) *moments.CoMoments {
	m := moments.NewCoMoments(moments.ID{}, moments.ID{})
	m.Add(rows, rows, weights)
	return m
}

// uneven are rows of columns with standard deviations 1, 1/2, 1/4, ..., moved by shift.
func uneven(rnd *rand.Rand, n, columns int, shift float64) *mat.Dense {
	x := fixture.Gaussian(rnd, n, columns, 0)
	for i := range n {
		for j := range columns {
			x.Set(i, j, shift+x.At(i, j)*math.Pow(2, -float64(j)))
		}
	}
	return x
}

// TestMeanTest: it has its size where few eigenvalues dominate, the p-values of the permutation test, and power. Both p-values are of one statistic; those of 999 permutations
// have a standard error of at most .016, and the chi-squared approximation and unequal covariances of samples add to that.
func TestMeanTest(t *testing.T) {
	size(t, func(rnd *rand.Rand) float64 {
		return meanTest(ofRows(uneven(rnd, 150, 5, 0), nil), ofRows(uneven(rnd, 400, 5, 0), nil), [2][]block{}).PValue
	})
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		x, y := uneven(rnd, 300, 5, .04), uneven(rnd, 500, 5, 0)
		exact := permutationTest(mat.DenseCopyOf(x), mat.DenseCopyOf(y), rnd)
		got := meanTest(ofRows(x, nil), ofRows(y, nil), [2][]block{})
		if math.Abs(got.PValue-exact.PValue) > .07 || math.Abs(got.Statistic-exact.Statistic) > 1e-12 {
			t.Errorf("p = %g for %g by permutations, statistic %g for %g", got.PValue, exact.PValue, got.Statistic, exact.Statistic)
		}
	}
	if got := meanTest(ofRows(uneven(rnd, 300, 3, 1), nil), ofRows(uneven(rnd, 300, 3, 0), nil), [2][]block{}); got.PValue > 1e-10 || !got.Differs() || got.Recommends() {
		t.Errorf("a shift of 1: %+v", got)
	}
}

// TestMeanTestOfWeights: rows of which one in ten has nearly all the weight count as a tenth of them. Its variance is estimated from 40 blocks, so that the number has a
// relative standard error of sqrt(2/39), 23 %; 4 of these are allowed. Without blocks the test would reject nearly always.
func TestMeanTestOfWeights(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 3))
	x := uneven(rnd, 4000, 1, 0)
	weights := make([]float64, 4000)
	for i := range weights {
		weights[i] = 1e-3
		if i%10 == 0 {
			weights[i] = 10
		}
	}
	all := ofRows(x, weights)
	var blocks []block
	for b := range 40 {
		part := ofRows(x.Slice(100*b, 100*b+100, 0, 1).(*mat.Dense), weights[100*b:100*b+100])
		blocks = append(blocks, block{part.Weight(), part.MeanA()})
	}
	var c mat.SymDense
	all.LeftTo(&c, true)
	if got := rowsOf(all, mat.Trace(&c), blocks); math.Abs(got-400) > 4*.23*400 {
		t.Errorf("%g rows, want some 400", got)
	}
}

// TestDiagnoseSums: the diagnosis from sums is that from rows, of which the test of U and rows in both tables need more.
func TestDiagnoseSums(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 4))
	const n = 400
	var x, u, v, y [n]float64
	for i := range n {
		x[i] = 2*rnd.Float64() - 1
		u[i] = x[i] + .3*rnd.NormFloat64()
		v[i] = 2*rnd.Float64() - 1 + .3*rnd.NormFloat64()
		y[i] = v[i]*v[i] + .1*rnd.NormFloat64()
	}
	xu, _ := tables.FromColumns(tables.Numbers("x", x[:]), tables.Numbers("u", u[:]))
	uy, _ := tables.FromColumns(tables.Numbers("u", v[:]), tables.Numbers("y", y[:]))
	spec := features.Spec{Size: 20, Bandwidth: 1}
	p := problemtest.Prepared(t, problem.Setup{Phi: spec, Psi: spec, Folds: 5}, xu, uy)
	plan, err := p.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ofX, err := plan.SumXU(t.Context(), xu)
	if err != nil {
		t.Fatal(err)
	}
	ofY, err := plan.SumUY(t.Context(), uy)
	if err != nil {
		t.Fatal(err)
	}
	both, err := problem.MergeSums(ofX, ofY)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := both.Problem()
	if err != nil {
		t.Fatal(err)
	}
	model, err := rr.TwoStep{}.Fit(t.Context(), sums)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DiagnoseSums(t.Context(), model, sums)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Diagnose(t.Context(), model, xu, uy, tables.RoleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// Folds of the diagnosis of rows are others, and cross-validated shares differ by some 1/sqrt(400).
	for _, of := range [][2]float64{{got.XPredictsH.R2, want.XPredictsH.R2}, {got.UPredictsY.R2, want.UPredictsY.R2}, {math.Sqrt(got.spreadOfF), math.Sqrt(want.spreadOfF)}} {
		if math.Abs(of[0]-of[1]) > .02 {
			t.Errorf("shares explained and spread of f: %v from sums and from rows", of)
		}
	}
	if got.DistributionOfU.Differs() || got.SharedRows != nil || !strings.Contains(got.DistributionOfU.Text, "from sums") {
		t.Errorf("%+v", got.DistributionOfU)
	}
	if _, err := DiagnoseSums(t.Context(), &rr.Model{F: model.F, H: constant{}}, sums); err == nil {
		t.Error("a predictor that is not linear is diagnosed from sums")
	}
}

// constant predicts 0.
type constant struct{}

func (constant) PredictTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	dst.ReuseAs(n, 1)
}
