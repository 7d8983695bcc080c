//go:build unix

package parallel

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"mediant/internal/slow"
)

// processorTime of this process so far.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestIdleTakesNoProcessor: a program that sleeps between loops takes little more than with goroutines started for each, and none at all after them. With busy
// waiting it takes up to 0.2 ms after each loop. Waking up has its price, which other programs raise: the least of some runs counts.
func TestIdleTakesNoProcessor(t *testing.T) {
	slow.Only(t)
	const loops, pause, runs = 300, 2 * time.Millisecond, 3
	spent := func(loop func()) time.Duration {
		least := time.Hour
		for range runs {
			before := processorTime(t)
			for range loops {
				loop()
				time.Sleep(pause)
			}
			least = min(least, processorTime(t)-before)
		}
		return least
	}
	together := func(on bool) time.Duration {
		defer SetBusyWait(SetBusyWait(on))
		return spent(func() { Together(2, func(int) {}) })
	}
	started := spent(func() {
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {})
		}
		group.Wait()
	})
	if busy, idle := together(true), together(false); idle-started > (busy-started)/2 {
		t.Errorf("%d loops with pauses take %v of processor time, with goroutines for each %v, with busy waiting %v", loops, idle, started, busy)
	}
	before := processorTime(t)
	time.Sleep(time.Second)
	if took := processorTime(t) - before; took > 5*time.Millisecond {
		t.Errorf("%v of processor time in a second of sleep", took)
	}
}
