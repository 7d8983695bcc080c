package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mediant/internal/asm"
)

// multiplyAdds returns the speeds in GFLOPS of short stretches of calls of the micro-kernel of products
// on operands in the first cache: within a few per cent of the processor's fused multiply-adds.
func multiplyAdds(stretches int) []float64 {
	const k, calls = 64, 1000 // 4 and 12 kB packed; 0.4 ms
	a, b, c := make([]float64, asm.Rows*k), make([]float64, asm.Cols*k), make([]float64, asm.Rows*asm.Cols)
	rates := make([]float64, stretches)
	for i := range rates {
		start := time.Now()
		for range calls {
			asm.Gemm(asm.Cols, k, a, 1, asm.Rows, b, asm.Cols, 1, c, asm.Cols, false)
		}
		rates[i] = 2 * asm.Rows * asm.Cols * k * calls / time.Since(start).Seconds() / 1e9
	}
	return rates
}

// peakRate is the speed of one thread in GFLOPS: the best of many stretches.
func peakRate() float64 { return slices.Max(multiplyAdds(200)) }

// passing is how many nanoseconds a line of memory takes from one thread to another: about 30 if their processors have
// a cache in common, and several times that if not.
func passing() (nanoseconds float64) {
	const every, passes = 20, 10000
	limit := time.Now().Add(5 * time.Millisecond) // where both threads share a processor a pass takes far longer
	var ball atomic.Int64
	var wg sync.WaitGroup
	for first := range int64(2) {
		wg.Go(func() {
			var begun time.Time
			for at := first; at < passes; at += 2 {
				for ball.Load() < at {
				}
				if at%every == 0 {
					now := time.Now()
					if at <= every { // from then on both are there
						begun = now
					} else if nanoseconds = float64(now.Sub(begun).Nanoseconds()) / float64(at-every); now.After(limit) {
						ball.Store(math.MaxInt64)
						return
					}
				}
				ball.CompareAndSwap(at, at+1)
			}
		})
	}
	wg.Wait()
	return nanoseconds
}

// A micro measures operations on the workers, one for each number of threads.
type micro struct {
	workers []*worker
	rounds  int
	tries   int     // of a turn, to find the machine quiet
	stretch float64 // least seconds of a timed stretch, so that clocks and calls do not count
	limit   int     // largest order of matrices
	only    string  // how names of operations begin
	peak    float64 // GFLOPS of a thread

	again, kept int // turns that were repeated, and that were not though the machine was disturbed
}

// A turn is disturbed if threads that touch no common memory do not come near their peak just before it,
// between the two sides or just after: a host may give two processors of a guest one core.
const undisturbed = 0.9

// quiet reports whether so many threads at once are as fast as they can be, by the median of each: the
// first stretches are of threads that are not yet on processors of their own.
func (m *micro) quiet(threads int) bool {
	medians := make([]float64, threads)
	var wg sync.WaitGroup
	for i := range medians {
		wg.Go(func() { medians[i] = spreadOf(multiplyAdds(25)).median })
	}
	wg.Wait()
	return slices.Min(medians) >= undisturbed*m.peak
}

// A cell holds the seconds of all rounds of one operation, size and number of threads, in each, and how
// many nanoseconds a line of memory took between two threads before and after ours.
type cell struct{ ours, peer, passing []float64 }

// table measures all operations and writes the table, line by line.
func (m *micro) table(ctx context.Context, out io.Writer) error {
	fmt.Fprintf(out, "Peak of fused multiply-adds, one thread: %.1f GFLOPS (%s). Medians of %d rounds; ratio of speeds, ours to the peer's: median [quartiles].\n\n", m.peak, asm.Current(), m.rounds)
	fmt.Fprintln(out, "| operation | size | threads | ours | of peak | peer | ratio | ours on more threads | a line passes in |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|")
	for _, op := range operations {
		for _, size := range op.sizes {
			if op.unit == flops && size > m.limit || !strings.HasPrefix(op.name, m.only) {
				continue
			}
			cells, times, err := m.measure(ctx, op, size)
			if err != nil {
				return fmt.Errorf("compare: %s, size %d: %w", op.name, size, err)
			}
			for i, c := range cells {
				fmt.Fprintln(out, m.line(op, size, i, float64(times), c, cells[0]))
			}
		}
	}
	fmt.Fprintf(out, "\nTurns repeated because all threads together did not reach %.0f %% of their peak before, between or after: %d; kept in spite of it after %d tries: %d.\n\n", 100*undisturbed, m.again, m.tries, m.kept)
	return nil
}

