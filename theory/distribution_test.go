package theory

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A distribution with two atoms each: P(x, u) = 1/4, Y = 1 with probability (1+x+2u)/8, else 0.
func smallDistribution() *Distribution {
	var weight []float64
	for x := range 2 {
		for u := range 2 {
			p := float64(1+x+2*u) / 8
			weight = append(weight, 1-p, p)
		}
	}
	atoms := [][]float64{{0}, {1}}
	return NewDistribution(atoms, atoms, []float64{0, 1}, weight)
}

func TestDistributionWorkedExample(t *testing.T) {
	l := smallDistribution()
	near := func(name string, got, want float64) {
		if math.Abs(got-want) > 1e-15 {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
	near("p(1,1,1)", l.P(1, 1, 1), 1./8)
	near("E Y", l.Expect(l.y), 2.5/8)
	h := l.MeanYGivenU()
	near("h*(0)", h[0], 1.5/8)
	near("h*(1)", h[1], 3.5/8)
	best := l.MeanYGivenX()
	near("E[Y|0]", best[0], 2./8)
	near("E[Y|1]", best[1], 3./8)
	near("E[Y|1,0]", l.MeanYGivenXU()[2], 2./8)
	near("P(X=1)", l.MarginX()[1], .5)
	near("P(U=0)", l.MarginU()[0], .5)
	near("violation", l.Violation(), 1./16) // every E[Y|U,X] is 1/16 from E[Y|U]
	near("MSE of 0", l.MSE([]float64{0, 0}), 2.5/8)
	if l.HoldsCMI() {
		t.Error("conditional mean independence holds")
	}
}

func TestDistributionOfProbabilityZero(t *testing.T) {
	l := NewDistribution([][]float64{{0}, {1}}, [][]float64{{0}}, []float64{1, 2}, []float64{0, 0, 1, 3})
	if got := l.MeanYGivenX(); got[0] != 0 || got[1] != 1.75 {
		t.Errorf("E[Y|X] is %v, want 0 for an atom of probability 0, and 1.75", got)
	}
}

func TestNewDistributionRefuses(t *testing.T) {
	one := [][]float64{{0}}
	for name, weight := range map[string][]float64{
		"too few": {1}, "negative": {1, -1}, "NaN": {1, math.NaN()}, "none": {0, 0}, "infinite": {1, math.Inf(1)},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			NewDistribution(one, one, []float64{0, 1}, weight)
		}()
	}
}

// Random distributions are what they say: probabilities, positive margins, conditional mean independence or not,
// the tower rule.
func TestRandomDistributions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range distributionsPerCheck {
			s := rapidSampler(t)
			cmi := rapid.Bool().Draw(t, "cmi")
			l := s.distribution(cmi)
			if one := l.Expect(func(_, _, _ int) float64 { return 1 }); math.Abs(one-1) > 1e-14 {
				t.Errorf("probabilities sum to 1 + %g", one-1)
			}
			for _, p := range append(l.MarginX(), l.MarginU()...) {
				if !(p > 0) {
					t.Error("an atom has probability 0")
				}
			}
			if cmi && !l.HoldsCMI() {
				t.Errorf("violation of %g", l.Violation())
			}
			h, best := l.MeanYGivenU(), l.MeanYGivenX()
			twice := l.GivenX(func(_, u, _ int) float64 { return h[u] })
			for x := range best {
				if cmi && math.Abs(twice[x]-best[x]) > 1e-13 {
					t.Errorf("E[h*|X] - E[Y|X] = %g", twice[x]-best[x])
				}
			}
		}
	})
}

// Both kinds must occur: distributions that violate conditional mean independence, and distributions that keep it although
// the distribution of Y given (X, U) depends on X.
func TestRandomDistributionsOfBothKinds(t *testing.T) {
	dependent, violating := 0, 0
	for i := range 100 {
		s := newSampler(quick, "kinds", i)
		l := s.distribution(true)
		byU := l.GivenU(func(_, _, y int) float64 { return squared(l.Y[y]) })
		byXU := l.given(len(l.X)*len(l.U), func(x, u, _ int) int { return x*len(l.U) + u }, func(_, _, y int) float64 { return squared(l.Y[y]) })
		if l.Expect(func(x, u, _ int) float64 { return squared(byU[u] - byXU[x*len(l.U)+u]) }) > 1e-4 {
			dependent++
		}
		if s.distribution(false).Violation() > .01 {
			violating++
		}
	}
	if dependent < 50 || violating < 50 {
		t.Errorf("of 100 distributions, %d have Y depend on X given U and %d violate", dependent, violating)
	}
}

func BenchmarkExpect(b *testing.B) {
	s := newSampler(quick, "bench", 0)
	l := s.distributionOf(s.pairs(5, 5), 5, 5, s.levels(5), true)
	f, h := s.values(5), s.values(5)
	for b.Loop() {
		squaredLosses(l, f, h)
	}
}
