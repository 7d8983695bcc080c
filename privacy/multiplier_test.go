package privacy

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestMultiplier compares with values by mpmath 1.3.0: bisection of Φ(a) - e^epsilon Φ(b) at 60 digits.
func TestMultiplier(t *testing.T) {
	for _, c := range []struct{ epsilon, delta, want float64 }{
		{0.001, 0.4, 0.95268628584819395},
		{0.001, 0.01, 38.039005484469237},
		{0.001, 1e-5, 1724.2590335838075},
		{0.001, 1e-12, 5412.3021938439272},
		{0.1, 0.4, 0.88369224296415693},
		{0.1, 0.01, 9.5418230888288551},
		{0.1, 1e-5, 30.74956613197745},
		{0.1, 1e-12, 61.53905591889455},
		{1, 0.4, 0.58722980688995538},
		{1, 0.01, 1.877875560907386},
		{1, 1e-5, 3.7306316348159418},
		{1, 1e-12, 6.5578220674588501},
		{2, 0.4, 0.46051244105106092},
		{2, 0.01, 1.1162543217615858},
		{2, 1e-5, 1.9938124456435367},
		{2, 1e-12, 3.3626725095148329},
		{8, 0.4, 0.25087875956320288},
		{8, 0.01, 0.40836299474750346},
		{8, 1e-5, 0.60022907219895156},
		{8, 1e-12, 0.91225199883995782},
		{50, 0.4, 0.10154580005739834},
		{50, 0.01, 0.12460112363122812},
		{50, 1e-5, 0.14976060756083602},
		{50, 1e-12, 0.19071044240637714},
	} {
		got, err := Multiplier(c.epsilon, c.delta)
		// It is rounded up by 1e-12; the difference of Mills ratios loses the digits of s.
		if tol := 2e-12 + 1e-15*c.want; err != nil || !(got >= c.want) || got > c.want*(1+tol) {
			t.Errorf("epsilon %g, delta %g: %.17g, want %.17g (off by %.1e, %v)", c.epsilon, c.delta, got, c.want, got/c.want-1, err)
		}
	}
}

// TestDeltaIsTheIntegral: delta is the integral of the positive part of p - e^epsilon q, for normal p and q one sensitivity apart.
func TestDeltaIsTheIntegral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilon, s := rapid.Float64Range(0, 20).Draw(t, "epsilon"), math.Exp(rapid.Float64Range(-2, 2).Draw(t, "log s"))
		density := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
		// The integrand is 0 up to the kink and smooth beyond, where Simpson's rule errs by (step)^4.
		const steps = 1 << 14
		kink, far := epsilon*s-.5/s, 12.
		if kink > 8 {
			return
		}
		h := (far - kink) / steps
		want := 0.
		for i := range steps + 1 {
			x := kink + h*float64(i)
			weight := 4.
			if i%2 == 0 {
				weight = 2
			}
			if i == 0 || i == steps {
				weight = 1
			}
			want += weight * h / 3 * (density(x) - math.Exp(epsilon)*density(x+1/s))
		}
		if got := Delta(epsilon, s); math.Abs(got-want) > 1e-11*want+1e-16 {
			t.Fatalf("delta %g, want %g", got, want)
		}
	})
}

// TestDeltaOfLittleNoise is near 1: of s = 0.01, whose a is 50 less epsilon/100, but for 1e-500.
func TestDeltaOfLittleNoise(t *testing.T) {
	for _, epsilon := range []float64{0, 1, 50} {
		if got := Delta(epsilon, .01); got != 1 {
			t.Errorf("epsilon %g: delta %g", epsilon, got)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		epsilon, delta float64
		fine           bool
	}{
		{1, 1e-6, true}, {50, 1e-12, true}, {1e-3, .49, true}, {51, 1e-6, false}, {0, 1e-6, false}, {math.NaN(), 1e-6, false}, {1, 0, false}, {1, .5, false}, {1, math.NaN(), false},
		{math.Inf(1), 1e-6, false},
	} {
		if _, err := Multiplier(c.epsilon, c.delta); (err == nil) != c.fine {
			t.Errorf("epsilon %g, delta %g: %v", c.epsilon, c.delta, err)
		}
	}
}
