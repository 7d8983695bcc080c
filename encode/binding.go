package encode

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"strings"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/parallel"
	"mediant/internal/rowops"
	"mediant/tables"
)

// A Binding, made by Encoder.Bind, says where an encoder's columns are in the batches of one table. It is immutable.
type Binding struct {
	encoder *Encoder
	columns *tables.Selection
}

// Bind finds the encoder's columns, by name and in any order, among those of a table; others are
// ignored. The error names the columns that are not there or of the other kind.
func (e *Encoder) Bind(columns []tables.Column) (*Binding, error) {
	selection, err := tables.Select(columns, e.Columns())
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return &Binding{e, selection}, nil
}

// EncodeTo stores the encoded rows of b in dst, Rows × Width, in blocks of rows on all processors. An empty dst is resized, another shape panics. A
// block allocates nothing unless there is something to count or free text, whose rows should be read sparse by Rows.
func (b *Binding) EncodeTo(dst *mat.Dense, batch tables.Batch) Counts {
	if dst.IsEmpty() {
		dst.ReuseAs(batch.Rows, b.encoder.width)
	}
	if r, c := dst.Dims(); r != batch.Rows || c != b.encoder.width {
		panic(mat.ErrShape)
	}
	if batch.Rows > rowops.BlockRows {
		return b.encodeBlocks(dst.RawMatrix(), batch)
	}
	var counts Counts
	b.encodeRows(&counts, dst.RawMatrix(), batch, 0, batch.Rows)
	return counts
}

// encodeBlocks encodes all rows on all processors.
func (b *Binding) encodeBlocks(to blas64.General, batch tables.Batch) Counts {
	var counts Counts
	var mu sync.Mutex
	parallel.Blocks(batch.Rows, rowops.BlockRows, func(lo, hi int) {
		var own Counts
		b.encodeRows(&own, to, batch, lo, hi)
		mu.Lock()
		defer mu.Unlock()
		counts.Add(own)
	})
	return counts
}

// encodeRows encodes rows lo to hi, and counts what it has not met.
func (b *Binding) encodeRows(counts *Counts, to blas64.General, batch tables.Batch, lo, hi int) {
	const few = 32 // rows, of which some fifty columns stay in the first cache
	for ; lo < hi; lo += few {
		rows, at := min(few, hi-lo), 0
		for i := range b.encoder.columns {
			if width := b.encoder.columns[i].width(); width > 0 {
				b.encodeColumn(counts, rowops.Block(to, lo, at, rows, width), i, batch, lo)
				at += width
			}
		}
	}
}

// encodeColumn encodes as many rows of column i as to has, from lo on, and counts what it has not met.
func (b *Binding) encodeColumn(counts *Counts, to blas64.General, i int, batch tables.Batch, lo int) {
	c := &b.encoder.columns[i]
	kind, place := b.columns.Place(i)
	switch {
	case c.text != nil:
		c.encodeFree(to, batch.Text[place][lo:])
	case kind == tables.Vector:
		c.encodeVectors(to, batch.Sparse[place], lo, b.encoder.standardize)
		counts.Beyond = b.count(counts.Beyond, i, beyond(batch.Sparse[place], lo, lo+to.Rows, c.places))
	case kind == tables.Text:
		counts.Unseen = b.count(counts.Unseen, i, c.encodeText(to, batch.Text[place][lo:]))
	default:
		num := batch.Num.RawMatrix()
		n := c.encodeNumbers(to, rowops.Block(num, lo, 0, to.Rows, num.Cols), place, b.encoder.standardize)
		counts.Missing = b.count(counts.Missing, i, n)
	}
}

func (b *Binding) count(counts []int, i, n int) []int {
	if n == 0 {
		return counts
	}
	if counts == nil {
		counts = make([]int, len(b.encoder.columns))
	}
	counts[i] += n
	return counts
}

// Count returns the counts of EncodeTo without encoding, with an example of unseen text for each column.
func (b *Binding) Count(batch tables.Batch) Counts {
	var counts Counts
	for i := range b.encoder.columns {
		c := &b.encoder.columns[i]
		if c.text != nil || c.width() == 0 {
			continue
		}
		switch kind, place := b.columns.Place(i); kind {
		case tables.Vector:
			counts.Beyond = b.count(counts.Beyond, i, beyond(batch.Sparse[place], 0, batch.Rows, c.places))
		case tables.Text:
			n, first := c.unseen(batch.Text[place][:batch.Rows])
			counts.Unseen = b.count(counts.Unseen, i, n)
			if first != "" {
				if counts.Example == nil {
					counts.Example = make([]string, len(b.encoder.columns))
				}
				counts.Example[i] = first
			}
		default:
			if !c.hasIndicator() {
				counts.Missing = b.count(counts.Missing, i, missing(batch.Num, place))
			}
		}
	}
	return counts
}

