package theory

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// quick is the work that tests do.
var quick = Options{Quick: true}

// measured runs a claim.
func measured(t *testing.T, c Claim) []Check {
	t.Helper()
	r, err := c.Run(t.Context(), quick)
	if err != nil {
		t.Fatal(err)
	}
	return r.Checks
}

// wantHolds fails the test for each check that does not hold.
func wantHolds(t *testing.T, checks []Check) {
	t.Helper()
	for _, c := range Failed(checks) {
		t.Errorf("%s: got %g, want %s %g", c.Statement, c.Got, c.Relation, c.Bound)
	}
}

// wantFails fails the test unless a check whose statement contains part fails.
func wantFails(t *testing.T, name string, checks []Check, part string) {
	t.Helper()
	for _, c := range checks {
		if !strings.Contains(c.Statement, part) {
			continue
		}
		if c.Verdict != Fails {
			t.Errorf("%s: %q still holds: got %g, want %s %g", name, c.Statement, c.Got, c.Relation, c.Bound)
		}
		return
	}
	t.Errorf("%s: no check says %q", name, part)
}

// wantEachFails fails the test unless every check fails for some mutant: a check that no mutant reaches would hold whatever it says.
func wantEachFails(t *testing.T, right []Check, mutants [][]Check) {
	t.Helper()
	// Names say how often something was compared, which mutants may change.
	key := func(c Check) string { s, _, _ := strings.Cut(c.Statement, " (worst of"); return s }
	failed := make(map[string]bool)
	for _, checks := range mutants {
		for _, c := range Failed(checks) {
			failed[key(c)] = true
		}
	}
	for _, c := range right {
		if !failed[key(c)] {
			t.Errorf("no mutant makes %q fail", key(c))
		}
	}
}

// rapidSampler lets rapid choose the numbers, so that it can shrink a failing distribution.
func rapidSampler(t *rapid.T) sampler {
	return func() float64 { return float64(rapid.IntRange(0, 1<<20-1).Draw(t, "v")) / (1 << 20) }
}

// seedSampler lets rapid choose the seed only, where one case needs a thousand numbers.
func seedSampler(t *rapid.T) sampler {
	return newSampler(Options{Seed: rapid.Uint64().Draw(t, "seed")}, "rapid", 0)
}

// distributionsPerCheck times rapid's 100 cases is more than 1,000 distributions.
const distributionsPerCheck = 11

// wantTallies is wantHolds but for tallies that no distribution came to.
func wantTallies(t *rapid.T, checks []Check) {
	for _, c := range checks {
		if !(c.Got <= c.Bound) {
			t.Errorf("%s: got %g, want at most %g", c.Statement, c.Got, c.Bound)
		}
	}
}

func TestAccumulatorKeepsWhatASumLoses(t *testing.T) {
	var a accumulator
	for _, v := range []float64{1, 1e100, 1, -1e100} {
		a.add(v)
	}
	if a.value() != 2 {
		t.Errorf("sum is %g, want 2", a.value())
	}
}

func TestTally(t *testing.T) {
	var a tally
	if c := a.identity(""); c.Verdict != Fails {
		t.Error("a tally without comparisons holds")
	}
	a.below(1, 3, 2)
	if a.worst != -1 || a.inequality("").Verdict != Holds {
		t.Errorf("worst is %g, want -1", a.worst)
	}
	a.equal(3, 3, 0) // no difference is no difference, whatever the size
	if a.worst != 0 {
		t.Errorf("worst is %g, want 0", a.worst)
	}
	a.equal(3, 1, 4)
	if a.worst != .5 || a.identity("").Verdict != Fails {
		t.Errorf("worst is %g, want 0.5", a.worst)
	}
	a.equal(math.NaN(), 1, 1)
	if a.worst != math.MaxFloat64 || a.identity("").Verdict != Fails {
		t.Errorf("worst is %g after NaN", a.worst)
	}
}

func TestVerdictOfNaN(t *testing.T) {
	nan := math.NaN()
	for _, c := range []Check{atMost("", nan, 1), above("", nan, 1), near("", nan, 1, 1, 1), near("", 1, 1, nan, 1), near("", math.Inf(1), 1, 1, 1)} {
		if c.Verdict != Fails {
			t.Errorf("%s holds for NaN", c.Relation)
		}
		for _, v := range []float64{c.Got, c.Bound, c.StdErr} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: %g cannot be written as JSON", c.Relation, v)
			}
		}
	}
	if c := near("", 1.7, 1, .1, 0); c.Verdict != Holds {
		t.Errorf("7 standard errors are not allowed: %+v", c)
	}
	if c := near("", 1.71, 1, .1, 0); c.Verdict != Fails {
		t.Errorf("7.1 standard errors are allowed: %+v", c)
	}
}

func TestSlope(t *testing.T) {
	var c curve
	for _, n := range []int{1, 2, 4} {
		v := 3 / math.Pow(float64(n), 1.5)
		c.add(n, []float64{.9 * v, 1.1 * v})
	}
	slope, stdErr := c.slope()
	// Sd 0.1·sqrt 2, s.e. 0.1 relative; x - mean = -log 2, 0, log 2.
	if want := .1 / (math.Sqrt2 * math.Ln2); math.Abs(slope+1.5) > 1e-12 || math.Abs(stdErr-want) > 1e-12 {
		t.Errorf("slope %g ± %g, want -1.5 ± %g", slope, stdErr, want)
	}
}
