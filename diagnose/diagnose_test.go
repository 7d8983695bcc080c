package diagnose

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/slow"
	"mediant/internal/weighted"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// size fails unless a test rejects at 5 % as often as it should: of 200 p-values under the null 10 are
// expected at or below 0.05 with a standard deviation of 3.1; none, or more than 22, has odds of 2e-4.
func size(t *testing.T, p func(rnd *rand.Rand) float64) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(11, 12))
	rejected := 0
	for range 200 {
		if p(rnd) <= .05 {
			rejected++
		}
	}
	if rejected < 1 || rejected > 22 {
		t.Errorf("%d of 200 tests of a true hypothesis reject it at 5 %%", rejected)
	}
}

func TestDistributionTestHasItsSizeAndPower(t *testing.T) {
	size(t, func(rnd *rand.Rand) float64 {
		return permutationTest(fixture.Gaussian(rnd, 30, 3, 5), fixture.Gaussian(rnd, 70, 3, 5), rnd).PValue
	})
	rnd := rand.New(rand.NewPCG(1, 2))
	got := permutationTest(fixture.Gaussian(rnd, 30, 3, 0), fixture.Gaussian(rnd, 70, 3, 1), rnd)
	// The squared distance of means at distance 1 in 3 columns, with noise 3 (1/30 + 1/70) = 0.14.
	if got.PValue != 1./(permutations+1) || math.Abs(got.Statistic-3) > 1.5 {
		t.Errorf("a shift of 1: %+v", got)
	}
	x := fixture.Gaussian(rnd, 20, 2, 0)
	if got := permutationTest(x, x, rnd); got.PValue != 1 || got.Statistic > 1e-30 {
		t.Errorf("twice the same rows: %+v", got)
	}
}

// dealOut counts n and m draws of one of `levels` equal values, or all different ones for 0 levels.
func dealOut(rnd *rand.Rand, n, m, levels int) *keyCounts {
	counts := newKeyCounts(sharedKeys)
	for i := range n + m {
		v := float64(i)
		if levels > 0 {
			v = float64(rnd.IntN(levels))
		}
		table := 0
		if i >= n {
			table = 1
		}
		counts.add(table, []float64{v, 1}, 1)
	}
	return counts
}

