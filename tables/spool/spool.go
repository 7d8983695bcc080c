// Package spool copies tables that are too large to be kept in memory to temporary files, from which passes read numbers as they are in memory in place of text that
// has to be parsed.
package spool

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/input"
	"mediant/tables"
)

var _ tables.Source = (*Table)(nil)

// bufferSize is how much is written or read at a time.
const bufferSize = 256 << 10

// A Table is a copy of a Source, made by Write. Several passes may run at the same time.
//
// The file has the batches in order. Each has its numbers, row by row, as float64 in little-endian order, and then its cells of text, column by column: the number of
// bytes of the column, the length of each cell, and the cells. Integers are uvarints.
type Table struct {
	columns []tables.Column
	numeric int // number of numeric columns
	facts   tables.Facts
	file    io.ReaderAt
	size    int64
	close   func() error
}

// Write reads src once and copies it to a temporary file, in the folder that TMPDIR names, which takes 8 bytes a number and the text itself. The file is
// gone once the Table is closed, or the program ends, however that is. A table with weights or with columns of sparse rows is an error. All else that src
// tells, its Facts, is kept, so that src may be closed.
func Write(ctx context.Context, src tables.Source) (*Table, error) {
	t := &Table{columns: slices.Clone(src.Columns())}
	for _, c := range t.columns {
		switch c.Kind {
		case tables.Numeric:
			t.numeric++
		case tables.Vector:
			return nil, fmt.Errorf("spool: column %q has sparse rows", c.Name)
		}
	}
	if tables.FactsOf(src).Weighted {
		return nil, fmt.Errorf("spool: the table has weights")
	}
	file, closeFile, err := input.Temporary()
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	t.file, t.close = file, closeFile
	guard := tables.NewGuard("", src)
	if err := t.write(ctx, file, guard); err != nil {
		closeFile()
		return nil, err
	}
	t.facts = guard.Facts()
	return t, nil
}

// write writes the batches.
func (t *Table) write(ctx context.Context, file io.Writer, guard *tables.Guard) error {
	out := bufio.NewWriterSize(file, bufferSize)
	var record []byte
	for b, err := range guard.Batches(ctx) {
		if err != nil {
			return err
		}
		record = t.append(record[:0], b)
		t.size += int64(len(record))
		if _, err := out.Write(record); err != nil {
			return fmt.Errorf("spool: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}

// append writes a batch behind to.
func (t *Table) append(to []byte, b tables.Batch) []byte {
	if t.numeric > 0 {
		for i := range b.Rows {
			for _, v := range b.Num.RawRowView(i) {
				to = binary.LittleEndian.AppendUint64(to, math.Float64bits(v))
			}
		}
	}
	for _, column := range b.Text {
		letters := 0
		for _, cell := range column {
			letters += len(cell)
		}
		to = binary.AppendUvarint(to, uint64(letters))
		for _, cell := range column {
			to = binary.AppendUvarint(to, uint64(len(cell)))
		}
		for _, cell := range column {
			to = append(to, cell...)
		}
	}
	return to
}

// Columns lists the columns as the Source had them. The caller must not change the slice.
func (t *Table) Columns() []tables.Column { return t.columns }

// Rows returns the number of rows.
func (t *Table) Rows() int { return t.facts.Rows }

// Facts are those of the Source.
func (t *Table) Facts() tables.Facts { return t.facts }

// Close removes the file; after it, Batches yields an error.
func (t *Table) Close() error { return t.close() }

// Batches reads the table from its start. The cells of a text column share memory: clone what is to outlive the batch.
func (t *Table) Batches(ctx context.Context) iter.Seq2[tables.Batch, error] {
	return func(yield func(tables.Batch, error) bool) {
		p := t.newPass()
		for start := 0; start < t.facts.Rows; start += tables.BlockRows {
			if err := ctx.Err(); err != nil {
				yield(tables.Batch{}, err)
				return
			}
			b, err := p.read(start, min(tables.BlockRows, t.facts.Rows-start))
			if err != nil {
				yield(tables.Batch{}, fmt.Errorf("spool: %w", err))
				return
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// A pass reads batches; its memory is reused.
type pass struct {
	in      *bufio.Reader
	numeric int
	raw     []byte
	num     []float64 // rows × numeric
	text    [][]string
	lengths []int
}

func (t *Table) newPass() *pass {
	rows := min(tables.BlockRows, t.facts.Rows)
	p := &pass{in: bufio.NewReaderSize(io.NewSectionReader(t.file, 0, t.size), bufferSize), numeric: t.numeric}
	p.raw, p.num, p.lengths = make([]byte, 8*rows*t.numeric), make([]float64, rows*t.numeric), make([]int, rows)
	for range len(t.columns) - t.numeric {
		p.text = append(p.text, make([]string, rows))
	}
	return p
}

// read reads the next batch.
func (p *pass) read(start, rows int) (tables.Batch, error) {
	b := tables.Batch{Start: start, Rows: rows}
	if n := rows * p.numeric; n > 0 {
		if _, err := io.ReadFull(p.in, p.raw[:8*n]); err != nil {
			return b, err
		}
		for i := range n {
			p.num[i] = math.Float64frombits(binary.LittleEndian.Uint64(p.raw[8*i:]))
		}
		b.Num = mat.NewDense(rows, p.numeric, p.num[:n])
	}
	for _, column := range p.text {
		if err := p.readText(column[:rows]); err != nil {
			return b, err
		}
		b.Text = append(b.Text, column[:rows])
	}
	return b, nil
}

// readText reads a column of text; its cells are parts of one string.
func (p *pass) readText(column []string) error {
	letters, err := binary.ReadUvarint(p.in)
	if err != nil {
		return err
	}
	for i := range column {
		n, err := binary.ReadUvarint(p.in)
		if err != nil {
			return err
		}
		p.lengths[i] = int(n)
	}
	all := make([]byte, letters)
	if _, err := io.ReadFull(p.in, all); err != nil {
		return err
	}
	text := string(all)
	for i := range column {
		column[i], text = text[:p.lengths[i]], text[p.lengths[i]:]
	}
	return nil
}
