// Package problemtest makes the problems that tests of several packages need.
package problemtest

import (
	"testing"

	"mediant/features"
	"mediant/problem"
	"mediant/tables"
)

// Prepared is problem.Prepare where it is not to fail.
func Prepared(t testing.TB, s problem.Setup, xu, uy tables.Source) *problem.Problem {
	t.Helper()
	p, err := problem.Prepare(t.Context(), s, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Setup is one with 20 features of a kind on both sides, and weights, for fixture.Surrogates.
func Setup(kind features.Kind) problem.Setup {
	spec := features.Spec{Kind: kind, Size: 20}
	return problem.Setup{Phi: spec, Psi: spec, Folds: 4, Seed: 3, Roles: tables.RoleOptions{WeightsXU: "w", WeightsUY: "w"}}
}
