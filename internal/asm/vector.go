package asm

const (
	// group is a multiple of the elements that vector functions take at a time; the last ones are filled up with
	// zeros to as many, so that all go through the same instructions.
	group = 64
	// chunk is the number of elements of one call of assembly, which the scheduler cannot interrupt:
	// some 5 µs.
	chunk = 1 << 13
)

// nextChunk returns how many of n elements, at least group, to do at once.
func nextChunk(n int) int { return min(n/group*group, chunk) }