// level returns the level that a cell is, as it stands or in another spelling.
func (c *column) level(cell string) (int, bool) {
	if l, ok := c.index[cell]; ok {
		return l, true
	}
	return c.spellings.find(cell)
}

// unseen counts the cells that are no level, and returns the first that is not empty.
func (c *column) unseen(cells []string) (n int, first string) {
	for _, cell := range cells {
		if _, ok := c.level(cell); !ok {
			n++
			first = cmp.Or(first, cell)
		}
	}
	return n, strings.Clone(first) // of a batch that is valid for a while
}

// missing counts the missing numbers of a column.
func missing(num *mat.Dense, j int) int {
	n := 0
	x := num.RawMatrix()
	for i := range x.Rows {
		if math.IsNaN(x.Data[i*x.Stride+j]) {
			n++
		}
	}
	return n
}

// encodeNumbers encodes column j of num and returns the number of unexpected missing values.
func (c *column) encodeNumbers(to, num blas64.General, j int, standardize bool) (surprises int) {
	centre, scale := 0.0, 1.0
	if standardize {
		centre, scale = c.mean, c.scale
	}
	hasValue, hasIndicator := c.hasValue(), c.hasIndicator()
	for i := range to.Rows {
		v, missing, at := num.Data[i*num.Stride+j], 0.0, i*to.Stride
		if math.IsNaN(v) {
			v, missing = c.mean, 1
			if !hasIndicator {
				surprises++
			}
		}
		if hasValue {
			to.Data[at] = (v - centre) / scale
		}
		if hasIndicator {
			to.Data[at+to.Cols-1] = missing
		}
	}
	return surprises
}

// encodeText encodes cells and returns the number of those that are no level.
func (c *column) encodeText(to blas64.General, cells []string) (surprises int) {
	for i, cell := range cells[:to.Rows] {
		z := rowops.Row(to, i)
		clear(z)
		if l, ok := c.level(cell); ok {
			z[l] = 1
		} else {
			surprises++
		}
	}
	return surprises
}

// encodeFree encodes free text.
func (c *column) encodeFree(to blas64.General, cells []string) {
	var t tallies
	for i, cell := range cells[:to.Rows] {
		z := rowops.Row(to, i)
		clear(z)
		columns, values := c.text.appendRow(nil, nil, cell, 0, &t)
		for s, j := range columns {
			z[j] = values[s]
		}
	}
}

// encodeVectors encodes sparse rows from lo on.
func (c *column) encodeVectors(to blas64.General, rows tables.SparseRows, lo int, standardize bool) {
	for i := range to.Rows {
		z := rowops.Row(to, i)
		clear(z)
		columns, values := c.appendVector(nil, nil, rows, lo+i, 0, standardize)
		for s, j := range columns {
			z[j] = values[s]
		}
	}
}

// appendVector appends a sparse row whose first column is at first.
func (c *column) appendVector(columns []int, values []float64, rows tables.SparseRows, i, first int, standardize bool) ([]int, []float64) {
	scale := 1.0
	if standardize {
		scale = c.scale
	}
	places, v := rows.Row(i)
	for s, j := range places {
		if j < c.places {
			columns, values = append(columns, first+j), append(values, v[s]/scale)
		}
	}
	return columns, values
}

// Encode yields the encoded rows of src, tables.BlockRows at a time. A block is valid until the next
// one is asked for. After an error nothing more is yielded, and Counts is not complete.
func (e *Encoder) Encode(ctx context.Context, src tables.Source) iter.Seq2[mat.Matrix, error] {
	return func(yield func(mat.Matrix, error) bool) {
		binding, err := e.Bind(src.Columns())
		if err != nil {
			yield(nil, err)
			return
		}
		var memory mat.Dense
		for batch, err := range tables.NewGuard("", src).Batches(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			rows, _ := binding.Rows(&memory, batch)
			if !yield(rows, nil) {
				return
			}
		}
	}
}
