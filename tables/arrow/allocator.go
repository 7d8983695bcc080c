package arrow

import (
	"errors"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// A bounded allocator panics, as the library expects of one that has no memory, where a damaged file asks for more than any file of its size
// would: packed columns of one value are some hundred times smaller than what they stand for.
type bounded struct {
	memory.Allocator
	left *atomic.Int64
}

var errTooLarge = errors.New("it claims more memory than it can stand for")

// newBounded returns the allocator of a pass over a file of size bytes.
func newBounded(size int64) bounded {
	const (
		least  = 16 << 20
		packed = 1000
	)
	b := bounded{memory.DefaultAllocator, new(atomic.Int64)}
	b.left.Store(min(size, 1<<40)*packed + least)
	return b
}

func (b bounded) take(size int) {
	if b.left.Add(-int64(size)) < 0 {
		panic(errTooLarge)
	}
}

func (b bounded) Allocate(size int) []byte {
	b.take(size)
	return b.Allocator.Allocate(size)
}

func (b bounded) Reallocate(size int, old []byte) []byte {
	b.take(size - len(old))
	return b.Allocator.Reallocate(size, old)
}

func (b bounded) Free(data []byte) {
	b.left.Add(int64(len(data)))
	b.Allocator.Free(data)
}
