package check

import "cmp"

// distinctKeys is how many distinct values of a column are counted one by one.
const distinctKeys = 1 << 14

// distinct counts distinct values, and how often each occurs: exactly up to most of them, and then among those whose
// hash ends in level zeros, 1 in 2^level.
type distinct struct {
	of    hashCounts
	level uint
	most  int // 0: distinctKeys
}

func (d *distinct) add(key uint64) {
	h := mixed(key)
	if h&(1<<d.level-1) != 0 {
		return
	}
	d.of.add(h, 1)
	for d.of.n > cmp.Or(d.most, distinctKeys) {
		d.level++
		d.of.keep(func(h uint64) bool { return h&(1<<d.level-1) == 0 })
	}
}

// count is the number of distinct values, exact at level 0.
func (d *distinct) count() int { return d.of.n << d.level }

// repeated is the share of rows whose value occurs more than once, among those counted.
func (d *distinct) repeated() float64 {
	rows, more := 0, 0
	for _, n := range d.of.all() {
		rows += n
		if n > 1 {
			more += n
		}
	}
	return float64(more) / float64(max(rows, 1))
}

// hashText is FNV-1a, mixed so that its lowest bits depend on all of the text.
func hashText(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// mixed spreads the bits of a key (the finaliser of SplitMix64).
func mixed(h uint64) uint64 {
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}
