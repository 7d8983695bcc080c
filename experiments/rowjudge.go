package experiments

import (
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

// judgeFolds is the number of folds: some thousands of rows tell penalties a factor of ten apart, and each
// fold costs a factorisation for every penalty.
const judgeFolds = 3

// judgeLambdas are the penalties of h, and judgeMus those of Riesz weights.
var (
	judgeLambdas = []float64{1e-8, 1e-7, 3e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 1e-3}
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
type rowJudge struct {
	folds   []*judgeFold
	lambdaH float64 // of h
}

// A judgeFold has the rows of a fold, and what was fitted on the others.
type judgeFold struct {
	trainPhi, trainPsi *mat.Dense // S_X
	heldPhi            *mat.Dense
	heldPsi, heldPsiY  *mat.Dense // of S_X and of S_Y
	heldY              *mat.Dense
	shares             []float64 // of the classes
	system             *solvers.System
	path               []*solvers.Linear // h for each of judgeLambdas
	second             *mat.SymDense     // moments of (psi, 1) over S_Y
	hTrain, hX, hY     *mat.Dense        // h of the training and held rows of S_X, and the held ones of S_Y
	riesz              *solvers.Factor
}

// newRowJudge fits the nuisances of all folds to the first features of each side, no more than size.
func newRowJudge(t *imageTables, size int) (*rowJudge, error) {
	j := new(rowJudge)
	for k := range judgeFolds {
		f, err := newJudgeFold(t, min(size, t.p), min(size, t.q), k)
		if err != nil {
			return nil, err
		}
		j.folds = append(j.folds, f)
	}
	j.fitH()
	j.fitRiesz()
	return j, nil
}

func newJudgeFold(t *imageTables, p, q, k int) (*judgeFold, error) {
	f := &judgeFold{
		trainPhi: foldRows(t.x, k, false, 0, p), trainPsi: foldRows(t.x, k, false, t.p, t.p+q),
		heldPhi: foldRows(t.x, k, true, 0, p), heldPsi: foldRows(t.x, k, true, t.p, t.p+q),
		heldPsiY: foldRows(t.y, k, true, 0, q), heldY: foldRows(t.y, k, true, t.q, t.q+t.k),
	}
	uy := sumRows(foldRows(t.y, k, false, 0, q), foldRows(t.y, k, false, t.q, t.q+t.k))
	f.shares = slices.Clone(uy.MeanB())
	f.second = uy.LeftWithBias()
	var err error
	if f.system, err = solvers.NewSystem(sumRows(f.trainPhi, f.trainPsi), uy, true); err != nil {
		return nil, err
	}
	f.path, err = solvers.RidgePath(uy, judgeLambdas, true)
	return f, err
}

// foldRows copies columns lo to hi of the rows of m in fold k, or of all others. Rows are in random order, so
// that folds take turns.
func foldRows(m *mat.Dense, k int, inside bool, lo, hi int) *mat.Dense {
	n, _ := m.Dims()
	var data []float64
	for i := range n {
		if (i%judgeFolds == k) == inside {
			data = append(data, m.RawRowView(i)[lo:hi]...)
		}
	}
	return mat.NewDense(len(data)/(hi-lo), hi-lo, data)
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
func (j *rowJudge) fitH() {
	least, at, scale := math.Inf(1), 0, 0.0
	for i := range judgeLambdas {
		for _, s := range imageScales {
			loss := 0.0
			for _, f := range j.folds {
				var e mat.Dense
				e.Sub(f.h(f.path[i], s, f.heldPsiY), f.heldY)
				loss += floats.Dot(e.RawMatrix().Data, e.RawMatrix().Data)
			}
			if loss < least {
				least, at, scale = loss, i, s
			}
		}
	}
	j.lambdaH = judgeLambdas[at]
	for _, f := range j.folds {
		h := f.path[at]
		f.path = nil
		f.hTrain, f.hX, f.hY = f.h(h, scale, f.trainPsi), f.h(h, scale, f.heldPsi), f.h(h, scale, f.heldPsiY)
	}
}

// h returns the calibrated outputs of a ridge regression on the rows of psi.
func (f *judgeFold) h(l *solvers.Linear, scale float64, psi *mat.Dense) *mat.Dense {
	out := affine(psi, l.Coef, l.Intercept)
	Calibrated{Shares: f.shares, Scale: scale}.apply(out)
	return out
}

// fitRiesz takes the penalty of Riesz weights with the least held-out mean_SY r² - 2 mean_SX r h, those of
// h itself, from which good candidates are not far.
func (j *rowJudge) fitRiesz() {
	loss := make([]float64, len(judgeMus))
	factors := make([][]*solvers.Factor, len(j.folds))
	for k, f := range j.folds {
		target, held := carried(f.trainPsi, f.hTrain), carried(f.heldPsi, f.hX)
		for i, mu := range judgeMus {
			f.riesz = solvers.NewFactor(f.second, mu)
			factors[k] = append(factors[k], f.riesz)
			gamma, r := f.weights(target)
			rows, _ := r.Dims()
			loss[i] += floats.Dot(r.RawMatrix().Data, r.RawMatrix().Data)/float64(rows) -
				2*floats.Dot(gamma.RawMatrix().Data, held.RawMatrix().Data)
		}
	}
	at := floats.MinIdx(loss)
	for k, f := range j.folds {
		f.riesz = factors[k][at]
	}
}

// carried returns the means over rows of (psi, 1) f.
func carried(psi, f *mat.Dense) *mat.Dense {
	n, q := psi.Dims()
	_, k := f.Dims()
	t := mat.NewDense(q+1, k, nil)
	fast.Gemm(blas.Trans, blas.NoTrans, 1/float64(n), psi.RawMatrix(), f.RawMatrix(), 0, t.Slice(0, q, 0, k).(*mat.Dense).RawMatrix())
	for i := range n {
		floats.AddScaled(t.RawRowView(q), 1/float64(n), f.RawRowView(i))
	}
	return t
}

// weights solves for gamma and returns it with the Riesz weights of the held rows of S_Y.
func (f *judgeFold) weights(target *mat.Dense) (gamma, r *mat.Dense) {
	gamma = new(mat.Dense)
	f.riesz.SolveTo(gamma, target)
	q, k := gamma.Dims()
	return gamma, affine(f.heldPsiY, gamma.Slice(0, q-1, 0, k).(*mat.Dense), gamma.RawRowView(q-1))
}

// A candidate is the values of a function on the training and the held rows of S_X, by fold.
type candidate struct{ train, held []*mat.Dense }

// candidate fits f with the given numbers in each fold.
func (j *rowJudge) candidate(p solvers.Params) candidate {
	var c candidate
	for _, f := range j.folds {
		s := f.system.Coefficients(p)
		c.train = append(c.train, affine(f.trainPhi, s.Alpha, s.InterceptF))
		c.held = append(c.held, affine(f.heldPhi, s.Alpha, s.InterceptF))
	}
	return c
}

// risk is that of the candidate at a scale, with its standard error.
func (j *rowJudge) risk(c candidate, scale float64) (risk, se float64) {
	var x, y []float64
	for k, f := range j.folds {
		to := Calibrated{Shares: f.shares, Scale: scale}
		train, held := mat.DenseCopyOf(c.train[k]), mat.DenseCopyOf(c.held[k])
		to.apply(train)
		to.apply(held)
		_, r := f.weights(carried(f.trainPsi, train))
		for i := range held.RawMatrix().Rows {
			d := floats.Distance(held.RawRowView(i), f.hX.RawRowView(i), 2)
			x = append(x, d*d)
		}
		for i := range r.RawMatrix().Rows {
			y = append(y, residualTerm(f.heldY.RawRowView(i), f.hY.RawRowView(i), r.RawRowView(i)))
		}
	}
	meanX, varX := stat.MeanVariance(x, nil)
	meanY, varY := stat.MeanVariance(y, nil)
	return meanX + meanY, math.Sqrt(varX/float64(len(x)) + varY/float64(len(y)))
}

// residualTerm is |y-h|² + 2 (h-r)'(y-h).
func residualTerm(y, h, r []float64) (sum float64) {
	for i, v := range y {
		e := v - h[i]
		sum += e*e + 2*(h[i]-r[i])*e
	}
	return sum
}
