package check

import "strings"

const (
	// countedLevels bounds the levels of a column of text that are counted one by one, and levelBytes what they take.
	countedLevels, levelBytes = 10_000, 1 << 20
	// allLevels and allLevelBytes bound those of all columns of a table, some 100 and 64 MB: of more than 104 and 64 columns fewer are counted, but
	// leastOf of each, in leastLevelBytes.
	allLevels, allLevelBytes, leastLevelBytes = 1 << 20, 1 << 26, 1 << 12
)

// A levelLimit bounds the levels of a column that are counted one by one.
type levelLimit struct{ levels, bytes int }

// levelLimitOf is that of each of so many columns.
func levelLimitOf(columns int) levelLimit {
	columns = max(columns, 1)
	return levelLimit{min(countedLevels, max(leastOf, allLevels/columns)), min(levelBytes, max(leastLevelBytes, allLevelBytes/columns))}
}

// add counts a cell that stands for so many rows. It returns the levels, or nil if they are too many with it or were before; they are as they
// were then.
func (l levelLimit) add(levels map[string]int, bytes *int, cell string, times int) map[string]int {
	if levels == nil {
		return nil
	}
	if _, ok := levels[cell]; !ok {
		if len(levels) == l.levels || *bytes+len(cell) > l.bytes {
			return nil
		}
		*bytes += len(cell)
		cell = strings.Clone(cell) // which may be part of a large buffer
	}
	levels[cell] += times
	return levels
}
