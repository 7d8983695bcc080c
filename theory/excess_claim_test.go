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

// mustCatch returns the names of all checks that failed for some mutant.
func mustCatch(t *testing.T, mutants []mutant) (caught []string) {
	t.Helper()
	for _, m := range mutants {
		failed := failures(t, m.claims)
		if !strings.Contains(strings.Join(failed, "\n"), m.caught) {
			t.Errorf("%s: no check named %q failed, only %q", m.name, m.caught, failed)
		}
		caught = append(caught, failed...)
	}
	return caught
}

// mustCatchAll fails for each check of the claims that is not among the caught, up to what follows the first comma of its name: the
// distribution, the place and the number of rows.
func mustCatchAll(t *testing.T, claims []Claim, caught []string) {
	t.Helper()
	key := func(name string) string { s, _, _ := strings.Cut(name, ","); return s }
	seen := make(map[string]bool)
	for _, name := range caught {
		seen[key(name)] = true
	}
	for _, c := range claims {
		for _, k := range measured(t, c) {
			if !seen[key(k.Name)] {
				t.Errorf("no mutant makes %q fail", k.Name)
			}
		}
	}
}

func TestExcessClaims(t *testing.T) { mustHold(t, excessClaims()) }

func TestExcessMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples of one goroutine each")
	}
	mutate := func(name string, which int, caught string, change func(*excessFormula)) mutant {
		f := excessConstants()
		change(&f)
		return mutant{name, excessClaimsOf(f, complexityConstants())[which : which+1], caught}
	}
	const twoStep, joint, constants = 0, 1, 2
	caught := mustCatch(t, []mutant{
		mutate("Lipschitz constant without the 2", constants, "Lipschitz", func(f *excessFormula) { f.lipschitz = func(a, b float64) float64 { return a + b } }),
		mutate("Lipschitz constant with a minus", constants, "Lipschitz", func(f *excessFormula) { f.lipschitz = func(a, b float64) float64 { return 2 * math.Abs(a-b) } }),
		mutate("loss without its square", constants, "largest loss", func(f *excessFormula) { f.reach = func(a, b float64) float64 { return a + b } }),
		mutate("loss without the cross term", constants, "largest loss", func(f *excessFormula) { f.reach = func(a, b float64) float64 { return a*a + b*b } }),
		mutate("symmetrisation lost", constants, "factor of symmetrisation", func(f *excessFormula) { f.symmetrise = 1 }),
		mutate("symmetrisation twice", constants, "coefficient of the complexity", func(f *excessFormula) { f.symmetrise = 4 }),
		mutate("contraction doubled", constants, "coefficient of the complexity", func(f *excessFormula) { f.contraction = 2 }),
		mutate("concentration without the 2", constants, "concentration", func(f *excessFormula) {
			f.concentrate = func(reach float64, n int, delta float64) float64 {
				return reach * math.Sqrt(math.Log(1/delta)/float64(n))
			}
		}),
		mutate("concentration as 1/n", constants, "concentration", func(f *excessFormula) {
			f.concentrate = func(reach float64, n int, delta float64) float64 {
				return reach * math.Sqrt(2*math.Log(1/delta)) / float64(n)
			}
		}),
		mutate("concentration with delta for 1/delta", constants, "concentration", func(f *excessFormula) {
			f.concentrate = func(reach float64, n int, delta float64) float64 {
				return reach * math.Sqrt(2*delta/float64(n))
			}
		}),
		mutate("both tables without the 2", constants, "deviation of both tables", func(f *excessFormula) {
			f.together = func(x, y float64, n, m int, delta float64) float64 {
				return math.Sqrt(math.Log(1/delta) * (x*x/float64(n) + y*y/float64(m)))
			}
		}),
		mutate("both tables without the 2, tail", constants, "tail of both tables", func(f *excessFormula) {
			f.together = func(x, y float64, n, m int, delta float64) float64 {
				return math.Sqrt(math.Log(1/delta) * (x*x/float64(n) + y*y/float64(m)))
			}
		}),
		mutate("both tables with n for m", constants, "deviation of both tables", func(f *excessFormula) {
			f.together = func(x, y float64, n, _ int, delta float64) float64 {
				return math.Sqrt(2 * math.Log(1/delta) * (x*x + y*y) / float64(n))
			}
		}),
		mutate("both tables by the union bound", constants, "deviation of both tables", func(f *excessFormula) {
			f.together = func(x, y float64, n, m int, delta float64) float64 {
				return math.Sqrt(2*math.Log(2/delta)/float64(n))*x + math.Sqrt(2*math.Log(2/delta)/float64(m))*y
			}
		}),
		mutate("triangle", constants, "triangle", func(f *excessFormula) { f.triangle = 1 }),
		mutate("factor 4 for h", constants, "Jensen", func(f *excessFormula) { f.jensen = 4 }),
		mutate("factor 4 for h, printed", constants, "right side as printed", func(f *excessFormula) { f.jensen = 4 }),
		mutate("projection of any class", constants, "projection on a convex class", func(f *excessFormula) { f.project = 4 }),
		mutate("any class as if convex", constants, "nearest function of a finite class", func(f *excessFormula) { f.anyClass = 1 }),
		mutate("printed, half of the complexity of F", constants, "right side as printed, Thm 4", func(f *excessFormula) {
			p := f.printed
			f.printed = func(e excessSizes) float64 { return p(e) - 6*(e.f+e.h)*(e.ofF+e.ofH) }
		}),
		mutate("printed, half of the deviation of h", constants, "right side as printed, Thm 4", func(f *excessFormula) {
			p := f.printed
			f.printed = func(e excessSizes) float64 {
				return p(e) - square(e.h+e.y)*math.Sqrt(2*math.Log(1/e.delta)/float64(e.m))
			}
		}),
		mutate("printed, three times the complexity of h", constants, "where S_Y decides, Thm 4", func(f *excessFormula) {
			p := f.printed
			f.printed = func(e excessSizes) float64 { return p(e) + 16*(e.h+e.y)*e.onY }
		}),
		mutate("printed for Joint-RR, w for 1-w", constants, "right side as printed, appendix F.1", func(f *excessFormula) {
			p := f.printedOfJ
			f.printedOfJ = func(e excessSizes, w float64) float64 { return p(e, 1-w) }
		}),
		mutate("printed for Joint-RR, complexity of h twice", constants, "where S_Y decides, appendix F.1", func(f *excessFormula) {
			p := f.printedOfJ
			f.printedOfJ = func(e excessSizes, w float64) float64 { return p(e, w) + 4*(e.h+e.y)/(1-w)*e.onY }
		}),
		mutate("any F as if it had E[h|X]", twoStep, "step of the proof: E(fhat - f0)²", func(f *excessFormula) {
			f.comparator = func(l excessDistribution, beta vec2) vec2 { return vec2{}.plus(l.q, beta) }
		}),
		mutate("Hoeffding's constant doubled", constants, "Hoeffding", func(f *excessFormula) { f.hoeffding = .25 }),
		mutate("bound of nothing", twoStep, "bound holds", func(f *excessFormula) {
			f.symmetrise, f.together = 0, func(float64, float64, int, int, float64) float64 { return -1 }
		}),
		mutate("bound of nothing, independence", constants, "independence holds", func(f *excessFormula) {
			f.symmetrise, f.together = 0, func(float64, float64, int, int, float64) float64 { return -1 }
		}),
		mutate("bound of nothing, Joint-RR", joint, "bound holds", func(f *excessFormula) {
			f.symmetrise, f.together = 0, func(float64, float64, int, int, float64) float64 { return 0 }
		}),
		mutate("deviation of nothing", twoStep, "deviation of the second step", func(f *excessFormula) {
			f.symmetrise, f.concentrate = 0, func(float64, int, float64) float64 { return 0 }
		}),
		mutate("deviations added", joint, "step of the proof: J_w", func(f *excessFormula) {
			f.between = func(a, b, c, d float64) float64 { return a - b + (c - d) }
		}),
		mutate("sign of the deviation", joint, "step of the proof: J_w", func(f *excessFormula) {
			f.between = func(a, b, c, d float64) float64 { return b - a - (d - c) }
		}),
		mutate("sign of the deviation of h", twoStep, "step of the proof: E(hhat - h*)²", func(f *excessFormula) {
			f.between = func(a, b, c, d float64) float64 { return b - a - (d - c) }
		}),
		mutate("J_w with w for 1/w", joint, "step of the proof: MSE", func(f *excessFormula) { f.weights = func(w float64) (x, y float64) { return w, 1 - w } }),
		mutate("printed of nothing", twoStep, "bound as printed holds", func(f *excessFormula) { f.printed = func(excessSizes) float64 { return 0 } }),
		mutate("printed of nothing, Joint-RR", joint, "bound as printed holds", func(f *excessFormula) {
			f.printedOfJ = func(excessSizes, float64) float64 { return 0 }
		}),
		mutate("deviation that does not vanish", constants, "independence is needed", func(f *excessFormula) {
			f.together = func(x, y float64, _, _ int, delta float64) float64 {
				return math.Sqrt(2*math.Log(1/delta)) * math.Hypot(x, y)
			}
		}),
		mutate("w for 1-w", constants, "weights", func(f *excessFormula) { f.weights = func(w float64) (x, y float64) { return 1 / (1 - w), 1 / w } }),
		mutate("weights without reciprocals", constants, "weights", func(f *excessFormula) { f.weights = func(w float64) (x, y float64) { return w, 1 - w } }),
		mutate("complexity of f - h without h", constants, "complexity of f - h", func(f *excessFormula) { f.difference = func(a, _ float64) float64 { return a } }),
		mutate("complexity of f - h as a difference", constants, "complexity of f - h, any", func(f *excessFormula) { f.difference = func(a, b float64) float64 { return math.Abs(a - b) } }),
		mutate("triangle without Jensen's part", twoStep, "step of the proof: E(fhat - f*)²", func(f *excessFormula) { f.triangle, f.jensen = 1, 0 }),
	})
	mustCatchAll(t, excessClaims()[:3], caught)
	wrong := complexityConstants()
	wrong.exponent = -1
	half := complexityConstants()
	half.limit = func(r, v float64) float64 { return r * math.Sqrt(v/2) }
	mustCatch(t, []mutant{
		{"complexity as 1/n", excessClaimsOf(excessConstants(), wrong)[3:], "slope"},
		{"limit without pi", excessClaimsOf(excessConstants(), half)[3:], "constant"},
	})
}