// measure takes turns: in each round, for each number of threads, ours and the peer's. It returns a
// cell for each number of threads and how many runs each time is of.
func (m *micro) measure(ctx context.Context, op operation, size int) (cells []cell, times int, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	workers := m.workers
	if !op.threaded {
		workers = workers[:1]
	}
	if op.peer != "" {
		for _, w := range workers {
			if err := w.prepare(op.peer, size); err != nil {
				return nil, 0, err
			}
		}
	}
	ours := op.ours(size)
	runtime.GC()
	ours.seconds(1)
	times = max(1, int(math.Ceil(m.stretch/ours.seconds(1))))
	cells = make([]cell, len(workers))
	for range m.rounds {
		for i, w := range workers {
			t, err := m.turns(ctx, op, ours, w, times)
			if err != nil {
				return nil, 0, err
			}
			cells[i].ours = append(cells[i].ours, t.ours)
			cells[i].passing = append(cells[i].passing, t.passing)
			if op.peer != "" {
				cells[i].peer = append(cells[i].peer, t.peer)
			}
		}
	}
	return cells, times, nil
}

// A turn is the seconds of ours and of the peer's, one after the other, and the nanoseconds that a line of memory took
// between threads around ours.
type turn struct{ ours, peer, passing float64 }

// turns returns the turn of a machine that was quiet before, between and after; or the last try, if it never is.
func (m *micro) turns(ctx context.Context, op operation, task task, w *worker, times int) (t turn, err error) {
	runtime.GOMAXPROCS(w.threads)
	for try := 1; ; try++ {
		if err := ctx.Err(); err != nil {
			return turn{}, err
		}
		quiet := m.quiet(w.threads)
		task.seconds((times + 1) / 2) // as the peer does: threads are awake and on processors of their own
		if w.threads > 1 {
			t.passing = passing()
		}
		t.ours = task.seconds(times)
		if w.threads > 1 {
			t.passing = (t.passing + passing()) / 2
		}
		quiet = m.quiet(w.threads) && quiet
		if op.peer != "" {
			if t.peer, err = w.run(times); err != nil {
				return turn{}, err
			}
			quiet = m.quiet(w.threads) && quiet
		}
		switch {
		case quiet:
			return t, nil
		case try == m.tries:
			m.kept++
			return t, nil
		}
		m.again++
	}
}

// line is a line of the table; first is the cell of the least number of threads.
func (m *micro) line(op operation, size, i int, times float64, c, first cell) string {
	threads := m.workers[i].threads
	rate := func(seconds []float64) float64 { return times * op.work(size) / spreadOf(seconds).median / 1e9 }
	ours, share, peer, ratio, faster, passing := fmt.Sprintf("%.3g %s", rate(c.ours), op.unit), "", "", "", "", ""
	if op.unit == flops {
		share = fmt.Sprintf("%.0f %%", 100*rate(c.ours)/(m.peak*float64(threads)))
	}
	if op.peer != "" {
		peer, ratio = fmt.Sprintf("%.3g", rate(c.peer)), spreadOf(ratios(c.peer, c.ours)).String()
	}
	if i > 0 {
		faster = fmt.Sprintf("%.2f ×", spreadOf(ratios(first.ours, c.ours)).median)
		passing = fmt.Sprintf("%.0f ns", spreadOf(c.passing).median)
	}
	return fmt.Sprintf("| %s | %d | %d | %s | %s | %s | %s | %s | %s |", op.name, size, threads, ours, share, peer, ratio, faster, passing)
}
