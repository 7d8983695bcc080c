package theory

import (
	"context"
	"math"
	"testing"

	"mediant/internal/draw"
)

func TestRandomFeatureClaims(t *testing.T) { mustHold(t, randomFeatureClaims()) }

func TestRandomFeatureMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples of one goroutine each")
	}
	const fourier, orthogonal, nystrom = 0, 1, 2
	mutate := func(claim int, name, caught string, change func(*featureFormula)) mutant {
		f := featureConstants()
		change(&f)
		return mutant{name, randomFeatureClaimsOf(f)[claim : claim+1], caught}
	}
	mustCatch(t, []mutant{
		mutate(fourier, "variance with a plus", "variance", func(f *featureFormula) {
			f.variance = func(k1, k2 float64, size int) float64 { return (1 + k2 + 2*k1*k1) / float64(size) }
		}),
		mutate(fourier, "k(d) for k(2d)", "variance, gaussian", func(f *featureFormula) {
			f.variance = func(k1, _ float64, size int) float64 { return (1 + k1 - 2*k1*k1) / float64(size) }
		}),
		mutate(fourier, "2/D for 1/D", "variance", func(f *featureFormula) {
			f.variance = func(k1, k2 float64, size int) float64 { return 2 * (1 + k2 - 2*k1*k1) / float64(size) }
		}),
		mutate(fourier, "variance as D^-2", "variance", func(f *featureFormula) {
			f.variance = func(k1, k2 float64, size int) float64 { return (1 + k2 - 2*k1*k1) / float64(size*size) }
		}),
		mutate(fourier, "root for mean absolute error", "mean absolute error", func(f *featureFormula) { f.meanAbs = 1 }),
		mutate(fourier, "rate D^-1", "slope", func(f *featureFormula) { f.exponent = -1 }),
		mutate(orthogonal, "independent cosines", "orthogonal variance", func(f *featureFormula) { f.together = func(_ int, t float64) float64 { return math.Exp(-2 * t) } }),
		mutate(orthogonal, "t with a minus", "orthogonal variance", func(f *featureFormula) { f.together = func(d int, t float64) float64 { return cosinesTogether(d, -t) } }),
		mutate(orthogonal, "d for 2d", "orthogonal variance", func(f *featureFormula) {
			f.together = func(d int, t float64) float64 { return cosinesTogether(2*d, t) }
		}),
		mutate(nystrom, "pivot with a plus", "first pivot", func(f *featureFormula) {
			f.pivot = func(v []float64) { changePivot(v, func(x, trace float64) float64 { return x + x*x/trace }) }
		}),
		mutate(nystrom, "pivot with a cube", "first pivot", func(f *featureFormula) {
			f.pivot = func(v []float64) { changePivot(v, func(x, trace float64) float64 { return x - x*x*x/(trace*trace) }) }
		}),
		mutate(nystrom, "best pivot", "random pivots below", func(f *featureFormula) {
			f.pivot = func(v []float64) { changePivot(v, func(x, trace float64) float64 { return x * (1 - .5) }) }
		}),
		mutate(nystrom, "pivots without 1/eps", "number of pivots", func(f *featureFormula) {
			f.pivotsFor = func(r int, eps, eta float64) float64 { return float64(r) + float64(r)*math.Log(1/(eps*eta)) }
		}),
		mutate(nystrom, "pivots without the logarithm", "number of pivots", func(f *featureFormula) { f.pivotsFor = func(r int, eps, _ float64) float64 { return float64(r) / eps } }),
		mutate(nystrom, "logarithm without eta", "number of pivots", func(f *featureFormula) {
			f.pivotsFor = func(r int, eps, _ float64) float64 { return float64(r)/eps + float64(r)*math.Log(1/eps) }
		}),
		mutate(nystrom, "tail one too long", "tail below", func(f *featureFormula) { f.tail = func(v []float64, r int) float64 { return tailSum(v, r-1) } }),
	})
}

func changePivot(v []float64, change func(x, trace float64) float64) {
	var trace float64
	for _, x := range v {
		trace += x
	}
	for i, x := range v {
		v[i] = change(x, trace)
	}
}

func TestCosinesTogetherWorkedExample(t *testing.T) {
	// 1F1(-1; 1; t) = 1 - t and 1F1(-2; 2; t) = 1 - t + t²/6.
	for _, v := range []float64{0, .5, 1, 4} {
		if got, want := cosinesTogether(2, v), math.Exp(-v)*(1-v); math.Abs(got-want) > 1e-15 {
			t.Errorf("d = 2, t = %g: %g, want %g", v, got, want)
		}
		if got, want := cosinesTogether(4, v), math.Exp(-v)*(1-v+v*v/6); math.Abs(got-want) > 1e-15 {
			t.Errorf("d = 4, t = %g: %g, want %g", v, got, want)
		}
	}
	// d = 1 has no second direction; the formula's value at d -> infinity is that of independent ones.
	if got, want := cosinesTogether(1<<20, 1), math.Exp(-2); math.Abs(got-want) > 1e-5 {
		t.Errorf("d = 2^20: %g, want %g", got, want)
	}
}

// The cumulants of cos(omega'delta) against those of draws of a Gaussian frequency, at 5 standard errors.
func TestCumulants(t *testing.T) {
	const delta, draws = .8, 400000
	var k [5]float64
	for i := range k {
		k[i] = math.Exp(-square(float64(i)*delta) / 2)
	}
	variance, skew2, kurtosis := cumulants(k)
	rnd := draw.Rand(0, "theory/features/cumulants", 0)
	var second, third, fourth tallied
	for range draws {
		z := (math.Cos(delta*rnd.NormFloat64()) - k[1]) / math.Sqrt(variance)
		second.add(z * z)
		third.add(z * z * z)
		fourth.add(z * z * z * z)
	}
	for name, c := range map[string]struct {
		got  tallied
		want float64
	}{"variance": {second, 1}, "skewness": {third, -math.Sqrt(skew2)}, "kurtosis": {fourth, kurtosis + 3}} {
		if d := math.Abs(c.got.mean - c.want); d > sigmas*c.got.se() {
			t.Errorf("%s: %g, want %g", name, c.got.mean, c.want)
		}
	}
}

// Work stops when it is no longer wanted.
func TestClaimsStop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, claims := range [][]Claim{excessClaims()[:2], randomFeatureClaims()} {
		for _, c := range claims {
			if _, err := c.Run(ctx, Options{Quick: true}); err == nil {
				t.Errorf("%s: no error from a cancelled run", c.Name)
			}
		}
	}
}
