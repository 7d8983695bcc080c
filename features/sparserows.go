package features

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/parallel"
	"mediant/tables"
)

// Rows returns the encoded rows of b: a *CSR of its own if the encoder is Sparse, else the first rows of
// memory, which is made larger if it has fewer.
func (b *Binding) Rows(memory *mat.Dense, batch tables.Batch) (mat.Matrix, Counts) {
	if b.encoder.Sparse() {
		return b.sparse(batch)
	}
	rows := firstRows(memory, batch.Rows, b.encoder.width)
	return rows, b.EncodeTo(rows, batch)
}

// sparse encodes columns that are not free text or sparse rows as EncodeTo does and keeps their nonzeros.
func (b *Binding) sparse(batch tables.Batch) (*CSR, Counts) {
	dense, counts := b.others(batch)
	blocks := make([]*CSR, (batch.Rows+blockRows-1)/blockRows)
	parallel.Blocks(batch.Rows, blockRows, func(lo, hi int) {
		out := &csrBuilder{cols: b.encoder.width}
		var memory tallies
		for i := lo; i < hi; i++ {
			b.appendRow(out, dense, batch, i, &memory)
			if i == lo { // other rows will be about as long
				out.columns, out.values = slices.Grow(out.columns, len(out.columns)*(hi-lo)), slices.Grow(out.values, len(out.values)*(hi-lo))
			}
		}
		blocks[lo/blockRows] = out.csr()
	})
	return stack(blocks), counts
}

// others encodes the columns that are not sparse of themselves, nil for those that are.
func (b *Binding) others(batch tables.Batch) ([]*mat.Dense, Counts) {
	var counts Counts
	dense := make([]*mat.Dense, len(b.encoder.columns))
	for i := range b.encoder.columns {
		c := &b.encoder.columns[i]
		if c.text != nil || c.width() == 0 {
			continue
		}
		if c.kind == tables.Vector {
			_, place := b.columns.Place(i)
			counts.Beyond = b.count(counts.Beyond, i, beyond(batch.Sparse[place], 0, batch.Rows, c.places))
			continue
		}
		dense[i] = mat.NewDense(batch.Rows, c.width(), nil)
		b.encodeColumn(&counts, dense[i].RawMatrix(), i, batch, 0)
	}
	return dense, counts
}

// beyond is the number of values of the rows from lo to hi whose places are not below places.
func beyond(rows tables.SparseRows, lo, hi, places int) int {
	n := 0
	for i := lo; i < hi; i++ {
		for k := rows.Start[i+1] - 1; k >= rows.Start[i] && rows.Columns[k] >= places; k-- { // they ascend
			n++
		}
	}
	return n
}

// appendRow appends row i of the batch to out.
func (b *Binding) appendRow(out *csrBuilder, dense []*mat.Dense, batch tables.Batch, i int, memory *tallies) {
	at := 0
	for k := range b.encoder.columns {
		c := &b.encoder.columns[k]
		switch {
		case c.text != nil:
			_, place := b.columns.Place(k)
			out.columns, out.values = c.text.appendRow(out.columns, out.values, batch.Text[place][i], at, memory)
		case c.places > 0:
			_, place := b.columns.Place(k)
			out.columns, out.values = c.appendVector(out.columns, out.values, batch.Sparse[place], i, at, b.encoder.standardize)
		case dense[k] != nil:
			for j, v := range dense[k].RawRowView(i) {
				if v != 0 {
					out.columns, out.values = append(out.columns, at+j), append(out.values, v)
				}
			}
		}
		at += c.width()
	}
	out.endRow()
}

// stack returns the rows of all blocks, of which there is at least one, each of the same width.
func stack(blocks []*CSR) *CSR {
	rows, values := 0, 0
	for _, b := range blocks {
		rows, values = rows+b.rows, values+len(b.values)
	}
	all := &CSR{cols: blocks[0].cols, start: make([]int, 1, rows+1), columns: make([]int, 0, values), values: make([]float64, 0, values)}
	for _, b := range blocks {
		before := len(all.values)
		all.rows += b.rows
		all.columns, all.values = append(all.columns, b.columns...), append(all.values, b.values...)
		for _, s := range b.start[1:] {
			all.start = append(all.start, before+s)
		}
	}
	return all
}

// pickRows returns the given rows of x: a *CSR if x has sparse rows, else a dense copy.
func pickRows(x mat.Matrix, rows []int) mat.Matrix {
	_, cols := x.Dims()
	if raw, ok := x.(*mat.Dense); ok {
		return view(rowsOf(raw, rows))
	}
	if sparse, ok := x.(mat.RowNonZeroDoer); ok {
		out := &CSR{cols: cols, start: make([]int, 1, len(rows)+1)}
		if own, ok := x.(*CSR); ok { // whose numbers of nonzeros are known: slices that grow have room that nobody needs
			size := 0
			for _, i := range rows {
				size += own.start[i+1] - own.start[i]
			}
			out.columns, out.values = make([]int, 0, size), make([]float64, 0, size)
		}
		for _, i := range rows {
			out.appendNonzeros(sparse, i)
		}
		return out
	}
	out := mat.NewDense(len(rows), cols, nil)
	for to, i := range rows {
		mat.Row(out.RawRowView(to), i, x)
	}
	return out
}

// chooseRows returns the given rows of x: of dense ones copies in memory, else pickRows.
func chooseRows(memory *mat.Dense, x mat.Matrix, rows []int) mat.Matrix {
	dense, ok := x.(*mat.Dense)
	if !ok {
		return pickRows(x, rows)
	}
	_, c := x.Dims()
	chosen := firstRows(memory, len(rows), c)
	for i, k := range rows {
		copy(chosen.RawRowView(i), dense.RawRowView(k))
	}
	return chosen
}

// appendNonzeros adds a row to c, which no one else has seen yet: row i of x, whose columns may come in any order.
func (c *CSR) appendNonzeros(x mat.RowNonZeroDoer, i int) {
	first, last, ascending := len(c.columns), -1, true
	x.DoRowNonZero(i, func(_, j int, v float64) {
		if v != 0 {
			ascending, last = ascending && j > last, j
			c.columns, c.values = append(c.columns, j), append(c.values, v)
		}
	})
	if !ascending {
		c.sortFrom(first)
	}
	c.rows++
	c.start = append(c.start, len(c.values))
}

// sortFrom brings the elements from the first given on, those of one row, in order.
func (c *CSR) sortFrom(first int) {
	at := make(map[int]float64)
	for t, j := range c.columns[first:] {
		at[j] = c.values[first+t]
	}
	slices.Sort(c.columns[first:])
	for t, j := range c.columns[first:] {
		c.values[first+t] = at[j]
	}
}