// The printed right sides, worked out: C = 1, 2, 3, complexities 1/8, 1/4, 1/2, and sqrt(2 log(1/delta)) = 2, so that roots are 2/3 and 1/2.
func TestPrintedBoundsWorkedExample(t *testing.T) {
	e := excessSizes{f: 1, h: 2, y: 3, ofF: .125, ofH: .25, onY: .5, n: 9, m: 16, delta: math.Exp(-2)}
	f := excessConstants()
	// 8·3·3/8 + 8·5/2 + 4·9·2/3 + 2·25/2 and at w = 1/4 8·3·4·3/8 + 4·5·4/3/2 + 4·9·4·2/3 + 2·25·4/3/2.
	if got := f.printed(e); math.Abs(got-(9+20+24+25)) > 1e-12 {
		t.Errorf("Thm 4 is %g, want 78", got)
	}
	if got, want := f.printedOfJ(e, .25), 36+40./3+96+100./3; math.Abs(got-want) > 1e-12 {
		t.Errorf("Joint-RR's is %g, want %g", got, want)
	}
	// Ours: 24/8 + 20 + sqrt(4 (4·81/9 + 4·625/16)), and at w = 1/4 12·4·3/8 + 20·4/3/2 + sqrt(4 (81·16/9 + 625·16/9/16)).
	if got, want := f.ofTwoStep(e, 0), 3+20+2*math.Sqrt(36+156.25); math.Abs(got-want) > 1e-12 {
		t.Errorf("our bound is %g, want %g", got, want)
	}
	if got, want := f.ofJoint(e, .25), 18+40./3+2*math.Sqrt(144+625./9); math.Abs(got-want) > 1e-12 {
		t.Errorf("our bound of Joint-RR is %g, want %g", got, want)
	}
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

func TestRademacherWorkedExample(t *testing.T) {
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
