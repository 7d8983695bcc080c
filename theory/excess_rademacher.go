package theory

import (
	"math"
	"math/rand/v2"

	"mediant/internal/draw"
)

// The Rademacher complexity of the ball {a'z: |a| <= r} on n independent z is
//
//	R_n = E sup 1/n Σ sigma_i a'z_i = r/n E |Σ sigma_i z_i|
//
// with fair signs sigma_i, by Cauchy and Schwarz's case of equality. The ball is symmetric, so an
// absolute value inside the supremum changes nothing.

// rademacherSigns is R_n of a ball of linear functions of X = (±1, ±1), exactly: the two columns of
// Σ sigma_i x_i are independent sums of n fair signs. It costs n² operations.
func rademacherSigns(radius float64, n int) float64 {
	// p[k] is the probability of the sum n - 2k; the distribution is symmetric and so both halves are folded.
	half := n / 2
	p := make([]float64, half+1)
	for k := range p {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		p[k] = 2 * math.Exp(a-b-c-float64(n)*math.Ln2)
	}
	if n%2 == 0 {
		p[half] /= 2
	}
	var mean float64
	for i := range p {
		for j := range i {
			mean += 2 * p[i] * p[j] * math.Hypot(float64(n-2*i), float64(n-2*j))
		}
		mean += p[i] * p[i] * math.Sqrt2 * float64(n-2*i)
	}
	return radius * mean / float64(n)
}

// rademacherSampled is R_n by Monte Carlo for rows z that one draws, each draw being one sample with
// its signs.
func rademacherSampled(one func(*rand.Rand) vec2, radius float64, n, draws int, rnd *rand.Rand) tallied {
	var t tallied
	for range draws {
		var sum vec2
		for i := 0; i < n; i += 64 {
			signs := rnd.Uint64()
			for range min(64, n-i) {
				sum = sum.plus(float64(signs&1)*2-1, one(rnd))
				signs >>= 1
			}
		}
		t.add(radius * sum.norm() / float64(n))
	}
	return t
}

// A complexity is R_n of one class for a range of n.
type complexity struct {
	name      string
	n         []float64
	value, se []float64
	limit     float64 // of R_n sqrt n
}

// complexities measures R_n of F on X, exactly and by Monte Carlo, and of H on U by Monte Carlo. As
// both rows have uncorrelated columns of equal variance v, Σ sigma_i z_i / sqrt n tends to N(0, v I),
// whose mean length in the plane is sqrt(v pi/2).
func (l excessDistribution) complexities(formula complexityFormula, sizes []int, draws int, seed uint64) []complexity {
	exact := complexity{name: "F on X, exact", limit: formula.limit(l.radiusF, 1)}
	sampledF := complexity{name: "F on X, Monte Carlo", limit: exact.limit}
	sampledH := complexity{name: "H on U, Monte Carlo", limit: formula.limit(l.radiusH, l.varianceU())}
	drawU := func(rnd *rand.Rand) vec2 { return l.drawU(rnd, l.drawX(rnd)) }
	for i, n := range sizes {
		exact.add(n, rademacherSigns(l.radiusF, n), 0)
		f := rademacherSampled(l.drawX, l.radiusF, n, draws, draw.Rand(seed, "theory/excess/rademacher/x", i))
		sampledF.add(n, f.mean, f.se())
		h := rademacherSampled(drawU, l.radiusH, n, draws, draw.Rand(seed, "theory/excess/rademacher/u", i))
		sampledH.add(n, h.mean, h.se())
	}
	return []complexity{exact, sampledF, sampledH}
}

func (c *complexity) add(n int, value, se float64) {
	c.n = append(c.n, float64(n))
	c.value = append(c.value, value)
	c.se = append(c.se, se)
}

// rademacherH is an upper bound of R_n of H on U, r sqrt(E|u|²/n) by Jensen, which for rows in the
// plane is at most sqrt(4/pi) - 1 = 13 % above the limit. The bounds of the excess risk use it, since a bound
// must not rest on a Monte Carlo value that may be too small.
func (l excessDistribution) rademacherH(n int) float64 {
	return l.radiusH * math.Sqrt(2*l.varianceU()/float64(n))
}

// checkDifference holds the complexity of {f - h} on rows of S_X against those of F and H: the supremum
// is attained by both at once, (r_F |Σ sigma x| + r_H |Σ sigma u|)/n. All three come from the same draws,
// so that only the rule that combines them is in question; the sum is then exact.
func checkDifference(g *gauge, f excessFormula, l excessDistribution, o Options) {
	const n, draws = 101, 1000 // n is odd, so that Σ sigma x is never 0 and has a direction
	rnd := draw.Rand(o.Seed, "theory/excess/difference", 0)
	var both, ofF, ofH tallied
	for range draws {
		var x, u vec2
		for range n {
			sign := float64(rnd.Uint64()&1)*2 - 1
			row := l.drawX(rnd)
			x, u = x.plus(sign, row), u.plus(sign, l.drawU(rnd, row))
		}
		// The maximisers, and the value there as one sum over f - h.
		alpha, beta := vec2{}.plus(l.radiusF/x.norm(), x), vec2{}.plus(-l.radiusH/u.norm(), u)
		both.add((alpha.dot(x) - beta.dot(u)) / n)
		ofF.add(l.radiusF * x.norm() / n)
		ofH.add(l.radiusH * u.norm() / n)
	}
	g.near("complexity of f - h", "Mean of the supremum of 1/n Σ sigma (f-h) over F and H; Bound is the formula applied to those over F and over H.",
		both.mean, f.difference(ofF.mean, ofH.mean), 0, exactly)
}

// checkDifferenceOfAny compares the same for finite classes that are not symmetric, by exact sums over all signs of three rows.
// Signs turned round are as likely, so that H enters by R_n(-H) = R_n(H).
func checkDifferenceOfAny(g *gauge, f excessFormula, o Options) {
	const n, size = 3, 4
	off := 0.0
	for i := range 200 {
		s := newSampler(o, "excess/difference", i)
		var fs, hs [size][]float64
		for j := range size {
			fs[j], hs[j] = s.values(n), s.values(n)
		}
		var both, ofF, ofH float64
		for signs := range 1 << n {
			sum := func(v []float64) float64 {
				total := 0.0
				for j, x := range v {
					total += x * float64(signs>>j&1*2-1)
				}
				return total / n / (1 << n)
			}
			mostF, mostH, most := math.Inf(-1), math.Inf(-1), math.Inf(-1)
			for _, a := range fs {
				mostF = math.Max(mostF, sum(a))
				for _, b := range hs {
					most = math.Max(most, sum(a)-sum(b))
				}
			}
			for _, b := range hs {
				mostH = math.Max(mostH, sum(b))
			}
			both, ofF, ofH = both+most, ofF+mostF, ofH+mostH
		}
		off = math.Max(off, math.Abs(both-f.difference(ofF, ofH)))
	}
	g.near("complexity of f - h, any classes", "Largest distance of R_n of {f - h} from the formula applied to those of F and H, over 200 pairs of finite classes.", off, 0, 0, exactly)
}
