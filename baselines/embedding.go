package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/features"
	fast "mediant/internal/blas"
	"mediant/internal/draw"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
	"mediant/tables"
)

// MeanEmbedding predicts E[h(U)|x] as the inner product of h with the kernel conditional mean
// embedding of U given x (Song, Huang, Smola and Fukumizu, ICML 2009),
//
//	mu(x) = psi_X + M'(phi(x) - phi_X),  M = (A + Lambda I)⁻¹ B,  <h, mu(x)> = b0 + beta'mu(x)
//
// with centred A and B, the means over S_X, and h the ridge regression of Y on psi(U). Since M beta = (A + Lambda I)⁻¹ B
// beta, this is 2Step-RR with lambda_f = Lambda: the two differ in how the penalty is chosen. Auto chooses it for the
// embedding alone, by cross-validated |psi(u) - mu(x)|² over S_X; 2Step-RR uses h.
//
// For an h outside the span of psi, see Embedding. The zero value is usable.
type MeanEmbedding struct {
	Lambda, LambdaH rr.Setting
	// H is the learner of h; nil is ridge regression on the features of the Setup.
	H rr.Regressor
}

var _ rr.Method = MeanEmbedding{}

// EmbeddingFolds is the number of folds with which MeanEmbedding.Fit chooses Lambda.
const EmbeddingFolds = 5

// FitTables implements rr.TableMethod.
func (e MeanEmbedding) FitTables(ctx context.Context, s problem.Setup, xu, uy tables.Source) (*rr.Model, error) {
	if e.Lambda.IsAuto() && s.Folds < 2 {
		s.Folds = EmbeddingFolds
	}
	p, err := problem.Prepare(ctx, s, xu, uy)
	if err != nil {
		return nil, err
	}
	return e.Fit(ctx, p)
}

// Fit implements rr.Method. An automatic Lambda needs a problem of at least two folds.
func (e MeanEmbedding) Fit(ctx context.Context, p *problem.Problem) (*rr.Model, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	var note string
	if e.Lambda.IsAuto() {
		chosen, err := chooseLambda(ctx, p)
		if err != nil {
			return nil, err
		}
		e.Lambda = rr.Value(chosen)
		if chosen == embeddingLambdas[0] || chosen == embeddingLambdas[len(embeddingLambdas)-1] {
			note = fmt.Sprintf("lambda_f %g, chosen for the mean embedding, is at the end of what is tried", chosen)
		}
	}
	if e.H != nil {
		p = p.WithoutFitWeights() // f and h are fitted to rows, which have no such weights
	}
	m, err := rr.TwoStep{LambdaF: e.Lambda, LambdaH: e.LambdaH, H: e.H}.Fit(ctx, p)
	if err != nil {
		return nil, err
	}
	m.Method = "cme"
	if note != "" {
		m.Notes = append(slices.Clone(m.Notes), note)
	}
	return m, nil
}

// embeddingLambdas are the candidates: from almost none to a hundred times the default.
var embeddingLambdas = []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2}

// projections is the number of random directions of psi along which the embedding is evaluated. Their mean square is an
// unbiased estimate of |psi(u) - mu(x)|²/q whose relative standard error is at most sqrt(2/64) = 0.18. All candidates use
// the same directions, so that differences have a far smaller error. All q directions would cost p²q flops a candidate.
const projections = 64

// enoughRows is the number of held-out rows at which cross-validation stops taking further folds:
// the mean of that many squared errors is known to a few per cent, neighbouring candidates differ by
// more, and each fold costs a factorisation a candidate.
const enoughRows = 2000

// chooseLambda returns the candidate with the least cross-validated error of the embedding.
func chooseLambda(ctx context.Context, p *problem.Problem) (float64, error) {
	p, err := p.Full(ctx)
	if err != nil {
		return 0, err
	}
	folds := p.FoldsXU()
	if len(folds) < 2 {
		return 0, fmt.Errorf("baselines: choosing the penalty of the mean embedding needs at least 2 folds")
	}
	if err := p.CheckMemory(embeddingBytes(p), "the choice of the penalty of the mean embedding"); err != nil {
		return 0, err
	}
	_, q := p.Psi().Dims()
	directions := directions(q, p.Setup().Seed)
	loss := make([]float64, len(embeddingLambdas))
	seen := 0.0
	for held, pair := range folds {
		if seen >= enoughRows {
			break
		}
		seen += pair.Weight()
		train, err := p.Without(held)
		if err != nil {
			return 0, err
		}
		fold := newEmbeddingFold(train.XU(), pair, directions)
		for i, lambda := range embeddingLambdas {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			loss[i] += pair.Weight() * fold.loss(lambda)
		}
	}
	best := 0
	for i, v := range loss {
		if v < loss[best] || math.IsNaN(loss[best]) {
			best = i
		}
	}
	return embeddingLambdas[best], nil
}

