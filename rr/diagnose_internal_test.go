package rr

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func gaussian(rnd *rand.Rand, r, c int, shift float64) *mat.Dense {
	d := mat.NewDense(r, c, nil)
	for i := range d.RawMatrix().Data {
		d.RawMatrix().Data[i] = rnd.NormFloat64() + shift
	}
	return d
}

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

func TestLawTestHasItsSizeAndSeesAShift(t *testing.T) {
	size(t, func(rnd *rand.Rand) float64 {
		return testLaw(gaussian(rnd, 30, 3, 5), gaussian(rnd, 70, 3, 5), rnd).PValue
	})
	rnd := rand.New(rand.NewPCG(1, 2))
	got := testLaw(gaussian(rnd, 30, 3, 0), gaussian(rnd, 70, 3, 1), rnd)
	// The squared distance of means at distance 1 in 3 columns, with noise 3 (1/30 + 1/70) = 0.14.
	if got.PValue != 1./(permutations+1) || math.Abs(got.Statistic-3) > 1.5 {
		t.Errorf("a shift of 1: %+v", got)
	}
	x := gaussian(rnd, 20, 2, 0)
	if got := testLaw(x, x, rnd); got.PValue != 1 || got.Statistic > 1e-30 {
		t.Errorf("twice the same rows: %+v", got)
	}
}

// dealOut counts n and m draws of one of `levels` equal values, or all different ones for 0 levels.
func dealOut(rnd *rand.Rand, n, m, levels int) map[rowKey]*[2]int {
	counts := make(map[rowKey]*[2]int)
	for i := range n + m {
		v := float64(i)
		if levels > 0 {
			v = float64(rnd.IntN(levels))
		}
		table := 0
		if i >= n {
			table = 1
		}
		count(counts, table, []float64{v, 1})
	}
	return counts
}

func TestSharedRowsBeyondTies(t *testing.T) {
	var pairs, ties float64
	size(t, func(rnd *rand.Rand) float64 {
		s := shared(dealOut(rnd, 40, 70, 25), 40, 70, rnd)
		pairs, ties = pairs+float64(s.Pairs)/200, ties+s.Ties/200
		return s.PValue
	})
	// 40·70/25 = 112 pairs are expected, and as many from ties: means of 200 with deviations below 1.
	if math.Abs(pairs-112) > 4 || math.Abs(ties-112) > 4 {
		t.Errorf("%g pairs, %g from ties, want 112 of both", pairs, ties)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	distinct := dealOut(rnd, 40, 70, 0)
	if s := shared(distinct, 40, 70, rnd); s.Rows != 0 || s.Pairs != 0 || s.PValue != 1 {
		t.Errorf("no row in both: %+v", s)
	}
	for i := range 12 { // 12 rows of the first table again in the second, -0 for 0 in one
		row := []float64{float64(i), 1}
		if i == 0 {
			row[0] = math.Copysign(0, -1)
		}
		count(distinct, 1, row)
	}
	s := shared(distinct, 40, 82, rnd)
	// Of 12 pairs within one table or across, all across has odds below (2·40·82/122²)^12 = 0.003.
	if s.Rows != 12 || s.Pairs != 12 || s.Ties != 0 || s.PValue > doubt {
		t.Errorf("12 rows in both: %+v", s)
	}
}

func TestCMITestHasItsSize(t *testing.T) {
	// y has noise that grows with phi, which a permutation of rows would take for dependence.
	null := func(rnd *rand.Rand) *coupled {
		c := &coupled{phi: gaussian(rnd, 60, 4, 0), f: gaussian(rnd, 60, 2, 0), y: gaussian(rnd, 60, 2, 0)}
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
	c := &coupled{phi: gaussian(rnd, n, 3, 0), y: gaussian(rnd, n, 1, 0)}
	none, err := c.size()
	if err != nil {
		t.Fatal(err)
	}
	c.y.Apply(func(i, _ int, v float64) float64 { return v + .5*c.phi.At(i, 1) }, c.y)
	half, err := c.size()
	if err != nil {
		t.Fatal(err)
	}
	// Three coefficients of standard error 1/sqrt(n) explain about 3/n in mean square by chance.
	if none > .06 || math.Abs(half-.5) > .05 {
		t.Errorf("c is %.3f without a violation and %.3f of 0.5", none, half)
	}
}