func TestSharedRowsBeyondTies(t *testing.T) {
	var pairs, ties float64
	size(t, func(rnd *rand.Rand) float64 {
		s := shared(dealOut(rnd, 40, 70, 25), rnd)
		pairs, ties = pairs+float64(s.Pairs)/200, ties+s.Ties/200
		return s.PValue
	})
	// 40·70/25 = 112 pairs are expected, and as many from ties: means of 200 with deviations below 1.
	if math.Abs(pairs-112) > 4 || math.Abs(ties-112) > 4 {
		t.Errorf("%g pairs, %g from ties, want 112 of both", pairs, ties)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	distinct := dealOut(rnd, 40, 70, 0)
	if s := shared(distinct, rnd); s.Rows != 0 || s.Pairs != 0 || s.PValue != 1 {
		t.Errorf("no row in both: %+v", s)
	}
	for i := range 12 { // 12 rows of the first table again in the second, -0 for 0 in one
		row := []float64{float64(i), 1}
		if i == 0 {
			row[0] = math.Copysign(0, -1)
		}
		distinct.add(1, row, 1)
	}
	s := shared(distinct, rnd)
	// Of 12 pairs within one table or across, all across has odds below (2·40·82/122²)^12 = 0.003.
	if s.Rows != 12 || s.Pairs != 12 || s.Ties != 0 || s.PValue > doubt {
		t.Errorf("12 rows in both: %+v", s)
	}
}

// TestSharedRowsByShares: with room for 1 in 8 of the distinct rows or so, pairs and ties are still found,
// whatever the order of the rows.
func TestSharedRowsByShares(t *testing.T) {
	const rows, both = 20000, 4000
	fill := func(counts *keyCounts, i int) {
		counts.add(0, []float64{float64(i)}, 1)
		if i < both {
			counts.add(1, []float64{float64(i)}, 1)
		} else {
			counts.add(1, []float64{-float64(i)}, 1)
		}
	}
	up, down := newKeyCounts(5000), newKeyCounts(5000)
	for i := range rows {
		fill(up, i)
		fill(down, rows-1-i)
	}
	a, b := shared(up, rand.New(rand.NewPCG(1, 2))), shared(down, rand.New(rand.NewPCG(1, 2)))
	if *a != *b {
		t.Errorf("by order: %+v and %+v", a, b)
	}
	// 36,000 distinct rows fit at 1 in 8. Of the 4,000 in both tables Binomial(4000, 1/8) are looked at, deviation 21,
	// 167 in numbers scaled up.
	if a.Share != 1./8 || math.Abs(float64(a.Rows)-both) > 4*167 || a.Rows != a.Pairs || a.Ties != 0 || a.PValue > doubt {
		t.Errorf("%+v, want about %d rows in both", a, both)
	}
	if !strings.HasPrefix(a.Text, "About ") {
		t.Errorf("says %q", a.Text)
	}
	// Each value twice in either table: 4 pairs across a value and 2 within, so that ties explain about 4·rows/2 of them.
	few, all := newKeyCounts(1000), newKeyCounts(sharedKeys)
	for i := range rows {
		for table := range 4 {
			few.add(table%2, []float64{float64(i / 2), float64(table / 2)}, 1)
			all.add(table%2, []float64{float64(i / 2), float64(table / 2)}, 1)
		}
	}
	part, whole := shared(few, rand.New(rand.NewPCG(1, 2))), shared(all, rand.New(rand.NewPCG(1, 2)))
	// Of 20,000 distinct values 1 in 32 are looked at, 625 ± 25: four deviations are 16 %.
	if part.Share != 1./32 || math.Abs(part.Ties/whole.Ties-1) > .16 || math.Abs(float64(part.Pairs)/float64(whole.Pairs)-1) > .16 {
		t.Errorf("looked at in part %+v, in full %+v", part, whole)
	}
	none := newKeyCounts(10)
	for i := range 100 {
		none.add(i%2, []float64{float64(i)}, 1)
	}
	if s := shared(none, rand.New(rand.NewPCG(1, 2))); s.Pairs != 0 || !strings.Contains(s.Text, "that were looked at") {
		t.Errorf("none in both: %+v", s)
	}
}

func TestCMITestHasItsSize(t *testing.T) {
	// y has noise that grows with phi, which a permutation of rows would take for dependence.
	null := func(rnd *rand.Rand) *coupled {
		c := &coupled{phi: fixture.Gaussian(rnd, 60, 4, 0), f: fixture.Gaussian(rnd, 60, 2, 0), y: fixture.Gaussian(rnd, 60, 2, 0)}
		c.y.Apply(func(i, _ int, v float64) float64 { return v * (1 + math.Abs(c.phi.At(i, 0))) }, c.y)
		return c
	}
	size(t, func(rnd *rand.Rand) float64 { return null(rnd).flip(rnd) })
	rnd := rand.New(rand.NewPCG(2, 2))
	c := null(rnd)
	c.y.Apply(func(i, j int, v float64) float64 { return v + 2*float64(j)*c.phi.At(i, 1) }, c.y)
	if p := c.flip(rnd); p != 1./(permutations+1) {
		t.Errorf("a second output that phi says much of: p = %g", p)
	}
}

// TestSizeOfAViolation: y has the part 0.5 phi_1 that c is the root mean square of.
func TestSizeOfAViolation(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 2))
	const n = 4000
	c := &coupled{phi: fixture.Gaussian(rnd, n, 3, 0), y: fixture.Gaussian(rnd, n, 1, 0)}
	none, err := c.size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.y.Apply(func(i, _ int, v float64) float64 { return v + .5*c.phi.At(i, 1) }, c.y)
	half, err := c.size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Three coefficients of standard error 1/sqrt(n) explain about 3/n in mean square by chance.
	if none > .06 || math.Abs(half-.5) > .05 {
		t.Errorf("c is %.3f without a violation and %.3f of 0.5", none, half)
	}
}

