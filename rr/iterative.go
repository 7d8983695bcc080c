package rr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/bounds"
	"mediant/internal/progress"
	"mediant/problem"
	"mediant/solvers"
	"mediant/tables"
)

// Iterative is 2Step-RR by ridge regression (TwoStep) on more features than a factorisation holds: the normal equations of h on S_Y, and then of f on S_X, are solved by preconditioned conjugate gradients (solvers.Conjugate) with passes over the rows, so that no p×p matrix is formed
// [Rudi, Carratino and Rosasco, FALKON: An optimal large scale kernel method, NIPS 2017]. One pass costs 4 n p flops an output beside the features. Those without each fold of the problem come from the same passes, for the risk.
//
// Solutions are those of TwoStep to Tolerance; how far they are is in Model.Iterations, and a warning says so if they did not get there. Up to Whitened landmarks a Nyström map is whitened. With more the landmarks are uniform rows, of 20,000 and more too, the
// penalty is lambda alpha'K_ZZ alpha, and K_ZZ is applied by blocks, m²/2 kernels a pass beside n m; the preconditioner has a factor of it in float32, of 2 m² bytes and m³/3 flops. Models of folds keep landmarks that are rows of their fold. The zero value is usable.
type Iterative struct {
	LambdaF, LambdaH Setting
	// Phi and Psi are the maps of X and of U, in place of those of the problem, of which only the risk makes use.
	Phi, Psi  features.Spec
	Conjugate solvers.Conjugate
	// Whitened is the largest number of landmarks of a Nyström map that is whitened, which takes 16 bytes for each pair of them; 0 is what half of the memory limit holds, at least 8,192.
	Whitened int
	// Sample is the number of rows that make the preconditioner; 0 is 2,000. More take fewer iterations, and 8 Sample bytes a feature.
	Sample int
	// Held are the bytes of features that may be kept between passes; 0 is half of what the memory limit leaves, or 1 GiB without a limit, and less than 0 none. Features that are not kept are computed anew.
	Held int64
}

var _ TableMethod = Iterative{}

const (
	// defaultSample is more than the effective number of features of most problems, and costs no more than a few passes.
	defaultSample = 2000
	// whitenedLandmarks take 0.5 GB for K_ZZ, and as much again to factor it.
	whitenedLandmarks = 8192
)

// Validate returns an error that names the first field out of range.
func (t Iterative) Validate() error {
	return bounds.First(
		t.LambdaF.CheckPenalty("rr: Iterative.LambdaF"), t.LambdaH.CheckPenalty("rr: Iterative.LambdaH"),
		bounds.Field("rr: Iterative.Phi", t.Phi.Validate()), bounds.Field("rr: Iterative.Psi", t.Psi.Validate()),
		bounds.Field("rr: Iterative.Conjugate", t.Conjugate.Validate()), bounds.Count("rr: Iterative.Whitened", t.Whitened), bounds.Count("rr: Iterative.Sample", t.Sample),
	)
}

// FitTables implements TableMethod, with the maps of the Setup.
func (t Iterative) FitTables(ctx context.Context, s problem.Setup, xu, uy tables.Source) (*Model, error) {
	e, err := problem.EncodeFor(ctx, s, xu, uy, t.need, "")
	if err != nil {
		return nil, err
	}
	t.Phi, t.Psi = e.Setup().Phi, e.Setup().Psi
	return t.fit(ctx, e, func() *Model { return newModel(e, "2step") })
}

const (
	// RiskFeatures of U are what the nuisances of a risk of Iterative have: their sums and factors take some seconds.
	RiskFeatures = 1024
	// leastRiskFeatures are those below which no memory is saved.
	leastRiskFeatures = 64
)

// Prepare returns a problem for this method and its risk, and the method with the maps of the setup. The problem's own maps are those of the nuisances of the risk, at most 1,024 features of U, or fewer where the memory limit says so, and two of X: sums of others are not needed.
func (t Iterative) Prepare(ctx context.Context, s problem.Setup, xu, uy tables.Source) (*problem.Problem, Method, error) {
	e, err := problem.EncodeFor(ctx, s, xu, uy, t.need, "")
	if err != nil {
		return nil, t, err
	}
	t.Phi, t.Psi = e.Setup().Phi, e.Setup().Psi
	few := func(size int) *problem.Encoded {
		psi := t.Psi.WithSize(size)
		if psi.LandmarkRows = nil; !psi.HasSize() && e.Footprint().Q() > RiskFeatures {
			psi = features.Spec{Size: size}
		}
		return e.With(features.Spec{Size: 2}, psi)
	}
	size := RiskFeatures
	for small := few(size); size > leastRiskFeatures && small.Footprint().Within(problem.Footprint.Preparing, "") != nil; small = few(size) {
		size /= 2
	}
	m, err := few(size).Map(ctx)
	if err != nil {
		return nil, t, err
	}
	p, err := m.Sum(ctx)
	return p, t, err
}

