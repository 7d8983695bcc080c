package job

import (
	"errors"
	"flag"
	"log"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := Init(""); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}

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

// slowFn takes longer for an element than prism waits for progress before it would part a bundle, two times 0.1 s.
type slowFn struct{}

var bundles, elements atomic.Int64

func init() { register.DoFn1x0[int](&slowFn{}) }

func (*slowFn) StartBundle()       { bundles.Add(1) }
func (*slowFn) ProcessElement(int) { elements.Add(1); time.Sleep(350 * time.Millisecond) }

// TestWholeBundles: prism does not part a bundle that shows no progress for 0.3 s.
func TestWholeBundles(t *testing.T) {
	err := Run(t.Context(), 1, func(s beam.Scope) {
		numbers := beam.CreateList(s, []int{1, 2, 3, 4})
		beam.ParDo0(s, &slowFn{}, beam.Reshuffle(s, numbers))
	})
	if err != nil {
		t.Fatal(err)
	}
	if bundles.Load() != 1 || elements.Load() != 4 {
		t.Errorf("%d bundles of %d elements, want 1 of 4", bundles.Load(), elements.Load())
	}
}
