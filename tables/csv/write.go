package csv

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"mediant/internal/names"
	"mediant/tables"
)

var _ tables.Writer = (*Writer)(nil)

// A Writer, made by NewWriter, writes batches of rows as CSV, in a form that Open reads back exactly.
type Writer struct {
	w       io.Writer
	columns []tables.Column
	places  *tables.Selection
	rows    int
	buf     []byte
}

// NewWriter writes the header to w. Names must be distinct and not empty.
func NewWriter(w io.Writer, columns []tables.Column) (*Writer, error) {
	heads := tables.ColumnNames(columns)
	if err := names.Check(heads); err != nil {
		return nil, fmt.Errorf("csv: write: %w", err)
	}
	places, err := tables.Select(columns, columns)
	if err != nil {
		return nil, fmt.Errorf("csv: write: %w", err)
	}
	cw := &Writer{w: w, columns: columns, places: places}
	for i, n := range heads {
		cw.startCell(i)
		cw.appendText(n)
	}
	cw.buf = append(cw.buf, '\n')
	return cw, cw.flush()
}

// Write writes the rows of b, laid out as in a Batch of the writer's columns: with commas, decimal
// points, LF, and the shortest digits that read back as the same float64. NaN and "" become an
// empty cell. An infinite number is an error that names its column and, counted from 0, its row.
func (cw *Writer) Write(b tables.Batch) error {
	for r := range b.Rows {
		for i, c := range cw.columns {
			cw.startCell(i)
			kind, index := cw.places.Place(i)
			if kind == tables.Text {
				cw.appendText(b.Text[index][r])
				continue
			}
			raw := b.Num.RawMatrix()
			v := raw.Data[r*raw.Stride+index]
			if math.IsInf(v, 0) {
				return fmt.Errorf("csv: write: column %q: row %d (from 0) is %g, want a finite number",
					c.Name, cw.rows+r, v)
			}
			cw.appendNumber(v)
		}
		cw.buf = append(cw.buf, '\n')
	}
	cw.rows += b.Rows
	return cw.flush()
}

// Close implements tables.Writer; all is written.
func (cw *Writer) Close() error { return nil }

func (cw *Writer) startCell(i int) {
	if i > 0 {
		cw.buf = append(cw.buf, ',')
	}
}

func (cw *Writer) appendNumber(v float64) {
	if math.IsNaN(v) {
		cw.appendText("")
		return
	}
	cw.buf = strconv.AppendFloat(cw.buf, v, 'g', -1, 64)
}

func (cw *Writer) appendText(s string) {
	if !cw.needsQuotes(s) {
		cw.buf = append(cw.buf, s...)
		return
	}
	cw.buf = append(cw.buf, '"')
	for i := range len(s) {
		if s[i] == '"' {
			cw.buf = append(cw.buf, '"')
		}
		cw.buf = append(cw.buf, s[i])
	}
	cw.buf = append(cw.buf, '"')
}

// needsQuotes also guards what a reader might take for something else: another delimiter, a byte
// order mark, spaces at either end, and in a table of one column the empty cell, which would be a
// blank line.
func (cw *Writer) needsQuotes(s string) bool {
	if s == "" {
		return len(cw.columns) == 1
	}
	return strings.ContainsAny(s, "\"\r\n"+usualDelimiters) ||
		strings.HasPrefix(s, "\ufeff") || s[0] == '#' || s[0] == ' ' || s[len(s)-1] == ' '
}

func (cw *Writer) flush() error {
	_, err := cw.w.Write(cw.buf)
	cw.buf = cw.buf[:0]
	if err != nil {
		return fmt.Errorf("csv: write: %w", err)
	}
	return nil
}

// Write writes all of src to w. Open reads the same table back, with KeepRows, if its Text option names the
// text columns whose cells look like numbers: every number to the bit (but -0 as 0), every text to
// the byte (but CR LF as LF). Names must be canonical (CanonicalName), and not hold CR or NUL, for that.
func Write(ctx context.Context, w io.Writer, src tables.Source) error {
	cw, err := NewWriter(w, src.Columns())
	if err != nil {
		return err
	}
	return tables.Copy(ctx, cw, src)
}
