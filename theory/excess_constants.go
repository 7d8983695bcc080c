package theory

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/moments"
	"mediant/solvers"
)

// A bound that is ten times too large holds with a wrong constant too. So each constant is computed
// a second time, from its meaning and not from its formula: by maximising over a grid, by summing
// over small distributions, by bisection.

// gridPoints is the number of points of a grid on [-a, a]; the ends are among them, where all these
// maxima lie.
const gridPoints = 41

func gridOn(a float64) []float64 {
	p := make([]float64, gridPoints)
	for i := range p {
		p[i] = a * (2*float64(i)/(gridPoints-1) - 1)
	}
	return p
}

func squaredLoss(s, t float64) float64 { return (s - t) * (s - t) }

// steepest is the largest finite difference of the loss in s, |s| <= a, |t| <= b; with steps of 1e-6
// it is 1e-6 below the Lipschitz constant.
func steepest(a, b float64) float64 {
	const h = 1e-6
	var most float64
	for _, s := range gridOn(a - h) {
		for _, t := range gridOn(b) {
			most = math.Max(most, math.Abs(squaredLoss(s+h, t)-squaredLoss(s, t))/h)
			most = math.Max(most, math.Abs(squaredLoss(s-h, t)-squaredLoss(s, t))/h)
		}
	}
	return most
}

// largestLoss is the largest loss on the grid.
func largestLoss(a, b float64) float64 {
	var most float64
	for _, s := range gridOn(a) {
		for _, t := range gridOn(b) {
			most = math.Max(most, squaredLoss(s, t))
		}
	}
	return most
}

// symmetrisationNeeded is the largest ratio of E sup (P - P_n)(g) to R_n over classes {0, g}, g = 1 with
// probability p, on one row: E max(0, p - g) = p(1-p) over E max(0, sigma g) = p/2. It tends to 2 as p
// -> 0 and so no constant below 2 will do. Both expectations are sums over the distribution.
func symmetrisationNeeded() float64 {
	var most float64
	for p := .5; p > 1e-7; p /= 2 {
		deviation := (1-p)*math.Max(0, p-0) + p*math.Max(0, p-1)
		rademacher := (1-p)*0 + p*(.5*math.Max(0, 1)+.5*math.Max(0, -1))
		most = math.Max(most, deviation/rademacher)
	}
	return most
}

// deviationNeeded is the largest ratio of E sup (P - P_n)((f-t)²) to R_n(F), that is, the constant of
// R_n(F) as a whole. The class is {f, f'} which differ by e where x = 1, with probability p, and
// nowhere else; the target there is -b. On one row
//
//	E sup (P - P_n) = p(1-p) (loss of f - loss of f')      R_1(F) = p e/2
func deviationNeeded(a, b float64) float64 {
	var most float64
	for _, p := range []float64{.5, 1e-2, 1e-4, 1e-7} {
		for _, e := range []float64{1, 1e-2, 1e-4, 1e-6} {
			e *= a
			// The loss at x = 0 is the same for both and cancels from every difference.
			gap := squaredLoss(a, -b) - squaredLoss(a-e, -b)
			// sup over the pair less f's own deviation, whose mean is 0: max(0, ±).
			deviation := p*math.Max(0, gap-p*gap) + (1-p)*math.Max(0, -p*gap)
			rademacher := p * (.5*math.Max(0, e) + .5*math.Max(0, -e))
			most = math.Max(most, deviation/rademacher)
		}
	}
	return most
}

// largestChange is how much n (P - P_n)(loss of f - loss of f') can change with one row: the width of
// the range of (s-t)² - (s'-t)², maximised over grids and over how the sum of the bounds, a + b, is
// split between them, since the constant is one of a + b alone.
func largestChange(sum float64) float64 {
	var lo, hi float64
	for _, share := range []float64{.1, .25, .4, .5, .6, .75, .9} {
		for _, s := range gridOn(share * sum) {
			for _, other := range gridOn(share * sum) {
				for _, t := range gridOn((1 - share) * sum) {
					v := squaredLoss(s, t) - squaredLoss(other, t)
					lo, hi = math.Min(lo, v), math.Max(hi, v)
				}
			}
		}
	}
	return hi - lo
}

// concentrationNeeded is the t at which McDiarmid's exp(-2t²/(n c²)) is delta, c = change/n being the
// most that one row can do, by bisection.
func concentrationNeeded(change float64, n int, delta float64) float64 {
	c := change / float64(n)
	lo, hi := 0.0, change
	for range 200 {
		mid := (lo + hi) / 2
		if math.Exp(-2*mid*mid/(float64(n)*c*c)) > delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// triangleNeeded is the largest (a+b)²/(a²+b²).
func triangleNeeded() float64 {
	var most float64
	for _, a := range gridOn(1) {
		most = math.Max(most, square(a+1)/(a*a+1))
	}
	return most
}

// jensenNeeded is the largest E E[v|X]² / E v² over the directions v = v(X) + c (rest of U) on a distribution
// of four equally likely pairs (x, r), x and r = ±1: E v² = v(X)² + c².
func jensenNeeded() float64 {
	var most float64
	for _, c := range gridOn(2) {
		var given, whole float64
		for _, x := range []float64{-1, 1} {
			var mean float64
			for _, r := range []float64{-1, 1} {
				v := x + c*r
				mean += v / 2
				whole += v * v / 4
			}
			given += mean * mean / 2
		}
		most = math.Max(most, given/whole)
	}
	return most
}

// jointFromSolver fits the well-specified distribution's moments without constraint through package solvers,
// which knows w and not the formula's weights, and returns beta.
func jointFromSolver(rowsX, rowsU, rowsU2, rowsY *mat.Dense, w float64) (vec2, error) {
	xu := moments.NewCoMoments(moments.ID{1}, moments.ID{2})
	xu.Add(rowsX, rowsU, nil)
	uy := moments.NewCoMoments(moments.ID{2}, moments.ID{3})
	uy.Add(rowsU2, rowsY, nil)
	system, err := solvers.NewSystem(xu, uy, false)
	if err != nil {
		return vec2{}, err
	}
	beta := system.Solve(solvers.Params{W: w}).Beta
	return vec2{beta.At(0, 0), beta.At(1, 0)}, nil
}
