package parallel

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// panicOf returns what do panics with.
func panicOf(do func()) (value any) {
	defer func() { value = recover() }()
	do()
	return nil
}

var errOfABlock = errors.New("of a block")

// TestPanicReachesTheCaller: of any worker, within loops too, and with its own value for any number of threads.
func TestPanicReachesTheCaller(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, threads := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(threads)
		for bad := range 8 {
			got := panicOf(func() {
				Blocks(8, 1, func(i, _ int) {
					if i == bad {
						panic(errOfABlock)
					}
				})
			})
			if got != errOfABlock {
				t.Errorf("%d threads, block %d: %v, want the block's own panic", threads, bad, got)
			}
			got = panicOf(func() {
				Blocks(4, 1, func(i, _ int) {
					Blocks(4, 1, func(j, _ int) {
						if i == bad%4 && j == bad/2 {
							panic(errOfABlock)
						}
					})
				})
			})
			if got != errOfABlock {
				t.Errorf("%d threads, within block %d: %v, want the block's own panic", threads, bad%4, got)
			}
		}
	}
	if got := active.Load(); got != 0 {
		t.Errorf("%d goroutines count as active after panics", got)
	}
}

// TestAllWorkersPanic: one of the panics arrives, the caller's own.
func TestAllWorkersPanic(t *testing.T) {
	got := panicOf(func() { Together(3, func(worker int) { panic(worker) }) })
	if got != 0 {
		t.Errorf("the panic of worker %v, want that of the caller, 0", got)
	}
}

// TestFaultTellsWhere: the traceback of the caller would not show the line of another goroutine.
func TestFaultTellsWhere(t *testing.T) {
	var none []int
	got := panicOf(func() {
		Together(2, func(worker int) {
			if worker == 1 {
				none[worker]++
			}
		})
	})
	err, ok := got.(runtime.Error)
	if !ok || !strings.Contains(err.Error(), "index out of range") || !strings.Contains(err.Error(), "failure_test.go") {
		t.Fatalf("%v, want a runtime.Error that names this file", got)
	}
	if cause, ok := errors.Unwrap(err).(runtime.Error); !ok || strings.Contains(cause.Error(), "failure_test.go") {
		t.Errorf("%v, want the error as it was raised", cause)
	}
}

// TestPanicLeavesTheRest: blocks that nobody has begun are not worth waiting for.
func TestPanicLeavesTheRest(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var begun atomic.Int32
	const blocks = 1000
	panicOf(func() {
		Blocks(blocks, 1, func(i, _ int) {
			begun.Add(1)
			if i == 0 {
				panic(errOfABlock)
			}
			time.Sleep(time.Millisecond)
		})
	})
	if got := begun.Load(); got > blocks/2 {
		t.Errorf("%d of %d blocks were begun after the first panicked", got, blocks)
	}
}
