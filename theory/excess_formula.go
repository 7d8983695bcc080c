package theory

import "math"

// An excessFormula holds every constant of the bounds of check 7, as printed in docs/theory.md, so
// that a test can put a wrong one in its place. Losses are (s-t)² for |s| <= a, |t| <= b.
type excessFormula struct {
	lipschitz   func(a, b float64) float64                        // of (s-t)² in s
	reach       func(a, b float64) float64                        // the largest loss
	symmetrise  float64                                           // E sup (P - P_n) <= this times R_n
	contraction float64                                           // R_n(loss of F) <= this times Lipschitz constant times R_n(F)
	concentrate func(reach float64, n int, delta float64) float64 // McDiarmid
	triangle    float64                                           // (a+b)² <= this times (a² + b²)
	jensen      float64                                           // E E[v|X]² <= this times E v²
	failure     func(delta float64) float64                       // of two events of probability delta
	weights     func(w float64) (x, y float64)                    // of the two losses in J_w
	difference  func(f, h float64) float64                        // complexity of {f - h} from those of F and H
}

// excessConstants are the constants proved in docs/theory.md.
func excessConstants() excessFormula {
	return excessFormula{
		lipschitz:   func(a, b float64) float64 { return 2 * (a + b) },
		reach:       func(a, b float64) float64 { return (a + b) * (a + b) },
		symmetrise:  2,
		contraction: 1,
		concentrate: func(reach float64, n int, delta float64) float64 {
			return reach * math.Sqrt(2*math.Log(1/delta)/float64(n))
		},
		triangle:   2,
		jensen:     1,
		failure:    func(delta float64) float64 { return 2 * delta },
		weights:    func(w float64) (x, y float64) { return 1 / w, 1 / (1 - w) },
		difference: func(f, h float64) float64 { return f + h },
	}
}

// deviation bounds, with probability at least 1 - delta, sup (P - P_n)(loss) - (P - P_n)(loss of a fixed
// comparator) for a class whose functions are at most a and targets at most b, rademacher being the
// complexity of the class on n rows:
//
//	2 · 2(a+b) R_n + (a+b)² sqrt(2 log(1/delta)/n)
func (f excessFormula) deviation(a, b, rademacher float64, n int, delta float64) float64 {
	return f.symmetrise*f.contraction*f.lipschitz(a, b)*rademacher + f.concentrate(f.reach(a, b), n, delta)
}

// twoStep bounds E (fhat - f*)² of 2Step-RR with probability at least 1 - failure(delta), E[h(U)|X]
// being in F for every h in H.
func (f excessFormula) twoStep(l excessDistribution, n, m int, delta float64) float64 {
	bf, bh, by := l.bounds()
	x := f.deviation(bf, bh, rademacherSigns(l.radiusF, n), n, delta)
	y := f.deviation(bh, by, l.rademacherH(m), m, delta)
	return f.triangle * (x + f.jensen*(l.epsH()+y))
}

// joint bounds E (fhat - f*)² of Joint-RR likewise. least is min J_w over F and H.
func (f excessFormula) joint(l excessDistribution, n, m int, delta, w, least float64) float64 {
	bf, bh, by := l.bounds()
	wx, wy := f.weights(w)
	x := f.deviation(bf, bh, f.difference(rademacherSigns(l.radiusF, n), l.rademacherH(n)), n, delta)
	y := f.deviation(bh, by, l.rademacherH(m), m, delta)
	return least - l.best() + wx*x + wy*y
}

// least is min J_w over F and H in the population.
func (f excessFormula) least(l excessDistribution, w float64) float64 {
	p := l.population()
	wx, wy := f.weights(w)
	x, y := p.risks(l.fitJoint(p, wx, wy))
	return wx*x + wy*y
}
