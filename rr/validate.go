package rr

import (
	"fmt"

	"mediant/internal/bounds"
	"mediant/solvers"
)

// Penalty returns an error if s is set and is not a penalty.
func Penalty(name string, s Setting) error { return bounds.Penalty(name, s.Or(0)) }

// Weight returns an error if w is set and out of range.
func Weight(name string, w Setting, p solvers.Penalty) error {
	v := w.Or(DefaultW)
	switch {
	case !(v >= solvers.MinW && v <= 1):
		return fmt.Errorf("%s is %g, must be at least %g and at most 1", name, v, solvers.MinW)
	case v == 1 && p == solvers.Paper:
		return fmt.Errorf("%s is 1, where the paper's penalty is not defined", name)
	}
	return nil
}

func PenaltyKind(name string, p solvers.Penalty) error {
	return bounds.Enum(name, int(p), "solvers.Scaled or solvers.Paper", int(solvers.Scaled), int(solvers.Paper))
}

// Validate returns an error that names the first field out of range.
func (j Joint) Validate() error {
	return bounds.First(
		PenaltyKind("rr: Joint.Penalty", j.Penalty),
		Weight("rr: Joint.W", j.W, j.Penalty),
		Penalty("rr: Joint.LambdaF", j.LambdaF),
		Penalty("rr: Joint.LambdaH", j.LambdaH),
	)
}

// Validate returns an error that names the first field out of range, or two that exclude each other.
func (t TwoStep) Validate() error {
	if (t.F != nil || t.H != nil) && t.Components {
		return errComponentsOwn
	}
	return bounds.First(Penalty("rr: TwoStep.LambdaF", t.LambdaF), Penalty("rr: TwoStep.LambdaH", t.LambdaH))
}

// Validate returns an error that names the first field out of range.
func (r Ridge) Validate() error {
	return bounds.First(bounds.Field("rr: Ridge.Spec", r.Spec.Validate()), Penalty("rr: Ridge.Lambda", r.Lambda))
}
