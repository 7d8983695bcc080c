package copies

import (
	"slices"
)

// A rowSet is a set of numbers of rows.
type rowSet []uint64

func (r *rowSet) add(row int) {
	for len(*r) <= row/64 {
		*r = append(*r, 0)
	}
	(*r)[row/64] |= 1 << (row % 64)
}

func (r rowSet) has(row int) bool { return row/64 < len(r) && r[row/64]&(1<<(row%64)) != 0 }

// rowCounts are numbers of rows, ascending, with a count each; other rows have 1.
type rowCounts struct {
	rows   []int
	counts []int32
}

func (r rowCounts) of(row int) int {
	if k, found := slices.BinarySearch(r.rows, row); found {
		return int(r.counts[k])
	}
	return 1
}
