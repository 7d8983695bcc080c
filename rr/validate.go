package rr

import (
	"fmt"
	"math"

	"mediant/encode"
	"mediant/internal/bounds"
	"mediant/solvers"
	"mediant/tables"
)

// Settings are checked before any work by the Validate method of the struct that has them, which Fit, Estimate,
// Choose and Assess call first: a setting out of range is an error that names the field. What a method is given by a
// Problem is checked when that is prepared.

// newProblem checks the setup and puts both tables under guard, so that every pass over them, by whichever method, holds
// them to what tables.Source promises.
func newProblem(s Setup, xu, uy tables.Source) (*Problem, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := someTables(xu, uy); err != nil {
		return nil, err
	}
	return &Problem{Setup: s, sources: [2]tables.Source{tables.NewGuard("S_X", xu), tables.NewGuard("S_Y", uy)}}, nil
}

// someTables refuses a table that is nil.
func someTables(xu, uy tables.Source) error {
	if xu == nil || uy == nil {
		return fmt.Errorf("rr: a table is nil: S_X, of X and U, and S_Y, of U and Y, are both needed")
	}
	return nil
}

// validated returns the error of a method's own Validate, if it has one.
func validated(method any) error {
	switch m := method.(type) {
	case nil:
		return fmt.Errorf("rr: the method is nil")
	case interface{ Validate() error }:
		return m.Validate()
	}
	return nil
}

// Validate returns an error that names the first field out of range.
func (s Setup) Validate() error {
	return bounds.First(
		bounds.Enum("rr: Setup.Task", s.Task, "features.AutoTask, Regress or Classify", encode.AutoTask, encode.Regress, encode.Classify),
		field("rr: Setup.Phi", s.Phi.Validate()),
		field("rr: Setup.Psi", s.Psi.Validate()),
		field("rr: Setup.Text", s.Text.Validate()),
		bounds.Count("rr: Setup.Memory", int(max(s.Memory, math.MinInt32))), // of which only the sign matters
		bounds.Count("rr: Setup.Folds", s.Folds),
	)
}

// field names the field whose own check failed.
func field(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

func (k Covariance) check(name string) error {
	return bounds.Enum(name, k, "Corrected, Jackknife or Sandwich", Corrected, Jackknife, Sandwich)
}

// penalty checks a penalty that is set.
func penalty(name string, s Setting) error { return bounds.Penalty(name, s.Or(0)) }

// weight checks a W that is set.
func weight(name string, w Setting, p solvers.Penalty) error {
	v := w.Or(DefaultW)
	switch {
	case !(v >= solvers.MinW && v <= 1):
		return fmt.Errorf("%s is %g, must be at least %g and at most 1", name, v, solvers.MinW)
	case v == 1 && p == solvers.Paper:
		return fmt.Errorf("%s is 1, where the paper's penalty is not defined", name)
	}
	return nil
}

func penaltyKind(name string, p solvers.Penalty) error {
	return bounds.Enum(name, int(p), "solvers.Scaled or solvers.Paper", int(solvers.Scaled), int(solvers.Paper))
}

// Validate returns an error that names the first field out of range.
func (j Joint) Validate() error {
	return bounds.First(
		penaltyKind("rr: Joint.Penalty", j.Penalty),
		weight("rr: Joint.W", j.W, j.Penalty),
		penalty("rr: Joint.LambdaF", j.LambdaF),
		penalty("rr: Joint.LambdaH", j.LambdaH),
	)
}

// Validate returns an error that names the first field out of range, or two that exclude each other.
func (t TwoStep) Validate() error {
	if (t.F != nil || t.H != nil) && t.Components {
		return errComponentsOwn
	}
	return bounds.First(penalty("rr: TwoStep.LambdaF", t.LambdaF), penalty("rr: TwoStep.LambdaH", t.LambdaH))
}

// Validate returns an error that names the first field out of range, or two that exclude each other.
func (s Search) Validate() error {
	switch {
	case s.PhiCandidates != nil && len(s.PhiCandidates) == 0:
		return fmt.Errorf("rr: Search.PhiCandidates is empty, must be nil or have one")
	case s.PsiCandidates != nil && len(s.PsiCandidates) == 0:
		return fmt.Errorf("rr: Search.PsiCandidates is empty, must be nil or have one")
	}
	for i, c := range s.PhiCandidates {
		if err := c.Validate(); err != nil {
			return fmt.Errorf("rr: Search.PhiCandidates[%d]: %w", i, err)
		}
	}
	for i, c := range s.PsiCandidates {
		if err := c.Validate(); err != nil {
			return fmt.Errorf("rr: Search.PsiCandidates[%d]: %w", i, err)
		}
	}
	return bounds.First(
		s.Setup.Validate(),
		penaltyKind("rr: Search.Penalty", s.Penalty),
		bounds.Enum("rr: Search.Precision", s.Precision, "Compared, Always or Never", Compared, Always, Never),
		bounds.Enum("rr: Search.Components", s.Components, "Compared, Always or Never", Compared, Always, Never),
		weight("rr: Search.W", s.W, s.Penalty),
		penalty("rr: Search.LambdaF", s.LambdaF),
		penalty("rr: Search.LambdaH", s.LambdaH),
		field("rr: Search.Assess", s.Assess.Validate()),
	)
}

// Validate returns an error that names the first field out of range.
func (o AssessOptions) Validate() error {
	return bounds.First(
		bounds.Enum("rr: AssessOptions.Form", o.Form, "0, SameLaw or ShiftedLaw", 0, SameLaw, ShiftedLaw),
		largePenalty("rr: AssessOptions.LambdaH", o.LambdaH),
		largePenalty("rr: AssessOptions.Mu", o.Mu),
	)
}

// largePenalty checks a penalty that sums are added to.
func largePenalty(name string, s Setting) error {
	if v := s.Or(0); v >= 1e300 {
		return fmt.Errorf("%s is %g, must be below 1e300", name, v)
	}
	return penalty(name, s)
}

// Validate returns an error that names the first field out of range.
func (e Effect) Validate() error {
	if e.Treatment == "" {
		return fmt.Errorf("rr: Effect.Treatment is empty, must name a column of the first table")
	}
	if p := e.Probability.Or(.5); !(p > 0 && p < 1) {
		return fmt.Errorf("rr: Effect.Probability is %g, must be above 0 and below 1", p)
	}
	return bounds.First(e.Setup.Validate(), penalty("rr: Effect.LambdaH", e.LambdaH), penalty("rr: Effect.Mu", e.Mu))
}

// Validate returns an error that names the first field out of range.
func (r Ridge) Validate() error {
	return bounds.First(field("rr: Ridge.Spec", r.Spec.Validate()), penalty("rr: Ridge.Lambda", r.Lambda))
}
