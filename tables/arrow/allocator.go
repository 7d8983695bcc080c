package arrow

import (
	"fmt"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"mediant/internal/input"
)

// A bounded allocator panics, as the library expects of one that has no memory, where a damaged file asks for more than any file of its size
// would: packed columns of one value are some hundred times smaller than what they stand for.
type bounded struct {
	memory.Allocator
	room  *input.Room
	spare *spare
}

func newBounded(room *input.Room, s *spare) bounded {
	return bounded{memory.DefaultAllocator, room, s}
}

// spare has the large buffers of batches that were read, for the next one or the next pass, which would take as much again before they are collected.
type spare struct {
	mu      sync.Mutex
	buffers [][]byte
}

// spareBytes is the size from which buffers are kept.
const spareBytes = 1 << 20

// get returns a buffer of size bytes, all 0, or nil. Where all have other sizes they are dropped.
func (s *spare) get(size int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, b := range s.buffers {
		if size <= cap(b) && cap(b) <= size+size/4 {
			s.buffers = slices.Delete(s.buffers, i, i+1)
			b = b[:size]
			clear(b)
			return b
		}
	}
	s.buffers = nil
	return nil
}

func (s *spare) put(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buffers = append(s.buffers, b)
}

func (b bounded) take(size int) {
	if err := b.room.Take(size); err != nil {
		panic(fmt.Errorf("a batch %w; write it in batches of fewer rows, or not compressed", err))
	}
}

func (b bounded) Allocate(size int) []byte {
	b.take(size)
	if size >= spareBytes {
		if buffer := b.spare.get(size); buffer != nil {
			return buffer
		}
	}
	return b.Allocator.Allocate(size)
}

func (b bounded) Reallocate(size int, old []byte) []byte {
	b.take(size - len(old))
	return b.Allocator.Reallocate(size, old)
}

func (b bounded) Free(data []byte) {
	b.room.Give(len(data))
	if cap(data) >= spareBytes {
		b.spare.put(data)
	}
}
