package experiments

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	fast "mediant/internal/blas"
	"mediant/moments"
	"mediant/solvers"
	"mediant/tables"
)

// judgeFolds is the number of folds: some thousands of rows tell penalties a factor of three apart, and each
// fold costs a factorisation for every penalty.
const judgeFolds = 3

// judgeLambdas are the penalties of h, and judgeMus those of Riesz weights.
var (
	judgeLambdas = []float64{1e-7, 3e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 1e-3}
	judgeMus     = []float64{1e-6, 1e-5, 1e-4, 1e-3}
)

// A rowJudge estimates the uncoupled risk, form 1, of any functions of phi from rows in memory, by
// cross-fitting (docs/theory.md, section 15):
//
//	R = mean_SX |f-h|² + mean_SY [ |y-h|² + 2 (h-r)'(y-h) ]
//
// It is rr.Problem.Assess for many candidates that share nuisances: each one's Riesz weight r costs two
// triangular solves, not a factorisation for every penalty. Its h is calibrated too: that of a ridge
// regression on so many features is far from E[Y|U], and the bias 2 E[(r-r*)'(h-h*)] with it, since r
// shrinks as well.
//
// Folds are stretches of rows, which come in random order, and sums of their products are kept, of which those
// of the other folds and of all rows are made when they are needed: with thousands of features there is room for
// the system of one fold at a time.
type rowJudge struct {
	phi, psi, psiY, y *mat.Dense // all rows of S_X, and of S_Y
	xu, uy            []*moments.Pair
	folds             []*judgeFold
	lambdaH           float64 // of h
}

// A judgeFold has the nuisances that were fitted to the rows outside the fold.
type judgeFold struct {
	x, y   stretch    // the rows of the fold in S_X and in S_Y
	shares []float64  // of the classes
	hX, hY *mat.Dense // h of all rows of S_X, and of the fold's rows of S_Y
	riesz  *solvers.Factor
}

// A stretch is rows lo to hi of n.
type stretch struct{ lo, hi, n int }

// stretchOf is the k-th of judgeFolds.
func stretchOf(k, n int) stretch { return stretch{k * n / judgeFolds, (k + 1) * n / judgeFolds, n} }

// of are the rows of m in the stretch, which share its memory.
func (s stretch) of(m *mat.Dense) *mat.Dense {
	_, cols := m.Dims()
	return m.Slice(s.lo, s.hi, 0, cols).(*mat.Dense)
}

// others are the stretches before and behind, those of them that have rows.
func (s stretch) others() []stretch {
	var out []stretch
	for _, o := range []stretch{{0, s.lo, s.n}, {s.hi, s.n, s.n}} {
		if o.lo < o.hi {
			out = append(out, o)
		}
	}
	return out
}

