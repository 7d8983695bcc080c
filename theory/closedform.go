package theory

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/solvers"
)

// Claim 2, [Yamane21, Thm 2], docs/theory.md, 3. The regularised J_w has one minimiser,
//
//	beta  = (D + lambda_h I + (1-w)/w [C - B'(A + lambda_f I)⁻¹ B])⁻¹ E
//	alpha = + (A + lambda_f I)⁻¹ B beta
//
// the same as the solution of the system of order p+q
//
//	[ (A + lambda_f I)/w            -B/w               ] [alpha]   [   0    ]
//	[       -B'/w          C/w + (D + lambda_h I)/(1-w)] [beta ] = [E/(1-w) ]
//
// whose matrix has no eigenvalue below min(lambda_f/w, lambda_h/(1-w)); but the largest matrix factored
// has order max(p, q). Penalty `paper` is the same with lambda_f w and lambda_h (1-w). (The authors'
// code, github.com/i-yamane/mediated_uncoupled_learning, has a minus in front of alpha in its solution by blocks.)
//
// Measured on random rows: gradients of the loss are means over rows, which use neither moments nor
// solvers; the system of order p+q is solved by LU.

// A closedForm holds the formulas of claim 2.
type closedForm struct {
	ratio     func(w float64) float64                              // factor of the Schur complement
	schurSign float64                                              // of B'(A + lambda_f I)⁻¹B in it
	alphaSign float64                                              // of alpha
	paper     func(w, lambdaF, lambdaH float64) (float64, float64) // lambdas that mean the same under `scaled`
	least     func(w, lambdaF, lambdaH float64) float64            // bound of the least eigenvalue
	order     func(p, q int) int                                   // of the largest matrix
}

var rightClosedForm = closedForm{
	ratio:     func(w float64) float64 { return (1 - w) / w },
	schurSign: -1,
	alphaSign: 1,
	paper:     func(w, lf, lh float64) (float64, float64) { return lf * w, lh * (1 - w) },
	least:     func(w, lf, lh float64) float64 { return min(lf/w, lh/(1-w)) },
	order:     func(p, q int) int { return max(p, q) },
}

func (c closedForm) claim() Claim {
	return Claim{
		Name:      "Joint-RR in closed form",
		Reference: "[Yamane21, Thm 2 and appendix J]; docs/theory.md, 3 and 9.2",
		Statement: "The closed form is the one minimiser of the regularised objective, and no matrix larger than either side's features is factored for it.",
		Formulas: []string{
			`\beta = (D + \lambda_h I + \frac{1-w}{w}[C - B'(A + \lambda_f I)^{-1}B])^{-1}E`,
			`\alpha = (A + \lambda_f I)^{-1}B\beta`,
		},
		Assumptions: "lambda_f > 0, lambda_h > 0, 0 < w < 1. None on the data.",
		Method:      "Random rows, features, lambdas and w, penalties `scaled` and `paper`: gradient from rows, full system by LU, eigenvalues of the full matrix, and package solvers.",
		Run:         c.run,
	}
}

// conditioned is the tolerance of solutions. Entries are below 2 in size and features at most 8, so
// that norms of moments are at most 32; lambdas are at least 0.01, under `paper` 2e-4. A condition
// number below 2e5 times the 8 eps of rounding in a system of order 8 is 4e-10, and there are two
// systems. Typical problems stay below 1e-14.
const conditioned = 1e-9

// closedFormTallies are what claim 2 measures on a sample.
type closedFormTallies struct{ gradient, full, alpha, definite, schur, solver, order tally }

func (c closedForm) run(ctx context.Context, o Options) (Result, error) {
	var t closedFormTallies
	for i := range o.distributionCount() / 10 {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		if err := c.onSample(&t, newSampler(o, "closedform", i)); err != nil {
			return Result{}, err
		}
	}
	return Result{Checks: t.checks()}, nil
}

func (t *closedFormTallies) checks() []Check {
	return []Check{
		t.gradient.within("gradient of the regularised J_w from rows = 0", conditioned),
		t.full.within("beta = solution of the system of order p+q", conditioned),
		t.alpha.within("alpha = solution of the system of order p+q", conditioned),
		t.definite.inequality("min(lambda_f/w, lambda_h/(1-w)) <= least eigenvalue of the full matrix"),
		t.schur.inequality("0 <= least eigenvalue of C - B'(A + lambda_f I)⁻¹ B"),
		t.solver.within("package solvers gives the same, with intercepts too", conditioned),
		t.order.identity("order of the largest matrix factored = max(p, q)"),
	}
}

// solve returns the solution and the Schur complement by the formula, for lambdas in the sense of
// `scaled`.
func (c closedForm) solve(m crossMoments, w, lambdaF, lambdaH float64) (alpha, beta, schur *mat.Dense) {
	explained := solve(plus(m.a, lambdaF, nil), m.b)
	schur = plus(m.c, c.schurSign, product(m.b.T(), explained))
	matrix := plus(plus(m.d, lambdaH, nil), c.ratio(w), schur)
	beta = solve(matrix, m.e)
	alpha = product(explained, beta)
	alpha.Scale(c.alphaSign, alpha)
	return alpha, beta, schur
}

