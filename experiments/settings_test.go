package experiments

import (
	"context"
	"math"
	"reflect"
	"testing"

	"mediant/effect"
	"mediant/encode"
	"mediant/inference"
	"mediant/internal/settingstest"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// TestSettingsOutOfRange: each is an error of what is drawn or run by them.
func TestSettingsOutOfRange(t *testing.T) {
	types := map[reflect.Type][]any{
		reflect.TypeFor[[]int]():                {[]int{}, []int{1, 0}},
		reflect.TypeFor[risk.Form]():            {9},
		reflect.TypeFor[inference.Covariance](): {9},
		reflect.TypeFor[encode.Task]():          {9},
		reflect.TypeFor[[]string]():             {[]string{"no such column"}},
		reflect.TypeFor[rr.Setting]():           {rr.Value(-1), rr.Value(math.NaN()), rr.Value(math.Inf(1))},
	}
	settingstest.Run(t, settingstest.Case[Synthetic]{
		Good: Synthetic{D: 1}, Signed: []string{"Shift"}, Fields: map[string][]any{"D": {0}},
		Use: func(s Synthetic) error { _, err := s.XU(3, 1); return err },
	})
	settingstest.Run(t, settingstest.Case[Curved]{
		Good: Curved{D: 1}, Signed: []string{"Curve", "Spread"}, Fields: map[string][]any{"D": {0}},
		Use: func(c Curved) error { _, err := c.UY(3, 1); return err },
	})
	settingstest.Run(t, settingstest.Case[Surrogate]{
		Good: Surrogate{Share: .5}, Signed: []string{"Level"}, Fields: map[string][]any{"Share": {0., 1.}},
		Use: func(s Surrogate) error { _, err := s.UY(3, 1); return err },
	})
	settingstest.Run(t, settingstest.Case[Reproduction]{
		Good: Reproduction{Dims: []int{1}, Rows: 10, TestRows: 1, Repetitions: 2}, Types: types, Legal: []string{"Seed"},
		Use: Reproduction.Validate, // Run takes seconds
	})
	choose := func(context.Context, tables.Source, tables.Source, uint64) (*search.Choice, error) { return nil, nil }
	settingstest.Run(t, settingstest.Case[Coverage]{
		Good:  Coverage{Distribution: Synthetic{D: 1}, Rows: 1, TestRows: 1, Repetitions: 1, Choose: choose},
		Types: types, Legal: []string{"Seed", "Log", "Model"}, Signed: []string{"Distribution.Shift"},
		Use: Coverage.Validate,
	})
	settingstest.Run(t, settingstest.Case[Collection]{
		Good:  Collection{Distribution: Synthetic{D: 1}, Rows: 2, TestRows: 1, Repetitions: 2, Choose: choose},
		Types: map[reflect.Type][]any{reflect.TypeFor[Distribution](): {Synthetic{}}}, Legal: []string{"Seed", "Model"},
		Use: Collection.Validate,
	})
	settingstest.Run(t, settingstest.Case[PrivateStudy]{
		Good:  PrivateStudy{Distribution: Synthetic{D: 1}, Rows: 2, TestRows: 1, PublicRows: 2, Repetitions: 2, Features: 2, Blocks: 1},
		Types: map[reflect.Type][]any{reflect.TypeFor[Distribution](): {Synthetic{}}},
		Legal: []string{"Seed", "Epsilon", "Delta"},
		Use:   PrivateStudy.Validate,
	})
	settingstest.Run(t, settingstest.Case[Audit]{Good: Audit{Epsilon: 1, Delta: .01, Draws: 100}, Use: Audit.Validate})
	settingstest.Run(t, settingstest.Case[OverlapStudy]{
		Good:   OverlapStudy{Kind: "levels", Share: .5, Rows: 1, TestRows: 1, Repetitions: 1},
		Fields: map[string][]any{"Kind": {"dates"}, "Share": {1., -.1}}, Types: types, Legal: []string{"Seed"},
		Use: OverlapStudy.Validate,
	})
	settingstest.Run(t, settingstest.Case[ErrorStudy]{
		Good:  ErrorStudy{Distribution: Synthetic{D: 1}, Rows: 1, Points: 1, Draws: 1},
		Legal: []string{"Seed"}, Signed: []string{"Distribution.Shift"},
		Use: ErrorStudy.Validate,
	})
	settingstest.Run(t, settingstest.Case[EffectStudy]{
		Good: EffectStudy{Distribution: Surrogate{Share: .5}, RowsXU: 1, RowsUY: 1, Draws: 1, Method: effect.Estimator{Treatment: "t"}}, Types: types, Signed: []string{"Distribution.Level"},
		// Columns are looked for when there are some.
		Legal: []string{"Method.Setup.Seed", "Method.Setup.Text.Stop", "Method.X", "Method.Propensity", "Method.Treatment", "Method.Treated", "Method.Control", "Method.Setup.Roles.X", "Method.Setup.Roles.U",
			"Method.Setup.Roles.Y", "Method.Setup.Roles.Ignore", "Method.Setup.Roles.WeightsXU", "Method.Setup.Roles.WeightsUY", "Method.Setup.Roles.ClusterXU", "Method.Setup.Roles.ClusterUY"},
		Use: EffectStudy.Validate,
	})
	settingstest.Run(t, settingstest.Case[TableStudy]{Good: TableStudy{Draws: 2, TestRows: 2}, Legal: []string{"Seed"}, Use: TableStudy.Validate})
	settingstest.Run(t, settingstest.Case[ScenarioCoverage]{
		Good:  ScenarioCoverage{Scenario: Scenarios()[0], TestRows: 1, Repetitions: 2},
		Legal: []string{"Seed", "Log", "Scenario.Name", "Scenario.Definition"},
		Use:   ScenarioCoverage.Validate,
	})
	if err := (ScenarioCoverage{TestRows: 1, Repetitions: 2}).Validate(); err == nil {
		t.Error("a study of no scenario is valid")
	}
	if _, err := (Coverage{Distribution: Synthetic{D: 1}, Repetitions: -1, Choose: choose}).Run(t.Context()); err == nil {
		t.Error("a study of -1 repetitions was run")
	}
}
