package tables

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

var _ Source = (*Table)(nil)

// A Table is a Source in memory. It is made by FromColumns or Load, does not change, and is safe
// for concurrent use.
type Table struct {
	columns []Column
	rows    int
	num     blas64.General // rows × number of numeric columns
	text    [][]string
}

// ColumnData is a column with its cells, made by Numbers or Strings.
type ColumnData struct {
	column  Column
	numbers []float64
	cells   []string
}

// Numbers is a numeric column, NaN where missing.
func Numbers(name string, values []float64) ColumnData {
	return ColumnData{column: Column{Name: name, Kind: Numeric}, numbers: values}
}

// Strings is a text column, "" where missing. The cells must be UTF-8.
func Strings(name string, cells []string) ColumnData {
	return ColumnData{column: Column{Name: name, Kind: Text}, cells: cells}
}

func (c ColumnData) len() int {
	if c.column.Kind == Text {
		return len(c.cells)
	}
	return len(c.numbers)
}

// FromColumns returns a table with a copy of the columns, whose names must be distinct. It panics
// with mat.ErrColLength if they are not of equal length. The error names the column and, counted
// from 0, the row of an infinite value, of one whose square float64 cannot hold, or of text that is
// not UTF-8; no columns or no rows are an error too.
func FromColumns(cols ...ColumnData) (*Table, error) {
	t := &Table{columns: make([]Column, len(cols))}
	names := make([]string, len(cols))
	for i, c := range cols {
		t.columns[i], names[i] = c.column, c.column.Name
	}
	if err := checkNames(names); err != nil {
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
		if c.column.Kind == Text {
			if err := checkText(c); err != nil {
				return nil, err
			}
			t.text = append(t.text, slices.Clone(c.cells))
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
				c.column.Name, i, quote(cell))
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
	return b
}

// Load reads src into memory, so that later passes do not parse it again: 8 bytes a number, 16
// bytes a cell of text, and each distinct text of a column once. A Table is returned as it is.
func Load(ctx context.Context, src Source) (*Table, error) {
	if t, ok := src.(*Table); ok {
		return t, nil
	}
	if HasVectors(src.Columns()) {
		return nil, fmt.Errorf("tables: columns of sparse rows are in memory already and have no place in a Table")
	}
	l := newLoader(src)
	for b, err := range src.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		l.add(b)
	}
	if l.rows == 0 {
		return nil, fmt.Errorf("tables: no rows")
	}
	return l.table(), nil
}

// A loader gathers batches. Cells of text are cloned, each distinct one once, because those of a
// batch may hold on to the lines they are from.
type loader struct {
	columns []Column
	numeric int
	rows    int
	num     []float64
	text    [][]string
	seen    []map[string]string // of each text column
}

func newLoader(src Source) *loader {
	l := &loader{columns: slices.Clone(src.Columns())}
	_, numeric, text := kindIndexes(l.columns)
	rows := 0
	if counted, ok := src.(interface{ Rows() int }); ok {
		rows = counted.Rows()
	}
	l.numeric = numeric
	l.num = make([]float64, 0, rows*numeric)
	l.text = make([][]string, text)
	l.seen = make([]map[string]string, text)
	for i := range text {
		l.text[i] = make([]string, 0, rows)
		l.seen[i] = make(map[string]string)
	}
	return l
}

func (l *loader) table() *Table {
	return &Table{columns: l.columns, rows: l.rows, num: newGeneral(l.rows, l.numeric, l.num), text: l.text}
}

func (l *loader) add(b Batch) {
	l.rows += b.Rows
	if l.numeric > 0 {
		for i := range b.Rows {
			l.num = append(l.num, b.Num.RawRowView(i)...)
		}
	}
	for i := range l.text {
		for _, cell := range b.Text[i] {
			kept, ok := l.seen[i][cell]
			if !ok {
				kept = strings.Clone(cell)
				l.seen[i][kept] = kept
			}
			l.text[i] = append(l.text[i], kept)
		}
	}
}
