package theory

import "math"

// An excessFormula holds every constant of the bounds of docs/theory.md, 11, and of those that the paper prints, so
// that a test can put a wrong one in its place. Losses are (s-t)² for |s| <= a, |t| <= b.
type excessFormula struct {
	lipschitz   func(a, b float64) float64                        // of (s-t)² in s
	reach       func(a, b float64) float64                        // the largest loss
	symmetrise  float64                                           // E sup (P - P_n) <= this times R_n
	contraction float64                                           // R_n(loss of F) <= this times Lipschitz constant times R_n(F)
	concentrate func(reach float64, n int, delta float64) float64 // McDiarmid, one table
	// together is McDiarmid's deviation of a sum of two terms, the second given the rows of the first: a row of
	// S_X moves it by at most 2x/n, a row of S_Y by 2y/m.
	together   func(x, y float64, n, m int, delta float64) float64
	hoeffding  float64                                    // log E exp(s(Z-EZ)) <= this times s² range²
	comparator func(l excessDistribution, beta vec2) vec2 // f0 for E[h(U)|X], coefficients
	triangle   float64                                    // (a+b)² <= this times (a² + b²)
	jensen     float64                                    // E E[v|X]² <= this times E v²
	project    float64                                    // |f0-f*|² <= this times |g-f*|², f0 the nearest to g in a convex F that has f*
	anyClass   float64                                    // and in any F that has f*
	weights    func(w float64) (x, y float64)             // of the two losses in J_w
	// between is (P - P_n) of a loss less (P - P_n) of its comparator's, from the four means.
	between    func(whole, rows, ofBest, rowsOfBest float64) float64
	difference func(f, h float64) float64             // complexity of {f - h} from those of F and H
	printed    func(e excessSizes) float64            // right side of [Yamane21, Thm 4]
	printedOfJ func(e excessSizes, w float64) float64 // right side of the theorem of [Yamane21, appendix F.1]
}

// excessSizes are what the paper's bounds are made of: the suprema of |f|, |h| and |Y|, the complexities of F and H on
// n rows of S_X and of H on m rows of S_Y.
type excessSizes struct {
	f, h, y       float64
	ofF, ofH, onY float64
	n, m          int
	delta         float64
}

// excessConstants are the constants proved in docs/theory.md, and those of the paper.
func excessConstants() excessFormula {
	return excessFormula{
		lipschitz:   func(a, b float64) float64 { return 2 * (a + b) },
		reach:       func(a, b float64) float64 { return (a + b) * (a + b) },
		symmetrise:  2,
		contraction: 1,
		concentrate: func(reach float64, n int, delta float64) float64 {
			return reach * math.Sqrt(2*math.Log(1/delta)/float64(n))
		},
		together: func(x, y float64, n, m int, delta float64) float64 {
			return math.Sqrt(2 * math.Log(1/delta) * (x*x/float64(n) + y*y/float64(m)))
		},
		hoeffding:  1. / 8,
		comparator: excessDistribution.nearest,
		triangle:   2,
		jensen:     1,
		project:    1,
		anyClass:   4,
		weights:    func(w float64) (x, y float64) { return 1 / w, 1 / (1 - w) },
		between:    func(whole, rows, ofBest, rowsOfBest float64) float64 { return whole - rows - (ofBest - rowsOfBest) },
		difference: func(f, h float64) float64 { return f + h },
		printed: func(e excessSizes) float64 {
			return 8*(e.f+e.h)*(e.ofF+e.ofH) + 8*(e.h+e.y)*e.onY +
				4*square(e.f+e.h)*math.Sqrt(2/float64(e.n)*math.Log(1/e.delta)) + 2*square(e.h+e.y)*math.Sqrt(2/float64(e.m)*math.Log(1/e.delta))
		},
		printedOfJ: func(e excessSizes, w float64) float64 {
			return 8*(e.f+e.h)/w*(e.ofF+e.ofH) + 4*(e.h+e.y)/(1-w)*e.onY +
				4*square(e.f+e.h)/w*math.Sqrt(2/float64(e.n)*math.Log(1/e.delta)) + 2*square(e.h+e.y)/(1-w)*math.Sqrt(2/float64(e.m)*math.Log(1/e.delta))
		},
	}
}

// mean bounds E sup (P - P_n)(loss) - (P - P_n)(loss of a fixed comparator) for a class whose functions are at most a and
// targets at most b, rademacher being the complexity of the class:
//
//	2 · 2(a+b) R_n
func (f excessFormula) mean(a, b, rademacher float64) float64 {
	return f.symmetrise * f.contraction * f.lipschitz(a, b) * rademacher
}

// deviation bounds the same without the mean, with probability at least 1 - delta.
func (f excessFormula) deviation(a, b, rademacher float64, n int, delta float64) float64 {
	return f.mean(a, b, rademacher) + f.concentrate(f.reach(a, b), n, delta)
}

// ofTwoStep bounds E (fhat - f*)² of 2Step-RR with probability at least 1 - delta, where F is convex or has E[h(U)|X] for
// every h in H; misfit is min over H of E (h - h*)².
func (f excessFormula) ofTwoStep(e excessSizes, misfit float64) float64 {
	x, y := f.mean(e.f, e.h, e.ofF), f.mean(e.h, e.y, e.onY)
	return f.triangle*(x+f.jensen*(misfit+y)) +
		f.together(f.triangle*f.reach(e.f, e.h), f.triangle*f.jensen*f.reach(e.h, e.y), e.n, e.m, e.delta)
}

// ofJoint bounds J_w(fhat, hhat) - min over F and H of J_w with probability at least 1 - delta.
func (f excessFormula) ofJoint(e excessSizes, w float64) float64 {
	wx, wy := f.weights(w)
	return wx*f.mean(e.f, e.h, f.difference(e.ofF, e.ofH)) + wy*f.mean(e.h, e.y, e.onY) +
		f.together(wx*f.reach(e.f, e.h), wy*f.reach(e.h, e.y), e.n, e.m, e.delta)
}

// sizes are those of the balls F and H on n and m rows. R_n(F) is exact, that of H Jensen's bound.
func (l excessDistribution) sizes(n, m int, delta float64) excessSizes {
	f, h, y := l.bounds()
	return excessSizes{f: f, h: h, y: y, ofF: rademacherSigns(l.radiusF, n), ofH: l.rademacherH(n), onY: l.rademacherH(m), n: n, m: m, delta: delta}
}
