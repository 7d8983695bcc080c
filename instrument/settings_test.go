package instrument_test

import (
	"context"
	"math"
	"reflect"
	"testing"

	"mediant/encode"
	"mediant/features"
	"mediant/instrument"
	"mediant/internal/settingstest"
	"mediant/problem"
	"mediant/rr"
)

// TestSettingsOutOfRange: each is an error that names its field.
func TestSettingsOutOfRange(t *testing.T) {
	xz, zy := golden(t)
	types := map[reflect.Type][]any{
		reflect.TypeFor[rr.Setting]():  {rr.Value(-1), rr.Value(math.NaN()), rr.Value(math.Inf(1))},
		reflect.TypeFor[encode.Task](): {9},
		reflect.TypeFor[[]string]():    {[]string{"no such column"}},
	}
	fields := map[string][]any{
		"Setup.Text.Words":   {1 << 40},
		"Setup.Text.CharMin": {1 << 40},
		"Setup.Text.CharMax": {1 << 40},
		"Setup.Text.Buckets": {3, 1 << 40},
	}
	legal := []string{"Setup.Seed", "Setup.Text.Stop"}
	for _, side := range []string{"Setup.Phi.", "Setup.Psi."} {
		fields[side+"Size"] = []any{3, 1 << 40}
		fields[side+"Degree"] = []any{2, 1 << 40}
		fields[side+"Multiple"] = []any{1e9}
		fields[side+"Landmarks"] = []any{features.Uniform}
	}
	settingstest.Run(t, settingstest.Case[instrument.TS2SLS]{
		Types: types, Fields: fields, Legal: legal,
		Use: func(e instrument.TS2SLS) error { _, err := e.Estimate(context.Background(), xz, zy); return err },
	})
	few := features.Spec{Size: 4}
	settingstest.Run(t, settingstest.Case[instrument.Kernel]{
		Good: instrument.Kernel{Setup: problem.Setup{Phi: few, Psi: few, Folds: 2}}, Types: types, Fields: fields, Legal: legal,
		Use: func(e instrument.Kernel) error { _, err := e.Estimate(context.Background(), xz, zy); return err },
	})
}
