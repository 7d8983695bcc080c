package search

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/features"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
)

// A metric is learned from the target, so that a risk cross-validated with a metric of all rows is too low: by .2 to .5 % of the variance of Y for one scale a column and by 1 to 12 % for full metrics (n = 1,000).
// So the metric of each fold is learned on the other folds where candidates are compared: first those that share a kind of metric with one of all rows, since they have about as much
// optimism, and then the best of each kind by metrics of folds. The final fit has one metric, of all rows, as it has one bandwidth. What that takes off the risk of the chosen method is measured
// with metrics of folds, and added (Choice.metricOptimism).

// metricMultiples of the median bandwidth are tried in a learned metric.
var metricMultiples = []float64{0.5, 1, 2}

// MetricCandidates returns the features in a learned metric that a search tries by default for rows of so many encoded columns, beside DefaultCandidates: of Gaussian and Matérn-3/2 kernels, with a scale for each
// column and, for at most features.MaxFullMetric columns, a full metric.
func MetricCandidates(columns int) []features.Spec {
	var out []features.Spec
	for _, full := range []bool{false, true} {
		if columns < 2 || full && columns > features.MaxFullMetric {
			continue
		}
		for _, kernel := range []string{"gaussian", "matern32"} {
			for _, multiple := range metricMultiples {
				out = append(out, features.Spec{Kind: features.MetricFeatures, Kernel: kernel, Full: full, Multiple: multiple})
			}
		}
	}
	return out
}

// A metricKind is what the metric of a spec depends on.
type metricKind struct {
	kernel string
	full   bool
}

// metrics keeps the metrics of one side by kind.
type metrics map[metricKind]*features.Metric

// learned returns the spec with its metric, which learn learns if it is not there yet.
func (m metrics) learned(spec features.Spec, learn func(features.Spec) (features.Spec, error)) (features.Spec, error) {
	if !spec.LearnsMetric() {
		return spec, nil
	}
	kind := metricKind{spec.Kernel, spec.Full}
	if of, ok := m[kind]; ok {
		spec.Metric = of
		return spec, nil
	}
	spec, err := learn(spec)
	if err == nil {
		m[kind] = spec.Metric
	}
	return spec, err
}

// A finalist is the best of the candidates with one kind of metric, by risk with a metric of all rows.
type finalist struct {
	spec int // of the candidates
	risk float64
}

// finalists are those with a diagonal and with a full metric.
type finalists struct{ of [2]*finalist }

// kindOf is the index of a spec's metric in finalists.
func kindOf(spec features.Spec) int {
	if spec.Full {
		return 1
	}
	return 0
}

// add reports whether a candidate is the best of its kind so far.
func (f *finalists) add(i int, spec features.Spec, risk float64) bool {
	at := &f.of[kindOf(spec)]
	if *at != nil && !(risk < (*at).risk) {
		return false
	}
	*at = &finalist{i, risk}
	return true
}

// function is the mean of h of the folds, from which a metric of X of all rows is learned.
func (j *comparison) function() crossfit.Affine {
	mean := crossfit.ZeroLike(j.h[0])
	for _, h := range j.h {
		mean.Coef.Add(mean.Coef, h.Coef)
		floats.Add(mean.Intercept, h.Intercept)
	}
	mean.Coef.Scale(1/float64(len(j.h)), mean.Coef)
	floats.Scale(1/float64(len(j.h)), mean.Intercept)
	return mean
}

// psiByFold is the comparison of a psi whose metric is learned on the other folds of each fold. spec has no metric yet.
func (s Search) psiByFold(ctx context.Context, e *problem.Encoded, spec features.Spec, rows mat.Matrix, u crossfit.Units) (*comparison, error) {
	var uy crossfit.Splits
	for k := range e.Folds() {
		own, err := e.WithoutFold(k).LearnPsi(ctx, spec)
		if err != nil {
			return nil, err
		}
		own = sized(own, s.comparedSize(e.U()), e.U().Width())
		psi, _, err := own.FitContext(ctx, rows, e.Setup().Seed, "psi")
		if err != nil {
			return nil, err
		}
		m, err := e.WithMaps(ctx, nil, psi)
		if err != nil {
			return nil, err
		}
		folds, _, err := m.CoMomentsUY(ctx, m.Y())
		if err != nil {
			return nil, err
		}
		if err := addSplit(&uy, folds, k); err != nil {
			return nil, err
		}
	}
	return comparisonFrom(ctx, uy, u, s.LambdaH.Grid(searchLambdas), !e.Setup().NoIntercept)
}

