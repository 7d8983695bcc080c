package risk

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	fast "mediant/internal/blas"
	"mediant/internal/draw"
	"mediant/moments"
	"mediant/solvers"
)

const (
	// Probes are random vectors s of ±1: s'M s has the mean tr M and, for symmetric M, a variance of at most 2 tr M² [Hutchinson, 1990]. What the trace is used for has itself a variance of 2 tr M² or more (docs/theory.md, section 15), to
	// which 48 of them add some 4 %. tr M², for that variance, is estimated by the first 16.
	probeCount  = 48
	squareCount = 16
	allProbed   = probeCount + squareCount
)

// probesOf returns the vectors as columns, over the root of their number.
func probesOf(order int, seed uint64) *mat.Dense {
	s := mat.NewDense(order, probeCount, nil)
	rnd := draw.Rand(seed, "risk/probes", 0)
	size := 1 / math.Sqrt(probeCount)
	for i := range order {
		row := s.RawRowView(i)
		bits := rnd.Uint64()
		for j := range row {
			row[j] = size
			if bits>>j&1 == 1 {
				row[j] = -size
			}
		}
	}
	return s
}

// probedRows of S_X are those whose second moment the probes see, if rows are read for it: as many from each batch. What the trace is compared with has the same number of rows to average out, and far more noise.
const probedRows = 20_000

// A probing holds, for each fold, columns that second moments C of (psi, 1) over S_X are multiplied by, in the place of C itself.
type probing struct {
	n       *fittedNuisances
	u       *posterior
	byD     []*mat.Dense // second moments over S_Y of each fold times columns
	columns []*mat.Dense // (D + lambda I)^(-1/2) probes without the fold, and over all folds for the square, Sigma b of each output, h of each output less its mean
	outputs int

	fromSums bool
	products []*mat.Dense // C times columns; sums of rows until timesC
	weights  []float64
	// Of the rows of a fold this share is multiplied by the probes, weighing probed; all are by the other columns.
	share  float64
	probed []float64

	along, moved mat.Dense
}

// newProbing computes the columns, from the sums of S_Y alone. fromSums says that there are sums of psi over S_X; else its rows, of which there are so many, are to be added.
func newProbing(ctx context.Context, n *fittedNuisances, u *posterior, fromSums bool, rows int, seed uint64) (*probing, error) {
	k := len(u.priors)
	order, _ := n.held[0].Dims()
	folds := len(n.uy.Held)
	o := &probing{n: n, u: u, byD: make([]*mat.Dense, folds), columns: make([]*mat.Dense, folds), outputs: k, fromSums: fromSums, products: make([]*mat.Dense, folds), weights: make([]float64, folds), share: min(1, probedRows/float64(rows)), probed: make([]float64, folds)}
	probes := probesOf(order, seed)
	whole := u.whole.RootTimes(probes.Slice(0, order, 0, squareCount).(*mat.Dense))
	return o, crossfit.EachFold(ctx, folds, func(f int) error {
		if n.uy.Held[f].Weight() == 0 {
			return nil
		}
		all := mat.NewDense(order, allProbed+2*k, nil)
		all.Slice(0, order, probeCount, allProbed).(*mat.Dense).Copy(whole)
		solvers.UseFactor(order, n.uy.Train[f].LeftWithBiasTo, u.lambda, func(factor *solvers.Factor) {
			all.Slice(0, order, 0, probeCount).(*mat.Dense).Copy(factor.RootTimes(probes))
			for j := range k {
				all.SetCol(allProbed+j, u.sigmaTimes(factor, u.priors[j].b[f]).RawVector().Data)
			}
		})
		all.Slice(0, order, allProbed+k, allProbed+2*k).(*mat.Dense).Copy(crossfit.WithBias(n.of[f].h.MinusConstant(n.centre)))
		o.columns[f], o.byD[f] = all, times(n.uy.Held[f].LeftWithBias(), all)
		return nil
	})
}

// add adds rows of S_X of one fold, for problems without sums of psi.
func (o *probing) add(f int, psi *mat.Dense, w moments.Weights) {
	if o.fromSums || o.columns[f] == nil {
		return
	}
	order, columns := o.columns[f].Dims()
	if o.products[f] == nil {
		o.products[f] = mat.NewDense(order, columns, nil)
	}
	rows, q := psi.Dims()
	some := int(math.Ceil(o.share * float64(rows)))
	o.addColumns(f, 0, allProbed, psi.Slice(0, some, 0, q).(*mat.Dense), w, &o.probed[f])
	o.addColumns(f, allProbed, columns, psi, w, &o.weights[f])
}

