package theory

import (
	"math"
	"testing"

	"mediant/internal/draw"
)

// Samples are drawn once and compared with right and wrong formulas.
func TestConsistencyMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples of one goroutine each")
	}
	distribution := polynomialDistribution{noise: .1}
	right := rightConsistency
	limits, err := right.fit(distribution.population())
	if err != nil {
		t.Fatal(err)
	}
	data, err := right.measure(t.Context(), quick, distribution, limits)
	if err != nil {
		t.Fatal(err)
	}
	wantHolds(t, right.checks(distribution, data))
	wantHolds(t, right.limitChecks(limits, quick))

	for name, m := range map[string]struct {
		change func(*consistency)
		part   string
	}{
		"rate -1/2":          {func(k *consistency) { k.rate = -.5 }, "2Step-RR to f*: slope"},
		"rate -2":            {func(k *consistency) { k.rate = -2 }, "naive to its limit: slope"},
		"rate's sign":        {func(k *consistency) { k.rate = 1 }, "Joint-RR, w = 0.5, to its limit: slope"},
		"both over n":        {func(k *consistency) { k.risk = func(kx, ky, n, _ float64) float64 { return (kx + ky) / n } }, "n = 4m"},
		"n and m swapped":    {func(k *consistency) { k.risk = func(kx, ky, n, m float64) float64 { return kx/m + ky/n } }, "n = 4m"},
		"noise of h* halved": {func(k *consistency) { k.risk = func(kx, ky, n, m float64) float64 { return (kx + ky) / 2 / n } }, "n = m"},
		"variance without V": {func(k *consistency) { k.variance = func(x float64) float64 { return 1. / 180 } }, "n = m"},
		"variance doubled":   {func(k *consistency) { k.variance = func(x float64) float64 { return 2*math.Pow(x, 6)/3 + 1./90 } }, "n = m"},
	} {
		k := right
		m.change(&k)
		wantFails(t, name, k.checks(distribution, data), m.part)
	}
	for name, m := range map[string]struct {
		change func(*consistency)
		part   string
	}{
		"f* without 1/12": {func(k *consistency) { k.best = k.naive }, "limit of 2Step-RR"},
		"naive is f*":     {func(k *consistency) { k.naive = k.best }, "limit of naive = h*"},
		"gap not squared": {func(k *consistency) { k.gap = 1. / 12 }, "squared error of the limit of naive"},
		"w swapped":       {func(k *consistency) { k.joint = func(w, r float64) float64 { return 1 / (1 + w/(1-w)*(1-r*r)) } }, "normal X and U"},
		"rho not squared": {func(k *consistency) {
			k.joint = func(w, r float64) float64 { return 1 / (1 + (1-w)/w*(1-math.Abs(r))) }
		}, "normal X and U"},
		"sign of the factor": {func(k *consistency) { k.joint = func(w, r float64) float64 { return 1 / (1 - (1-w)/w*(1-r*r)) } }, "normal X and U"},
	} {
		k := right
		m.change(&k)
		wantFails(t, name, k.limitChecks(limits, quick), m.part)
	}
}

// With a ridge that does not vanish 2Step-RR is not consistent, nor is it with one that vanishes slowly at
// the rate 1/n.
func TestConsistencyNeedsAVanishingRidge(t *testing.T) {
	distribution := polynomialDistribution{noise: .1}
	for name, lambda := range map[string]func(int) float64{
		"constant":       func(int) float64 { return .1 },
		"1/sqrt(sqrt n)": func(n int) float64 { return .5 * math.Pow(float64(n), -.25) },
	} {
		k := rightConsistency
		k.lambda = lambda
		limits, err := k.fit(distribution.population())
		if err != nil {
			t.Fatal(err)
		}
		data := consistencyData{own: []*curve{{name: "2Step-RR to f*"}}, uneven: new(curve)}
		for n := 500; n <= 2000; n *= 2 {
			var values []float64
			for i := range 100 {
				fit, err := k.fit(distribution.sample(draw.Rand(1, name, n+i), n, n))
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, meanSquare(fit.twoStep, k.best))
			}
			data.own[0].add(n, values)
			data.uneven.add(n, values)
		}
		checks := k.checks(distribution, data)
		wantFails(t, name, checks, "slope")
		wantFails(t, name, checks, "n = m")
		wantHolds(t, k.limitChecks(limits, quick)[:1]) // a population has no ridge
	}
}

// The moments by quadrature are those of the distribution: E U² = E X⁶ + E V² = 1/7 + 1/12 = E Y.
func TestPopulationMoments(t *testing.T) {
	xu, uy := polynomialDistribution{}.population()
	d, b := uy.MeanA()[1], xu.MeanB()[1]
	for name, v := range map[string][2]float64{
		"E U²": {d, 1./7 + 1./12}, "E U² in S_X": {b, 1./7 + 1./12}, "E Y": {uy.MeanB()[0], 1./7 + 1./12},
	} {
		if math.Abs(v[0]-v[1]) > 1e-14 {
			t.Errorf("%s is %.17g, want %.17g", name, v[0], v[1])
		}
	}
}

func TestOrthogonalPolynomials(t *testing.T) {
	const k = 6
	var p, h [k]float64
	var gramP, gramH [k][k]float64
	for _, x := range uniform(k+1, -1, 1) {
		legendre(p[:], x.at)
		for i := range k {
			for j := range k {
				gramP[i][j] += x.weight * p[i] * p[j] * float64(2*i+3)
			}
		}
	}
	for _, x := range standardNormal(k + 1) {
		hermite(h[:], x.at)
		for i := range k {
			for j := range k {
				gramH[i][j] += x.weight * h[i] * h[j]
			}
		}
	}
	for i := range k {
		for j := range k {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(gramP[i][j]-want) > 1e-13 || math.Abs(gramH[i][j]-want) > 1e-12 {
				t.Errorf("%d, %d: Legendre %g, Hermite %g, want %g", i, j, gramP[i][j], gramH[i][j], want)
			}
		}
	}
}
