package rr

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/problem"
	"mediant/solvers"
)

// Joint is Joint-RR: f and h minimise together
//
//	1/W [mean_SX |f-h|² + lambda_f |alpha|²] + 1/(1-W) [mean_SY |h-y|² + lambda_h |beta|²]
//
// which without penalties bounds the risk of f from above whatever the distribution is ([Yamane21, Thm 1]). With Penalty
// solvers.Paper the penalties are not divided by the weights, as in the paper. Auto means W = 1/2 and lambdas of 1e-4. The
// zero value is usable.
type Joint struct {
	W, LambdaF, LambdaH Setting
	Penalty             solvers.Penalty
}

var _ Method = Joint{}

// Fit implements Method.
func (j Joint) Fit(ctx context.Context, p *problem.Problem) (*Model, error) {
	if err := j.Validate(); err != nil {
		return nil, err
	}
	if p.FitsEach() {
		return byOutput(ctx, p, j)
	}
	return solve(p, "joint", j.params())
}

func (j Joint) params() solvers.Params {
	return solvers.Params{
		W:       j.W.Or(DefaultW),
		LambdaF: j.LambdaF.Or(DefaultLambda), LambdaH: j.LambdaH.Or(DefaultLambda),
		Penalty: j.Penalty,
	}
}

// solve fits f and h in closed form.
func solve(p *problem.Problem, method string, params solvers.Params) (*Model, error) {
	if err := params.Check(); err != nil {
		return nil, err
	}
	system, err := p.System()
	if err != nil {
		return nil, err
	}
	s := system.Solve(params)
	m := model(p, method, params)
	m.F, m.H = NewLinear(p.Phi(), s.Alpha, s.InterceptF), NewLinear(p.Psi(), s.Beta, s.InterceptH)
	m.NoteSystem("f", s.CondF, s.RankF, s.Alpha)
	m.NoteSystem("h", s.CondH, s.RankH, s.Beta)
	return m, nil
}

// model is NewModel for a method with these parameters.
func model(p *problem.Problem, method string, params solvers.Params) *Model {
	m := NewModel(p, method)
	m.setParams(params)
	m.Params.Precision = p.HasFitWeights()
	return m
}

func (m *Model) setParams(p solvers.Params) {
	m.Params.W, m.Params.LambdaF, m.Params.LambdaH = &p.W, &p.LambdaF, &p.LambdaH
	m.Params.Penalty = p.Penalty.String()
}

// NoteSystem records, under name ("f", "h"), the condition number and the rank of the system that was solved for coef, and adds a warning if its
// matrix was singular to rounding. It is for methods of other packages.
func (m *Model) NoteSystem(name string, cond float64, rank int, coef mat.Matrix) {
	order, _ := coef.Dims()
	if m.Condition == nil {
		m.Condition = make(map[string]Condition)
	}
	m.Condition[name] = conditionOf(cond, rank)
	if rank < order || math.IsInf(cond, 0) {
		m.Warnings = append(m.Warnings, fmt.Sprintf("the system for %s is singular to rounding: rank %d of %d, solved with least norm (a larger lambda avoids this)", name, rank, order))
	}
}