// addSplit appends the sums of fold k and of all others.
func addSplit(s *crossfit.Splits, folds []*moments.CoMoments, k int) error {
	others, err := moments.Sum(moments.Without(folds, k)...)
	if err != nil {
		return err
	}
	s.Train, s.Held = append(s.Train, others), append(s.Held, folds[k])
	return nil
}

// phiByFold is the risk of tryPhi for a phi whose metric is learned on the other folds of each fold, with h of the comparison.
func (s Search) phiByFold(ctx context.Context, m *problem.Mapped, j *comparison, spec features.Spec, rows mat.Matrix, t *Trial) error {
	var xu crossfit.Splits
	for k := range m.Folds() {
		own, err := m.WithoutFold(k).LearnPhi(ctx, spec, m.Psi(), j.h[k])
		if err != nil {
			return err
		}
		own = sized(own, s.comparedSize(m.X()), m.X().Width())
		phi, _, err := own.FitContext(ctx, rows, m.Setup().Seed, "phi")
		if err != nil {
			return err
		}
		with, err := m.WithPhi(ctx, phi)
		if err != nil {
			return err
		}
		folds, _, err := with.CoMomentsByFold(ctx, problem.TableXU, with.SidePhi(), with.SidePsi())
		if err != nil {
			return err
		}
		if err := addSplit(&xu, folds, k); err != nil {
			return err
		}
	}
	return s.scorePhi(ctx, m, j, xu, t)
}

// learns reports whether a map has a metric that is learned from Y.
func learns(f problem.Footprint) bool {
	return f.Setup.Phi.LearnsMetric() || f.Setup.Psi.LearnsMetric()
}

// metricOptimism is, for each unit of the outputs, how much lower the risk of the chosen method is with metrics of all rows than with metrics of the other folds, at its size and penalties; nil where no metric
// is learned. Of more than 20,000 rows it is measured on a sample, and taken in proportion.
func (c *Choice) metricOptimism(ctx context.Context) ([]float64, error) {
	p := c.Problem
	if !p.HasRows() || !learns(p.Footprint()) || len(p.Folds()) < 2 {
		return nil, nil
	}
	share := shareOf(&p.Encoded, fewRows)
	var err error
	if rows := p.TableRows(); max(rows[0], rows[1]) > fewRows {
		some, err := p.Subset(ctx, fewRows, "metric optimism")
		if err != nil {
			return nil, err
		}
		m, err := some.Map(ctx)
		if err != nil {
			return nil, err
		}
		if p, err = m.Sum(ctx); err != nil {
			return nil, err
		}
	} else if p, err = p.Full(ctx); err != nil {
		return nil, err
	}
	params, err := c.penalties(ctx, p)
	if err != nil {
		return nil, err
	}
	params.LambdaF, params.LambdaH = max(params.LambdaF, leastPenalty), max(params.LambdaH, leastPenalty)
	xu, err := p.Splitter().Split(ctx, p.FoldsXU())
	if err != nil {
		return nil, err
	}
	uy, err := p.Splitter().Split(ctx, p.FoldsUY())
	if err != nil {
		return nil, err
	}
	with, err := riskAt(ctx, p, xu, uy, params)
	if err != nil {
		return nil, err
	}
	if xu, uy, err = splitsByFold(ctx, p, params.LambdaH); err != nil {
		return nil, err
	}
	without, err := riskAt(ctx, p, xu, uy, params)
	if err != nil {
		return nil, err
	}
	gap := floats.SubTo(without, without, with)
	for u := range gap {
		gap[u] = max(0, share*gap[u])
	}
	return gap, nil
}

