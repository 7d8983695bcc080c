package solvers

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
	"mediant/internal/bounds"
	"mediant/moments"
)

// A Penalty says where the ridge penalties of Joint-RR stand relative to the weights 1/w and
// 1/(1-w) of the two losses.
type Penalty int

const (
	// Scaled puts each penalty inside its loss, so that w = 1 is 2Step-RR with the same lambdas and
	// nothing blows up as w -> 1.
	Scaled Penalty = iota
	// Paper puts the penalties outside, as [Yamane21, Thm 2] does. It equals Scaled with lambda_f w
	// and lambda_h (1-w), and has no limit at w = 1.
	Paper
)

// Check returns an error that names the field of a Penalty that is none.
func (p Penalty) Check(field string) error {
	return bounds.Enum(field, int(p), "solvers.Scaled or solvers.Paper", int(Scaled), int(Paper))
}

// String returns "scaled" or "paper".
func (p Penalty) String() string {
	if p == Paper {
		return "paper"
	}
	return "scaled"
}

// Params are the hyperparameters of a fit. W in [MinW, 1] weights the two losses, 1 being 2Step-RR; the lambdas are at least
// 0 and per sample.
type Params struct {
	W                float64
	LambdaF, LambdaH float64
	Penalty          Penalty
}

// MinW is the least weight that is accepted: below it (1-w)/w times the rounding errors of the moments
// of S_X, of size 2e-16, swamps those of S_Y.
const MinW = 1e-9

// Check returns an error that names the first parameter outside its range.
func (p Params) Check() error {
	if !(p.W >= MinW && p.W <= 1) {
		return fmt.Errorf("solvers: w is %g, must be at least %g and at most 1", p.W, MinW)
	}
	if p.Penalty != Scaled && p.Penalty != Paper {
		return fmt.Errorf("solvers: penalty %d is unknown", p.Penalty)
	}
	if p.Penalty == Paper && p.W == 1 {
		return fmt.Errorf("solvers: the paper's penalty is not defined at w = 1")
	}
	for _, l := range []struct {
		name  string
		value float64
	}{{"lambda_f", p.LambdaF}, {"lambda_h", p.LambdaH}} {
		if !(l.value >= 0) || math.IsInf(l.value, 1) {
			return fmt.Errorf("solvers: %s is %g, must be finite and at least 0", l.name, l.value)
		}
	}
	return nil
}

// scaled returns the lambdas that the penalty means under Scaled.
func (p Params) scaled() (lambdaF, lambdaH float64) {
	if p.Penalty == Paper {
		return p.LambdaF * p.W, p.LambdaH * (1 - p.W)
	}
	return p.LambdaF, p.LambdaH
}

// A System, made by NewSystem, solves for any Params from the moments of S_X and S_Y. It keeps the factor of A + lambda_f I
// and the Schur complement of the last lambda_f, which serve every w and lambda_h; it is not safe for concurrent use.
type System struct {
	intercept       bool
	a, c, d         *mat.SymDense
	b, e            *mat.Dense
	phi, psi, other []float64 // means: phi and psi over S_X, psi over S_Y
	y               []float64
	left            *left
	alone           map[float64]hSolution // Coefficients at w = 1 by lambda_h
	right           Factor                // memory of Coefficients
}

// An hSolution is beta and the rank of the matrix that was solved for it.
type hSolution struct {
	beta *mat.Dense
	rank int
}

type left struct {
	lambda float64
	factor *Factor
	schur  *mat.SymDense // C - B'(A + lambda I)⁻¹B, once asked for
}

