package solvers

import (
	"testing"

	"mediant/internal/settingstest"
)

// TestParamsOutOfRange: each is an error of Check, and of Solve a panic with it.
func TestParamsOutOfRange(t *testing.T) {
	settingstest.Run(t, settingstest.Case[Params]{
		Good: Params{W: .5}, Fields: map[string][]any{"W": {0., 2., 1e-10}, "Penalty": {9}},
		Use: Params.Check,
	})
	settingstest.Run(t, settingstest.Case[Params]{
		Good: Params{W: .5}, Fields: map[string][]any{"W": {0., 2.}, "Penalty": {9}},
		Use: func(p Params) (err error) {
			defer func() { err, _ = recover().(error) }()
			crossed().system(t).Solve(p)
			return nil
		},
	})
}
