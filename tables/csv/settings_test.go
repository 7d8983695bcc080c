package csv

import (
	"reflect"
	"testing"

	"mediant/internal/settingstest"
)

// TestOptionsOutOfRange: each is an error before a file is read.
func TestOptionsOutOfRange(t *testing.T) {
	settingstest.Run(t, settingstest.Case[Options]{
		Good:   Options{},
		Fields: map[string][]any{"Comma": {'"', '1', '\n', rune(0x7fffffff)}, "Decimal": {';', 'x'}, "ReaderBuffer": {1 << 40}},
		Legal:  []string{"NA"}, // any text may mark what is missing
		Types:  map[reflect.Type][]any{reflect.TypeFor[[]string](): {[]string{"[x"}}},
		Use: func(o Options) error {
			c, err := open(t, "x\n1\n", o)
			if err == nil {
				c.Close()
			}
			return err
		},
	})
}