// fullSystem returns the matrix and right side of order p+q for penalties outside the weights.
func fullSystem(m crossMoments, w, lambdaF, lambdaH float64) (matrix, right *mat.Dense) {
	p, q := m.b.Dims()
	_, k := m.e.Dims()
	matrix, right = mat.NewDense(p+q, p+q, nil), mat.NewDense(p+q, k, nil)
	var block mat.Dense
	block.Scale(1/w, m.a)
	matrix.Slice(0, p, 0, p).(*mat.Dense).Copy(plus(&block, lambdaF, nil))
	block.Reset()
	block.Scale(-1/w, m.b)
	matrix.Slice(0, p, p, p+q).(*mat.Dense).Copy(&block)
	matrix.Slice(p, p+q, 0, p).(*mat.Dense).Copy(block.T())
	block.Reset()
	block.Scale(1/w, m.c)
	matrix.Slice(p, p+q, p, p+q).(*mat.Dense).Copy(plus(plus(&block, 1/(1-w), m.d), lambdaH, nil))
	block.Reset()
	block.Scale(1/(1-w), m.e)
	right.Slice(p, p+q, 0, k).(*mat.Dense).Copy(&block)
	return matrix, right
}

// onSample measures a random sample with random parameters.
func (c closedForm) onSample(t *closedFormTallies, s sampler) error {
	rows, w := s.newSample(), s.weight()
	params := solvers.Params{W: w, LambdaF: s.between(.01, 1), LambdaH: s.between(.01, 1)}
	intercept := s() < .5
	if s() < .5 {
		params.Penalty = solvers.Paper
	}
	used := rows
	if intercept {
		used = rows.centred()
	}
	m := used.moments()

	// Penalties outside the weights, and the same in the sense of `scaled` by the formula.
	outF, outH, lambdaF, lambdaH := params.LambdaF/w, params.LambdaH/(1-w), params.LambdaF, params.LambdaH
	if params.Penalty == solvers.Paper {
		outF, outH = params.LambdaF, params.LambdaH
		lambdaF, lambdaH = c.paper(w, params.LambdaF, params.LambdaH)
	}
	alpha, beta, schur := c.solve(m, w, lambdaF, lambdaH)
	least, largest := extremes(schur)
	t.schur.below(0, least, norm(m.c)+math.Abs(largest))

	matrix, right := fullSystem(m, w, outF, outH)
	wantAll := solve(matrix, right)
	p, q := m.b.Dims()
	_, k := m.e.Dims()
	size := norm(wantAll)
	t.alpha.equalMatrix(alpha, wantAll.Slice(0, p, 0, k), size)
	t.full.equalMatrix(beta, wantAll.Slice(p, p+q, 0, k), size)
	least, largest = extremes(matrix)
	t.definite.below(c.least(w, w*outF, (1-w)*outH), least, largest)

	gradient, terms := gradient(used, alpha, beta, w, outF, outH)
	t.gradient.note(gradient, terms)
	return c.onSolver(t, rows, params, intercept, alpha, beta)
}

// onSolver measures package solvers on the same rows.
func (c closedForm) onSolver(t *closedFormTallies, rows sample, params solvers.Params, intercept bool, alpha, beta *mat.Dense) error {
	xu, uy := rows.pairs(nil)
	system, err := solvers.NewSystem(xu, uy, intercept)
	if err != nil {
		return fmt.Errorf("closed form: %w", err)
	}
	got := system.Solve(params)
	t.solver.equalMatrix(got.Alpha, alpha, norm(alpha)+norm(beta))
	t.solver.equalMatrix(got.Beta, beta, norm(alpha)+norm(beta))
	p, _ := alpha.Dims()
	q, _ := beta.Dims()
	t.order.equal(float64(max(got.RankF, got.RankH)), float64(c.order(p, q)), 1)
	return nil
}

// gradient returns the norm of half the gradient of
//
//	1/w mean_SX |f-h|² + 1/(1-w) mean_SY |h-y|² + lambda_f |alpha|² + lambda_h |beta|²
//
// from rows, and the size of its terms.
func gradient(s sample, alpha, beta *mat.Dense, w, lambdaF, lambdaH float64) (size, terms float64) {
	fh := plus(product(s.phi, alpha), -1, product(s.psi, beta))
	hy := plus(product(s.psi2, beta), -1, s.y)
	byF, byH, byY := meanProduct(s.phi, fh), meanProduct(s.psi, fh), meanProduct(s.psi2, hy)
	var gf, gh mat.Dense
	gf.Scale(1/w, byF)
	gf.Copy(plus(&gf, lambdaF, alpha))
	gh.Scale(-1/w, byH)
	gh.Copy(plus(plus(&gh, 1/(1-w), byY), lambdaH, beta))
	n, _ := s.phi.Dims()
	m, _ := s.psi2.Dims()
	x, y := norm(s.phi)+norm(s.psi), norm(s.psi2)
	terms = x*(norm(product(s.phi, alpha))+norm(product(s.psi, beta)))/(w*float64(n)) +
		y*(norm(s.y)+norm(product(s.psi2, beta)))/((1-w)*float64(m))
	return math.Hypot(norm(&gf), norm(&gh)), terms
}
