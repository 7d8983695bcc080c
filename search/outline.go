package search

import (
	"context"
	"math"
	"slices"

	"mediant/features"
	"mediant/glm"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
)

// An Outline says what a fit is going to do, and roughly what that takes.
type Outline struct {
	Phi, Psi []string // the maps that are compared, by name; one each if they are set
	// Compared and Final are the numbers of features of X and of U at which maps are compared and of the final fit, of maps whose size is not set. They are
	// equal where nothing is compared.
	Compared, Final [2]int
	Bytes           float64 // of memory, an upper bound (problem.Footprint)
	// Flops estimates the number of floating-point operations: products, factorisations and features, as if they ran at one speed. Least and Most are those
	// of the maps that may be the best and take the least and the most, and of the fewest and the most passes of a loss (glm.WorkOf).
	Flops, Least, Most float64
}

// pilotRows of each table and pilotFeatures a side are what maps are compared with for an Outline, at about a tenth of the cost in a search of 3,000 rows.
const pilotRows, pilotFeatures = 1000, 64

// Outline returns the outline of Choose for encoded tables, of a fit of the choice, of its risk and diagnosis. How much a fit takes depends on which maps are the best:
// where several are compared Outline compares them too, on samples of 1,000 rows of each table with 64 features, if they
// were encoded with folds (Setup.Folds). The error is that of ctx or of a table.
func (s Search) Outline(ctx context.Context, e *problem.Encoded) (Outline, error) {
	if s.Folds < 2 {
		s.Folds = Folds
	}
	s = s.WithLoss(len(e.Y().Classes()))
	loss := s.otherLoss()
	grids := [2]int{len(s.LambdaF.Grid(risk.LossLambdas)), len(s.LambdaH.Grid(risk.LossLambdas))}
	s = s.bySquares()
	f := e.Footprint()
	f.Setup.Folds = min(s.Folds, f.Rows[0], f.Rows[1])
	phis, psis := s.candidates(f)
	o := Outline{Phi: candidateNames(phis), Psi: candidateNames(psis)}
	final := s.finalFootprint(e, f, requiredOf(phis)[0], requiredOf(psis)[0])
	o.Final = [2]int{final.X.Features, final.U.Features}
	o.Compared = o.Final
	o.Bytes = s.HyperparameterBytes(final)
	compared := len(phis) > 1 || len(psis) > 1
	if compared {
		small := s.comparedFootprint(e, f, requiredOf(phis)[0], requiredOf(psis)[0])
		o.Compared = [2]int{small.X.Features, small.U.Features}
		o.Bytes = max(o.Bytes, s.stages(f))
		var err error
		if phis, psis, err = s.inFront(ctx, e, phis, psis); err != nil {
			return o, err
		}
	}
	o.Least = math.Inf(1)
	for i, phi := range phis {
		for j, psi := range psis {
			final := s.finalFootprint(e, f, phi, psi)
			flops := s.TuningFlops(final)
			switch {
			case s.inTurn(e):
				flops = s.inTurnFlops(final)
			case s.asks(final):
				flops = s.settlingFlops(final)
			}
			if compared {
				flops += s.comparing(e, f, psi)
			}
			var more glm.Work
			if loss != nil {
				more = work{f: final}.generalising(loss, grids[0], grids[1])
			}
			o.Least, o.Most = min(o.Least, flops+more.Least), max(o.Most, flops+more.Most)
			if i == 0 && j == 0 {
				o.Flops = flops + more.Typical
			}
		}
	}
	return o, nil
}

// comparedFootprint and finalFootprint are f with maps of the size at which they are compared, and of the final fit.
func (s Search) comparedFootprint(e *problem.Encoded, f problem.Footprint, phi, psi features.Spec) problem.Footprint {
	f = f.With(sized(phi, s.comparedSize(e.X()), f.X.In), sized(psi, s.comparedSize(e.U()), f.U.In))
	for t := range f.Rows {
		f.Rows[t] = min(f.Rows[t], comparedRows)
	}
	return f
}

func (s Search) finalFootprint(e *problem.Encoded, f problem.Footprint, phi, psi features.Spec) problem.Footprint {
	setup := s.atFinalSize(e, phi, psi).Setup()
	return f.With(setup.Phi, setup.Psi)
}

// comparing counts stages 1 and 2, in which psi wins.
func (s Search) comparing(e *problem.Encoded, f problem.Footprint, psi features.Spec) (flops float64) {
	phis, psis := s.candidates(f)
	kinds := map[metricKind]bool{}
	for _, other := range usual(psis) {
		w := work{f: s.comparedFootprint(e, f, phis[0], other)}
		flops += w.tryPsi() + w.comparingMetrics(kinds, other, w.f.U, w.m(), w.sumsUY())
	}
	kinds = map[metricKind]bool{}
	if len(phis) > 1 {
		for _, phi := range usual(phis) {
			w := work{f: s.comparedFootprint(e, f, phi, psi)}
			flops += w.tryPhi() + w.comparingMetrics(kinds, phi, w.f.X, w.n(), w.sumsXU())
		}
		if s.triesPairs(f.Sparse.X, f.X.In) {
			w := work{f: s.comparedFootprint(e, f, pairFeatures, psi)}
			flops += w.sumsXU() + float64(len(multiples)-1)*w.tryPhi()
		}
	}
	return flops
}

