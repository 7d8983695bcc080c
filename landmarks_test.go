package mediant

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/solvers"
	"mediant/tables"
)

// TestFoldsHaveNoLandmarksOfTheirOwn: the model of the other folds is that of Nyström features at the landmarks that are not rows of
// the fold, in both steps and with any w; landmarks that stand in several folds stay.
func TestFoldsHaveNoLandmarksOfTheirOwn(t *testing.T) {
	ctx := context.Background()
	xu, uy := fixture.Surrogates(t, 60, 50, false)
	spec := features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Size: 14}
	setup := problemtest.Setup(features.LinearFeatures)
	setup.Phi, setup.Psi, setup.Folds = spec, spec, 3
	p := problemtest.Prepared(t, setup, xu, uy)
	query := fixture.Gaussian(rand.New(rand.NewPCG(1, 1)), 4, p.X().Width(), 0)
	seen := 0
	for k := range 3 {
		train, err := p.Without(k)
		if err != nil {
			t.Fatal(err)
		}
		other := func(side features.Mapped) features.Mapped {
			l := p.Splitter().Landmarks[side.ID()]
			var kept []int
			for i, folds := range l.Folds {
				if len(folds) == 0 {
					t.Errorf("landmark %d is in no fold", i)
				}
				if slices.ContainsFunc(folds, func(f int) bool { return f != k }) {
					kept = append(kept, i)
				}
			}
			seen += len(l.Folds) - len(kept)
			z := l.Of.Landmarks().(*mat.Dense)
			_, in := z.Dims()
			rows := mat.NewDense(len(kept), in, nil)
			for to, from := range kept {
				rows.SetRow(to, z.RawRowView(from))
			}
			m, err := features.NewNystrom(l.Of.Kernel(), rows)
			if err != nil {
				t.Fatal(err)
			}
			return features.Mapped{Encoder: side.Encoder, Map: m}
		}
		phi, psi := other(p.SidePhi()), other(p.SidePsi())
		sum := func(table int, left, right encode.Side) *moments.CoMoments {
			folds, _, err := train.CoMomentsByFold(ctx, table, left, right)
			if err != nil {
				t.Fatal(err)
			}
			all, err := moments.Sum(folds...)
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		system, err := solvers.NewSystem(sum(problem.TableXU, phi, psi), sum(problem.TableUY, psi, p.Y()), true)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []float64{1, .4} {
			params := solvers.Params{W: w, LambdaF: 1e-3, LambdaH: 1e-2}
			m, err := rr.Joint{W: rr.Value(params.W), LambdaF: rr.Value(params.LambdaF), LambdaH: rr.Value(params.LambdaH)}.Fit(t.Context(), train)
			if err != nil {
				t.Fatal(err)
			}
			s := system.Solve(params)
			var got, want mat.Dense
			m.F.PredictTo(&got, query)
			rr.NewLinear(phi.Map, s.Alpha, s.InterceptF).PredictTo(&want, query)
			got.Sub(&got, &want)
			if d := mat.Norm(&got, 2); d > 1e-8 { // of systems of condition 1e3 and landmarks of 1e6
				t.Errorf("fold %d, w = %g: predictions differ by %g", k, w, d)
			}
		}
	}
	if seen < 6 {
		t.Errorf("%d landmarks are of one fold alone: too few to see anything", seen)
	}
}

// TestRiskOfManyLandmarks: with a landmark for every second row and small penalties the risk is that of new rows, as far as its
// standard error tells. Before landmarks went with their folds it was more than twice as large here.
func TestRiskOfManyLandmarks(t *testing.T) {
	if testing.Short() {
		t.Skip("fits many draws")
	}
	gap, truth := 0.0, 0.0
	const draws = 12
	for seed := range uint64(draws) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		rows := func(n int) (x, u, y *mat.Dense) {
			x, u, y = fixture.Gaussian(rnd, n, 4, 0), fixture.Gaussian(rnd, n, 4, 0), fixture.Gaussian(rnd, n, 1, 0)
			u.Scale(.3, u)
			u.Add(u, x)
			for i := range n {
				y.Set(i, 0, .3*y.At(i, 0)+u.At(i, 0)-u.At(i, 1)*u.At(i, 2))
			}
			return x, u, y
		}
		x, u, _ := rows(250)
		_, v, y := rows(250)
		spec := features.Spec{Kind: features.NystromFeatures, Kernel: "matern32", Size: 120}
		p := problemtest.Prepared(t, problem.Setup{Phi: spec, Psi: spec, Folds: 5, Seed: seed}, fromColumns(t, "x", x, "u", u), fromColumns(t, "u", v, "y", y))
		solver := rr.TwoStep{LambdaF: rr.Value(1e-6), LambdaH: rr.Value(1e-6)}
		var models []rr.Predictor
		a, err := risk.Assess(context.Background(), p, func(ctx context.Context, train *problem.Problem) (rr.Predictor, error) {
			m, err := solver.Fit(ctx, train)
			if err != nil {
				return nil, err
			}
			models = append(models, m.F)
			return m.F, nil
		}, risk.AssessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		tx, _, ty := rows(2000)
		encoded, _, err := p.X().EncodeAll(context.Background(), fromColumns(t, "x", tx, "x", nil), 5000)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range models {
			var got mat.Dense
			f.PredictTo(&got, encoded)
			got.Sub(&got, ty)
			n := mat.Norm(&got, 2)
			truth += n * n / 2000 / 5 / draws
		}
		gap += a.Risk.MSE / draws
	}
	// The standard deviation of one estimate is some 12 % of the truth: four of the mean of 12 are 14 %.
	if ratio := gap / truth; ratio < .86 || ratio > 1.14 {
		t.Errorf("the mean estimate is %.3f times the truth", ratio)
	}
}

// fromColumns is a table of the columns of two matrices, named by a prefix and a number; a nil one has none.
func fromColumns(t testing.TB, first string, a *mat.Dense, second string, b *mat.Dense) tables.Source {
	t.Helper()
	var columns []tables.ColumnData
	for _, part := range []struct {
		name string
		of   *mat.Dense
	}{{first, a}, {second, b}} {
		if part.of == nil {
			continue
		}
		_, c := part.of.Dims()
		for j := range c {
			columns = append(columns, tables.Numbers(fmt.Sprint(part.name, j), mat.Col(nil, j, part.of)))
		}
	}
	src, err := tables.FromColumns(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return src
}
