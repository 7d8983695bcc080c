package rr

import (
	"fmt"

	"mediant/internal/bounds"
	"mediant/solvers"
)

// CheckPenalty returns an error that names the field if s is set and is not a penalty.
func (s Setting) CheckPenalty(field string) error { return bounds.Penalty(field, s.Or(0)) }

// CheckWeight returns an error that names the field if s, the W of Joint-RR, is set and out of range for penalties of a kind.
func (s Setting) CheckWeight(field string, p solvers.Penalty) error {
	v := s.Or(DefaultW)
	switch {
	case !(v >= solvers.MinW && v <= 1):
		return fmt.Errorf("%s is %g, must be at least %g and at most 1", field, v, solvers.MinW)
	case v == 1 && p == solvers.Paper:
		return fmt.Errorf("%s is 1, where the paper's penalty is not defined", field)
	}
	return nil
}

// Validate returns an error that names the first field out of range.
func (j Joint) Validate() error {
	return bounds.First(
		j.Penalty.Check("rr: Joint.Penalty"),
		j.W.CheckWeight("rr: Joint.W", j.Penalty),
		j.LambdaF.CheckPenalty("rr: Joint.LambdaF"),
		j.LambdaH.CheckPenalty("rr: Joint.LambdaH"),
	)
}

// Validate returns an error that names the first field out of range, or two that exclude each other.
func (t TwoStep) Validate() error {
	if (t.F != nil || t.H != nil) && t.Components {
		return errComponentsOwn
	}
	return bounds.First(t.LambdaF.CheckPenalty("rr: TwoStep.LambdaF"), t.LambdaH.CheckPenalty("rr: TwoStep.LambdaH"))
}

// Validate returns an error that names the first field out of range.
func (r Ridge) Validate() error {
	return bounds.First(bounds.Field("rr: Ridge.Spec", r.Spec.Validate()), r.Lambda.CheckPenalty("rr: Ridge.Lambda"))
}
