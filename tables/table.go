package tables

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"unicode/utf8"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/literal"
	"mediant/internal/names"
)

var _ Source = (*Table)(nil)

// A Table is a Source in memory. It is made by FromColumns or Load, does not change, and is safe
// for concurrent use.
type Table struct {
	columns []Column
	rows    int
	num     blas64.General // rows × number of numeric columns
	text    [][]string
	sparse  []SparseRows
	weights rowWeights // zero: each row stands for itself
	file    Facts      // of the file that the rows are from: where they are, and what reading it found
	letters int64      // bytes of all distinct text
}

// ColumnData is a column with its cells, made by Numbers, Strings or Vectors.
type ColumnData struct {
	column  Column
	numbers []float64
	cells   []string
	rows    SparseRows
}

// Numbers is a numeric column, NaN where missing.
func Numbers(name string, values []float64) ColumnData {
	return ColumnData{column: Column{Name: name, Kind: Numeric}, numbers: values}
}

// Strings is a text column, "" where missing. The cells must be UTF-8.
func Strings(name string, cells []string) ColumnData {
	return ColumnData{column: Column{Name: name, Kind: Text}, cells: cells}
}

// Vectors is a column of sparse rows, which are not copied: they must not be changed.
func Vectors(name string, rows SparseRows) ColumnData {
	return ColumnData{column: Column{Name: name, Kind: Vector}, rows: rows}
}

func (c ColumnData) len() int {
	switch c.column.Kind {
	case Text:
		return len(c.cells)
	case Vector:
		return c.rows.Len()
	}
	return len(c.numbers)
}

// FromColumns returns a table with a copy of the columns, whose names must be distinct. It panics
// with mat.ErrColLength if they are not of equal length. The error names the column and, counted
// from 0, the row of an infinite value, of one whose square float64 cannot hold, of a sparse row with NaN or whose places do not ascend, or of
// text that is not UTF-8; no columns or no rows are an error too.
func FromColumns(cols ...ColumnData) (*Table, error) {
	t := &Table{columns: make([]Column, len(cols))}
	for i, c := range cols {
		t.columns[i] = c.column
	}
	if err := names.Check(ColumnNames(t.columns)); err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	t.rows = cols[0].len()
	for _, c := range cols {
		if c.len() != t.rows {
			panic(mat.ErrColLength)
		}
	}
	if t.rows == 0 {
		return nil, fmt.Errorf("tables: no rows")
	}
	_, numeric, _ := kindIndexes(t.columns)
	t.num = newGeneral(t.rows, numeric, make([]float64, t.rows*numeric))
	at := 0
	for _, c := range cols {
		switch c.column.Kind {
		case Text:
			if err := checkText(c); err != nil {
				return nil, err
			}
			t.text = append(t.text, slices.Clone(c.cells))
			t.letters += letters(c.cells)
			continue
		case Vector:
			if err := checkVectors(c); err != nil {
				return nil, err
			}
			t.sparse = append(t.sparse, c.rows)
			continue
		}
		for i, v := range c.numbers {
			if err := checkValue(c.column.Name, i, v); err != nil {
				return nil, err
			}
			t.num.Data[i*numeric+at] = v
		}
		at++
	}
	return t, nil
}

func checkText(c ColumnData) error {
	for i, cell := range c.cells {
		if !utf8.ValidString(cell) {
			return fmt.Errorf("tables: column %q: row %d (from 0) is %s, want UTF-8",
				c.column.Name, i, literal.Quote(cell))
		}
	}
	return nil
}

func checkVectors(c ColumnData) error {
	if err := c.rows.check(c.len()); err != nil {
		return fmt.Errorf("tables: column %q: %w", c.column.Name, err)
	}
	for i := range c.len() {
		_, values := c.rows.Row(i)
		for _, v := range values {
			if math.IsNaN(v) {
				return fmt.Errorf("tables: column %q: row %d (from 0) has a NaN, want numbers", c.column.Name, i)
			}
			if err := checkValue(c.column.Name, i, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func newGeneral(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: data}
}

// Columns lists the columns. The caller must not change the slice.
func (t *Table) Columns() []Column { return t.columns }

// Rows returns the number of rows.
func (t *Table) Rows() int { return t.rows }

// Batches yields views of the table, which must not be changed.
func (t *Table) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		for start := 0; start < t.rows; start += BlockRows {
			if err := ctx.Err(); err != nil {
				yield(Batch{}, err)
				return
			}
			if !yield(t.batch(start, min(BlockRows, t.rows-start)), nil) {
				return
			}
		}
	}
}

func (t *Table) batch(start, n int) Batch {
	b := Batch{Start: start, Rows: n}
	if t.num.Cols > 0 {
		b.Num = rowsView(t.num, start, n)
	}
	if len(t.text) > 0 {
		b.Text = make([][]string, len(t.text))
		for i, cells := range t.text {
			b.Text[i] = cells[start : start+n]
		}
	}
	for _, rows := range t.sparse {
		b.Sparse = append(b.Sparse, rows.slice(start, start+n))
	}
	if t.weights.known() {
		b.weights = t.weights.slice(start, start+n)
	}
	return b
}

// Facts tells the number of rows, what they take in memory, and what is known of the file that they are from.
func (t *Table) Facts() Facts {
	f := t.file
	f.Rows, f.Held, f.TextBytes, f.Weighted = t.rows, t.bytes(), t.letters, t.weights.copies != nil
	return f
}

// WithFacts returns the table with what f knows of the file that it was read from: the places of its rows, and what was found.
func (t *Table) WithFacts(f Facts) *Table {
	read := *t
	read.file = f
	return &read
}

func (t *Table) bytes() int64 {
	bytes := int64(t.rows)*int64(8*t.num.Cols+16*len(t.text)) + t.letters + int64(8*(len(t.weights.weights)+len(t.weights.times)+len(t.weights.copies)+len(t.weights.numbers))+4*len(t.weights.clusters))
	for _, s := range t.sparse {
		bytes += s.bytes()
	}
	return bytes
}
