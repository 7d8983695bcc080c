package features

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/internal/rowops"
	"mediant/kernels"
)

// TestWithoutReplacementDistribution: sequences of three draws of weights, one of them 0, have the distribution of one draw after another.
func TestWithoutReplacementDistribution(t *testing.T) {
	weights := []float64{.5, 2, 0, 1, .1}
	checkDistribution(t, func(rnd *rand.Rand) []int { return withoutReplacement(weights, 3, rnd) }, func(picked []int) []float64 {
		left := slices.Clone(weights)
		for _, i := range picked {
			left[i] = 0
		}
		return left
	})
	if got := withoutReplacement(weights, 9, draw.Rand(1, "distribution", 0)); len(got) != 4 || slices.Contains(got, 2) {
		t.Errorf("9 of 5 weights, one 0: %v", got)
	}
}

// exactLeverages are the diagonal of K (K + lambda I)⁻¹ by gonum's inverse of a small matrix.
func exactLeverages(t *testing.T, k kernels.Kernel, x *mat.Dense, lambda float64) []float64 {
	t.Helper()
	n, _ := x.Dims()
	var gram, ridge, inverse, product mat.Dense
	k.GramTo(&gram, x, x)
	ridge.CloneFrom(&gram)
	for i := range n {
		ridge.Set(i, i, gram.At(i, i)+lambda)
	}
	if err := inverse.Inverse(&ridge); err != nil {
		t.Fatal(err)
	}
	product.Mul(&gram, &inverse)
	scores := make([]float64, n)
	for i := range scores {
		scores[i] = product.At(i, i)
	}
	return scores
}

// pilotOf returns the features of m random rows at all rows, and what they leave of the diagonal.
func pilotOf(t *testing.T, k kernels.Kernel, x *mat.Dense, m int) (phi *mat.Dense, residual []float64) {
	t.Helper()
	n, _ := x.Dims()
	pilot, err := NewNystrom(k, rowops.View(rowops.Of(x, draw.Rand(1, "pilot", m).Perm(n)[:m])))
	if err != nil {
		t.Fatal(err)
	}
	phi, residual = new(mat.Dense), make([]float64, n)
	pilot.MapTo(phi, x)
	k.DiagTo(residual, x)
	for i := range residual {
		residual[i] -= mat.Dot(phi.RowView(i), phi.RowView(i))
	}
	return phi, residual
}

// TestLeveragesOfAllRows as pilot are exact. Both sides have solves with a condition number of at most trace/lambda =
// 800, so that they agree to some 1e-12.
func TestLeveragesOfAllRows(t *testing.T) {
	x := randomRows(80, 2)
	k, err := kernels.NewGaussian(1)
	if err != nil {
		t.Fatal(err)
	}
	phi, residual := pilotOf(t, k, x, 80)
	got, want := scoresOf(t, phi.RawMatrix(), residual, .1), exactLeverages(t, k, x, .1)
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-11 {
			t.Errorf("score %d is %g, want %g", i, got[i], want[i])
		}
	}
}

// TestLeveragesAreNear: exact scores are not below those without what the pilot leaves. All together they exceed them by at most
// the trace that is left over lambda, m, and so do the approximate ones.
func TestLeveragesAreNear(t *testing.T) {
	x := randomRows(80, 2)
	k, err := kernels.NewGaussian(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []int{5, 20, 40} {
		phi, residual := pilotOf(t, k, x, m)
		lambda := floats.Sum(residual) / float64(m)
		part := slices.Clone(residual)
		exact, got := exactLeverages(t, k, x, lambda), scoresOf(t, phi.RawMatrix(), residual, lambda)
		above := 0.0
		for i := range got {
			least := got[i] - part[i]/lambda
			if got[i] < 1 && least > exact[i]+1e-11 {
				t.Errorf("%d pilots: without the residual score %d is %g, the exact one %g", m, i, least, exact[i])
			}
			if got[i] > 1 {
				t.Errorf("%d pilots: score %d is %g", m, i, got[i])
			}
			above += math.Abs(got[i] - exact[i])
		}
		if above > float64(m) {
			t.Errorf("%d pilots: scores are off by %g in all, the residual's part of them is %d", m, above, m)
		}
	}
}

// TestLeveragePicksOutliers: each of ten rows far from everything has a score near 1, and 490 near one point share
// what is left. The pilot of 40 sees few of them; most are picked all the same.
func TestLeveragePicksOutliers(t *testing.T) {
	x := randomRows(500, 2)
	x.Apply(func(i, _ int, v float64) float64 {
		if i%50 == 0 {
			return 30 * v
		}
		return .01 * v
	}, x)
	k, err := kernels.NewGaussian(1)
	if err != nil {
		t.Fatal(err)
	}
	far := 0
	for _, i := range picked(byLeverage(t.Context(), k, x, 40, draw.Rand(1, "landmarks", 0))) {
		if i%50 == 0 {
			far++
		}
	}
	if far < 9 {
		t.Errorf("%d of 10 outliers picked", far)
	}
}

// TestLeverageOfSpannedRows: a linear kernel of two columns is spanned by the pilot, which is then picked.
func TestLeverageOfSpannedRows(t *testing.T) {
	x := randomRows(50, 2)
	if got := picked(byLeverage(t.Context(), kernels.Linear{}, x, 6, draw.Rand(1, "landmarks", 0))); !slices.Equal(got, draw.Rand(1, "landmarks", 0).Perm(50)[:6]) {
		t.Errorf("picked %v", got)
	}
	if got := picked(byLeverage(t.Context(), kernels.Linear{}, mat.NewDense(5, 2, nil), 2, draw.Rand(1, "landmarks", 0))); got != nil {
		t.Errorf("picked %v of rows of zeros", got)
	}
}

// ExampleLandmarks_Pick picks the only row that differs from the others.
func ExampleLandmarks_Pick() {
	x := mat.NewDense(100, 1, nil)
	x.Set(42, 0, 5)
	k, err := kernels.NewGaussian(1)
	if err != nil {
		panic(err)
	}
	rows, _ := RidgeLeverage.Pick(k, x, 2, 1, "phi")
	fmt.Println(slices.Contains(rows, 42))
	// Output: true
}

func scoresOf(t *testing.T, phi blas64.General, residual []float64, lambda float64) []float64 {
	t.Helper()
	scores, err := ridgeScores(t.Context(), phi, residual, lambda)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}
