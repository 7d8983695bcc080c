package experiments

import (
	"context"
	"testing"

	"mediant/risk"
)

// TestOverlapStudy: with a third of the rows spoilt the risk speaks of the others, and bounds over all rows hold; with most there is none. Of 6 draws an
// interval of 95 % misses 3 or more with a probability of 0.002.
func TestOverlapStudy(t *testing.T) {
	for _, kind := range []string{"numbers", "levels", "missing"} {
		s := OverlapStudy{Kind: kind, Share: .3, Rows: 600, TestRows: 10000, Repetitions: 6, Noise: .1, Seed: 2, Form: risk.SameDistribution}
		r, err := s.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if r.Refused > 0 || r.Found < .22 || r.Found > .38 || r.Wrong > .02 || r.Covered < 3.5/6 || r.All < 1 || r.Bracket < 1 {
			t.Errorf("%s: refused %g, found %g, wrongly %g, covered %g, all rows %g, bracket %g", s, r.Refused, r.Found, r.Wrong, r.Covered, r.All, r.Bracket)
		}
		if s.Share = .7; testing.Short() {
			continue
		}
		if r, err = s.Run(context.Background()); err != nil || r.Refused != 1 {
			t.Errorf("most rows spoilt: %+v, %v", r, err)
		}
	}
}
