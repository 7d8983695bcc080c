package experiments

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	fast "mediant/internal/blas"
	"mediant/moments"
	"mediant/solvers"
	"mediant/tables"
)

// heldOneIn says that one row in so many is held out, and the others train: some thousands of rows tell penalties a factor of three
// apart. Folds that take turns would each need features of their own, see learned.
const heldOneIn = 4

// learned is the number of rows, of n, that train: the first ones, as rows come in random order. Filters and landmarks are
// made from them too. A landmark that is held out is no new row: with small penalties f is far off there, at the only row of
// its kind, and the penalties chosen are too large for new images.
func learned(n int) int { return n - n/heldOneIn }

// nuisanceLambdas are the penalties of h, and rieszPenalties those of Riesz weights.
var (
	nuisanceLambdas = []float64{1e-8, 3e-8, 1e-7, 3e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 1e-3}
	rieszPenalties  = []float64{1e-6, 1e-5, 1e-4, 1e-3}
)

// A rowScorer estimates the uncoupled risk, form 1, of any functions of phi from rows in memory, with the held-out rows of both
// tables (docs/theory.md, section 15, and 9.13 for log loss): for squared error
//
//	R = mean_SX |f-h|² + mean_SY [ |y-h|² + 2 (h-r)'(y-h) ]
//
// It is risk.Assess for many candidates that share nuisances: each one's Riesz weight r costs two
// triangular solves, not a factorisation for every penalty. Its h is calibrated too: that of a ridge
// regression on so many features is far from E[Y|U], and the bias 2 E[(r-r*)'(h-h*)] with it, since r
// shrinks as well.
type rowScorer struct {
	trained, held tableRows
	fitter        imageFitter // to the rows that train
	lambdaH       float64     // of h
	scaleH        float64
	hTrained, hX  *mat.Dense // h of the rows of S_X
	hY            *mat.Dense // h of the held rows of S_Y
	riesz         *solvers.Factor
}

// tableRows are rows of both tables, which share the memory of the tables.
type tableRows struct {
	phi, psi *mat.Dense // of S_X
	psiY, y  *mat.Dense // of S_Y
}

// rows are rows lo to hi of S_X and from to end of S_Y.
func (t *imageTables) rows(lo, hi, from, end int) tableRows {
	return tableRows{
		phi: t.x.Slice(lo, hi, 0, t.p).(*mat.Dense), psi: t.x.Slice(lo, hi, t.p, t.p+t.q).(*mat.Dense),
		psiY: t.y.Slice(from, end, 0, t.q).(*mat.Dense), y: t.y.Slice(from, end, t.q, t.q+t.k).(*mat.Dense),
	}
}

// newRowScorer fits the nuisances of the risk in a loss.
func newRowScorer(ctx context.Context, t *imageTables, loss ImageLoss) (*rowScorer, error) {
	n, _ := t.x.Dims()
	m, _ := t.y.Dims()
	j := &rowScorer{trained: t.rows(0, learned(n), 0, learned(m)), held: t.rows(learned(n), n, learned(m), m)}
	var err error
	uy := sumRows(j.trained.psiY, j.trained.y)
	if j.fitter, err = loss.fitter(j.trained, uy); err != nil {
		return nil, err
	}
	if err := j.fitH(ctx); err != nil {
		return nil, err
	}
	j.fitRiesz(uy.LeftWithBias())
	return j, ctx.Err()
}

