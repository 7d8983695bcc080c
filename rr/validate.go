package rr

import (
	"fmt"

	"mediant/tables"
)

// newProblem checks the setup and puts both tables under guard, so that every pass over them, by whichever method, holds
// them to what tables.Source promises.
func newProblem(s Setup, xu, uy tables.Source) (*Problem, error) {
	if xu == nil || uy == nil {
		return nil, fmt.Errorf("rr: a table is nil: S_X, of X and U, and S_Y, of U and Y, are both needed")
	}
	return &Problem{Setup: s, sources: [2]tables.Source{tables.NewGuard("S_X", xu), tables.NewGuard("S_Y", uy)}}, nil
}
