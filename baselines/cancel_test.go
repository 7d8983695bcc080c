package baselines_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"
)

// A countingContext is done from the given look at it on, counted from 1.
type countingContext struct {
	context.Context
	mu          sync.Mutex
	looks, last int
}

func (c *countingContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looks++
	if c.last > 0 && c.looks >= c.last {
		return context.Canceled
	}
	return nil
}

// TestCancelledAtALook: whichever look at the context finds it done, the use of the tables ends with its error, without
// a result, after a few looks more (several goroutines have one each), and leaves no goroutine.
func TestCancelledAtALook(t *testing.T) {
	before := runtime.NumGoroutine()
	whole := faultyTables(t, false)
	most := 30 // looks that are tried of each use
	if testing.Short() {
		most = 4
	}
	for name, u := range uses(t, whole) {
		all := &countingContext{Context: ctx}
		if err := u(all, whole); err != nil {
			t.Fatal(err)
		}
		if all.looks < 3 {
			t.Errorf("%s looks at its context %d times", name, all.looks)
		}
		for look := 1; look <= all.looks; look += 1 + all.looks/most {
			c := &countingContext{Context: ctx, last: look}
			err := u(c, whole)
			if !errors.Is(err, context.Canceled) {
				// Goroutines that share a loop need not take the same number of looks each time.
				if err == nil && c.looks < look {
					continue
				}
				t.Errorf("%s, cancelled at look %d of %d: error %v", name, look, all.looks, err)
			}
			if more := c.looks - look; more > 40 {
				t.Errorf("%s, cancelled at look %d of %d: looked %d times more", name, look, all.looks, more)
			}
		}
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}
