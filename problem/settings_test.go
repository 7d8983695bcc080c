package problem

import (
	"testing"

	"mediant/encode"
	"mediant/internal/fixture"
	"mediant/internal/settingstest"
)

func TestPassOptionsOutOfRange(t *testing.T) {
	src := fixture.Table(t, "a", []float64{1, 2, 3})
	e := fixture.Must[*encode.Encoder](t)(encode.FitEncoder(t.Context(), src.Columns(), encode.EncoderOptions{}, src))
	settingstest.Run(t, settingstest.Case[PassOptions]{
		Legal: []string{"Seed"}, Fields: map[string][]any{"Folds": {1 << 40}},
		Use: func(o PassOptions) error {
			_, _, err := Accumulate(t.Context(), src, e, e, o)
			return err
		},
	})
}