// newRowJudge fits the nuisances of all folds.
func newRowJudge(ctx context.Context, t *imageTables) (*rowJudge, error) {
	n, _ := t.x.Dims()
	m, _ := t.y.Dims()
	j := &rowJudge{
		phi: t.x.Slice(0, n, 0, t.p).(*mat.Dense), psi: t.x.Slice(0, n, t.p, t.p+t.q).(*mat.Dense),
		psiY: t.y.Slice(0, m, 0, t.q).(*mat.Dense), y: t.y.Slice(0, m, t.q, t.q+t.k).(*mat.Dense),
	}
	for k := range judgeFolds {
		f := &judgeFold{x: stretchOf(k, n), y: stretchOf(k, m)}
		j.folds = append(j.folds, f)
		j.xu = append(j.xu, sumRows(f.x.of(j.phi), f.x.of(j.psi)))
		j.uy = append(j.uy, sumRows(f.y.of(j.psiY), f.y.of(j.y)))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if err := j.fitH(ctx); err != nil {
		return nil, err
	}
	return j, j.fitRiesz(ctx)
}

// sumRows makes moments, a block of rows at a time.
func sumRows(a, b *mat.Dense) *moments.Pair {
	pair := moments.NewPair(moments.ID{}, moments.ID{})
	n, p := a.Dims()
	_, q := b.Dims()
	for lo := 0; lo < n; lo += tables.BlockRows {
		hi := min(n, lo+tables.BlockRows)
		pair.Add(a.Slice(lo, hi, 0, p).(*mat.Dense), b.Slice(lo, hi, 0, q).(*mat.Dense), nil)
	}
	return pair
}

// affines returns each function of the rows of a, all by one product: one for ten classes alone takes twice its share.
func affines(a *mat.Dense, functions []*solvers.Linear) []*mat.Dense {
	p, k := functions[0].Coef.Dims()
	n, _ := a.Dims()
	coef, out := mat.NewDense(p, k*len(functions), nil), make([]*mat.Dense, len(functions))
	var intercepts []float64
	for i, f := range functions {
		coef.Slice(0, p, i*k, (i+1)*k).(*mat.Dense).Copy(f.Coef)
		intercepts = append(intercepts, f.Intercept...)
	}
	values := affine(a, coef, intercepts)
	for i := range out {
		out[i] = values.Slice(0, n, i*k, (i+1)*k).(*mat.Dense)
	}
	return out
}

// affine returns a·coef + intercept.
func affine(a, coef *mat.Dense, intercept []float64) *mat.Dense {
	var f mat.Dense
	fast.MulTo(&f, blas.NoTrans, a, blas.NoTrans, coef)
	n, _ := f.Dims()
	for i := range n {
		floats.Add(f.RawRowView(i), intercept)
	}
	return &f
}

// fitH takes the penalty and the scale of h with the least held-out error.
func (j *rowJudge) fitH(ctx context.Context) error {
	loss := make([][]float64, len(judgeLambdas)) // by penalty and scale
	for i := range loss {
		loss[i] = make([]float64, len(imageScales))
	}
	paths := make([][]*solvers.Linear, len(j.folds))
	for k, f := range j.folds {
		uy, err := moments.Sum(moments.Without(j.uy, k)...)
		if err != nil {
			return err
		}
		f.shares = slices.Clone(uy.MeanB())
		if paths[k], err = solvers.RidgePath(uy, judgeLambdas, true); err != nil {
			return err
		}
		for i, h := range affines(f.y.of(j.psiY), paths[k]) {
			for s, scale := range imageScales {
				e := f.calibrated(h, scale)
				e.Sub(e, f.y.of(j.y))
				loss[i][s] += floats.Dot(e.RawMatrix().Data, e.RawMatrix().Data)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	at, scale := 0, 0
	for i := range loss {
		if s := floats.MinIdx(loss[i]); loss[i][s] < loss[at][scale] {
			at, scale = i, s
		}
	}
	j.lambdaH = judgeLambdas[at]
	for k, f := range j.folds {
		h := paths[k][at]
		f.hX = f.calibrated(affine(j.psi, h.Coef, h.Intercept), imageScales[scale])
		f.hY = f.calibrated(affine(f.y.of(j.psiY), h.Coef, h.Intercept), imageScales[scale])
	}
	return nil
}

// calibrated returns a copy of outputs, calibrated.
func (f *judgeFold) calibrated(outputs *mat.Dense, scale float64) *mat.Dense {
	out := mat.DenseCopyOf(outputs)
	Calibrated{Shares: f.shares, Scale: scale}.apply(out)
	return out
}

// fitRiesz takes the penalty of Riesz weights with the least held-out mean_SY r² - 2 mean_SX r h, those of
// h itself, from which good candidates are not far.
func (j *rowJudge) fitRiesz(ctx context.Context) error {
	loss := make([]float64, len(judgeMus))
	second := func(k int) (*mat.SymDense, error) {
		uy, err := moments.Sum(moments.Without(j.uy, k)...)
		if err != nil {
			return nil, err
		}
		return uy.LeftWithBias(), ctx.Err()
	}
	for k, f := range j.folds {
		of, err := second(k)
		if err != nil {
			return err
		}
		target, held := j.carried(f.hX, f.x.others()...), j.carried(f.hX, f.x)
		for i, mu := range judgeMus {
			f.riesz = solvers.NewFactor(of, mu)
			gamma, r := j.weights(f, target)
			rows, _ := r.Dims()
			loss[i] += floats.Dot(r.RawMatrix().Data, r.RawMatrix().Data)/float64(rows) -
				2*floats.Dot(gamma.RawMatrix().Data, held.RawMatrix().Data)
		}
		f.riesz = nil
	}
	mu := judgeMus[floats.MinIdx(loss)]
	for k, f := range j.folds {
		of, err := second(k)
		if err != nil {
			return err
		}
		f.riesz = solvers.NewFactor(of, mu)
	}
	return nil
}

// carried returns the means of (psi, 1) f over the given rows of S_X; f has a row for each of all.
func (j *rowJudge) carried(f *mat.Dense, over ...stretch) *mat.Dense {
	_, q := j.psi.Dims()
	_, k := f.Dims()
	rows := 0
	for _, s := range over {
		rows += s.hi - s.lo
	}
	t := mat.NewDense(q+1, k, nil)
	for _, s := range over {
		values := s.of(f)
		fast.Gemm(blas.Trans, blas.NoTrans, 1/float64(rows), s.of(j.psi).RawMatrix(), values.RawMatrix(), 1, t.Slice(0, q, 0, k).(*mat.Dense).RawMatrix())
		for i := range s.hi - s.lo {
			floats.AddScaled(t.RawRowView(q), 1/float64(rows), values.RawRowView(i))
		}
	}
	return t
}

// weights solves for gamma and returns it with the Riesz weights of the fold's rows of S_Y.
func (j *rowJudge) weights(f *judgeFold, target *mat.Dense) (gamma, r *mat.Dense) {
	gamma = new(mat.Dense)
	f.riesz.SolveTo(gamma, target)
	q, k := gamma.Dims()
	return gamma, affine(f.y.of(j.psiY), gamma.Slice(0, q-1, 0, k).(*mat.Dense), gamma.RawRowView(q-1))
}

// A candidate is the values of a function of phi on all rows of S_X, by the fold that it was fitted without.
type candidate []*mat.Dense

// candidates fits f with each of the given numbers without each fold. Those of one lambda_f should follow each other.
func (j *rowJudge) candidates(ctx context.Context, params []solvers.Params) ([]candidate, error) {
	out := make([]candidate, len(params))
	for k := range j.folds {
		system, err := j.system(moments.Without(j.xu, k), moments.Without(j.uy, k))
		if err != nil {
			return nil, err
		}
		var all []*solvers.Linear
		for _, p := range params {
			s := system.Coefficients(p)
			all = append(all, &solvers.Linear{Coef: s.Alpha, Intercept: s.InterceptF})
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		for i, f := range affines(j.phi, all) {
			out[i] = append(out[i], f)
		}
	}
	return out, nil
}

// system is that of the rows of the given pairs.
func (j *rowJudge) system(xu, uy []*moments.Pair) (*solvers.System, error) {
	x, err := moments.Sum(xu...)
	if err != nil {
		return nil, err
	}
	y, err := moments.Sum(uy...)
	if err != nil {
		return nil, err
	}
	return solvers.NewSystem(x, y, true)
}

// judgedColumns is about the number of columns from which products and solves are at full speed.
const judgedColumns = 128

// An estimate is a risk with its standard error.
type estimate struct{ risk, se float64 }

// risks are those of the candidate at each scale; all scales share one solve.
func (j *rowJudge) risks(c candidate, scales []float64) []estimate {
	x, y := make([][]float64, len(scales)), make([][]float64, len(scales))
	for k, f := range j.folds {
		values := f.at(c[k], scales)
		_, r := j.weights(f, j.carried(values, f.x.others()...))
		_, classes := c[k].Dims()
		held := f.y.of(j.y)
		for s := range scales {
			of := func(row []float64) []float64 { return row[s*classes : (s+1)*classes] }
			for i := f.x.lo; i < f.x.hi; i++ {
				d := floats.Distance(of(values.RawRowView(i)), f.hX.RawRowView(i), 2)
				x[s] = append(x[s], d*d)
			}
			for i := range r.RawMatrix().Rows {
				y[s] = append(y[s], residualTerm(held.RawRowView(i), f.hY.RawRowView(i), of(r.RawRowView(i))))
			}
		}
	}
	out := make([]estimate, len(scales))
	for s := range out {
		meanX, varX := stat.MeanVariance(x[s], nil)
		meanY, varY := stat.MeanVariance(y[s], nil)
		out[s] = estimate{meanX + meanY, math.Sqrt(varX/float64(len(x[s])) + varY/float64(len(y[s])))}
	}
	return out
}

// at has the calibrated outputs at each scale side by side.
func (f *judgeFold) at(values *mat.Dense, scales []float64) *mat.Dense {
	n, k := values.Dims()
	out := mat.NewDense(n, k*len(scales), nil)
	for s, scale := range scales {
		part := out.Slice(0, n, s*k, (s+1)*k).(*mat.Dense)
		part.Copy(values)
		Calibrated{Shares: f.shares, Scale: scale}.apply(part)
	}
	return out
}

// residualTerm is |y-h|² + 2 (h-r)'(y-h).
func residualTerm(y, h, r []float64) (sum float64) {
	for i, v := range y {
		e := v - h[i]
		sum += e*e + 2*(h[i]-r[i])*e
	}
	return sum
}
