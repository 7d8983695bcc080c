package columnar

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"mediant/internal/input"
	"mediant/tables"
)

// BlockRows are those of most blocks: four batches.
const BlockRows = 4 * tables.BlockRows

// RowsAtATime are those of a block of so many columns: BlockRows, or fewer where these would be much memory.
func RowsAtATime(columns int) int {
	const cells = 1 << 20
	return max(1, min(BlockRows, cells/max(1, columns)))
}

// A Buffer gathers the cells of a column for a Block, in the memory of the last one.
type Buffer struct {
	as    tables.Kind
	v     Values
	room  *input.Room
	taken int               // of room, by the text of the cells
	rows  int               // of which that is, before the block
	long  map[string]string // cells of text that are held once
}

// NewBuffers returns a buffer for each column that is wanted, in the room of the pass.
func NewBuffers(wants []Want, room *input.Room) []Buffer {
	b := make([]Buffer, len(wants))
	for i, w := range wants {
		b[i].as, b[i].room = w.As, room
	}
	return b
}

// Reset forgets all cells, whose text a batch may hold.
func (b *Buffer) Reset() {
	b.rows += b.Len()
	b.v = Values{Numbers: b.v.Numbers[:0], Cells: b.v.Cells[:0]}
	if b.rows < tables.BlockRows {
		return
	}
	b.room.Give(b.taken)
	b.taken, b.rows = 0, 0
	clear(b.long)
}

// Len is the number of cells.
func (b *Buffer) Len() int { return max(len(b.v.Numbers), len(b.v.Cells)) }

// Values are the cells, valid until Reset.
func (b *Buffer) Values() Values { return b.v }

// Missing adds a missing cell.
func (b *Buffer) Missing() {
	if b.as == tables.Text {
		b.v.Cells = append(b.v.Cells, "")
		return
	}
	b.v.Numbers = append(b.v.Numbers, math.NaN())
}

// Number adds a number; NaN is missing.
func (b *Buffer) Number(v float64) {
	switch {
	case b.as != tables.Text:
		b.v.Numbers = append(b.v.Numbers, v)
	case math.IsNaN(v):
		b.Missing()
	default:
		b.v.Cells = append(b.v.Cells, strconv.FormatFloat(v, 'g', -1, 64))
	}
}

// Integer adds a whole number.
func (b *Buffer) Integer(v int64) {
	if b.as == tables.Text {
		b.v.Cells = append(b.v.Cells, strconv.FormatInt(v, 10))
		return
	}
	f := float64(v)
	b.v.Rounded = b.v.Rounded || f == 1<<63 || int64(f) != v
	b.v.Numbers = append(b.v.Numbers, f)
}

// Unsigned adds a whole number.
func (b *Buffer) Unsigned(v uint64) {
	if b.as == tables.Text {
		b.v.Cells = append(b.v.Cells, strconv.FormatUint(v, 10))
		return
	}
	f := float64(v)
	b.v.Rounded = b.v.Rounded || f == 1<<64 || uint64(f) != v
	b.v.Numbers = append(b.v.Numbers, f)
}

// Numeral adds a number that is written in decimal digits, such as a decimal of fixed scale. One beyond float64 is infinite.
func (b *Buffer) Numeral(s string) error {
	if b.as == tables.Text {
		b.v.Cells = append(b.v.Cells, s)
		return nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%q is not a number", s)
	}
	whole := !strings.ContainsAny(s, ".eE")
	b.v.Fraction = b.v.Fraction || !whole
	b.v.Rounded = b.v.Rounded || whole && math.Abs(v) >= 1<<53 && strconv.FormatFloat(v, 'f', -1, 64) != s
	b.v.Numbers = append(b.v.Numbers, v)
	return nil
}

// longText is the length of cells of text that are looked for among those before, because a dictionary of a few long ones stands for any number of cells.
const longText = 256

// Text adds a cell of text, which is wanted as text. Where there is no room for it, Values.Err says so.
func (b *Buffer) Text(s string) {
	if len(s) >= longText {
		if same, ok := b.long[s]; ok {
			b.v.Cells = append(b.v.Cells, same)
			return
		}
	}
	const twice = 2 // of these rows, and of those in a batch that began before them
	if err := b.room.Take(twice * len(s)); err != nil {
		b.v.Err, s = err, ""
	}
	b.taken += twice * len(s)
	if len(s) >= longText {
		if b.long == nil {
			b.long = map[string]string{}
		}
		b.long[s] = s
	}
	b.v.Cells = append(b.v.Cells, s)
}

// Truth adds a truth value, which is wanted as text.
func (b *Buffer) Truth(v bool) { b.Text(strconv.FormatBool(v)) }

// BlockOf is a block of what buffers hold.
func BlockOf(rows int, buffers []Buffer) Block {
	b := Block{Rows: rows, Values: make([]Values, len(buffers))}
	for i := range buffers {
		b.Values[i] = buffers[i].v
	}
	return b
}
