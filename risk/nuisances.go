package risk

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/moments"
	"mediant/rr"
)

// fittedNuisances are the nuisances of all folds, with their penalties and targets.
type fittedNuisances struct {
	of     []nuisances
	uy     crossfit.Splits
	centre []float64    // of f, in its targets
	held   []*mat.Dense // means over held-out rows of S_X of (psi, 1) times f - centre, the one-hot argmax (classes), and 1 (form 2)
	// Penalties of h and v by unit of the outputs and of Riesz weights; those of v, and S_Y with Y², are empty for form 1.
	lambdaH, lambdaV, mu []float64
	squares              crossfit.Splits
	firstFold            bool              // has enough rows to choose penalties
	ofLoss               []crossfit.Affine // Riesz weights of F'(f), if the risk in a loss was estimated
}

// fitNuisances fits the nuisances of all folds.
func fitNuisances(ctx context.Context, p evidence, m foldModels, opt AssessOptions) (*fittedNuisances, error) {
	for k := range p.foldsUY {
		if err := checkFold(p.foldsUY, k, 1); err != nil { // S_X is checked where its weights are known
			return nil, err
		}
	}
	n := &fittedNuisances{of: make([]nuisances, len(p.foldsUY))}
	var err error
	if n.uy, err = p.splitUY(ctx); err != nil {
		return nil, err
	}
	n.firstFold = p.manyRows()
	h, lambdas, err := n.chooseRidge(ctx, n.uy, p.Y().Together(), opt.LambdaH)
	if err != nil {
		return nil, err
	}
	n.lambdaH = lambdas
	for k := range n.of {
		n.of[k].h = h[k]
	}
	if l := opt.linkedH(p); l != nil {
		own := opt.H
		if own == nil {
			own = &FoldH{}
		}
		if err := own.fit(ctx, p, l); err != nil {
			return nil, err
		}
		for k := range own.Of { // none, where no fit converged: then h stays the ridge regression
			n.of[k].linked = &own.Of[k]
		}
	}
	if opt.Form == CovariateShift {
		if err := squares(ctx, p, n, opt.LambdaH); err != nil {
			return nil, err
		}
	}
	return n, rieszWeights(ctx, p, n, m, opt)
}

// squares fits E[Y²|U] in each fold. It reads S_Y.
func squares(ctx context.Context, p evidence, n *fittedNuisances, lambda rr.Setting) error {
	folds, _, err := p.CoMomentsUY(ctx, encode.Squares{Of: p.Y()})
	if err != nil {
		return fmt.Errorf("table of U and Y: %w", err)
	}
	s, err := p.Splitter().Split(ctx, folds)
	if err != nil {
		return err
	}
	n.squares = s
	v, lambdas, err := n.chooseRidge(ctx, s, p.Y().Together(), lambda)
	for k := range v {
		n.of[k].v = v[k]
	}
	n.lambdaV = lambdas
	return err
}

// chooseRidge fits the right side of a table to the left one in each fold, at the penalty that is set or
// at the one of least cross-validated error of each output, or of all together. It returns the penalties too.
func (n *fittedNuisances) chooseRidge(ctx context.Context, s crossfit.Splits, together bool, lambda rr.Setting) ([]crossfit.Affine, []float64, error) {
	u, err := crossfit.UnitsOf(s.Held, together)
	if err != nil {
		return nil, nil, err
	}
	grid := lambda.Grid(crossfit.Lambdas)
	if n.firstFold && len(grid) > 1 {
		return crossfit.ChooseByFirst(ctx, s, u, grid, true)
	}
	c, err := crossfit.CrossValidate(ctx, s, u, grid, true)
	if err != nil {
		return nil, nil, err
	}
	fits, lambdas := c.BestFits()
	return fits, lambdas, nil
}