// Fit implements Method. The problem must have rows.
func (t Iterative) Fit(ctx context.Context, p *problem.Problem) (*Model, error) {
	if p.HasFitWeights() {
		return nil, errors.New("rr: rows are weighted by precision for ridge regression in closed form only")
	}
	return t.fit(ctx, &p.Encoded, func() *Model { return NewModel(p, "2step") })
}

// fit fits both steps.
func (t Iterative) fit(ctx context.Context, e *problem.Encoded, begin func() *Model) (*Model, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if e.Setup().Shift {
		return nil, errors.New("rr: rows are weighted by the ratio of the densities of U for ridge regression in closed form only")
	}
	if err := e.NeedsRows("conjugate gradients"); err != nil {
		return nil, err
	}
	e = e.With(t.Phi, t.Psi)
	if err := e.Footprint().Within(t.need, ""); err != nil {
		return nil, err
	}
	maps, err := e.MapUnwhitened(ctx, t.whitened(e.Setup().Memory), cmp.Or(t.Sample, defaultSample))
	if err != nil {
		return nil, err
	}
	h, err := t.step(ctx, maps, stepH, maps.Y(), t.LambdaH)
	if err != nil {
		return nil, err
	}
	f, err := t.step(ctx, maps, stepF, hOf(maps, h.coef, h.intercept), t.LambdaF)
	if err != nil {
		return nil, err
	}
	m := begin()
	m.setParams(solvers.Params{W: 1, LambdaF: t.LambdaF.Or(DefaultLambda), LambdaH: t.LambdaH.Or(DefaultLambda)})
	m.Notes = append(m.Notes, maps.Notes()[len(e.Notes()):]...)
	m.F, m.H = f.predictor(0), h.predictor(0)
	for set := 1; set < f.sets; set++ {
		m.withoutFold = append(m.withoutFold, f.predictor(set))
	}
	m.noteIterations("f", f.how)
	m.noteIterations("h", h.how)
	return m, nil
}

// The two steps.
const (
	stepH = iota
	stepF
)

// A solvedStep has the coefficients of all training sets.
type solvedStep struct {
	of        features.Map
	coef      *mat.Dense
	intercept []float64
	sets      int
	how       solvers.Convergence
}

// predictor is that of a training set.
func (s solvedStep) predictor(set int) *Linear {
	p, columns := s.coef.Dims()
	k := columns / s.sets
	return NewLinear(s.of, mat.DenseCopyOf(s.coef.Slice(0, p, set*k, (set+1)*k)), s.intercept[set*k:(set+1)*k:(set+1)*k])
}

// step solves one regression.
func (t Iterative) step(ctx context.Context, m *problem.Mapped, step int, right encode.Side, lambda Setting) (s solvedStep, err error) {
	of := tableSide{problem.TableUY, "psi", m.U(), m.Psi()}
	stage := "fitting h"
	if step == stepF {
		of, stage = tableSide{problem.TableXU, "phi", m.X(), m.Phi()}, "fitting f"
	}
	ctx = progress.Stage(ctx, stage)
	e, err := newRidgeEquations(ctx, m, of, right, step == stepF, lambda.Or(DefaultLambda), cmp.Or(t.Sample, defaultSample), t.room(m.Footprint()))
	if err != nil {
		return s, err
	}
	s.of, s.sets = of.of, e.normal.Sets()
	s.coef, s.intercept, s.how, err = e.solve(ctx, t.Conjugate)
	return s, err
}

// whitened is the largest number of landmarks that are whitened.
func (t Iterative) whitened(limit int64) int {
	return cmp.Or(t.Whitened, max(whitenedLandmarks, int(math.Sqrt(float64(limit)/2/16))))
}

// room is that of features that are kept.
func (t Iterative) room(f problem.Footprint) float64 {
	limit := f.Setup.Memory
	switch {
	case t.Held != 0:
		return float64(t.Held)
	case limit <= 0:
		return 1 << 30
	}
	return (float64(limit) - t.need(f)) / 2
}

// noteIterations records how a system was solved, and warns of one that was not.
func (m *Model) noteIterations(name string, how solvers.Convergence) {
	if m.Iterations == nil {
		m.Iterations = make(map[string]solvers.Convergence)
	}
	m.Iterations[name] = how
	if how.Converged {
		return
	}
	why := "which is slow convergence (more iterations, a larger lambda, or fewer features avoid it)"
	if how.Breakdown > 0 {
		why = fmt.Sprintf("which broke down at iteration %d, where rounding made the system indefinite (a larger lambda avoids it)", how.Breakdown)
	}
	m.Warnings = append(m.Warnings, fmt.Sprintf("the system for %s was not solved to the tolerance by %d iterations of conjugate gradients, %s: predictions may differ from those of the solution by %.1g of the standard deviation of Y (residual %.1g, condition %.1g)", name, how.Iterations, why, how.Off, how.Residual, how.Condition))
}
