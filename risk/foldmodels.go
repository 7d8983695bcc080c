package risk

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/features"
	"mediant/internal/progress"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
)

// foldModels are the predictors of the folds.
type foldModels struct {
	// side encodes rows of S_X, and predict returns the prediction of fold k's model for encoded rows.
	side    encode.Side
	predict func(k int, dst, rows *mat.Dense)
	same    bool              // one predictor for all folds
	affine  []crossfit.Affine // of the features that side has, where all are
	// If affine, and the sums have them: means of (psi, 1) (f - mean of Y) over the rows outside and inside each fold.
	train, held []*mat.Dense
}

// predictEach returns the predictions of k outputs of one model, for callers that ask for those of each model in turn, from 0 on. It keeps those of all models in all.
func (m foldModels) predictEach(model int, all, rows *mat.Dense, k int) *mat.Dense {
	switch {
	case m.affine != nil && model == 0: // one product reads the rows once
		crossfit.SideBySide(m.affine).ApplyTo(all, rows)
	case m.affine == nil:
		m.predict(model, all, rows)
		return all
	}
	n, _ := all.Dims()
	return all.Slice(0, n, model*k, (model+1)*k).(*mat.Dense)
}

// fixedModel uses one predictor for all folds.
func fixedModel(p *problem.Encoded, f rr.Predictor) foldModels {
	return predicted(rr.Predicted(p.X(), p.Y().Len(), f))
}

// fitFolds fits the models, one problem of other folds at a time.
func fitFolds(ctx context.Context, p *problem.Problem, fit FoldFitter) (foldModels, error) {
	var m foldModels
	var predictors []rr.Predictor
	mean := crossfit.Splits{Held: p.FoldsUY()}.MeanRight()
	for k := range p.FoldsUY() {
		if err := checkFold(p.FoldsUY(), k, p.FoldsXU()[k].Weight()); err != nil {
			return m, err
		}
		train, err := p.Without(k)
		if err != nil {
			return m, err
		}
		f, err := fit(progress.Step(ctx, "fitting without each fold", k, len(p.FoldsUY())), train)
		if err != nil {
			return m, fmt.Errorf("fold %d of %d: %w", k+1, len(p.FoldsUY()), err)
		}
		if f == nil {
			return m, fmt.Errorf("risk: the FoldFitter returned neither a Predictor nor an error")
		}
		predictors = append(predictors, f)
		if l, ok := f.(*rr.Linear); ok {
			if a, ok := l.AffineIn(p.Phi()); ok {
				m.affine = append(m.affine, a)
				if p.FirstStep() != nil { // whose sums have no psi
					continue
				}
				centred := a.MinusConstant(mean)
				m.train, m.held = append(m.train, crossfit.Target(train.XU(), centred)), append(m.held, crossfit.Target(p.FoldsXU()[k], centred))
			}
		}
	}
	if len(m.affine) == len(predictors) {
		m.side = p.SidePhi()
		m.predict = func(k int, dst, rows *mat.Dense) { m.affine[k].ApplyTo(dst, rows) }
		return m, nil
	}
	if err := p.NeedsRows("the risk of what is not linear in the features"); err != nil {
		return m, err
	}
	if shared := sharedMap(predictors); shared != nil {
		m = foldModels{side: features.Mapped{Encoder: p.X(), Map: shared}}
		for _, f := range predictors {
			l := f.(*rr.Linear)
			m.affine = append(m.affine, crossfit.Affine{Coef: l.Coef, Intercept: l.Intercept})
		}
		m.predict = func(k int, dst, rows *mat.Dense) { m.affine[k].ApplyTo(dst, rows) }
		return m, nil
	}
	if p.X().Sparse() {
		return foldModels{side: rr.Predicted(p.X(), p.Y().Len(), predictors...), predict: func(k int, dst, rows *mat.Dense) {
			dst.CloneFrom(rr.PredictionsOf(rows, k, p.Y().Len()))
		}}, nil
	}
	return foldModels{side: p.X(), predict: func(k int, dst, rows *mat.Dense) {
		dst.Reset()
		rr.MustPredict(dst, predictors[k], rows, p.Y().Len())
	}}, nil
}

// sharedMap is the map that all predictors are affine functions of, so that a pass computes it once for all; nil if there is none.
func sharedMap(predictors []rr.Predictor) features.Map {
	var shared features.Map
	for _, f := range predictors {
		l, ok := f.(*rr.Linear)
		if !ok || shared != nil && l.Map.ID() != shared.ID() {
			return nil
		}
		shared = l.Map
	}
	return shared
}

// checkFold refuses a fold whose risk cannot be estimated.
func checkFold(foldsUY []*moments.CoMoments, k int, weightXU float64) error {
	if weightXU == 0 || foldsUY[k].Weight() == 0 {
		return fmt.Errorf("%w: fold %d of %d has no row with Y and a positive weight in both tables: too few rows", ErrNoRisk, k+1, len(foldsUY))
	}
	return nil
}
