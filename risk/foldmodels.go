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
	kept        *keptPredictions // nil: none are kept
}

// keptPredictions are those of the rows of S_X by the model without their fold, fold by fold in the order of passes: rows that were predicted for the targets of Riesz weights need no features when they are scored.
type keptPredictions struct {
	of     [][]float64
	filled bool
}

// mostKept bounds the numbers that are kept, to 8 MiB, which memory estimates leave out.
const mostKept = 1 << 20

// keeping returns the place of predictions, nil where they are too many, or X is sparse, so that reading its rows takes as long as predicting them.
func keeping(p *problem.Problem) *keptPredictions {
	if p.X().Sparse() || p.Counts()[problem.TableXU]*p.Y().Len() > mostKept {
		return nil
	}
	return new(keptPredictions)
}

// add keeps the predictions of rows of a fold.
func (o *keptPredictions) add(fold int, f *mat.Dense) {
	for i := range f.RawMatrix().Rows {
		o.of[fold] = append(o.of[fold], f.RawRowView(i)...)
	}
}

// reader returns a function that stores predictions of so many rows of a fold in dst, those after the rows that it was called for before.
func (o *keptPredictions) reader(columns int) func(fold int, dst *mat.Dense, rows int) {
	at := make([]int, len(o.of))
	return func(fold int, dst *mat.Dense, rows int) {
		from := at[fold]
		at[fold] += rows * columns
		dst.Reset()
		dst.CloneFrom(mat.NewDense(rows, columns, o.of[fold][from:at[fold]]))
	}
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
		m.kept = keeping(p)
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
		m.kept = keeping(p)
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