// NewSystem takes the moments xu of (phi, psi) over S_X and uy of (psi, y) over S_Y. With intercept both predictors get one,
// unpenalised, which is the same as centring each table by its own means. It is an error if their psi differ or if one has
// no rows.
func NewSystem(xu, uy *moments.CoMoments, intercept bool) (*System, error) {
	if xu.Right() != uy.Left() {
		return nil, fmt.Errorf("solvers: psi of S_X is %s, of S_Y %s: both tables need the same map of U", xu.Right(), uy.Left())
	}
	if xu.Weight() == 0 || uy.Weight() == 0 {
		return nil, fmt.Errorf("solvers: total weights are %g in S_X and %g in S_Y, must be above 0", xu.Weight(), uy.Weight())
	}
	_, q := xu.Dims()
	if qy, _ := uy.Dims(); q != qy {
		return nil, fmt.Errorf("solvers: psi has %d columns in S_X and %d in S_Y", q, qy)
	}
	s := &System{
		intercept: intercept,
		a:         new(mat.SymDense), c: new(mat.SymDense), d: new(mat.SymDense),
		b: new(mat.Dense), e: new(mat.Dense),
		phi: slices.Clone(xu.MeanA()), psi: slices.Clone(xu.MeanB()), other: slices.Clone(uy.MeanA()), y: slices.Clone(uy.MeanB()),
	}
	xu.LeftTo(s.a, intercept)
	xu.CrossTo(s.b, intercept)
	xu.RightTo(s.c, intercept)
	uy.LeftTo(s.d, intercept)
	uy.CrossTo(s.e, intercept)
	return s, nil
}

// A Solution holds the coefficients of f(x) = InterceptF + Alpha'phi(x) and h(u) = InterceptH +
// Beta'psi(u): Alpha is p×k, Beta q×k, the intercepts k long and 0 without intercept.
type Solution struct {
	Alpha, Beta            *mat.Dense
	InterceptF, InterceptH []float64
	// Condition numbers in the 1-norm (+Inf where singular to rounding) and ranks of the matrices
	// solved for f, A + lambda_f I, and for h.
	CondF, CondH float64
	RankF, RankH int
}

// Solve returns the minimiser of the regularised J_w,
//
//	1/w [mean_SX |f-h|² + lambda_f |alpha|²] + 1/(1-w) [mean_SY |h-y|² + lambda_h |beta|²]
//
// ([Yamane21, Thm 2] with the penalties scaled, and alpha = +M1⁻¹M2 beta where the public code of
// the method has a minus), or of 2Step-RR at w = 1. Of several minimisers h has the least norm, and
// then f. The first w for a lambda_f costs p³/3 + p²q + pq² flops, each further one q³/3, and 2Step-RR
// p³/3 + q³/3. Params that fail Check panic.
func (s *System) Solve(p Params) *Solution {
	sol, f, h := s.solve(p)
	sol.CondF, sol.CondH = f.Cond(), h.Cond()
	return sol
}

// Coefficients is Solve without the condition numbers, which are 0: for the many candidates of a search,
// of which the winner is solved once more. At w = 1 h depends on lambda_h only, so that each costs q³/3 flops once.
func (s *System) Coefficients(p Params) *Solution {
	lambdaF, lambdaH := p.checked()
	s.factorLeft(lambdaF)
	if p.W < 1 {
		return s.follow(s.coefficientsH(p.W, lambdaH))
	}
	return s.follow(s.coefficientsAlone(lambdaH))
}

// coefficientsAlone returns the h of w = 1, made once for each lambda_h, in a copy.
func (s *System) coefficientsAlone(lambdaH float64) hSolution {
	h, ok := s.alone[lambdaH]
	if !ok {
		if s.alone == nil {
			s.alone = make(map[float64]hSolution)
		}
		h = s.coefficientsH(1, lambdaH)
		s.alone[lambdaH] = h
	}
	return hSolution{mat.DenseCopyOf(h.beta), h.rank}
}

// coefficientsH solves for h in memory that is used again.
func (s *System) coefficientsH(w, lambdaH float64) hSolution {
	s.factorRight(&s.right, w, lambdaH, false)
	return s.solveH(&s.right)
}

// solve is Coefficients and also returns the factors of the matrices for f and for h.
func (s *System) solve(p Params) (sol *Solution, f, h *Factor) {
	lambdaF, lambdaH := p.checked()
	s.factorLeft(lambdaF)
	h = new(Factor)
	s.factorRight(h, p.W, lambdaH, true)
	return s.follow(s.solveH(h)), s.left.factor, h
}