// rieszWeights fills in the Riesz weights, the penalty of each and their targets. In form 1 the weight of f is that of f
// less the mean of Y, to which the mean is added again: a constant is its own weight there, a penalty would shrink it, and
// the risk would depend on the origin of Y.
func rieszWeights(ctx context.Context, p evidence, n *fittedNuisances, m foldModels, opt AssessOptions) error {
	k := p.Y().Len()
	classes, shifted := p.Y().Classes() != nil, opt.Form == CovariateShift
	n.centre = make([]float64, k)
	if !shifted {
		n.centre = n.uy.MeanRight()
	}
	train, held := m.train, m.held
	if m.train == nil || classes && p.blocks == nil || shifted {
		var err error
		if train, held, err = targetsOf(ctx, p, m, n.centre, classes, shifted); err != nil {
			return err
		}
	}
	r, mus, err := n.riesz(opt).Weights(ctx, train, held)
	if err != nil {
		return err
	}
	n.held, n.mu = held, mus
	for i := range n.of {
		of := &n.of[i]
		of.r = r[i].Outputs(0, k)
		floats.Add(of.r.Intercept, n.centre)
		next := k
		if classes && p.blocks == nil {
			of.hit = r[i].Outputs(next, next+k)
			next += k
		}
		if shifted {
			of.omega = r[i].Outputs(next, next+1)
		}
	}
	return nil
}

// riesz is what Riesz weights are fitted by.
func (n *fittedNuisances) riesz(opt AssessOptions) crossfit.Riesz {
	return crossfit.Riesz{UY: n.uy, Mus: opt.Mu.Grid(crossfit.Mus), FirstFold: n.firstFold}
}

// targetsOf reads S_X for the means of (psi, 1) times f - centre, its one-hot argmax, and 1.
func targetsOf(ctx context.Context, p evidence, m foldModels, centre []float64, classes, shifted bool) (train, held []*mat.Dense, err error) {
	k := p.Y().Len()
	columns := k
	if classes {
		columns += k
	}
	if shifted {
		columns++
	}
	var all, g mat.Dense
	if m.kept != nil {
		*m.kept = keptPredictions{of: make([][]float64, len(p.foldsUY))}
	}
	train, held, err = sumTargets(ctx, p, m, columns, eachModel, func(fold, model int, rows *mat.Dense) *mat.Dense {
		f := m.predictEach(model, &all, rows, k)
		n, _ := f.Dims()
		if m.kept != nil && model == fold {
			m.kept.add(fold, f)
		}
		g.Reset()
		g.ReuseAs(n, columns)
		g.Slice(0, n, 0, k).(*mat.Dense).Copy(f)
		for i := range n {
			floats.Sub(g.RawRowView(i)[:k], centre)
		}
		if classes {
			argmaxTo(g.Slice(0, n, k, 2*k).(*mat.Dense), f)
		}
		for i := 0; shifted && i < n; i++ {
			g.Set(i, columns-1, 1)
		}
		return &g
	})
	if m.kept != nil {
		m.kept.filled = err == nil
	}
	return train, held, err
}

// A modelOf says which model's functions of a row are summed in the target of each model.
type modelOf bool

const (
	eachModel modelOf = false // its own functions
	ownModel  modelOf = true  // those of the model that was fitted without the row
)

// sumTargets reads S_X for the means of (psi, 1) times functions of each fold's model, outside and inside the fold, or (ownModel) for functions of the model of the row's own fold; what functions returns is valid until the next call.
func sumTargets(ctx context.Context, p evidence, m foldModels, columns int, of modelOf, functions func(fold, model int, rows *mat.Dense) *mat.Dense) (train, held []*mat.Dense, err error) {
	_, q := p.Psi().Dims()
	t := newTargets(len(p.foldsUY), columns, q)
	err = p.WalkXU(ctx, m.side, p.SidePsi(), func(fold int, rows, psi *mat.Dense, w moments.Weights) {
		t.add(fold, psi, w, of == ownModel || m.same, func(model int) *mat.Dense {
			if of == ownModel {
				model = fold
			}
			return functions(fold, model, rows)
		})
	})
	if err != nil {
		return nil, nil, err
	}
	for fold, weight := range t.heldWeight {
		if err := checkFold(p.foldsUY, fold, weight); err != nil {
			return nil, nil, err
		}
	}
	train, held = t.means()
	sp := p.Splitter()
	for k := range train {
		sp.TrainingTarget(p.SidePsi().ID(), train[k], sp.Fold(k))
	}
	return train, held, nil
}