// leastPenalty takes the place of none, with which folds may have no fit that could be compared.
const leastPenalty = 1e-12

// penalties are those of the method, or, of others than 2Step-RR and Joint-RR, those of the best 2Step-RR on the problem.
func (c *Choice) penalties(ctx context.Context, p *problem.Problem) (solvers.Params, error) {
	if c.tuned != nil && !c.rival {
		return c.tuned.params, nil
	}
	n, err := newHyperparameters(ctx, p, rr.Auto, problem.Footprint.Preparing)
	if err != nil {
		return solvers.Params{}, err
	}
	t, at, err := n.coarse(ctx, rr.Auto)
	if err != nil {
		return solvers.Params{}, err
	}
	return t.points[at], nil
}

// riskAt is the risk of one point of a grid by unit.
func riskAt(ctx context.Context, p *problem.Problem, xu, uy crossfit.Splits, at solvers.Params) ([]float64, error) {
	u, err := p.Units(p.FoldsUY())
	if err != nil {
		return nil, err
	}
	j, err := comparisonFrom(ctx, uy, u, []float64{at.LambdaH}, !p.Setup().NoIntercept)
	if err != nil {
		return nil, err
	}
	t, err := j.tune(ctx, xu.Train, xu, grid{lambdaF: []float64{at.LambdaF}, lambdaH: []float64{at.LambdaH}, w: []float64{at.W}, penalty: at.Penalty}, !p.Setup().NoIntercept)
	if err != nil {
		return nil, err
	}
	v := t.verdicts[0]
	out := make([]float64, len(v.ByUnit[0]))
	for k, own := range v.ByUnit {
		share := xu.Held[k].Weight() / xu.Weight()
		if floats.HasNaN(own) {
			return nil, fmt.Errorf("search: fold %d has no rows to measure the optimism of a metric on", k+1)
		}
		floats.AddScaled(out, share, own)
	}
	return out, nil
}

// splitsByFold are the sums of both tables for each fold, in maps with metrics learned on the other folds, of phi from an h with the penalty lambdaH.
func splitsByFold(ctx context.Context, p *problem.Problem, lambdaH float64) (xu, uy crossfit.Splits, err error) {
	e, s := &p.Encoded, p.Setup()
	rowsX, err := e.SampleX(ctx)
	if err != nil {
		return xu, uy, err
	}
	rowsU, err := e.SampleU(ctx)
	if err != nil {
		return xu, uy, err
	}
	for k := range e.Folds() {
		others := e.WithoutFold(k)
		spec, err := others.LearnPsi(ctx, s.Psi)
		if err != nil {
			return xu, uy, err
		}
		psi, _, err := spec.FitContext(ctx, rowsU, s.Seed, "psi")
		if err != nil {
			return xu, uy, err
		}
		m, err := e.WithMaps(ctx, nil, psi)
		if err != nil {
			return xu, uy, err
		}
		folds, _, err := m.CoMomentsUY(ctx, m.Y())
		if err != nil {
			return xu, uy, err
		}
		if err := addSplit(&uy, folds, k); err != nil {
			return xu, uy, err
		}
		h, err := solvers.Ridge(uy.Train[k], lambdaH, !s.NoIntercept)
		if err != nil {
			return xu, uy, err
		}
		if spec, err = others.LearnPhi(ctx, s.Phi, psi, crossfit.Affine{Coef: h.Coef, Intercept: h.Intercept}); err != nil {
			return xu, uy, err
		}
		phi, _, err := spec.FitContext(ctx, rowsX, s.Seed, "phi")
		if err != nil {
			return xu, uy, err
		}
		if m, err = m.WithPhi(ctx, phi); err != nil {
			return xu, uy, err
		}
		if folds, _, err = m.CoMomentsByFold(ctx, problem.TableXU, m.SidePhi(), m.SidePsi()); err != nil {
			return xu, uy, err
		}
		if err := addSplit(&xu, folds, k); err != nil {
			return xu, uy, err
		}
	}
	return xu, uy, nil
}
