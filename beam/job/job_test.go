package job

import (
	"errors"
	"testing"
)

// TestCause: of what Beam says the last line is the cause, or where a worker panicked that.
func TestCause(t *testing.T) {
	for text, want := range map[string]string{
		"shards: a.csv: no such file": "shards: a.csv: no such file",
		"job job-001 failed:\nbundle inst1 failed:\n\tcaused by:\nDoFn[UID:6] failed:\n\tshards: a.csv:3: not a number\n": "shards: a.csv:3: not a number",
		"job job-002 failed:\nbundle inst1 failed:stage-002 : panic: of a worker\nFull error:\nruntime/debug.Stack()":     "panic: of a worker",
	} {
		if got := Cause(errors.New(text)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
