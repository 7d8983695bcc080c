// Package parallel spreads loops over processors without letting their number into the result.
package parallel

import "sync/atomic"

// Blocks calls do(lo, hi) for the consecutive blocks of size rows (the last may be shorter) that
// cover [0, n), on at most GOMAXPROCS goroutines. The blocks depend on n and size alone, so a do
// that writes only what belongs to its block gives the same bytes for any number of threads. A panic of do goes on on
// the caller's goroutine, as Together says; blocks that nobody has begun by then are left.
func Blocks(n, size int, do func(lo, hi int)) {
	count := (n + size - 1) / size
	workers := Workers(count)
	if workers <= 1 {
		for lo := 0; lo < n; lo += size {
			do(lo, min(lo+size, n))
		}
		return
	}
	var next atomic.Int64
	Together(workers, func(int) {
		defer next.Store(int64(count)) // for the others, after a panic; without one there is nothing left
		for {
			lo := (int(next.Add(1)) - 1) * size
			if lo >= n {
				return
			}
			do(lo, min(lo+size, n))
		}
	})
}
