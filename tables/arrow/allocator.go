package arrow

import (
	"errors"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// A bounded allocator panics, as the library expects of one that has no memory, where a damaged file asks for more than any file of its size
// would: packed columns of one value are some hundred times smaller than what they stand for.
type bounded struct {
	memory.Allocator
	limit int
}

var errTooLarge = errors.New("it claims more memory than it can stand for")

func newBounded(size int64) bounded {
	const (
		least  = 64 << 20
		packed = 1000
	)
	return bounded{memory.DefaultAllocator, int(min(size, 1<<40)*packed) + least}
}

func (b bounded) Allocate(size int) []byte {
	if size > b.limit {
		panic(errTooLarge)
	}
	return b.Allocator.Allocate(size)
}

func (b bounded) Reallocate(size int, old []byte) []byte {
	if size > b.limit {
		panic(errTooLarge)
	}
	return b.Allocator.Reallocate(size, old)
}
