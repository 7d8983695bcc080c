package arrow

import (
	"bytes"
	"errors"
	"testing"

	"mediant/internal/input"
)

// TestAllocator: large buffers that were freed are used again, cleared, by the next that is about as large; the room of a pass holds for both.
func TestAllocator(t *testing.T) {
	const size = 3 << 20
	spare := &spare{}
	b := newBounded(input.NewRoom(0), spare) // 28 MiB
	first := b.Allocate(size)
	copy(first, "rows")
	b.Free(first)
	second := b.Allocate(size - 100)
	if &second[0] != &first[0] || !bytes.Equal(second, make([]byte, size-100)) {
		t.Error("the buffer is not used again, or not cleared")
	}
	b.Free(second)
	if third := b.Allocate(2 * size); len(third) != 2*size || len(spare.buffers) != 0 {
		t.Errorf("%d bytes, %d buffers are kept", len(third), len(spare.buffers))
	}
	for range 4 {
		b.Free(b.Allocate(5 * size))
	}
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, input.ErrRoom) {
			t.Errorf("beyond the room: %v", err)
		}
	}()
	b.Allocate(8 * size)
}
