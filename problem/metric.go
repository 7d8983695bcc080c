package problem

import (
	"context"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/features"
	"mediant/metric"
	"mediant/moments"
	"mediant/solvers"
)

// MetricRows is the largest number of rows of a table that a metric is learned from.
const MetricRows = 5000

// LearnPsi returns spec with the metric learned from the rows of S_Y in the remaining folds, with Y as the target, if it is to be learned (features.Spec.LearnsMetric).
func (e *Encoded) LearnPsi(ctx context.Context, spec features.Spec) (features.Spec, error) {
	if !spec.LearnsMetric() || e.u.Sparse() {
		return spec, nil
	}
	return e.learnMetric(ctx, TableUY, spec, e.u, e.y, "psi")
}

// LearnPhi is LearnPsi for S_X, with h(U) as the target, where h is a function of psi.
func (e *Encoded) LearnPhi(ctx context.Context, spec features.Spec, psi features.Map, h crossfit.Affine) (features.Spec, error) {
	if !spec.LearnsMetric() || e.x.Sparse() {
		return spec, nil
	}
	target := features.Mapped{Encoder: e.u, Map: predicting{psi, h}}
	return e.learnMetric(ctx, TableXU, spec, e.x, target, "phi")
}

func (e *Encoded) learnMetric(ctx context.Context, table int, spec features.Spec, of, target encode.Side, purpose string) (features.Spec, error) {
	some, err := e.Subset(ctx, MetricRows, "metric")
	if err != nil {
		return spec, err
	}
	x, y, w, _, err := Matrices(ctx, some.sources[table], of, target, some.pass(table))
	if err != nil {
		return spec, TableError(table, err)
	}
	if spec.Kind == features.WarpedFeatures {
		spec.Warp, err = features.LearnWarp(x, y, w, e.scales(y, w), e.setup.Seed, purpose+"/warp")
		return spec, err
	}
	o := metric.Options{Scale: e.scales(y, w), Seed: e.setup.Seed, Purpose: purpose}
	if spec.Kind == features.AdaptiveFeatures {
		all, err := features.NewClippedPolynomial(x, spec.Degree)
		if err != nil {
			return spec, err
		}
		spec.Metric, err = metric.LearnScales(ctx, all, x, y, w, o)
		return spec, err
	}
	o.Kernel, o.Full, o.Size = spec.Kernel, spec.Full, learningSize(spec, y.RawMatrix().Rows)
	spec.Metric, err = metric.Learn(ctx, x, y, w, o)
	return spec, err
}

// learningSize is the number of features that a metric is learned with: 512, as by default, or fewer where the map is to have few itself, so that the metric does not take most of the time of a fit that was meant to be quick.
func learningSize(spec features.Spec, rows int) int {
	if spec.Size == 0 {
		return 0
	}
	return min(metric.DefaultSize, 2*rows, 4*spec.Size)
}

// scales are 1/variance of each target, nil where they are one unit.
func (e *Encoded) scales(y *mat.Dense, w []float64) []float64 {
	_, outputs := y.Dims()
	if e.y.Together() || outputs < 2 {
		return nil
	}
	scales := make([]float64, outputs)
	for j := range scales {
		mean, variance := stat.MeanVariance(mat.Col(nil, j, y), w)
		if crossfit.Varies(variance, mean) {
			scales[j] = 1 / variance
		}
	}
	return scales
}

// WithoutFold returns a copy with all remaining folds but one, an index into Folds.
func (e *Encoded) WithoutFold(fold int) *Encoded {
	own := *e
	folds := e.Folds()
	own.kept = append(folds[:fold:fold], folds[fold+1:]...)
	return &own
}

// fitTarget returns h of S_Y by ridge regression on psi with a penalty chosen by cross-validation, the target of the metric of X.
func (e *Encoded) fitTarget(ctx context.Context, psi features.Map) (crossfit.Affine, error) {
	some, err := e.Subset(ctx, MetricRows, "metric")
	if err != nil {
		return crossfit.Affine{}, err
	}
	m, err := some.WithMaps(ctx, nil, psi)
	if err != nil {
		return crossfit.Affine{}, err
	}
	folds, _, err := m.CoMomentsUY(ctx, m.y)
	if err != nil {
		return crossfit.Affine{}, err
	}
	units, err := m.Units(folds)
	if err != nil {
		return crossfit.Affine{}, err
	}
	s, err := m.Splitter().SplitOrWhole(ctx, folds)
	if err != nil {
		return crossfit.Affine{}, err
	}
	lambda, err := crossfit.LeastPenalty(ctx, s, units, crossfit.Lambdas, !m.setup.NoIntercept)
	if err != nil {
		return crossfit.Affine{}, err
	}
	all, err := moments.Sum(folds...)
	if err != nil {
		return crossfit.Affine{}, err
	}
	h, err := solvers.Ridge(all, lambda, !m.setup.NoIntercept)
	if err != nil {
		return crossfit.Affine{}, err
	}
	return crossfit.Affine{Coef: h.Coef, Intercept: h.Intercept}, nil
}

// predicting is h(u) as a map of encoded U.
type predicting struct {
	psi features.Map
	h   crossfit.Affine
}

// Dims implements features.Map.
func (p predicting) Dims() (in, out int) {
	in, _ = p.psi.Dims()
	return in, len(p.h.Intercept)
}

// MapTo implements features.Map.
func (p predicting) MapTo(dst *mat.Dense, u mat.Matrix) {
	var psi, h mat.Dense
	p.psi.MapTo(&psi, u)
	p.h.ApplyTo(&h, &psi)
	if dst.IsEmpty() {
		dst.ReuseAs(h.Dims())
	}
	dst.Copy(&h)
}

// ID implements features.Map. Nothing is summed with it.
func (p predicting) ID() moments.ID {
	of := p.psi.ID()
	return moments.NewID([]byte("predicting"), of[:])
}
