package job

import (
	"errors"
	"flag"
	"fmt"
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

func init() {
	register.DoFn1x0[int](&slowFn{})
	register.DoFn1x0[int](&stuckFn{})
}

func (*slowFn) StartBundle()       { bundles.Add(1) }
func (*slowFn) ProcessElement(int) { elements.Add(1); time.Sleep(350 * time.Millisecond) }

// TestWholeBundles: prism does not part a bundle that shows no progress for 0.3 s.
func TestWholeBundles(t *testing.T) {
	bundles.Store(0)
	elements.Store(0)
	err := Run(t.Context(), Attempts{Times: 1}, func(s beam.Scope) {
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

// stuckFn takes a second in its first attempt.
type stuckFn struct{}

var stuck atomic.Int64

func (*stuckFn) ProcessElement(int) {
	if stuck.Add(1) == 1 {
		time.Sleep(time.Second)
	}
}

// TestLimit: an attempt that takes too long is given up, and the next one counts.
func TestLimit(t *testing.T) {
	for times, want := range map[int]string{1: "job: given up after 500ms", 2: ""} {
		stuck.Store(0)
		err := Run(t.Context(), Attempts{Times: times, Limit: 500 * time.Millisecond}, func(s beam.Scope) {
			beam.ParDo0(s, &stuckFn{}, beam.CreateList(s, []int{1}))
		})
		if got := fmt.Sprint(err); got != want && (err != nil || want != "") {
			t.Errorf("%d attempts: %v, want %q", times, err, want)
		}
	}
}
