package tabletest

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"
	"time"
)

// Peak fails the test if the memory in use while read reads a file of size bytes ever grows by more than ten times as much and 64 MB. Unlike Bounded it does not count
// memory that is given back, so that files may stand for tables of any length. The context of read ends where it takes
// twice as much.
func Peak(t testing.TB, size int, read func(context.Context)) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	before, peak := inUse(), uint64(0)
	most := uint64(10*size + 64<<20)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(before + most/4*3))) // or garbage counts, of which a busy machine leaves more
	ctx, cancel := context.WithCancel(t.Context())
	end := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for tick := time.NewTicker(200 * time.Microsecond); ; {
			select {
			case <-end:
				return
			case <-tick.C:
				if peak = max(peak, inUse()); peak > before+2*most {
					cancel() // before the machine has no more
				}
			}
		}
	})
	read(ctx)
	last := inUse()
	cancel()
	close(end)
	wait.Wait()
	got := max(peak, last, before) - before
	t.Logf("%d MB of %d MB", got>>20, most>>20)
	if got > most {
		t.Errorf("%d MB were in use to read %d bytes, want at most %d MB", got>>20, size, most>>20)
	}
}

// inUse are the bytes of objects on the heap.
func inUse() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
