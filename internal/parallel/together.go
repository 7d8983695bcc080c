package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// linger is how long a goroutine that is done, or waits for others to be done, looks for what comes next before it
// lets go of its processor. To wake a sleeping one can take a tenth of a millisecond, and loops often follow
// each other closer than that.
const linger = 200 * time.Microsecond

// busyWait lets goroutines linger.
var busyWait atomic.Bool

// SetBusyWait says whether goroutines that are done look for more work before they sleep, and returns what held before. They do not unless this is called: a program that does other things besides has a use for its processors.
func SetBusyWait(on bool) (before bool) { return busyWait.Swap(on) }

// active is the number of goroutines that do the work of some Together.
var active atomic.Int32

// Workers returns how many goroutines a loop should have, at most so many: the processors that no other loop has,
// and at least the caller's own.
func Workers(most int) int {
	free := runtime.GOMAXPROCS(0)
	if busy := int(active.Load()); busy > 0 {
		free -= busy - 1 // the caller is most likely one of them
	}
	return max(1, min(free, most))
}

// Together calls work on as many goroutines as there are workers, with 0 on the caller's and 1, 2, ... on others, and
// returns when all of them are done. A panic of any of them goes on on the caller's goroutine, where it can be recovered,
// when the others are done; of several it is the caller's own or else the first. It has the value that it had, but a
// runtime.Error of another goroutine becomes one that tells its stack too.
func Together(workers int, work func(worker int)) {
	var running atomic.Int32
	var wg sync.WaitGroup
	var failure failure
	running.Store(int32(workers - 1))
	wg.Add(workers - 1)
	active.Add(int32(workers))
	for w := 1; w < workers; w++ {
		idle.hire(func() {
			defer wg.Done()
			defer running.Add(-1)
			defer failure.keep()
			do(work, w)
		})
	}
	finished := false
	defer func() {
		look(func() bool { return running.Load() == 0 })
		wg.Wait()
		if finished { // else the caller's own panic goes on
			failure.rethrow()
		}
	}()
	do(work, 0)
	finished = true
}

// do keeps count of who is active.
func do(work func(int), worker int) {
	defer active.Add(-1)
	work(worker)
}

// look returns when found is true, or when it is time to rest, which it is at once without busy waiting. In between it lets all others run that can.
func look(found func() bool) {
	if !busyWait.Load() {
		return
	}
	for start := time.Now(); !found() && time.Since(start) < linger; {
		runtime.Gosched()
	}
}

// A crew is goroutines that look for work.
type crew struct {
	mu      sync.Mutex
	offers  []func() // no more than there are who look
	looking int
	open    atomic.Int32 // offers
}

var idle crew

// hire has work done by one who looks for it, or by a new goroutine.
func (c *crew) hire(work func()) {
	if !c.offer(work) {
		go c.serve(work)
	}
}

// offer reports whether somebody will do work.
func (c *crew) offer(work func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.offers) == c.looking {
		return false
	}
	c.offers = append(c.offers, work)
	c.open.Store(int32(len(c.offers)))
	return true
}

// serve does work, and then what is offered until nothing has been for a while.
func (c *crew) serve(work func()) {
	for work != nil {
		work()
		c.mu.Lock()
		c.looking++
		c.mu.Unlock()
		look(func() bool { return c.open.Load() > 0 })
		work = c.take()
	}
}

// take returns an offer, or nil if there is none, and counts the caller as looking no more: so there are never more
// offers than who will see them.
func (c *crew) take() func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looking--
	last := len(c.offers) - 1
	if last < 0 {
		return nil
	}
	work := c.offers[last]
	c.offers[last] = nil
	c.offers = c.offers[:last]
	c.open.Store(int32(last))
	return work
}
