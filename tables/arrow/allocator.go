package arrow

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"mediant/internal/input"
)

// A bounded allocator panics, as the library expects of one that has no memory, where a damaged file asks for more than any file of its size
// would: packed columns of one value are some hundred times smaller than what they stand for.
type bounded struct {
	memory.Allocator
	room *input.Room
}

func newBounded(room *input.Room) bounded { return bounded{memory.DefaultAllocator, room} }

func (b bounded) take(size int) {
	if err := b.room.Take(size); err != nil {
		panic(fmt.Errorf("a batch %w; write it in batches of fewer rows, or not compressed", err))
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
	b.room.Give(len(data))
	b.Allocator.Free(data)
}