// TuningFlops returns the number of floating-point operations of stages 3 and 4, the final fit and the risk, with the maps of a footprint, whose sums are part of it.
func (s Search) TuningFlops(f problem.Footprint) float64 {
	w := work{f: f}
	points, methods := float64(len(refine)*len(refine)*len(s.wGrid(s.W))), 1.
	tuning := w.tuning(len(refine), points)
	if s.weighs(f.Rows[0]) {
		one := w // output at a time
		one.f.Outputs = w.f.Outputs / w.f.Units()
		tuning += w.f.Units() * (one.sumsXU() + one.crossValidation(w.p()) + one.tuning(len(refine), points))
	}
	if additive(f.Setup.Phi) && additive(f.Setup.Psi) && s.triesComponents(f.Rows[0]) {
		tuning += w.tuning(len(refineComponents), float64(len(refine)*len(refineComponents)))
	}
	if s.Rivals != nil {
		methods++
	}
	return w.sums() + w.crossValidation(w.q()) + w.riesz(0) + w.tuning(len(searchLambdas), float64(len(searchLambdas))) + tuning + methods*w.assessing() + w.byFold() + w.solving() + w.diagnosing()
}

// inFront returns the maps that may be the best, by a comparison of samples: first those that won, then those that are within two standard errors of them.
// Where that cannot be it returns all.
func (s Search) inFront(ctx context.Context, e *problem.Encoded, phis, psis []features.Spec) (bestPhis, bestPsis []features.Spec, err error) {
	if e.Setup().Folds < 2 {
		return phis, psis, nil
	}
	s.atMost = pilotFeatures
	some, err := e.Sampled(ctx, pilotRows, "outline")
	if err != nil {
		return nil, nil, err
	}
	var c Choice
	if _, err := s.chooseMaps(ctx, some, &c); err != nil { // such as of too little memory
		return phis, psis, ctx.Err()
	}
	return nearest(c.Trials, "phi", phis), nearest(c.Trials, "psi", psis), nil
}

// nearest are the maps of a stage that are within two standard errors of the chosen one, and that one first; all of them if there was no such stage.
func nearest(trials []Trial, stage string, specs []features.Spec) []features.Spec {
	var near []features.Spec
	for _, t := range trials {
		if t.Stage != stage {
			continue
		}
		i := slices.IndexFunc(specs, func(s features.Spec) bool { return candidateName(s) == t.Name })
		switch {
		case i < 0: // a candidate of samples alone
		case t.Chosen:
			near = slices.Insert(near, 0, specs[i])
		case t.Difference != nil && t.SE != nil && *t.Difference <= 2**t.SE:
			near = append(near, specs[i])
		}
	}
	if near == nil {
		return specs
	}
	return near
}

// OutlineOf returns the outline of the fit of a method whose hyperparameters are set, in closed form or by conjugate gradients, and of its risk and diagnosis if risk is true.
func OutlineOf(e *problem.Encoded, method rr.Method, risk bool) Outline {
	f := e.Footprint()
	f.Setup.Folds = 0
	if risk {
		f.Setup.Folds = min(problem.DefaultFolds, f.Rows[0], f.Rows[1])
	}
	if t, ok := method.(rr.Iterative); ok {
		return outlineOfIterative(t, f, risk)
	}
	o := Outline{Phi: []string{f.Phi().String()}, Psi: []string{f.Psi().String()}, Final: [2]int{f.X.Features, f.U.Features}, Bytes: f.Preparing()}
	o.Compared = o.Final
	w := work{f: f}
	own, ok := method.(rr.TwoStep)
	inTurn := ok && own.InTurn(f.Setup)
	if inTurn {
		o.Bytes = f.PreparingInTurn()
		o.Flops = w.sumsInTurn() + w.factors(1, w.p()) + w.factors(1, w.q())
	} else {
		o.Flops = w.sums() + w.solving()
	}
	switch {
	case risk && inTurn:
		o.Flops += w.assessingInTurn() + w.diagnosing()
	case risk:
		o.Flops += w.assessing() + w.diagnosing()
	}
	o.Least, o.Most = o.Flops, o.Flops
	return o
}

// outlineOfIterative has the fewest, the usual and the most iterations that conjugate gradients took in docs/scale.md.
func outlineOfIterative(t rr.Iterative, f problem.Footprint, assessed bool) Outline {
	plan := t.Plan(f)
	w := work{f: plan.Footprint}
	o := Outline{Phi: []string{f.Phi().String()}, Psi: []string{f.Psi().String()}, Final: [2]int{plan.Footprint.X.Features, plan.Footprint.U.Features}, Bytes: plan.Bytes}
	o.Compared = o.Final
	o.Least, o.Flops, o.Most = w.iterating(plan, 2), w.iterating(plan, 20), w.iterating(plan, 100)
	if assessed {
		psi := features.Spec{Size: min(rr.RiskFeatures, plan.Footprint.U.Features)}
		few := work{f: f.With(features.Spec{Size: 2}, psi)}
		more := few.sumsUY() + few.assessing() + few.diagnosing() + w.mapping(w.f.X, w.n()) + 2*w.n()*w.p()*w.k()
		o.Least, o.Flops, o.Most = o.Least+more, o.Flops+more, o.Most+more
	}
	return o
}

func candidateNames(specs []features.Spec) []string {
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = candidateName(s)
	}
	return names
}
