package search

import (
	"context"
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
var metricMultiples = []float64{0.5, 1, 2, 4}

// MetricCandidates returns the features in a learned metric that a search tries by default for rows of so many encoded columns, beside DefaultCandidates: of Gaussian and Matérn-3/2 kernels, with a scale for each
// column and, for at most features.MaxFullMetric columns, a full metric, as Fourier features and at landmarks, polynomials of which few monomials count, and of the Laplacian kernel of warped columns, for steps and thresholds.
func MetricCandidates(columns int) []features.Spec {
	var out []features.Spec
	for _, full := range []bool{false, true} {
		if columns < 2 || full && columns > features.MaxFullMetric {
			continue
		}
		for _, kernel := range []string{"gaussian", "matern32"} {
			for _, multiple := range metricMultiples {
				spec := features.Spec{Kind: features.MetricFeatures, Kernel: kernel, Full: full, Multiple: multiple}
				landmarks := spec
				landmarks.AtLandmarks = true
				out = append(out, spec, landmarks)
			}
		}
	}
	if degree := adaptiveDegree(columns); degree > 0 {
		out = append(out, features.Spec{Kind: features.AdaptiveFeatures, Degree: degree})
	}
	if columns > 1 {
		for _, multiple := range metricMultiples[:3] {
			out = append(out, features.Spec{Kind: features.WarpedFeatures, Kernel: "laplacian", Multiple: multiple})
		}
	}
	return out
}

// mostMonomials are as many as the features with which maps are compared (searchSize): more take more time than all other candidates.
const mostMonomials = 256

// adaptiveDegree is that of the monomials whose scales are learned, of which there are mostMonomials at most; 0 where there would be more of degree 2 already, or one column alone, of which they say no more than a kernel.
func adaptiveDegree(columns int) int {
	for degree := 3; degree > 1; degree-- {
		if columns > 1 && features.Monomials(columns, degree) <= mostMonomials {
			return degree
		}
	}
	return 0
}

// A metricKind is what the metric of a spec depends on.
type metricKind struct {
	kind   features.Kind
	kernel string
	full   bool
	degree int
}

func metricKindOf(s features.Spec) metricKind {
	return metricKind{s.Kind, s.Kernel, s.Full, s.Degree}
}

// learnedMaps keeps what candidates of one side share: the metric, by kind, and the bandwidth by kind, which is the same for all multiples of it, and for Fourier features and landmarks.
type learnedMaps struct {
	rows       mat.Matrix // of which maps are made
	seed       uint64
	purpose    string // phi or psi
	specs      map[metricKind]features.Spec
	bandwidths map[metricKind]float64
}

func newLearnedMaps(rows mat.Matrix, seed uint64, purpose string) learnedMaps {
	return learnedMaps{rows, seed, purpose, map[metricKind]features.Spec{}, map[metricKind]float64{}}
}

// fit makes the map of a spec, whose metric learn learns if there is none of its kind yet.
func (l learnedMaps) fit(ctx context.Context, spec features.Spec, learn func(features.Spec) (features.Spec, error)) (features.Map, error) {
	spec, err := l.learned(spec, learn)
	if err != nil {
		return nil, err
	}
	m, _, err := l.withBandwidth(spec).FitContext(ctx, l.rows, l.seed, l.purpose)
	return m, err
}

// learned returns the spec with its metric.
func (l learnedMaps) learned(spec features.Spec, learn func(features.Spec) (features.Spec, error)) (features.Spec, error) {
	if !spec.LearnsMetric() {
		return spec, nil
	}
	kind := metricKindOf(spec)
	if of, ok := l.specs[kind]; ok {
		spec.Metric, spec.Warp = of.Metric, of.Warp
		return spec, nil
	}
	spec, err := learn(spec)
	if err == nil {
		l.specs[kind] = spec
	}
	return spec, err
}

// withBandwidth returns the spec with the bandwidth that its multiple of the default is.
func (l learnedMaps) withBandwidth(spec features.Spec) features.Spec {
	if spec.Multiple == 0 || spec.LandmarkRows != nil {
		return spec
	}
	kind := metricKindOf(partner(spec))
	bandwidth, known := l.bandwidths[kind]
	if !known {
		bandwidth = spec.DefaultBandwidth(l.rows, l.seed, l.purpose)
		l.bandwidths[kind] = bandwidth
	}
	if bandwidth > 0 {
		spec.Bandwidth, spec.Multiple = spec.Multiple*bandwidth, 0
	}
	return spec
}

// byFold reports whether finalists are compared by metrics of folds. Where three quarters of the rows or more are none of those that a metric is learned from, it takes next to nothing off their risk.
func byFold(e *problem.Encoded) bool {
	rows := e.TableRows()
	return min(rows[0], rows[1]) < 4*problem.MetricRows
}

// The kinds of learned maps: a diagonal metric, a full one, scales of monomials and warped columns.
const (
	diagonalKind = iota
	fullKind
	adaptiveKind
	warpedKind
	learnedKinds
)

// kindOf is the kind of a spec that has a metric to learn.
func kindOf(spec features.Spec) int {
	switch {
	case spec.Kind == features.WarpedFeatures:
		return warpedKind
	case spec.Kind == features.AdaptiveFeatures:
		return adaptiveKind
	case spec.Full:
		return fullKind
	}
	return diagonalKind
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

// metricOptimism is, for each unit of the outputs, by how much the risk of the chosen method is too low because its metrics are those of all rows; nil where no metric is learned. It is the difference of the risks
// with metrics of the other folds of each fold, and with those of all rows, at the penalties of the method. It is below 0 by chance at times; cut off at 0 it would be too large in the mean. Of more than 5,000 rows it is
// measured on a sample with at most 256 features, and taken in proportion; of fewer with at most 512.
func (c *Choice) metricOptimism(ctx context.Context) ([]float64, error) {
	p := c.Problem
	if !p.HasRows() || !learns(p.Footprint()) || len(p.Folds()) < 2 {
		return nil, nil
	}
	share := shareOf(&p.Encoded, optimismRows)
	var err error
	rows, f := p.TableRows(), p.Footprint()
	switch {
	case max(rows[0], rows[1]) > optimismRows:
		p, err = sampledFor(ctx, p)
	case max(f.X.Features, f.U.Features) > askedFeatures:
		p, err = smallerFor(ctx, &p.Encoded, shrunk(f.Setup.Phi, f.X.In), shrunk(f.Setup.Psi, f.U.In))
	default:
		p, err = p.Full(ctx)
	}
	if err != nil {
		return nil, err
	}
	params, err := c.penalties(ctx, p)
	if err != nil {
		return nil, err
	}
	for u := range params {
		params[u].LambdaF, params[u].LambdaH = max(params[u].LambdaF, leastPenalty), max(params[u].LambdaH, leastPenalty)
	}
	all, err := withMetricsOfAll(ctx, p, params)
	if err != nil {
		return nil, err
	}
	others, err := withMetricsByFold(ctx, p, params)
	if err != nil {
		return nil, err
	}
	low, err := all.risk(ctx, p)
	if err != nil {
		return nil, err
	}
	high, err := others.risk(ctx, p)
	if err != nil {
		return nil, err
	}
	gap := floats.SubTo(high, high, low)
	floats.Scale(share, gap)
	return gap, nil
}

// optimismRows of each table at most tell what a metric takes off a risk.
var optimismRows = 5000

// sampledFor is the problem of a sample, with fewer features.
func sampledFor(ctx context.Context, p *problem.Problem) (*problem.Problem, error) {
	some, err := p.Subset(ctx, optimismRows, "metric optimism")
	if err != nil {
		return nil, err
	}
	s := p.Setup()
	return smallerFor(ctx, some, s.Phi.WithSize(searchSize(optimismRows)), s.Psi.WithSize(searchSize(optimismRows)))
}

// smallerFor is the problem with maps of other sizes.
func smallerFor(ctx context.Context, e *problem.Encoded, phi, psi features.Spec) (*problem.Problem, error) {
	m, err := e.With(phi, psi).Map(ctx)
	if err != nil {
		return nil, err
	}
	return m.Sum(ctx)
}

// leastPenalty takes the place of none, with which folds may have no fit that could be compared.
const leastPenalty = 1e-12

// penalties are those of the method for each unit of the outputs, or, of others than 2Step-RR and Joint-RR, those of the best 2Step-RR on the problem.
func (c *Choice) penalties(ctx context.Context, p *problem.Problem) ([]solvers.Params, error) {
	var params []solvers.Params
	if c.tuned != nil && !c.rival {
		for _, t := range c.tuned {
			params = append(params, t.params)
		}
		return params, nil
	}
	n, err := newHyperparameters(ctx, p, rr.Auto, problem.Footprint.Preparing)
	if err != nil {
		return nil, err
	}
	t, at, err := n.coarse(ctx, rr.Auto)
	for u, i := range at {
		params = append(params, t.points[u][i])
	}
	return params, err
}

// foldSums are the sums of both tables and f without each fold.
type foldSums struct {
	xu, uy crossfit.Splits
	f      []crossfit.Affine
}

// fit adds f without the last fold of the sums.
func (s *foldSums) fit(params []solvers.Params, intercept bool) error {
	k := len(s.f)
	system, err := solvers.NewSystem(s.xu.Train[k], s.uy.Train[k], intercept)
	if err != nil {
		return err
	}
	f, err := byUnit(params, func(p solvers.Params) (crossfit.Affine, error) {
		of := system.Coefficients(p)
		return crossfit.Affine{Coef: of.Alpha, Intercept: of.InterceptF}, nil
	})
	s.f = append(s.f, f)
	return err
}

// byUnit is a function whose outputs have the parameters of their units.
func byUnit(params []solvers.Params, fit func(solvers.Params) (crossfit.Affine, error)) (crossfit.Affine, error) {
	all, err := fit(params[0])
	if err != nil {
		return all, err
	}
	for u, p := range params {
		if p == params[0] {
			continue
		}
		own, err := fit(p)
		if err != nil {
			return all, err
		}
		all.SetOutput(u, own)
	}
	return all, nil
}

// risk is that of f by unit, with h at the penalty of least cross-validated error.
func (s *foldSums) risk(ctx context.Context, p *problem.Problem) ([]float64, error) {
	u, err := p.Units(p.FoldsUY())
	if err != nil {
		return nil, err
	}
	j, err := comparisonFrom(ctx, s.uy, u, searchLambdas, !p.Setup().NoIntercept)
	if err != nil {
		return nil, err
	}
	risks, err := j.compare(ctx, s.xu, [][]crossfit.Affine{s.f})
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(risks[0].ByUnit[0]))
	for k, own := range risks[0].ByUnit {
		if !floats.HasNaN(own) { // of a fold without rows
			floats.AddScaled(out, s.xu.Held[k].Weight()/s.xu.Weight(), own)
		}
	}
	return out, nil
}

// withMetricsOfAll is with the maps of the problem.
func withMetricsOfAll(ctx context.Context, p *problem.Problem, params []solvers.Params) (*foldSums, error) {
	var s foldSums
	var err error
	if s.xu, err = p.Splitter().Split(ctx, p.FoldsXU()); err != nil {
		return nil, err
	}
	if s.uy, err = p.Splitter().Split(ctx, p.FoldsUY()); err != nil {
		return nil, err
	}
	for range p.Folds() {
		if err := s.fit(params, !p.Setup().NoIntercept); err != nil {
			return nil, err
		}
	}
	return &s, nil
}

// withMetricsByFold is with metrics of the other folds of each fold, of phi from an h of these folds.
func withMetricsByFold(ctx context.Context, p *problem.Problem, params []solvers.Params) (*foldSums, error) {
	rowsX, err := p.SampleX(ctx)
	if err != nil {
		return nil, err
	}
	rowsU, err := p.SampleU(ctx)
	if err != nil {
		return nil, err
	}
	var s foldSums
	for k := range p.Folds() {
		if err := s.add(ctx, p, k, rowsX, rowsU, params); err != nil {
			return nil, err
		}
	}
	return &s, nil
}

// add sums and fits without fold k, in maps for the samples of rows.
func (s *foldSums) add(ctx context.Context, p *problem.Problem, k int, rowsX, rowsU mat.Matrix, params []solvers.Params) error {
	setup, others := p.Setup(), p.WithoutFold(k)
	spec, err := others.LearnPsi(ctx, setup.Psi)
	if err != nil {
		return err
	}
	psi, _, err := spec.FitContext(ctx, rowsU, setup.Seed, "psi")
	if err != nil {
		return err
	}
	m, err := p.WithMaps(ctx, nil, psi)
	if err != nil {
		return err
	}
	folds, _, err := m.CoMomentsUY(ctx, m.Y())
	if err != nil {
		return err
	}
	if err := addSplit(&s.uy, folds, k); err != nil {
		return err
	}
	h, err := byUnit(params, func(p solvers.Params) (crossfit.Affine, error) {
		h, err := solvers.Ridge(s.uy.Train[k], p.LambdaH, !setup.NoIntercept)
		if err != nil {
			return crossfit.Affine{}, err
		}
		return crossfit.Affine{Coef: h.Coef, Intercept: h.Intercept}, nil
	})
	if err != nil {
		return err
	}
	if spec, err = others.LearnPhi(ctx, setup.Phi, psi, h); err != nil {
		return err
	}
	phi, _, err := spec.FitContext(ctx, rowsX, setup.Seed, "phi")
	if err != nil {
		return err
	}
	if m, err = m.WithPhi(ctx, phi); err != nil {
		return err
	}
	if folds, _, err = m.CoMomentsByFold(ctx, problem.TableXU, m.SidePhi(), m.SidePsi()); err != nil {
		return err
	}
	if err := addSplit(&s.xu, folds, k); err != nil {
		return err
	}
	return s.fit(params, !setup.NoIntercept)
}
