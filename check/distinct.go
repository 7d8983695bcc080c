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

func (d *distinct) add(key uint64) { d.addRows(key, 1) }

// addRows adds a key of so many rows.
func (d *distinct) addRows(key uint64, rows int) {
	if h := mixed(key); d.takes(h) {
		d.keep(h, rows)
	}
}

// takes reports whether a hash is of the level.
func (d *distinct) takes(h uint64) bool { return ofLevel(h, d.level) }

// ofLevel reports whether a hash ends in so many zeros.
func ofLevel(h uint64, level uint) bool { return h&(1<<level-1) == 0 }

// keep counts a hash of the level. There are never more than the most, so that the table is no larger than it has to be.
func (d *distinct) keep(h uint64, rows int) {
	for d.of.n >= cmp.Or(d.most, distinctKeys) && d.of.rows(h) == 0 {
		d.level++
		d.of.keep(d.level)
		if !d.takes(h) {
			return
		}
	}
	d.of.add(h, rows)
}

// keepAll counts hashes that were of the level, which may have risen.
func (d *distinct) keepAll(hashes []uint64) {
	for len(hashes) > 0 {
		some := hashes[:min(len(hashes), hashesAhead)]
		d.of.read(some)
		for _, h := range some {
			if d.of.n > 0 {
				if s := d.of.slot(h); s.rows != 0 { // most are there
					s.rows++
					continue
				}
			}
			if d.takes(h) {
				d.keep(h, 1)
			}
		}
		hashes = hashes[len(some):]
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
