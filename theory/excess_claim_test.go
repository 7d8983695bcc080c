package theory

import (
	"context"
	"math"
	"strings"
	"testing"

	"mediant/internal/draw"
)

// failures runs claims quickly and returns the names of the checks that fail.
func failures(t *testing.T, claims []Claim) []string {
	t.Helper()
	var failed []string
	for _, c := range claims {
		r, err := c.Run(context.Background(), Options{Quick: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Checks) == 0 {
			t.Errorf("%s: no checks", c.Name)
		}
		for _, k := range r.Checks {
			if k.Verdict != Holds {
				failed = append(failed, k.Name)
			}
		}
		for _, table := range r.Tables {
			for _, row := range table.Rows {
				if len(row) != len(table.Columns) {
					t.Errorf("%s: %q has %d columns and a row of %d", c.Name, table.Caption, len(table.Columns), len(row))
				}
			}
		}
	}
	return failed
}

// mutant is a formula with an error in it and the check that must notice.
type mutant struct {
	name   string
	claims []Claim
	caught string
}

// mustHold fails if a check of the claims does; mustCatch fails if a mutant gets away.
func mustHold(t *testing.T, claims []Claim) {
	t.Helper()
	for _, name := range failures(t, claims) {
		t.Errorf("%s fails", name)
	}
}

func mustCatch(t *testing.T, mutants []mutant) {
	t.Helper()
	for _, m := range mutants {
		if failed := failures(t, m.claims); !strings.Contains(strings.Join(failed, "\n"), m.caught) {
			t.Errorf("%s: no check named %q failed, only %q", m.name, m.caught, failed)
		}
	}
}

func TestExcessClaims(t *testing.T) { mustHold(t, excessClaims()) }

func TestExcessMutations(t *testing.T) {
	mutate := func(name, caught string, change func(*excessFormula)) mutant {
		f := excessConstants()
		change(&f)
		return mutant{name, excessClaimsOf(f, complexityConstants())[:2], caught}
	}
	mustCatch(t, []mutant{
		mutate("Lipschitz constant without the 2", "Lipschitz", func(f *excessFormula) { f.lipschitz = func(a, b float64) float64 { return a + b } }),
		mutate("Lipschitz constant with a minus", "Lipschitz", func(f *excessFormula) { f.lipschitz = func(a, b float64) float64 { return 2 * math.Abs(a-b) } }),
		mutate("loss without its square", "largest loss", func(f *excessFormula) { f.reach = func(a, b float64) float64 { return a + b } }),
		mutate("loss without the cross term", "largest loss", func(f *excessFormula) { f.reach = func(a, b float64) float64 { return a*a + b*b } }),
		mutate("symmetrisation lost", "factor of symmetrisation", func(f *excessFormula) { f.symmetrise = 1 }),
		mutate("symmetrisation twice", "coefficient of the complexity", func(f *excessFormula) { f.symmetrise = 4 }),
		mutate("contraction doubled", "coefficient of the complexity", func(f *excessFormula) { f.contraction = 2 }),
		mutate("concentration without the 2", "concentration", func(f *excessFormula) {
			f.concentrate = func(reach float64, n int, delta float64) float64 {
				return reach * math.Sqrt(math.Log(1/delta)/float64(n))
			}
		}),
		mutate("concentration as 1/n", "concentration", func(f *excessFormula) {
			f.concentrate = func(reach float64, n int, delta float64) float64 {
				return reach * math.Sqrt(2*math.Log(1/delta)) / float64(n)
			}
		}),
		mutate("concentration with delta for 1/delta", "concentration", func(f *excessFormula) {
			f.concentrate = func(reach float64, n int, delta float64) float64 {
				return reach * math.Sqrt(2*delta/float64(n))
			}
		}),
		mutate("triangle", "triangle", func(f *excessFormula) { f.triangle = 1 }),
		mutate("factor 4 for h", "Jensen", func(f *excessFormula) { f.jensen = 4 }),
		mutate("no union bound", "two events", func(f *excessFormula) { f.failure = func(d float64) float64 { return d } }),
		mutate("three events", "union bound", func(f *excessFormula) { f.failure = func(d float64) float64 { return 3 * d } }),
		mutate("w for 1-w", "weights", func(f *excessFormula) { f.weights = func(w float64) (x, y float64) { return 1 / (1 - w), 1 / w } }),
		mutate("weights without reciprocals", "weights", func(f *excessFormula) { f.weights = func(w float64) (x, y float64) { return w, 1 - w } }),
		mutate("complexity of f - h without h", "complexity of f - h", func(f *excessFormula) { f.difference = func(a, _ float64) float64 { return a } }),
		mutate("complexity of f - h as a difference", "complexity of f - h", func(f *excessFormula) { f.difference = func(a, b float64) float64 { return math.Abs(a - b) } }),
		mutate("triangle without Jensen's part", "step of the proof: E(fhat - f*)²", func(f *excessFormula) { f.triangle, f.jensen = 1, 0 }),
	})
	wrong := complexityConstants()
	wrong.exponent = -1
	half := complexityConstants()
	half.limit = func(r, v float64) float64 { return r * math.Sqrt(v/2) }
	mustCatch(t, []mutant{
		{"complexity as 1/n", excessClaimsOf(excessConstants(), wrong)[2:], "slope"},
		{"limit without pi", excessClaimsOf(excessConstants(), half)[2:], "constant"},
	})
}

// A wrong excess or wrong moments would make every comparison meaningless: both against plain sums
// over a large sample, at 5 standard errors.
func TestExcessDistributionMoments(t *testing.T) {
	for _, l := range excessDistributions() {
		rnd := draw.Rand(0, "theory/excess/test", 0)
		alpha, beta := vec2{.3, -.2}, vec2{.5, .1}
		var gap, toBest, fh, hy tallied
		bf, bh, by := l.bounds()
		for range 200000 {
			x := l.drawX(rnd)
			u := l.drawU(rnd, x)
			y := l.beta.dot(u) + l.gamma*u[0]*u[1] + l.tau*(2*rnd.Float64()-1)
			best := l.q*l.beta.dot(x) + l.gamma*l.q*l.q*x[0]*x[1]
			f, h := alpha.dot(x), beta.dot(u)
			if math.Abs(f) > bf || math.Abs(h) > bh || math.Abs(y) > by {
				t.Fatalf("%s: f, h, y = %g, %g, %g outside their bounds %g, %g, %g", l.name, f, h, y, bf, bh, by)
			}
			gap.add(square(f-y) - square(best-y))
			toBest.add(square(best - y))
			fh.add(square(f - h))
			hy.add(square(h - y))
		}
		wantX, wantY := l.population().risks(alpha, beta)
		for name, c := range map[string]struct {
			got  tallied
			want float64
		}{"excess": {gap, l.excess(alpha)}, "best": {toBest, l.best()}, "E(f-h)²": {fh, wantX}, "E(h-y)²": {hy, wantY}} {
			if d := math.Abs(c.got.mean - c.want); d > sigmas*c.got.se() {
				t.Errorf("%s: %s is %g, want %g: off by %g standard errors", l.name, name, c.got.mean, c.want, d/c.got.se())
			}
		}
	}
}

func TestRademacherByHand(t *testing.T) {
	// n = 1: |x| = sqrt 2. n = 2: both sums are 0 or ±2 with probabilities 1/2, 1/2: lengths 0 (1/4), 2
	// (1/2), 2 sqrt 2 (1/4). n = 3: each sum is ±1 (3/4) or ±3 (1/4).
	for n, want := range map[int]float64{
		1: math.Sqrt2,
		2: (2./2 + 2*math.Sqrt2/4) / 2,
		3: (9./16*math.Sqrt2 + 6./16*math.Sqrt(10) + 1./16*3*math.Sqrt2) / 3,
	} {
		if got := rademacherSigns(1, n); math.Abs(got-want) > 1e-14 {
			t.Errorf("R_%d = %.16g, want %.16g", n, got, want)
		}
	}
}

// Minimisers in a ball are not beaten by points of a net of it. Problems are drawn from a density,
// so that the exceptional case that minimiseInBall leaves out has probability 0.
func TestMinimiseInBall(t *testing.T) {
	rnd := draw.Rand(0, "theory/excess/ball", 0)
	for range 2000 {
		b := rnd.NormFloat64()
		g, c := mat2{{rnd.NormFloat64(), b}, {b, rnd.NormFloat64()}}, vec2{rnd.NormFloat64(), rnd.NormFloat64()}
		value := func(x vec2) float64 { return x.dot(g.times(x)) - 2*c.dot(x) }
		x := minimiseInBall(g, c, 1.5)
		if x.norm() > 1.5*(1+1e-12) {
			t.Fatalf("|x| = %g", x.norm())
		}
		for i := range 64 {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / 64)
			for r := 0.; r <= 1.5; r += .1 {
				// x is within 1e-9 of the minimiser unless the system is nearly singular there, where
				// bisection to 1e-16 of lambda leaves the square root of that in x.
				if other := (vec2{r * cos, r * sin}); value(other) < value(x)-1e-6 {
					t.Fatalf("%v gives %g, %v gives %g", x, value(x), other, value(other))
				}
			}
		}
	}
}

// Joint-RR in balls at w -> 1 is 2Step-RR, and no descent step is left.
func TestFitJointEnds(t *testing.T) {
	l := excessDistributions()[0]
	m := l.sample(draw.Rand(0, "theory/excess/joint", 0), 100, 100)
	two, _ := l.fitTwoStep(m)
	f := excessConstants()
	x, y := f.weights(1 - 1e-9)
	near, _ := l.fitJoint(m, x, y)
	// |beta_w - beta_1| <= (1-w)/w |C||beta|/least eigenvalue of D, docs/theory.md, 3: about 1e-9 here.
	if d := near.plus(-1, two).norm(); d > 1e-8 {
		t.Errorf("at w = 1 - 1e-9 alpha is %g away from 2Step-RR", d)
	}
}