// checked returns the lambdas that the penalty means under Scaled, if p passes Check.
func (p Params) checked() (lambdaF, lambdaH float64) {
	if err := p.Check(); err != nil {
		panic(err)
	}
	return p.scaled()
}

// factorLeft makes s.left that of lambda_f, in the memory of the one before.
func (s *System) factorLeft(lambda float64) {
	factor := new(Factor)
	if s.left != nil {
		if s.left.lambda == lambda {
			return
		}
		factor = s.left.factor
	}
	factor.set(s.a.SymmetricDim(), copying(s.a), lambda, true)
	s.left = &left{lambda: lambda, factor: factor}
}

// factorRight makes f the factor of the matrix that h is solved from: D, or below w = 1 D + (1-w)/w times the Schur
// complement.
func (s *System) factorRight(f *Factor, w, lambdaH float64, norm bool) {
	q := s.d.SymmetricDim()
	if w == 1 {
		f.set(q, copying(s.d), lambdaH, norm)
		return
	}
	c, schur := (1-w)/w, s.schur()
	f.set(q, func(dst *mat.SymDense) float64 {
		addScaledUpper(dst, s.d, c, schur)
		return mat.Trace(s.d) + c*mat.Trace(s.c)
	}, lambdaH, norm)
}

// solveH solves for h by the factor of its matrix.
func (s *System) solveH(h *Factor) hSolution {
	beta := new(mat.Dense)
	h.SolveTo(beta, s.e)
	return hSolution{beta, h.Rank()}
}

// follow fits f to h.
func (s *System) follow(h hSolution) *Solution {
	f := s.left.factor
	sol := &Solution{Alpha: new(mat.Dense), Beta: h.beta, RankF: f.Rank(), RankH: h.rank}
	fast.MulTo(sol.Alpha, blas.NoTrans, s.b, blas.NoTrans, sol.Beta)
	f.SolveTo(sol.Alpha, sol.Alpha)
	s.intercepts(sol)
	return sol
}

// schur returns C - B'(A + lambda_f I)⁻¹B for the lambda_f of s.left.
func (s *System) schur() *mat.SymDense {
	if s.left.schur == nil {
		s.left.schur = mat.NewSymDense(s.c.SymmetricDim(), nil)
		s.left.schur.CopySym(s.c)
		s.left.factor.subtract(s.left.schur, s.b)
	}
	return s.left.schur
}

// intercepts fills in b0 = ȳ - beta'psi_Y and a0 = ȳ + beta'(psi_X - psi_Y) - alpha'phi. It is not
// ȳ - alpha'phi: f follows h, and the mean of h over S_X is not ȳ when U has another mean there.
func (s *System) intercepts(sol *Solution) {
	sol.InterceptF, sol.InterceptH = make([]float64, len(s.y)), make([]float64, len(s.y))
	if !s.intercept {
		return
	}
	fit := func(coef *mat.Dense, mean []float64) []float64 {
		var v mat.VecDense
		v.MulVec(coef.T(), mat.NewVecDense(len(mean), mean))
		return v.RawVector().Data
	}
	floats.SubTo(sol.InterceptH, s.y, fit(sol.Beta, s.other))
	floats.AddTo(sol.InterceptF, sol.InterceptH, fit(sol.Beta, s.psi))
	floats.Sub(sol.InterceptF, fit(sol.Alpha, s.phi))
}

// addScaledUpper stores a + c·b in dst.
func addScaledUpper(dst, a *mat.SymDense, c float64, b *mat.SymDense) {
	to, ra, rb := dst.RawSymmetric(), a.RawSymmetric(), b.RawSymmetric()
	for i := range to.N {
		floats.AddScaledTo(to.Data[i*to.Stride+i:i*to.Stride+to.N], ra.Data[i*ra.Stride+i:i*ra.Stride+ra.N], c, rb.Data[i*rb.Stride+i:i*rb.Stride+rb.N])
	}
}
