package columnar

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/literal"
	"mediant/tables"
)

// errStopped ends a pass whose caller wants no more.
var errStopped = errors.New("stopped")

// A batcher cuts blocks into batches; its memory is reused.
type batcher struct {
	s       *Source
	numeric int       // numeric columns
	num     []float64 // BlockRows × numeric
	text    [][]string
	rows    int // in the batch
	start   int // before it
}

func (s *Source) newBatcher() *batcher {
	b := &batcher{s: s}
	text := 0
	for _, c := range s.columns {
		if c.Kind == tables.Text {
			text++
		} else {
			b.numeric++
		}
	}
	size := min(tables.BlockRows, s.rows)
	b.num = make([]float64, size*b.numeric)
	for range text {
		b.text = append(b.text, make([]string, size))
	}
	return b
}

// add takes all rows of a block and passes each batch that is full to use.
func (b *batcher) add(block Block, use func(tables.Batch) bool) error {
	for first := 0; first < block.Rows; {
		n := min(block.Rows-first, tables.BlockRows-b.rows)
		if b.start+b.rows+n > b.s.rows {
			return b.s.changed()
		}
		for k, v := range block.Values {
			if err := b.set(k, v, first, n); err != nil {
				return err
			}
		}
		b.rows += n
		first += n
		if b.rows == tables.BlockRows && !b.flush(use) {
			return errStopped
		}
	}
	return nil
}

// end passes on the last batch.
func (b *batcher) end(use func(tables.Batch) bool) error {
	if b.start+b.rows != b.s.rows {
		return b.s.changed()
	}
	if b.rows > 0 && !b.flush(use) {
		return errStopped
	}
	return nil
}

func (s *Source) changed() error {
	return s.error(located{errors.New(": the file changed while it was read")})
}

// flush passes the batch to use.
func (b *batcher) flush(use func(tables.Batch) bool) bool {
	batch := tables.Batch{Start: b.start, Rows: b.rows}
	if b.numeric > 0 {
		batch.Num = mat.NewDense(b.rows, b.numeric, b.num[:b.rows*b.numeric])
	}
	for _, column := range b.text {
		batch.Text = append(batch.Text, column[:b.rows])
	}
	b.start += b.rows
	b.rows = 0
	return use(batch)
}

// set stores n cells of field k from the block's row first on.
func (b *batcher) set(k int, v Values, first, n int) error {
	f := &b.s.fields[k]
	if b.s.wants[k].As == tables.Numeric {
		for i, x := range v.Numbers[first : first+n] {
			if f.NA.HasNumber(x) {
				x = math.NaN()
			}
			b.num[(b.rows+i)*b.numeric+f.At] = x
		}
		return nil
	}
	for i, cell := range v.Cells[first : first+n] {
		if !b.setText(k, b.rows+i, cell) {
			return b.s.error(located{fmt.Errorf(":%d: column %q: %q is new: the file changed while it was read", b.start+b.rows+i+1, f.Name, cell)})
		}
	}
	return nil
}

// setText stores a cell of a column that is text in the file; false is of one that the first pass has not seen.
func (b *batcher) setText(k, row int, cell string) bool {
	f := &b.s.fields[k]
	if f.NA.Has(literal.Trim(cell)) {
		cell = ""
	}
	numbers := b.num[row*b.numeric : (row+1)*b.numeric]
	switch {
	case f.Kind == tables.Text:
		b.text[f.At][row] = cell
	case f.Date:
		return f.SetDate(numbers, literal.Trim(cell), '.')
	default:
		x, class := literal.Parse(cell, '.')
		numbers[f.At] = x
		return class == literal.Number || class == literal.Missing
	}
	return true
}
