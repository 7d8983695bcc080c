package features

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/internal/rowops"
)

// semidefinite returns B B' for a random m × rank matrix B.
func semidefinite(m, rank int, seed uint64) blas64.General {
	rnd := rand.New(rand.NewPCG(seed, 0))
	b, a := mat.NewDense(m, rank, nil), rowops.New(m, m)
	b.Apply(func(int, int, float64) float64 { return rnd.NormFloat64() }, b)
	rowops.View(a).Mul(b, b.T())
	return a
}

// checkFactor compares U'U, summed element by element, with the rows and columns of a at the pivots.
func checkFactor(t interface{ Errorf(string, ...any) }, a, u blas64.General, pivots []int, tolerance float64) {
	for s := range pivots {
		for r := range pivots {
			var sum float64
			for l := 0; l <= min(r, s); l++ {
				sum += rowops.Row(u, l)[r] * rowops.Row(u, l)[s]
			}
			if d := math.Abs(sum - rowops.Row(a, pivots[r])[pivots[s]]); !(d <= tolerance) {
				t.Errorf("U'U differs at pivots %d, %d by %g, tolerance %g", r, s, d, tolerance)
				return
			}
		}
	}
}

func TestPivotedCholesky(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.OneOf(rapid.IntRange(1, 8), rapid.SampledFrom([]int{63, 64, 65, 130, 200})).Draw(t, "m")
		rank := rapid.IntRange(1, m).Draw(t, "rank")
		a := semidefinite(m, rank, rapid.Uint64().Draw(t, "seed"))
		u, most := rowops.New(m, m), 0.0
		copy(u.Data, a.Data)
		for i := range m {
			most = max(most, rowops.Row(a, i)[i])
		}
		pivots, _ := pivotedCholesky(t.Context(), u, residualCutoff(m))
		// Past the rank, residuals are rounding; up to it they are the squares of what Gaussian
		// vectors keep when projected on the complement of others, which can be as small but not in
		// practice: a rank too low would have probability of some 1e-7 a case, and shrinks with m.
		if len(pivots) != rank {
			t.Errorf("%d pivots of a matrix of rank %d", len(pivots), rank)
		}
		if last := slices.Max(pivots); last >= m || len(slices.Compact(slices.Sorted(slices.Values(pivots)))) != len(pivots) {
			t.Errorf("pivots %v are not distinct rows", pivots)
		}
		// Higham (10.3): a backward error of (rank+1) eps |U'||U| ≤ (rank+1) eps max diag.
		checkFactor(t, a, u, pivots, float64(rank+1)*machineEpsilon*most)
		for l := 1; l < len(pivots); l++ {
			if a, b := rowops.Row(u, l-1)[l-1], rowops.Row(u, l)[l]; b > a*(1+1e-12) {
				t.Errorf("pivot %d, %g, exceeds the one before, %g", l, b, a)
			}
		}
	})
}

func TestPivotedCholeskyOfNothing(t *testing.T) {
	if pivots, _ := pivotedCholesky(t.Context(), rowops.New(3, 3), residualCutoff(3)); len(pivots) != 0 {
		t.Errorf("the zero matrix has pivots %v", pivots)
	}
}

func TestPackUpper(t *testing.T) {
	u := blas64.General{Rows: 3, Cols: 3, Stride: 3, Data: []float64{1, 2, 3, 0, 4, 5, 0, 0, 6}}
	packed := packUpper(nil, u)
	if !slices.Equal(packed, []float64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("packed %v", packed)
	}
	if got := unpackUpper(packed, 3); !slices.Equal(got.Data, u.Data) {
		t.Errorf("unpacked %v", got.Data)
	}
}

func BenchmarkPivotedCholesky(b *testing.B) {
	const m = 1000
	a, work := semidefinite(m, m, 1), rowops.New(m, m)
	for b.Loop() {
		copy(work.Data, a.Data)
		pivotedCholesky(b.Context(), work, residualCutoff(m))
	}
}