func TestCMITestWeighsOutputsByTheirSize(t *testing.T) {
	// The violation is in the first output, a thousandth of the second in size.
	rnd := rand.New(rand.NewPCG(4, 2))
	c := &coupled{phi: fixture.Gaussian(rnd, 60, 4, 0), y: fixture.Gaussian(rnd, 60, 2, 0)}
	c.y.Apply(func(i, j int, v float64) float64 {
		if j == 0 {
			return 1e-3 * (v + 3*c.phi.At(i, 1))
		}
		return v
	}, c.y)
	if p := c.flip(rnd); p > doubt {
		t.Errorf("p = %g", p)
	}
}

func TestDistributionTestKeepsDigits(t *testing.T) {
	// Whole numbers far from 0: the means differ by 1/2 exactly.
	x, y := mat.NewDense(4, 1, []float64{0, 1, 2, 3}), mat.NewDense(6, 1, []float64{1, 1, 2, 2, 3, 3})
	for _, m := range []*mat.Dense{x, y} {
		m.Apply(func(_, _ int, v float64) float64 { return v + 1e12 }, m)
	}
	if got := permutationTest(x, y, rand.New(rand.NewPCG(1, 1))).Statistic; math.Abs(got-.25) > 1e-9 {
		t.Errorf("statistic %.12g, want 0.25", got)
	}
}

// TestExplainedIsAboutTheMean: of a target far from 0 that its features say nothing of, nothing is explained.
func TestExplainedIsAboutTheMean(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 7))
	const n = 1000
	features, of := fixture.Gaussian(rnd, n, 1, 0), fixture.Gaussian(rnd, n, 1, 100)
	about := mat.NewDense(n, 1, nil)
	about.Apply(func(i, _ int, _ float64) float64 { return 2*features.At(i, 0) + of.At(i, 0) }, about)
	for _, c := range []struct {
		right *mat.Dense
		want  float64
	}{{of, 0}, {about, .8}} {
		folds := make([]*moments.CoMoments, 4)
		for k := range folds {
			folds[k] = new(moments.CoMoments)
			folds[k].Add(features.Slice(k*n/4, (k+1)*n/4, 0, 1).(*mat.Dense), c.right.Slice(k*n/4, (k+1)*n/4, 0, 1).(*mat.Dense), nil)
		}
		of, err := explain(t.Context(), crossfit.Splitter{}, folds, true)
		got := of.explained()
		// Four standard errors of R² are below 2·4 sqrt(0.8)·0.2/sqrt(1000) = 0.05; the uncentred one would be near 1.
		if err != nil || math.Abs(got.R2-c.want) > .05 || math.Abs(got.RMSE-1) > .1 {
			t.Errorf("%+v, %v; want an R² of %g and an RMSE of 1", got, err, c.want)
		}
	}
}

