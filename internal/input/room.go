package input

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// A reader of tables takes at most ten times the bytes of a file and 64 MB of memory: what is above that is damaged, or meant to take all memory there is. A table of
// that many columns takes up to a fourth of it, and a pass over the rows (Room) what is left beside small buffers.

// columnBytes is what readers and tables hold of a column, as measured: names, kinds, what was found in it, buffers.
const columnBytes = 700

// CheckColumns refuses more columns than a file of size bytes can stand for.
func CheckColumns(n int, size int64) error {
	if most := MostColumns(size); n > most {
		return fmt.Errorf("has more than %d columns, which %d bytes cannot stand for", most, size)
	}
	return nil
}

// MostColumns is how many columns a file of size bytes may have.
func MostColumns(size int64) int { return int((5*size/2 + 20<<20) / columnBytes) }

// Room is the memory that a pass over the rows of a file may still take.
type Room struct {
	left atomic.Int64
	size int64
}

// NewRoom is that of a pass over a file of size bytes by a reader of text, which holds the text of some thousand rows besides.
func NewRoom(size int64) *Room {
	r := &Room{size: size}
	r.left.Store(7*min(size, 1<<50) + 28<<20)
	return r
}

// ColumnsRoom is that of a pass over a file of size bytes by a reader of so many columns, which holds their cells in few rows besides.
func ColumnsRoom(size int64, columns int) *Room {
	r := &Room{size: size}
	r.left.Store(9*min(size, 1<<50) + 40<<20 - int64(columns)*columnBytes)
	return r
}

// ErrRoom is wrapped by errors of a Room.
var ErrRoom = errors.New("takes more memory at a time")

// Take takes n bytes, or none if fewer are left, which is an error.
func (r *Room) Take(n int) error {
	if r.left.Add(-int64(n)) < 0 {
		r.left.Add(int64(n))
		return fmt.Errorf("%w than its %d bytes can stand for", ErrRoom, r.size)
	}
	return nil
}

// Give gives n bytes back.
func (r *Room) Give(n int) { r.left.Add(int64(n)) }
