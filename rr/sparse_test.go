package rr_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/baselines"
	"mediant/diagnose"
	"mediant/features"
	"mediant/inference"
	"mediant/internal/fittest"
	"mediant/internal/slow"
	"mediant/internal/sparsetest"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// wide is a number of columns of which a dense block of 256 rows takes 1 GiB.
const wide = 1 << 19

// wideRows draws rows of X, of which a third of the first 40 columns and two of the others have an element, and of U,
// which has those of X and some noise.
func wideRows(n int, seed uint64) (x, u []map[int]float64) {
	rnd := rand.New(rand.NewPCG(seed, 5))
	for range n {
		row, of := make(map[int]float64), make(map[int]float64)
		for j := range 40 {
			if rnd.IntN(3) == 0 {
				row[j] = 1 + rnd.Float64()
				of[j] = row[j] + .2*rnd.NormFloat64()
			}
		}
		for range 2 {
			row[40+rnd.IntN(wide-40)], of[40+rnd.IntN(wide-40)] = 1, 1
		}
		x, u = append(x, row), append(u, of)
	}
	return x, u
}

// TestOtherModulesSparseRowsAreNeverDense: X and U are matrices of another module's type, in which nothing but the
// nonzeros of a row can be asked for, from the encoder through features, search, fit, risk, diagnosis and
// standard errors to the file and predictions; and all of a fit allocates less than one dense block of 256 of its rows.
func TestOtherModulesSparseRowsAreNeverDense(t *testing.T) {
	slow.Only(t)
	ctx := context.Background()
	const n = 256
	x, u := wideRows(n, 1)
	_, u2 := wideRows(n, 2)
	y := make([]float64, n)
	for i, row := range u2 {
		for j := range 40 {
			y[i] += row[j] * float64(1+j%3)
		}
	}
	sparse := func(name string, rows []map[int]float64) tables.Source {
		s, err := tables.FromSparse(name, sparsetest.New(wide, rows))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	beside := func(a, b tables.Source) tables.Source {
		s, err := tables.HStack(a, b)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	xu, uy := beside(sparse("x", x), sparse("u", u)), beside(sparse("u", u2), source(t, tables.Numbers("y", y)))
	few := features.Spec{Size: 32}
	setup := problem.Setup{Phi: few, Psi: few, Folds: 3}
	gaussian := problem.Setup{Phi: features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Size: 32}, Psi: few}
	for _, method := range []fittest.Fitter{fittest.With(problem.Setup{Phi: few, Psi: few}, rr.TwoStep{}), withErrors{setup, rr.Joint{}, inference.Corrected}, fittest.With(gaussian, rr.Joint{}), searching{search.Search{Setup: problem.Setup{Phi: few, Psi: few}, Rivals: baselines.Rivals}},
		fittest.With(problem.Setup{Phi: few, Psi: few}, baselines.Naive{}), fittest.With(problem.Setup{Phi: few, Psi: few, Folds: 3}, baselines.MeanEmbedding{})} {
		name := fmt.Sprintf("%T", method)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := method.Fit(ctx, xu, uy)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := risk.AssessModel(ctx, m.Model, xu, uy, tables.RoleOptions{}, risk.AssessOptions{}); err != nil {
			t.Errorf("%s: assess: %v", name, err)
		}
		if _, err := diagnose.Diagnose(ctx, m.Model, xu, uy, tables.RoleOptions{}); err != nil {
			t.Errorf("%s: diagnose: %v", name, err)
		}
		var file bytes.Buffer
		if err := m.Save(&file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if m, err = mediant.Load(&file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, again := mat.NewDense(n, 1, nil), new(mat.Dense)
		if err := m.PredictTo(got, sparsetest.New(wide, x)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for b, err := range m.Predict(ctx, xu) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			again.CloneFrom(b.Values)
		}
		if !mat.Equal(got, again) {
			t.Errorf("%s: predictions of the matrix are not those of the table", name)
		}
		if counts, err := m.X.Count(ctx, xu); err != nil || counts.Missing != nil {
			t.Errorf("%s: counts %v, error %v", name, counts, err)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used >= 8*n*wide {
			t.Errorf("%s: %d MiB are allocated, a dense block of %d rows takes %d", name, used>>20, n, 8*n*wide>>20)
		} else {
			t.Logf("%s: %d MiB", name, used>>20)
		}
	}
}
