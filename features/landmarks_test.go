package features_test

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/kernels"
)

var rules = []features.Landmarks{features.RandomlyPivoted, features.Uniform, features.KMeansPlusPlus, features.RidgeLeverage}

func TestPick(t *testing.T) {
	x := fixture.NormalRows(400, 3)
	k := gaussian(t, 1)
	for _, rule := range rules {
		rows, notes := rule.Pick(k, x, 150, 1, "phi")
		if len(rows) != 150 || len(notes) != 0 {
			t.Errorf("%q: %d rows, notes %q", rule, len(rows), notes)
		}
		distinct := slices.Compact(slices.Sorted(slices.Values(rows)))
		if len(distinct) != len(rows) || distinct[0] < 0 || distinct[len(distinct)-1] >= 400 {
			t.Errorf("%q: rows %v are not distinct rows of 400", rule, rows)
		}
		again, _ := rule.Pick(k, x, 150, 1, "phi")
		if !slices.Equal(rows, again) {
			t.Errorf("%q: a seed does not fix the rows", rule)
		}
		for _, other := range [][]int{first(rule.Pick(k, x, 150, 2, "phi")), first(rule.Pick(k, x, 150, 1, "psi"))} {
			if slices.Equal(rows, other) {
				t.Errorf("%q: another seed or purpose gives the same rows", rule)
			}
		}
	}
}

func first[A, B any](a A, _ B) A { return a }

func TestPickMoreThanThereAre(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{1, 2, 1, 5})
	for rule, distinct := range map[features.Landmarks]int{
		features.RandomlyPivoted: 3, features.KMeansPlusPlus: 3, features.Uniform: 4,
	} {
		rows, notes := rule.Pick(gaussian(t, 1), x, 9, 1, "phi")
		if len(rows) != distinct || len(notes) == 0 || !strings.Contains(notes[0], "all 4 rows") {
			t.Errorf("%q: rows %v, notes %q", rule, rows, notes)
		}
		if distinct < 4 && (len(notes) != 2 || !strings.Contains(notes[1], "span")) {
			t.Errorf("%q: notes %q do not say that a row is there twice", rule, notes)
		}
	}
}

// TestPickFromMany: beyond 20,000 rows a sample is looked at, and what is picked there is named by its
// row in the whole. Every 50th row is 1 and the others 0: the linear kernel has one landmark, and
// k-means++ one of either kind.
func TestPickFromMany(t *testing.T) {
	const n = 25000
	x := mat.NewDense(n, 1, nil)
	for i := 49; i < n; i += 50 {
		x.Set(i, 0, 1)
	}
	late := 0
	for seed := range uint64(20) {
		rows, _ := features.RandomlyPivoted.Pick(kernels.Linear{}, x, 3, seed, "phi")
		if len(rows) != 1 || x.At(rows[0], 0) != 1 {
			t.Fatalf("seed %d: randomly pivoted rows %v", seed, rows)
		}
		if rows[0] >= 20000 {
			late++
		}
		rows, _ = features.KMeansPlusPlus.Pick(nil, x, 3, seed, "phi")
		if len(rows) != 2 || x.At(rows[0], 0)+x.At(rows[1], 0) != 1 {
			t.Fatalf("seed %d: k-means++ rows %v", seed, rows)
		}
	}
	// The chance that 20 rows of 25,000 are all among the first 20,000 is 0.8^20 = 0.01; the seeds are
	// fixed.
	if late == 0 {
		t.Error("no row after the first 20,000 is ever picked")
	}
}

// TestPickExplains: randomly pivoted landmarks leave less of the kernel than uniform ones when a
// few rows are far from the many.
func TestPickExplains(t *testing.T) {
	x := fixture.NormalRows(1000, 2)
	x.Apply(func(i, _ int, v float64) float64 {
		if i%50 == 0 {
			return 10 * v
		}
		return 0.1 * v
	}, x)
	k := gaussian(t, 1)
	left := func(rule features.Landmarks) float64 {
		rows, _ := rule.Pick(k, x, 20, 1, "phi")
		z := mat.NewDense(len(rows), 2, nil)
		for t, i := range rows {
			z.SetRow(t, x.RawRowView(i))
		}
		norm := mat.Norm(mapped(fixture.Must[*features.Nystrom](t)(features.NewNystrom(k, z)), x), 2)
		return 1000 - norm*norm
	}
	pivoted, uniform := left(features.RandomlyPivoted), left(features.Uniform)
	// 20 of 1,000 rows are outliers, each with a kernel of its own: uniform landmarks miss nearly all.
	if pivoted > 0.5*uniform {
		t.Errorf("residual trace %g, uniform landmarks leave %g", pivoted, uniform)
	}
}

func TestPickRefuses(t *testing.T) {
	x := fixture.NormalRows(3, 1)
	fixture.MustPanic(t, func() { features.Uniform.Pick(gaussian(t, 1), x, 0, 1, "phi") })
	fixture.MustPanic(t, func() { features.Landmarks("best").Pick(gaussian(t, 1), x, 1, 1, "phi") })
}

func BenchmarkPick(b *testing.B) {
	x := fixture.NormalRows(5000, 20)
	k := gaussian(b, 4)
	for _, rule := range rules {
		b.Run("rule="+string(rule), func(b *testing.B) {
			for b.Loop() {
				rule.Pick(k, x, 500, 1, "phi")
			}
		})
	}
}
