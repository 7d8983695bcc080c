package main

import (
	"context"
	"errors"
	"fmt"

	"mediant"
	"mediant/problem"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// Values of --solver.
const (
	solverAuto   = "auto"
	solverClosed = "closed"
	solverCG     = "cg"
)

// iterative is the plan's method by conjugate gradients. An error names the flag that has no meaning with it.
func (f *fitFlags) iterative(setup problem.Setup, lambdaF, lambdaH rr.Setting) (rr.Method, error) {
	switch {
	case f.method != "auto" && f.method != "2step":
		return nil, usagef("--solver cg has no meaning with --method %s", f.method)
	case f.given("w") && f.w != 1:
		return nil, usagef("--solver cg has no meaning with --w %g", f.w)
	case otherLoss(f.loss) != nil:
		return nil, usagef("--solver cg has no meaning with --loss %s", f.loss)
	case f.planFile != "":
		return nil, usagef("--solver cg has no meaning with --plan: it needs rows")
	case setup.Phi.LearnsMetric():
		return nil, usagef("--solver cg has no meaning with --phi %s, which is learned from sums", f.phi)
	case setup.Psi.LearnsMetric():
		return nil, usagef("--solver cg has no meaning with --psi %s, which is learned from sums", f.psi)
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"se", f.se}, {"shift", f.shift}, {"precision", f.precision}, {"components", f.components}, {"distribution", f.distribution.fit}, {"penalty", f.penalty == "paper"}} {
		if flag.set {
			return nil, usagef("--%s has no meaning with --solver cg", flag.name)
		}
	}
	return rr.Iterative{LambdaF: lambdaF, LambdaH: lambdaH, Phi: setup.Phi, Psi: setup.Psi}, nil
}

// planSolver sets the method by --solver, or what takes its place where the closed form needs more memory than there is.
func (f *fitFlags) planSolver(p *plan, lambdaF, lambdaH rr.Setting) error {
	method, err := f.iterative(p.setup, lambdaF, lambdaH)
	switch f.solver {
	case solverCG:
		p.method = method
		return err
	case solverAuto, "":
		if err == nil && f.given("features") {
			p.large = method
		}
	case solverClosed:
	default:
		return usagef("--solver %q, want auto, closed or cg", f.solver)
	}
	return nil
}

// fit fits what the plan says, or, where that needs more memory than there is, by conjugate gradients.
func (f *fitFlags) fit(ctx context.Context, p plan, xu, uy tables.Source, s *summary) (*mediant.Model, *search.Choice, error) {
	model, choice, err := f.fitPlanned(ctx, p, xu, uy, s)
	var short *problem.MemoryError
	if p.large == nil || !errors.As(err, &short) {
		return model, choice, err
	}
	p.method = p.large
	model, choice, err = f.fitPlanned(ctx, p, xu, uy, s)
	if err == nil {
		model.Notes = append(model.Notes, fmt.Sprintf("solved by conjugate gradients: the closed form would need %s, above --memory", formatBytes(short.Need)))
	}
	return model, choice, err
}
