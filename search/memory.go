package search

import (
	"math"

	"mediant/features"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/solvers"
)

// CheckMemory is Setup.CheckMemory for the whole search.
func (s Search) CheckMemory(xu, uy problem.Preview) error {
	if s.Folds < 2 {
		s.Folds = Folds
	}
	return s.LeastWithin(s.stages, searchMemory, xu, uy)
}

// tuningBytes is the memory for the fits of f at so many points of a grid, and for their comparison.
func tuningBytes(f problem.Footprint, points float64) float64 {
	p, q, k := f.P(), f.Q(), f.Outputs
	fits := 8 * f.Folds() * points * p * k
	columns := min(points, max(1, math.Floor(comparedColumns/k))) * k
	scoring := 8*f.Folds()*p*columns + max(f.RieszWeights(columns), f.Workers()*(moments.InnerBytes(p, q, columns)+8*(p+q)*columns)+8*f.Folds()*q*columns*4)
	return fits + max(f.Workers()*solvers.SystemBytes(p, q, k), scoring)
}

// weighingByPrecision is the memory for weights by precision: sums by folds, a pilot fit, the variance, and new sums.
func weighingByPrecision(f problem.Footprint) float64 {
	need, f := f.ByFolds()
	need += (f.Units() - 1) * (f.Folds() + 1) * f.CoMomentsXU() // of the other outputs
	return need + f.CrossValidation() + precisionBytes(f) + tuningBytes(f, float64(len(searchLambdas))) + (f.Folds()+1)*f.CoMomentsXU()
}

// precisionBytes is the memory for the regression of the variance and the new sums of S_X by folds, with the sums of the
// other folds.
func precisionBytes(f problem.Footprint) float64 {
	variance := 2*f.Folds()*moments.Bytes(f.P(), 1) + f.CrossValidated(f.P(), 1)
	return max(variance, (2*f.Folds()+1)*f.CoMomentsXU())
}

// trying is the memory for a candidate for psi in stage 1 of a search, beside the best so far.
func tryingPsi(f problem.Footprint) float64 {
	f = f.OfU()
	one := 2 * f.Folds() * f.CoMomentsUY()
	best := one + 8*f.Folds()*float64(len(searchLambdas))*f.Q()*f.Outputs
	return f.Base() + best + max(problem.SampledBytes(f.U, f.Sparse.U, max(one+f.CrossValidation(), f.Psi().FitBytes(f.U))), f.LearningU())
}

// tryingPhi is the memory for a candidate for phi in stage 2.
func tryingPhi(f problem.Footprint) float64 {
	scoring := 2*f.Folds()*f.CoMomentsUY() + 8*f.Folds()*float64(len(searchLambdas))*f.Q()*f.Outputs
	return f.Base() + scoring + max(problem.SampledBytes(f.X, f.Sparse.X, max(2*f.Folds()*f.CoMomentsXU()+tuningBytes(f, float64(len(searchLambdas))), f.Phi().FitBytes(f.X))), f.LearningX())
}

// HyperparameterBytes returns the memory, in bytes, for stage 3 of a search (ChooseOf), and for stage 4 and the fit that follow. points is the size of
// the grid.
func (s Search) HyperparameterBytes(f problem.Footprint) float64 {
	lambdas := float64(len(searchLambdas))
	kept := 8 * f.Folds() * lambdas * (f.P() + f.Q()) * f.Outputs // coarse fits of f, and all of h
	points := float64(len(refine) * len(refine) * len(s.wGrid(s.W)))
	tuning := max(tuningBytes(f, lambdas), tuningBytes(f, points))
	assessing := max(f.Assessing(s.Assess.Form == risk.CovariateShift), f.Solving())
	if s.Rivals != nil { // the naive chain predicts U, or psi where rows of U are sparse
		columns := float64(f.U.In)
		if f.Sparse.U {
			columns = f.Q()
		}
		assessing = max(assessing, f.Folds()*moments.Bytes(f.P(), columns)+solvers.RidgeBytes(f.P(), columns, 1))
	}
	if additive(f.Setup.Phi) && additive(f.Setup.Psi) && s.triesComponents(f.Rows[0]) {
		points = float64(len(refine) * len(refineComponents))
		part := 8*f.P()*(f.P()+f.Q()) + solvers.FactorBytes(f.P()) + 8*points*(f.P()+f.Q())*f.Outputs
		tuning = max(tuning, tuningBytes(f, points)+f.Workers()*part)
	}
	if s.weighs(f.Rows[0]) {
		tuning = max(tuning, precisionBytes(f)) + precisionBytes(f) + (f.Units()-1)*(f.Folds()+1)*f.CoMomentsXU()
		assessing += f.Units() * (f.Folds() + 2) * f.CoMomentsXU() // for all folds, all together, and the others
	}
	if learns(f) {
		tuning = max(tuning, f.Sums()+f.OtherFolds()+tuningBytes(f, 1)+max(f.LearningX(), f.LearningU()))
	}
	return max(f.Mapping(), f.Base()+f.Sums()+max(f.OtherFolds()+kept+tuning, assessing))
}

func additive(s features.Spec) bool { return s.Kind == features.AdditiveFeatures }

// searchMemory is the stage of a fit with the memory of stages.
const searchMemory = "a search"

// stages is the memory for a whole search. Candidates whose sizes the search or the caller sets must fit. Those whose size
// follows from their columns are left out if they do not fit and there are others.
func (s Search) stages(f problem.Footprint) float64 {
	need := 0.0
	phis, psis := s.candidates(f)
	rowsX, rowsU := f.Rows[0], f.Rows[0]+f.Rows[1]
	for _, phi := range requiredOf(phis) {
		for _, psi := range requiredOf(psis) {
			at := f.With(sized(phi, searchSize(rowsX), f.X.In), sized(psi, searchSize(rowsU), f.U.In))
			need = max(need, s.HyperparameterBytes(at))
			if len(phis) > 1 || len(psis) > 1 {
				need = max(need, tryingPsi(at))
			}
			if len(phis) > 1 {
				need = max(need, tryingPhi(at))
			}
		}
	}
	return need
}

// candidates are the maps that the search tries on both sides.
func (s Search) candidates(f problem.Footprint) (phis, psis []features.Spec) {
	rows := max(f.Rows[0], f.Rows[1])
	if s.planned {
		rows = 0
	}
	return s.withGroups(candidatesFor(f.Sparse.X, f.X.In, rows, f.Setup.Phi, s.PhiCandidates)), s.withGroups(candidatesFor(f.Sparse.U, f.U.In, rows, f.Setup.Psi, s.PsiCandidates))
}

// requiredOf returns the specs whose size can be set and that need no more than their sums, or all if there are none.
func requiredOf(specs []features.Spec) []features.Spec {
	var out []features.Spec
	for _, s := range specs {
		if s.HasSize() && !additive(s) && !s.LearnsMetric() {
			out = append(out, s)
		}
	}
	if out == nil {
		return specs
	}
	return out
}
