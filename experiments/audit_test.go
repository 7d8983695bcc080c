package experiments

import (
	"math"
	"math/rand/v2"
	"testing"

	"mediant/privacy"
)

// TestAudit: 2,000 draws of private sums of neighbours as far apart as they can be do not contradict epsilon, and those with half of the noise do. The noise is from crypto/rand. In 40
// runs the first bound was .61 ± .11 and the second 2.11 ± .20, so that fewer than 1 run in 1,000 fails.
func TestAudit(t *testing.T) {
	r, err := Audit{Epsilon: 1, Delta: .05, Draws: 2000}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Distance < .999 || r.Distance > 1+1e-4 {
		t.Errorf("the neighbours are %g of the sensitivity apart", r.Distance)
	}
	if !(r.Bound < 1) || r.Bound < .1 {
		t.Errorf("epsilon is at least %g, want at most 1, and more than nothing", r.Bound)
	}
	if !(r.Half > 1) {
		t.Errorf("with half of the noise epsilon is at least %g, want above 1", r.Half)
	}
}

// TestEpsilonBound is below the epsilon of normal samples, and not by far.
func TestEpsilonBound(t *testing.T) {
	s, err := privacy.Multiplier(1, .01)
	if err != nil {
		t.Fatal(err)
	}
	if got := epsilonOf(s, .01); math.Abs(got-1) > 1e-9 {
		t.Errorf("the epsilon of the noise of 1 is %g", got)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	near, far := make([]float64, 20000), make([]float64, 20000)
	for i := range near {
		near[i], far[i] = rnd.NormFloat64(), rnd.NormFloat64()+1/s
	}
	if b := epsilonBound(near, far, .01); !(b < 1 && b > .5) {
		t.Errorf("the bound is %g", b)
	}
	if b := epsilonBound(far, near, .01); !(b < .3) {
		t.Errorf("in the wrong direction the bound is %g", b)
	}
}
