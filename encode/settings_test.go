package encode_test

import (
	"reflect"
	"testing"

	"mediant/encode"
	"mediant/internal/fixture"
	"mediant/internal/settingstest"
)

func TestEncoderOptionsOutOfRange(t *testing.T) {
	src := fixture.Table(t, "a", []float64{1, 2, 3})
	settingstest.Run(t, settingstest.Case[encode.EncoderOptions]{
		Legal: []string{"Text.Stop"}, Types: map[reflect.Type][]any{reflect.TypeFor[[]string](): {[]string{"\xff"}}},
		Fields: map[string][]any{"Text.Words": {99}, "Text.CharMin": {99}, "Text.CharMax": {99}, "Text.Buckets": {3, 1 << 40}},
		Use: func(o encode.EncoderOptions) error {
			_, err := encode.FitEncoder(t.Context(), src.Columns(), o, src)
			return err
		},
	})
}