// sumRows makes moments, a block of rows at a time.
func sumRows(a, b *mat.Dense) *moments.CoMoments {
	pair := moments.NewCoMoments(moments.ID{}, moments.ID{})
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

// fitH takes the penalty and the scale of h with the least loss of held rows.
func (j *rowScorer) fitH(ctx context.Context) error {
	_, lambdas, scales := j.fitter.grid()
	path, err := j.fitter.h(ctx, lambdas)
	if err != nil {
		return err
	}
	least, at := math.Inf(1), 0
	for i, h := range affines(j.held.psiY, path) {
		for _, s := range scales {
			if loss := j.loss(j.gradients(h, s)); loss < least {
				least, at, j.scaleH = loss, i, s
			}
		}
	}
	j.lambdaH = lambdas[at]
	j.fitter.scaleH(j.scaleH)
	h := func(psi *mat.Dense) *mat.Dense {
		out := affine(psi, path[at].Coef, path[at].Intercept)
		j.fitter.gradients(out, j.scaleH)
		j.fitter.predictions(out)
		return out
	}
	j.hTrained, j.hX, j.hY = h(j.trained.psi), h(j.held.psi), h(j.held.psiY)
	return nil
}

// loss is that of predictions, of which g is given, on the held rows of S_Y.
func (j *rowScorer) loss(g *mat.Dense) (sum float64) {
	for i := range g.RawMatrix().Rows {
		sum += j.fitter.lossX(g.RawRowView(i), j.held.y.RawRowView(i))
	}
	return sum
}

// gradients returns g of outputs at a scale, which it keeps as they are.
func (j *rowScorer) gradients(outputs *mat.Dense, scale float64) *mat.Dense {
	g := mat.DenseCopyOf(outputs)
	j.fitter.gradients(g, scale)
	return g
}

// fitRiesz takes the penalty of Riesz weights with the least held-out mean_SY r² - 2 mean_SX r h, those of
// h itself, from which good candidates are not far. second has the second moments of (psi, 1).
func (j *rowScorer) fitRiesz(second *mat.SymDense) {
	target, held := carried(j.trained.psi, j.hTrained), carried(j.held.psi, j.hX)
	least, best := math.Inf(1), rieszPenalties[0]
	for _, mu := range rieszPenalties {
		j.riesz = solvers.NewFactor(second, mu)
		gamma, r := j.weights(target)
		rows, _ := r.Dims()
		loss := floats.Dot(r.RawMatrix().Data, r.RawMatrix().Data)/float64(rows) -
			2*floats.Dot(gamma.RawMatrix().Data, held.RawMatrix().Data)
		if loss < least {
			least, best = loss, mu
		}
	}
	j.riesz = solvers.NewFactor(second, best)
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
func (j *rowScorer) weights(target *mat.Dense) (gamma, r *mat.Dense) {
	gamma = new(mat.Dense)
	j.riesz.SolveTo(gamma, target)
	q, k := gamma.Dims()
	return gamma, affine(j.held.psiY, gamma.Slice(0, q-1, 0, k).(*mat.Dense), gamma.RawRowView(q-1))
}

// A candidate is the values of a function of phi on the rows of S_X that train and those that are held out.
type candidate struct{ trained, held *mat.Dense }

// candidates fits f with each of the given numbers, or with the first of them where others have no fit. Those of one lambda_f should follow each other.
func (j *rowScorer) candidates(ctx context.Context, params []solvers.Params) ([]candidate, error) {
	all, err := j.fitter.f(ctx, params)
	if err != nil {
		return nil, err
	}
	out := make([]candidate, len(all))
	trained, held := affines(j.trained.phi, all), affines(j.held.phi, all)
	for i := range out {
		out[i] = candidate{trained[i], held[i]}
	}
	return out, nil
}

// scoredColumns is about the number of columns from which products and solves are at full speed.
const scoredColumns = 128

// An estimate is a risk with its standard error.
type estimate struct{ risk, se float64 }

// risks are those of the candidate at each scale; all scales share one solve.
func (j *rowScorer) risks(c candidate, scales []float64) []estimate {
	_, k := c.held.Dims()
	_, weights := j.weights(carried(j.trained.psi, j.at(c.trained, scales)))
	g := j.at(c.held, scales)
	out := make([]estimate, len(scales))
	for s := range out {
		of := func(row []float64) []float64 { return row[s*k : (s+1)*k] }
		var x, y []float64
		for i := range g.RawMatrix().Rows {
			x = append(x, j.fitter.lossX(of(g.RawRowView(i)), j.hX.RawRowView(i)))
		}
		for i := range weights.RawMatrix().Rows {
			y = append(y, j.fitter.lossY(j.held.y.RawRowView(i), j.hY.RawRowView(i), of(weights.RawRowView(i))))
		}
		meanX, varX := stat.MeanVariance(x, nil)
		meanY, varY := stat.MeanVariance(y, nil)
		out[s] = estimate{meanX + meanY, math.Sqrt(varX/float64(len(x)) + varY/float64(len(y)))}
	}
	return out
}

// at has g of outputs at each scale side by side.
func (j *rowScorer) at(outputs *mat.Dense, scales []float64) *mat.Dense {
	n, k := outputs.Dims()
	out := mat.NewDense(n, k*len(scales), nil)
	for s, scale := range scales {
		out.Slice(0, n, s*k, (s+1)*k).(*mat.Dense).Copy(j.gradients(outputs, scale))
	}
	return out
}
