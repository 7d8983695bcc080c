package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/asm"
	fast "mediant/internal/blas"
	"mediant/internal/draw"
	"mediant/internal/parallel"
	"mediant/solvers"
)

// Grids of least-squares density estimation: multiples of the median distances, and penalties as shares of the mean diagonal
// of H. Distributions with edges need components much narrower in u than kernels in x.
var (
	densityX       = []float64{1. / 16, 1. / 8, 1. / 4, 1. / 2, 1}
	densityU       = []float64{1. / 16, 1. / 8, 1. / 4, 1. / 2}
	densityLambdas = []float64{1e-2, 1e-1, 1}
)

// densityFolds is the number of folds that they are chosen with.
const densityFolds = 3

// leastSquares estimates q(u|x) in closed form (Sugiyama, Takeuchi, Suzuki, Kanamori, Hachiya and Okanohara,
// AISTATS 2010): r(x, u) = Σ alpha_l k(x, x_l) k(u, c_l), Gaussians about b centres drawn from the rows, minimises
//
//	1/2 mean_i ∫ r(x_i, u)² du - mean_i r(x_i, u_i) + lambda/2 |alpha|²,
//
// alpha = (H + lambda I)⁻¹ h, negative alpha are set to 0, and r is normalised for each x. Both bandwidths and lambda
// have the highest likelihood of rows held out, where the authors take the criterion itself: that is one of r
// before it is normalised, to which an r near 0 does no harm, and on one distribution in three dimensions what it chose
// predicted worse than a constant. Cost: 2 n b² flops a bandwidth of x, and b³/3 for every triple and fold.
//
// H is (pi s²)^(k/2) exp(-|c_l - c_m|²/4s²) mean_i k(x_i, x_l) k(x_i, x_m), with s the bandwidth of u and k its
// dimension. The first factor is left out: it changes alpha by a factor only, and underflows in many dimensions.
type leastSquares struct {
	x, u, centresX, centresU *mat.Dense // rows in a drawn order, of which the first are the centres
	weights                  []float64  // nil: all 1
	shares                   []float64  // of the total weight
	toX, toU, between        *mat.Dense // squared distances: rows to centres, centres of u to each other
}

// newLeastSquares needs at least one row of positive weight.
func newLeastSquares(x, u *mat.Dense, weights []float64, centres int, seed uint64) *leastSquares {
	order := weighted(weights, draw.Rand(seed, "integral/rows", 0).Perm(rowsOf(x)))
	d := &leastSquares{x: pick(x, order), u: pick(u, order), shares: make([]float64, len(order))}
	for i, r := range order {
		d.shares[i] = 1
		if weights != nil {
			d.shares[i] = weights[r]
		}
	}
	if weights != nil {
		d.weights = slices.Clone(d.shares)
	}
	floats.Scale(1/floats.Sum(d.shares), d.shares)
	b := min(centres, len(order))
	d.centresX, d.centresU = pick(x, order[:b]), pick(u, order[:b])
	d.toX, d.toU, d.between = new(mat.Dense), new(mat.Dense), new(mat.Dense)
	squaredDistances(d.toX, d.x, d.centresX)
	squaredDistances(d.toU, d.u, d.centresU)
	squaredDistances(d.between, d.centresU, d.centresU)
	return d
}

func rowsOf(m *mat.Dense) int { return m.RawMatrix().Rows }

// weighted keeps the rows of positive weight.
func weighted(weights []float64, order []int) []int {
	if weights == nil {
		return order
	}
	var out []int
	for _, r := range order {
		if weights[r] > 0 {
			out = append(out, r)
		}
	}
	return out
}

func pick(m *mat.Dense, rows []int) *mat.Dense {
	_, cols := m.Dims()
	out := mat.NewDense(len(rows), cols, nil)
	for i, r := range rows {
		out.SetRow(i, m.RawRowView(r))
	}
	return out
}

// A densityChoice is one of the candidates and its score, the mean log likelihood of rows held out.
type densityChoice struct {
	x, u, lambda, score float64
}

