package serve

import (
	"testing"

	"mediant/internal/settingstest"
)

// TestOptions: each value out of range is refused, and the defaults are right.
func TestOptions(t *testing.T) {
	use := func(o Options) error {
		store, err := Open(nil, nil, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		_, err = New(store, o)
		return err
	}
	settingstest.Run(t, settingstest.Case[Options]{
		Good: Options{MaxBody: 1000, MaxRows: 10, Memory: 5000, Workers: 2, MaxRequests: 3, Timeout: 5, Token: "secret"}, Use: use,
		Legal:  []string{"Version"},
		Fields: map[string][]any{"Token": {"a b", "ü", "a\n"}, "Memory": {int64(999)}},
	})
	if err := use(Options{}); err != nil {
		t.Error(err)
	}
}
