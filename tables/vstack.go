package tables

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"gonum.org/v1/gonum/mat"
)

// VStack returns the rows of several sources below each other, such as the parts of a table in several files. All must have
// the columns of the first source, of the same kinds, in any order. Sources with weights or with columns of sparse rows are
// errors. The error names the source, counted from 1, and the columns.
func VStack(sources ...Source) (Source, error) {
	if len(sources) == 0 {
		return nil, errors.New("tables: stack: no sources")
	}
	s := &stack{columns: sources[0].Columns(), selections: make([]*Selection, len(sources))}
	for i, src := range sources {
		var err error
		if s.selections[i], err = Select(src.Columns(), s.columns); err != nil {
			return nil, fmt.Errorf("tables: stack: source %d: %w", i+1, err)
		}
		if more, want := len(src.Columns()), len(s.columns); more != want {
			return nil, fmt.Errorf("tables: stack: source %d has %d columns, the first has %d", i+1, more, want)
		}
		if FactsOf(src).Weighted {
			return nil, fmt.Errorf("tables: stack: source %d has weights already", i+1)
		}
		s.parts = append(s.parts, NewGuard("", src))
	}
	for _, c := range s.columns {
		if c.Kind == Vector {
			return nil, fmt.Errorf("tables: stack: column %q has sparse rows", c.Name)
		}
	}
	return s, nil
}

// A stack is a Source of several others.
type stack struct {
	columns    []Column
	parts      []*Guard
	selections []*Selection // of the columns in each part
}

func (s *stack) Columns() []Column { return s.columns }

// Facts are those of all parts.
func (s *stack) Facts() Facts {
	all := make([]Facts, len(s.parts))
	var f Facts
	known := true
	for i, p := range s.parts {
		all[i] = p.Facts()
		known = known && all[i].Rows > 0
		f.Rows += all[i].Rows
		f.Held += all[i].Held
		f.TextBytes += all[i].TextBytes
		f.Unread = append(f.Unread, all[i].Unread...)
		f.Skips, f.Mixed, f.UnsureDates = append(f.Skips, all[i].Skips...), append(f.Mixed, all[i].Mixed...), append(f.UnsureDates, all[i].UnsureDates...)
	}
	if !known {
		f.Rows = 0
		return f
	}
	f.Place = func(row int) string {
		for _, part := range all {
			if row < part.Rows {
				return part.Where(row)
			}
			row -= part.Rows
		}
		return Facts{}.Where(row)
	}
	return f
}

// Batches yields the rows of each part in turn, in batches that may have rows of several.
func (s *stack) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		b := newStackBlock(s.columns)
		for i, guard := range s.parts {
			for batch, err := range guard.Batches(ctx) {
				if err != nil {
					yield(Batch{}, err)
					return
				}
				for lo := 0; lo < batch.Rows; {
					lo += b.add(batch, s.selections[i], lo)
					if b.rows == BlockRows && !yield(b.take(), nil) {
						return
					}
				}
			}
		}
		if b.rows > 0 {
			yield(b.take(), nil)
		}
	}
}

// A stackBlock gathers the rows of a batch; its memory is reused.
type stackBlock struct {
	columns     []Column
	index       []int // of each column among those of its kind
	numeric     int
	num         []float64 // BlockRows × numeric
	text        [][]string
	start, rows int
}

func newStackBlock(columns []Column) *stackBlock {
	b := &stackBlock{columns: columns}
	var text int
	b.index, b.numeric, text = kindIndexes(columns)
	b.num = make([]float64, BlockRows*b.numeric)
	for range text {
		b.text = append(b.text, make([]string, BlockRows))
	}
	return b
}

// add takes rows of a batch from lo on, as many as there is room for, and returns their number.
func (b *stackBlock) add(batch Batch, from *Selection, lo int) int {
	n := min(batch.Rows-lo, BlockRows-b.rows)
	for i, c := range b.columns {
		_, at := from.Place(i)
		if c.Kind == Text {
			copy(b.text[b.index[i]][b.rows:], batch.Text[at][lo:lo+n])
			continue
		}
		raw := batch.Num.RawMatrix()
		for r := range n {
			b.num[(b.rows+r)*b.numeric+b.index[i]] = raw.Data[(lo+r)*raw.Stride+at]
		}
	}
	b.rows += n
	return n
}

// take returns the batch and begins the next one.
func (b *stackBlock) take() Batch {
	batch := Batch{Start: b.start, Rows: b.rows}
	if b.numeric > 0 {
		batch.Num = mat.NewDense(b.rows, b.numeric, b.num[:b.rows*b.numeric])
	}
	for _, column := range b.text {
		batch.Text = append(batch.Text, column[:b.rows])
	}
	b.start += b.rows
	b.rows = 0
	return batch
}