// TestCoupledResiduals: what U determines is taken from phi, f and y.
func TestCoupledResiduals(t *testing.T) {
	ctx := context.Background()
	l := features.Spec{Kind: features.LinearFeatures}
	xu, uy := fixture.PairsOfSigns(t, 4000, 1, 0, 1), fixture.PairsOfSigns(t, 3000, 2, 1, 2)
	model, err := rr.Fit(ctx, problem.Setup{Phi: l, Psi: l, NoStandardize: true}, rr.TwoStep{LambdaF: rr.Value(0), LambdaH: rr.Value(0)}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problemOf(ctx, model, xu, uy, tables.RoleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCoupled(ctx, p, model, fixture.PairsOfSigns(t, 2000, 3, 0, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	// Mean squares 0.64 of X - 0.6 U, (0.96·0.8)² of f and 0.64 + 0.25 of y; of 2,000 rows and slopes from
	// 3,000 they are known to 4 %. What U determines would add 0.36, 0.33 and 2.56.
	for _, r := range []struct {
		name string
		of   *mat.Dense
		want float64
	}{{"phi", c.phi, .64}, {"f", c.f, .96 * .96 * .64}, {"y", c.y, .89}} {
		norm := mat.Norm(r.of, 2)
		if got := norm * norm / 2000; math.Abs(got-r.want) > .12*r.want {
			t.Errorf("mean square of %s is %.3f, want %.3f", r.name, got, r.want)
		}
	}
}

func TestSensitivityStopsAtTheBracket(t *testing.T) {
	d := Diagnosis{UPredictsY: &Explained{RMSE: 2}, spreadOfF: 9}
	var a risk.Assessment
	a.Risk.Estimate, a.Bracket = risk.Estimate{MSE: 1, Known: new(float64), SE: .1}, &risk.Bracket{Hi: 4}
	d.AddSensitivity(&a)
	// c = 2 sqrt(share) and 1 + 2 c 3: at 1 % c = 0.2 and the MSE 2.2, at 10 % beyond the bracket's 4.
	for _, p := range d.Violation.Curve {
		want := min(1+12*math.Sqrt(p.Share), 4)
		if math.Abs(p.Worst*p.Worst-want) > 1e-12 || math.Abs(p.C-2*math.Sqrt(p.Share)) > 1e-12 {
			t.Errorf("%+v, want a worst MSE of %g", p, want)
		}
	}
	a.Bracket = nil
	d.AddSensitivity(&a)
	if last := d.Violation.Curve[len(d.Violation.Curve)-1]; math.Abs(last.Worst*last.Worst-13) > 1e-12 {
		t.Errorf("without a bracket %+v", last)
	}
}

// TestCouldBe: no sentence says that a number could be as large as it is.
func TestCouldBe(t *testing.T) {
	for _, c := range []struct {
		worst, estimate float64
		want            string
	}{
		{13.25, 12.5, "could be up to 13.25 instead of 12.5"},
		{12.5, 12.5, "would hardly be above 12.5"},
		{12.5001, 12.5, "would hardly be above 12.5"},
		{0, 0, "would hardly be above 0"},
		{1e-9, 0, "could be up to 1e-09 instead of 0"},
		{123456, 123451, "would hardly be above 1.235e+05"},
	} {
		if got := couldBe(c.worst, c.estimate); got != c.want {
			t.Errorf("%g and %g: %s, want %s", c.worst, c.estimate, got, c.want)
		}
	}
}

// TestDealtOfIsHypergeometric: numbers drawn by inversion and as normal ones have the mean and the variance of those that are dealt
// one by one, n k/N and n k/N (1 - k/N) (N-n)/(N-1), and stay within what there is.
func TestDealtOfIsHypergeometric(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 9))
	const draws = 4000
	for _, c := range []struct{ size, first, left int }{
		{40, 30, 90}, {65, 30, 90}, {65, 10, 100000}, {70, 60, 75}, {5000, 4000, 20000}, {300, 100000, 100010}, {1e9, 2e9, 5e9}, {1e14, 1e15, 3e15}, {100, 100, 100}, {100, 0, 400},
	} {
		n, share, all := float64(c.size), float64(c.first)/float64(c.left), float64(c.left)
		mean := n * share
		variance := mean * (1 - share) * (all - n) / (all - 1)
		got := weighted.NewAverages(2)
		for range draws {
			a := dealtOf(c.size, c.first, c.left, rnd)
			if a < max(0, c.size-(c.left-c.first)) || a > min(c.size, c.first) {
				t.Fatalf("%+v: %d", c, a)
			}
			d := float64(a) - mean
			got.Add(1, []float64{d, d * d})
		}
		// Five standard deviations: those of the mean, and of the variance, whose kurtosis is below 3 + 1/variance.
		if off := math.Abs(got.Mean[0]); off > 5*math.Sqrt(variance/draws) {
			t.Errorf("%+v: the mean is off by %g", c, off)
		}
		if off := math.Abs(got.Mean[1] - variance); off > 5*math.Sqrt((2*variance*variance+variance)/draws) {
			t.Errorf("%+v: variance %g, want %g", c, got.Mean[1], variance)
		}
	}
}

// TestSharedRowsOfLargeWeights: rows that stand for thousands of millions are compared in no time.
func TestSharedRowsOfLargeWeights(t *testing.T) {
	counts := newKeyCounts(sharedKeys)
	for i := range 200 {
		counts.add(i%2, []float64{float64(i / 2)}, 3e9)
	}
	start := time.Now()
	s := shared(counts, rand.New(rand.NewPCG(1, 1)))
	if took := time.Since(start); slow.Tagged() && took > time.Second {
		t.Errorf("%v", took)
	}
	if s.Rows != 100*3e9 || s.PValue <= 0 || s.Pairs <= 0 {
		t.Errorf("%+v", s)
	}
}
