package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestBlocksCoverEveryRowOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, threads := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(threads)
		for _, n := range []int{0, 1, 7, 8, 9, 100} {
			seen := make([]int32, n) // each block writes its own rows: the race detector watches
			Blocks(n, 8, func(lo, hi int) {
				if lo%8 != 0 || hi != min(lo+8, n) {
					t.Errorf("block [%d, %d) of %d", lo, hi, n)
				}
				for i := lo; i < hi; i++ {
					seen[i]++
				}
			})
			for i, v := range seen {
				if v != 1 {
					t.Errorf("%d threads: row %d of %d was visited %d times", threads, i, n, v)
				}
			}
		}
	}
}

// Callers share those who linger; each must find its own work done by as many as it asked for.
func TestTogetherUnderOneRoof(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, on := range []bool{true, false} {
		before := SetBusyWait(on)
		manyCallers(t)
		SetBusyWait(before)
	}
}

func manyCallers(t *testing.T) {
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for i := range 500 {
				workers := 1 + i%5
				var outer, inner atomic.Int32
				who := make([]atomic.Bool, workers)
				Together(workers, func(w int) {
					if who[w].Swap(true) {
						t.Errorf("two are worker %d", w)
					}
					outer.Add(1)
					Together(2, func(int) { inner.Add(1) })
				})
				if o, n := outer.Load(), inner.Load(); o != int32(workers) || n != 2*o {
					t.Errorf("%d workers: done %d times, and %d times within", workers, o, n)
				}
			}
		})
	}
	callers.Wait()
}

func TestNobodyLingersForever(t *testing.T) {
	defer SetBusyWait(SetBusyWait(true))
	Together(3, func(int) {})
	left := func() (looking, offers int) {
		idle.mu.Lock()
		defer idle.mu.Unlock()
		return idle.looking, len(idle.offers)
	}
	deadline := time.Now().Add(10 * time.Second)
	for looking, offers := left(); looking+offers > 0; looking, offers = left() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines look for work still, %d offers are left", looking, offers)
		}
		time.Sleep(linger)
	}
}

func TestLoopsWithinLoopsGetWhatIsLeft(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	if got := Workers(3); got != 3 {
		t.Errorf("%d workers beside nobody, want 3", got)
	}
	var begun, asked sync.WaitGroup
	begun.Add(3)
	asked.Add(3)
	Together(3, func(int) {
		begun.Done()
		begun.Wait() // so that all three are active
		if got := Workers(4); got != 2 {
			t.Errorf("%d workers within one of three, want 2", got)
		}
		asked.Done()
		asked.Wait()
	})
}

// A caller may live on after a panic of its own: by then nobody works for it any more.
func TestPanicWaitsForTheOthers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var begun sync.WaitGroup
	begun.Add(2)
	var done atomic.Int32
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is lost")
			}
			if done.Load() != 2 {
				t.Errorf("%d of 2 others are done when the panic arrives", done.Load())
			}
		}()
		Together(3, func(worker int) {
			if worker == 0 {
				begun.Wait()
				panic("of the caller")
			}
			begun.Done()
			time.Sleep(10 * linger)
			done.Add(1)
		})
	}()
	if got := Workers(4); got != 4 {
		t.Errorf("%d workers after a panic, want 4", got)
	}
}

func TestCrewOffersNoMoreThanWhoLook(t *testing.T) {
	c := crew{looking: 1}
	if !c.offer(func() {}) || c.offer(func() {}) {
		t.Error("one who looks takes one offer, not none or two")
	}
	if c.take() == nil || c.looking != 0 || c.offer(func() {}) {
		t.Error("nobody looks any more")
	}
}