// addColumns adds the products of rows with some of the columns.
func (o *probing) addColumns(f, from, to int, psi *mat.Dense, w moments.Weights, weight *float64) {
	rows, q := psi.Dims()
	v := o.columns[f].Slice(0, q+1, from, to).(*mat.Dense)
	into := o.products[f].Slice(0, q+1, from, to).(*mat.Dense)
	o.along.Reset()
	fast.MulTo(&o.along, blas.NoTrans, psi, blas.NoTrans, v.Slice(0, q, 0, to-from).(*mat.Dense))
	for i := range rows {
		row := o.along.RawRowView(i)
		floats.Add(row, v.RawRowView(q))
		floats.Scale(w.Of(i), row)
		floats.Add(into.RawRowView(q), row)
		*weight += w.Of(i)
	}
	o.moved.Reset()
	fast.MulTo(&o.moved, blas.Trans, psi, blas.NoTrans, &o.along)
	top := into.Slice(0, q, 0, to-from).(*mat.Dense)
	top.Add(top, &o.moved)
}

// timesC returns C of each fold times its columns, and the weight of its rows of S_X, from sums or from the rows that were added. It is nil for folds without columns or rows.
func (o *probing) timesC(ctx context.Context, p evidence) ([]*mat.Dense, []float64, error) {
	if !o.fromSums {
		for f, of := range o.products {
			if of != nil {
				order, columns := of.Dims()
				probed, rest := of.Slice(0, order, 0, allProbed).(*mat.Dense), of.Slice(0, order, allProbed, columns).(*mat.Dense)
				probed.Scale(1/o.probed[f], probed)
				rest.Scale(1/o.weights[f], rest)
			}
		}
		return o.products, o.weights, nil
	}
	return o.products, o.weights, crossfit.EachFold(ctx, len(o.products), func(f int) error {
		if o.weights[f] = p.foldsXU[f].Weight(); o.columns[f] != nil && o.weights[f] > 0 {
			o.products[f] = times(p.foldsXU[f].RightWithBias(), o.columns[f])
		}
		return nil
	})
}

// times returns s v.
func times(s *mat.SymDense, v *mat.Dense) *mat.Dense {
	var out mat.Dense
	fast.MulTo(&out, blas.NoTrans, mat.DenseCopyOf(s), blas.NoTrans, v)
	return &out
}

// excess sets the gaps of second moments of the posterior, and returns C h of each fold, nil for those without rows.
func (o *probing) excess(ctx context.Context, p evidence) (ofH []*mat.Dense, err error) {
	byC, weights, err := o.timesC(ctx, p)
	if err != nil {
		return nil, err
	}
	order, _ := o.n.held[0].Dims()
	folds := len(byC)
	total := floats.Sum(weights)
	gap := mat.NewDense(order, squareCount, nil) // S_X less S_Y over all folds, times the columns for the square
	gaps := make([][]float64, folds)
	ofH = make([]*mat.Dense, folds)
	for f, c := range byC {
		if o.columns[f] == nil {
			continue
		}
		d := o.byD[f]
		add := func(product *mat.Dense, share float64) {
			var part mat.Dense
			part.Scale(share, product.Slice(0, order, probeCount, allProbed))
			gap.Add(gap, &part)
		}
		add(d, -o.n.uy.Held[f].Weight()/o.n.uy.Weight())
		if c == nil {
			continue
		}
		add(c, weights[f]/total)
		ofH[f] = c.Slice(0, order, allProbed+o.outputs, allProbed+2*o.outputs).(*mat.Dense)
		left := c.Slice(0, order, 0, allProbed+o.outputs).(*mat.Dense)
		left.Sub(left, d.Slice(0, order, 0, allProbed+o.outputs))
		gaps[f] = make([]float64, o.outputs)
		trace := o.u.lambda * inner(o.columns[f].Slice(0, order, 0, probeCount).(*mat.Dense), c.Slice(0, order, 0, probeCount).(*mat.Dense))
		for j, prior := range o.u.priors {
			at := allProbed + j
			gaps[f][j] = prior.t*trace + mat.Dot(o.columns[f].ColView(at), c.ColView(at))
		}
	}
	var whole mat.Dense
	o.u.whole.SolveTo(&whole, gap)
	o.u.setExcess(o.n.uy, gaps, inner(&whole, gap)*probeCount/squareCount) // a probe has 1/probeCount of the mean
	return ofH, ctx.Err()
}

// inner is tr a'b.
func inner(a, b *mat.Dense) float64 {
	sum := 0.
	rows, _ := a.Dims()
	for i := range rows {
		sum += floats.Dot(a.RawRowView(i), b.RawRowView(i))
	}
	return sum
}
