package experiments

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"

	"mediant/search"
	"mediant/tables"
)

// TestDrawLog: a study that is continued from its draws measures none of them again and comes to the same; draws of other settings do not count, and a file of
// something else is refused.
func TestDrawLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "draws.jsonl")
	var chosen atomic.Int64
	c := Coverage{Distribution: Synthetic{D: 1, Noise: .1}, Rows: 40, TestRows: 50, Repetitions: 2, Log: DrawLog(path), Model: "fixed",
		Choose: func(ctx context.Context, xu, uy tables.Source, seed uint64) (*search.Choice, error) {
			chosen.Add(1)
			return FixedModel(ctx, xu, uy, seed)
		}}
	run := func(c Coverage, want int) *CoverageResult {
		t.Helper()
		chosen.Store(0)
		r, err := c.Run(t.Context())
		if err != nil || chosen.Load() != int64(want) {
			t.Fatalf("%d draws were fitted, want %d; %v", chosen.Load(), want, err)
		}
		return r
	}
	run(c, 2)
	c.Repetitions = 3
	got := run(c, 1)
	alone := c
	alone.Log = ""
	if want := run(alone, 3); !reflect.DeepEqual(got, want) {
		t.Errorf("continued: %+v, at once: %+v", got, want)
	}
	c.Distribution.Uneven = true
	run(c, 3)
	c.Distribution.Uneven = false
	run(c, 0)
	if raw, err := os.ReadFile(path); err != nil || bytes.Count(raw, []byte("\n")) != 6 {
		t.Errorf("%s; %v", raw, err)
	}
	c.Choose = func(context.Context, tables.Source, tables.Source, uint64) (*search.Choice, error) {
		return nil, errors.New("no")
	}
	c.Repetitions = 4
	if _, err := c.Run(t.Context()); err == nil {
		t.Error("an error of a draw is lost")
	}
	if err := os.WriteFile(path, []byte("{\"seed\": 1, \"other\": 2}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); err == nil {
		t.Error("a file of something else is a log of draws")
	}
}
