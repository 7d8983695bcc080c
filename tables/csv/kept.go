package csv

import (
	"runtime/debug"
	"slices"

	"mediant/internal/literal"
	"mediant/tables"
	"mediant/tables/internal/cells"
)

// mostKept bounds the numbers of a file that its first pass keeps, in bytes, as does the sixteenth part of the limit of memory that is set for the process. So does the
// size of the file, which more than bounds those of one that is not compressed: a number of 8 bytes is two of text.
const mostKept = 128 << 20

// kept are the rows of a file that has nothing but numbers and missing ones, as the first pass has parsed them. The next pass takes them, so that files that are loaded
// into memory are parsed once.
type kept struct {
	chunks [][]float64 // rows × columns each
	room   int         // numbers that may be added
}

// newKept returns room for rows of a file of size bytes, or nil for columns that may be something else than numbers, whose rows show only in the end what they are.
func newKept(scans []cells.Scan, size int64) *kept {
	if slices.ContainsFunc(scans, func(c cells.Scan) bool {
		kind, forced := c.Forced()
		return !c.TakesNumerals() || forced && kind != tables.Numeric
	}) {
		return nil
	}
	return &kept{room: int(min(mostKept, debug.SetMemoryLimit(-1)/16, 4*size+4<<20) / 8)}
}

// add adds the rows of the next chunk, and reports whether all are kept so far.
func (k *kept) add(numbers []float64) bool {
	k.chunks = append(k.chunks, numbers)
	k.room -= len(numbers)
	return k.room >= 0
}

// appendCells adds the cells of a row to numbers; false says that one is no number.
func appendCells(numbers []float64, cells []string, decimal byte) ([]float64, bool) {
	for _, cell := range cells {
		v, class := literal.Parse(cell, decimal)
		if class != literal.Number && class != literal.Missing {
			return numbers, false
		}
		numbers = append(numbers, v)
	}
	return numbers, true
}

// takeKept returns what the first pass has kept, once.
func (c *File) takeKept() *kept {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.kept
	c.kept = nil
	return k
}

// useKept makes batches of kept rows.
func (p *pass) useKept(k *kept) error {
	columns := p.block.numeric
	for i, numbers := range k.chunks {
		k.chunks[i] = nil // its memory can be used for what becomes of it
		for ; len(numbers) > 0; numbers = numbers[columns:] {
			p.block.addNumbers(numbers[:columns])
			if err := p.flushFull(); err != nil {
				return err
			}
		}
	}
	return nil
}