// choose returns the candidate of the highest score.
func (d *leastSquares) choose(ctx context.Context, seed uint64) (densityChoice, error) {
	xs, us := bandwidths(d.x, d.weights, densityX, seed, "integral/x"), bandwidths(d.u, d.weights, densityU, seed, "integral/u")
	scored := make([][]densityChoice, len(xs))
	parallel.Blocks(len(xs), 1, func(i, _ int) {
		grams, kernel := d.grams(xs[i], densityFolds)
		for _, u := range us {
			if ctx.Err() != nil {
				return
			}
			systems := d.systems(grams, kernel, u)
			for _, lambda := range densityLambdas {
				c := densityChoice{x: xs[i], u: u, lambda: lambda}
				c.score = d.score(systems, c)
				scored[i] = append(scored[i], c)
			}
		}
	})
	best := densityChoice{score: math.Inf(-1)}
	for _, list := range scored {
		for _, c := range list {
			if c.score > best.score {
				best = c
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return best, err
	}
	if math.IsInf(best.score, -1) {
		return best, fmt.Errorf("baselines: integral: none of %d bandwidths and penalties gives a density on rows held out, want more rows", len(xs)*len(us)*len(densityLambdas))
	}
	return best, nil
}

// grams returns, for each fold, the sums of share·k(x_i, x_l) k(x_i, x_m), and share·k(x_i, x_l) of all rows.
func (d *leastSquares) grams(bandwidth float64, folds int) ([]*mat.Dense, *mat.Dense) {
	n, b := d.toX.Dims()
	kernel := gaussian(d.toX, 2*bandwidth*bandwidth)
	root := mat.DenseCopyOf(kernel)
	for i, s := range d.shares {
		floats.Scale(math.Sqrt(s), root.RawRowView(i))
		floats.Scale(s, kernel.RawRowView(i))
	}
	out := make([]*mat.Dense, folds)
	for f := range out {
		out[f] = mat.NewDense(b, b, nil)
		if lo, hi := foldRows(n, folds, f); lo < hi {
			part := root.Slice(lo, hi, 0, b).(*mat.Dense)
			fast.MulTo(out[f], blas.Trans, part, blas.NoTrans, part)
		}
	}
	return out, kernel
}

// foldRows are the rows of a fold: they are in a drawn order.
func foldRows(n, folds, f int) (lo, hi int) { return n * f / folds, n * (f + 1) / folds }

// gaussian is exp(-d2/width).
func gaussian(d2 *mat.Dense, width float64) *mat.Dense {
	k := mat.DenseCopyOf(d2)
	asm.Exp(k.RawMatrix().Data, -1/width)
	return k
}

// A densitySystem has H and h summed over some rows.
type densitySystem struct {
	h      *mat.SymDense
	linear []float64
}

// systems returns that of each fold. kernel has share·k(x_i, x_l).
func (d *leastSquares) systems(grams []*mat.Dense, kernel *mat.Dense, bandwidth float64) []densitySystem {
	n, b := d.toU.Dims()
	rows, overlap := gaussian(d.toU, 2*bandwidth*bandwidth), gaussian(d.between, 4*bandwidth*bandwidth)
	out := make([]densitySystem, len(grams))
	for f := range out {
		s := densitySystem{h: mat.NewSymDense(b, nil), linear: make([]float64, b)}
		lo, hi := foldRows(n, len(grams), f)
		for i := lo; i < hi; i++ {
			for l, k := range kernel.RawRowView(i) {
				s.linear[l] += k * rows.At(i, l)
			}
		}
		for l := range b {
			for m := l; m < b; m++ {
				s.h.SetSym(l, m, grams[f].At(l, m)*overlap.At(l, m))
			}
		}
		out[f] = s
	}
	return out
}

// otherFolds is the system of all folds but one.
func otherFolds(systems []densitySystem, without int) densitySystem {
	b := len(systems[0].linear)
	total := densitySystem{h: mat.NewSymDense(b, nil), linear: make([]float64, b)}
	for f, s := range systems {
		if f != without {
			total.h.AddSym(total.h, s.h)
			floats.Add(total.linear, s.linear)
		}
	}
	return total
}

// solve returns alpha, or nil if there is nothing to solve.
func (s densitySystem) solve(lambda float64) []float64 {
	b := len(s.linear)
	diagonal := mat.Trace(s.h) / float64(b)
	if !(diagonal > 0) {
		return nil
	}
	alpha := mat.NewDense(b, 1, append([]float64(nil), s.linear...))
	solvers.NewFactor(s.h, lambda*diagonal).SolveTo(alpha, alpha)
	out := alpha.RawMatrix().Data
	for i, v := range out {
		out[i] = max(0, v)
	}
	return out
}

// score returns the mean of log q(u|x) over rows held out, -Inf where a fold gives no density.
func (d *leastSquares) score(systems []densitySystem, c densityChoice) float64 {
	n, sum := rowsOf(d.x), 0.0
	for f := range systems {
		q := d.density(otherFolds(systems, f).solve(c.lambda), c)
		if q == nil {
			return math.Inf(-1)
		}
		lo, hi := foldRows(n, len(systems), f)
		sum += d.logLikelihood(q, lo, hi)
	}
	return sum
}

// logLikelihood sums share·log q(u|x) over rows.
func (d *leastSquares) logLikelihood(q *Density, lo, hi int) float64 {
	if lo == hi {
		return 0
	}
	var w, components mat.Dense
	q.WeightsTo(&w, span(d.x, lo, hi))
	squaredDistances(&components, span(d.u, lo, hi), q.U)
	_, k := d.u.Dims()
	s2 := q.BandwidthU * q.BandwidthU
	sum := 0.0
	for i := range hi - lo {
		row := components.RawRowView(i)
		least := floats.Min(row) // taken off, so that not all underflow
		floats.AddConst(-least, row)
		asm.Exp(row, -1/(2*s2))
		sum += d.shares[lo+i] * (math.Log(floats.Dot(row, w.RawRowView(i))) - least/(2*s2) - float64(k)/2*math.Log(2*math.Pi*s2))
	}
	return sum
}

// fit is the density of one candidate on all rows.
func (d *leastSquares) fit(c densityChoice) (*Density, error) {
	grams, kernel := d.grams(c.x, 1)
	if q := d.density(d.systems(grams, kernel, c.u)[0].solve(c.lambda), c); q != nil {
		return q, nil
	}
	return nil, fmt.Errorf("baselines: integral: no centre of %d has a positive coefficient, want more rows", rowsOf(d.centresX))
}

// density has the centres with positive coefficients; nil: there are none.
func (d *leastSquares) density(alpha []float64, c densityChoice) *Density {
	var keep []int
	var positive []float64
	for l, a := range alpha {
		if a > 0 {
			keep, positive = append(keep, l), append(positive, a)
		}
	}
	if len(keep) == 0 {
		return nil
	}
	return &Density{X: pick(d.centresX, keep), U: pick(d.centresU, keep), Alpha: positive, BandwidthX: c.x, BandwidthU: c.u}
}