// directions returns q×k random directions, or all q if there are no more than k.
func directions(q int, seed uint64) *mat.Dense {
	if q <= projections {
		d := mat.NewDense(q, q, nil)
		for i := range q {
			d.Set(i, i, 1)
		}
		return d
	}
	rnd := draw.Rand(seed, "embedding", 0)
	d := mat.NewDense(q, projections, nil)
	for i := range d.RawMatrix().Data {
		d.RawMatrix().Data[i] = rnd.NormFloat64()
	}
	return d
}

// An embeddingFold is what candidates are compared on: one fold held out, and the others.
type embeddingFold struct {
	train, held *moments.CoMoments
	g           *mat.Dense   // directions
	a           mat.SymDense // of the others, centred
	bg          mat.Dense    // B G
	psi         []float64    // G'psi_X
}

func newEmbeddingFold(train, held *moments.CoMoments, g *mat.Dense) *embeddingFold {
	f := &embeddingFold{train: train, held: held, g: g}
	train.LeftTo(&f.a, true)
	var b mat.Dense
	train.CrossTo(&b, true)
	fast.MulTo(&f.bg, blas.NoTrans, &b, blas.NoTrans, g)
	_, k := g.Dims()
	for j := range k {
		f.psi = append(f.psi, floats.Dot(mat.Col(nil, j, g), train.MeanB()))
	}
	return f
}

// loss returns the mean over the held-out rows of |G'(psi(u) - mu(x))|².
func (f *embeddingFold) loss(lambda float64) float64 {
	var m mat.Dense
	solvers.NewFactor(&f.a, lambda).SolveTo(&m, &f.bg)
	offset := make([]float64, len(f.psi))
	phi := f.train.MeanA()
	for j, v := range f.psi {
		offset[j] = v - floats.Dot(mat.Col(nil, j, &m), phi)
	}
	return floats.Sum(f.held.Risk(&m, f.g, offset))
}

// An Embedding, made by NewEmbedding, is the conditional mean embedding of U given x, as weights on the n rows of S_X,
//
//	w_i(x) = s_i [1 + (phi(x) - phi_X)'(A + Lambda I)⁻¹(phi(x_i) - phi_X)],  sum 1,
//
// s_i being the rows' shares of the total weight, so that E[g(U)|x] is estimated by Σ w_i(x) g(u_i)
// for any g, in the span of psi or not. It holds all rows of features: 8·n·p bytes.
type Embedding struct {
	phi    features.Map
	mean   []float64
	solved *mat.Dense // p×n: (A + Lambda I)⁻¹(phi(x_i) - phi_X) s_i
	shares []float64
}

// NewEmbedding makes the embedding of the rows of encoded x (n×d) and their weights (nil: 1). It
// costs 2np² flops.
func NewEmbedding(ctx context.Context, phi features.Map, x *mat.Dense, weights []float64, lambda float64) (*Embedding, error) {
	n, _ := x.Dims()
	pair, err := problem.AccumulateRows(ctx, phi, x, mat.NewDense(n, 1, nil), weights)
	if err != nil {
		return nil, err
	}
	if pair.Weight() == 0 {
		return nil, fmt.Errorf("baselines: embedding: no rows of positive weight")
	}
	e := &Embedding{phi: phi, mean: pair.MeanA(), shares: make([]float64, n)}
	var rows, columns mat.Dense
	phi.MapTo(&rows, x)
	for i := range n {
		e.shares[i] = 1 / pair.Weight()
		if weights != nil {
			e.shares[i] = weights[i] / pair.Weight()
		}
		floats.Sub(rows.RawRowView(i), e.mean)
		floats.Scale(e.shares[i], rows.RawRowView(i))
	}
	columns.CloneFrom(rows.T())
	var a mat.SymDense
	pair.LeftTo(&a, true)
	solvers.NewFactor(&a, lambda).SolveTo(&columns, &columns)
	e.solved = &columns
	return e, nil
}

// WeightsTo stores in dst the n weights of each row of encoded x, an empty dst being resized.
func (e *Embedding) WeightsTo(dst *mat.Dense, x mat.Matrix) {
	var phi mat.Dense
	e.phi.MapTo(&phi, x)
	r, _ := phi.Dims()
	for i := range r {
		floats.Sub(phi.RawRowView(i), e.mean)
	}
	fast.MulTo(dst, blas.NoTrans, &phi, blas.NoTrans, e.solved)
	for i := range r {
		floats.Add(dst.RawRowView(i), e.shares)
	}
}

// ExpectTo stores in dst the estimate of E[g(U)|x] for each row of encoded x, where row i of g holds
// the k values g(u_i).
func (e *Embedding) ExpectTo(dst *mat.Dense, x, g mat.Matrix) {
	var w mat.Dense
	e.WeightsTo(&w, x)
	values, ok := g.(*mat.Dense)
	if !ok {
		values = mat.DenseCopyOf(g)
	}
	fast.MulTo(dst, blas.NoTrans, &w, blas.NoTrans, values)
}
