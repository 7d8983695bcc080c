package draw

import "slices"

// Indices returns n of 0..total-1 in ascending order, each set with equal probability, from the stream "purpose/sample", by
// Floyd's algorithm [Bentley and Floyd, A sample of brilliance, CACM 30, 1987].
func Indices(total, n int, seed uint64, purpose string) []int {
	n = min(n, total)
	rnd := Rand(seed, purpose+"/sample", 0)
	picked := make([]int, 0, n)
	taken := make(map[int]bool, n)
	for last := total - n; last < total; last++ {
		i := rnd.IntN(last + 1)
		if taken[i] {
			i = last
		}
		taken[i] = true
		picked = append(picked, i)
	}
	slices.Sort(picked)
	return picked
}
