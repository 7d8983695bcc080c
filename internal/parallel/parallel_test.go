package parallel

import (
	"runtime"
	"testing"
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
