//go:build unix

package parallel

import (
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

// TestIdleTakesNoProcessor: a program that sleeps between loops takes their own time alone, and none at all after them. With busy waiting it takes at least 0.2 ms after each.
func TestIdleTakesNoProcessor(t *testing.T) {
	slow.Only(t)
	const loops, pause = 500, 2 * time.Millisecond
	spent := func(on bool) time.Duration {
		defer SetBusyWait(SetBusyWait(on))
		before := processorTime(t)
		for range loops {
			Together(2, func(int) {})
			time.Sleep(pause)
		}
		return processorTime(t) - before
	}
	if busy, idle := spent(true), spent(false); idle > busy/2 || idle > loops*linger/2 {
		t.Errorf("%d loops with pauses take %v of processor time, with busy waiting %v", loops, idle, busy)
	}
	before := processorTime(t)
	time.Sleep(time.Second)
	if took := processorTime(t) - before; took > 5*time.Millisecond {
		t.Errorf("%v of processor time in a second of sleep", took)
	}
}
