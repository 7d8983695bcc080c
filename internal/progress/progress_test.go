package progress

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// TestNested: the outermost work that counts is reported, and a pass over rows by the name of its stage.
func TestNested(t *testing.T) {
	var got []string
	ctx := With(t.Context(), func(stage string, done, total int64) { got = append(got, fmt.Sprint(stage, " ", done, "/", total)) })
	pass := func(ctx context.Context) {
		report, within := Pass(ctx)
		report(1, 2)
		Report(within, "bytes", 3, 4)
	}
	Report(ctx, "reading", 5, 6)
	pass(ctx) // of no stage, and so what is below it
	pass(Stage(ctx, "summing"))
	step := Step(ctx, "choosing", 0, 2)
	pass(step)
	pass(Stage(step, "summing"))
	Step(step, "inner", 1, 2)
	if want := []string{"reading 5/6", "bytes 3/4", "summing 1/2", "choosing 0/2"}; !slices.Equal(got, want) {
		t.Errorf("reported %q, want %q", got, want)
	}
	none := t.Context()
	pass(none)
	if Step(none, "a", 1, 2) != none || Stage(none, "a") != none {
		t.Error("a context without a listener is changed")
	}
}
