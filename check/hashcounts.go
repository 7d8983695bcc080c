package check

import (
	"iter"
	"math/bits"
)

// hashCounts counts hashes whose upper bits are as good as random: a table with linear probing, at most half full, which is several times as
// fast as a map. The zero value is empty.
type hashCounts struct {
	slots  []hashCount // their number is a power of two
	n      int         // in use
	before int         // what read has read, which no one needs: without a use a compiler may leave it out
}

// A hashCount is a hash with its number of rows; none: the slot is free.
type hashCount struct {
	hash uint64
	rows int
}

// fewestSlots is the first size of a table.
const fewestSlots = 16

// newHashCounts has room for n hashes.
func newHashCounts(n int) hashCounts {
	return hashCounts{slots: make([]hashCount, max(fewestSlots, 1<<bits.Len(uint(max(2*n-1, 0)))))}
}

// slot is the place of a hash, or the free one where it belongs, once there are slots.
func (c *hashCounts) slot(h uint64) *hashCount {
	last := len(c.slots) - 1
	at := int(h >> (64 - bits.Len(uint(last))))
	for c.slots[at].rows != 0 && c.slots[at].hash != h {
		at = (at + 1) & last
	}
	return &c.slots[at]
}

// rows is the number of rows of a hash.
func (c *hashCounts) rows(h uint64) int {
	if c.n == 0 {
		return 0
	}
	return c.slot(h).rows
}

const (
	// hashesAhead are read at once, of a table of slotsAhead or more, which is not in the nearest caches.
	hashesAhead, slotsAhead = 32, 1 << 11
)

// read reads the slots of hashes that are to be added, so that they do not wait for memory one after the other.
func (c *hashCounts) read(hashes []uint64) {
	last := len(c.slots) - 1
	if last < slotsAhead {
		return
	}
	rows, shift := 0, 64-bits.Len(uint(last))
	for _, h := range hashes {
		rows += c.slots[int(h>>shift)&last].rows
	}
	c.before = rows
}

// add counts a hash in so many more rows, at least one.
func (c *hashCounts) add(h uint64, rows int) {
	if len(c.slots) == 0 {
		*c = newHashCounts(0)
	}
	s := c.slot(h)
	if s.rows != 0 {
		s.rows += rows
		return
	}
	if 2*(c.n+1) > len(c.slots) {
		c.grow()
		s = c.slot(h)
	}
	s.hash, s.rows = h, rows
	c.n++
}

// keep drops all hashes but those of a level. In the order of the places they are moved down at most to the ones where they belong, so that it needs
// no other table; it begins behind a free slot, since what stands behind the last one goes on at the first.
func (c *hashCounts) keep(level uint) {
	last := len(c.slots) - 1
	if last < 0 {
		return
	}
	free := 0
	for c.slots[free].rows != 0 {
		free++
	}
	c.n = 0
	for k := range last {
		s := &c.slots[(free+1+k)&last]
		if s.rows == 0 {
			continue
		}
		was := *s
		s.rows = 0
		if ofLevel(was.hash, level) {
			*c.slot(was.hash) = was
			c.n++
		}
	}
}

// grow doubles the number of slots.
func (c *hashCounts) grow() {
	was := c.slots
	c.slots = make([]hashCount, 2*len(was))
	for _, s := range was {
		if s.rows != 0 {
			*c.slot(s.hash) = s
		}
	}
}

// all are the hashes and their rows, in an order of no meaning.
func (c *hashCounts) all() iter.Seq2[uint64, int] {
	return func(yield func(uint64, int) bool) {
		for _, s := range c.slots {
			if s.rows != 0 && !yield(s.hash, s.rows) {
				return
			}
		}
	}
}
