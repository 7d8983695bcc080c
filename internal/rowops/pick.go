package rowops

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// stack returns the rows of all blocks, of which there is at least one, each of the same width.
func Stack(blocks []*CSR) *CSR {
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
func Pick(x mat.Matrix, rows []int) mat.Matrix {
	_, cols := x.Dims()
	if raw, ok := x.(*mat.Dense); ok {
		return View(Of(raw, rows))
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
func Choose(memory *mat.Dense, x mat.Matrix, rows []int) mat.Matrix {
	dense, ok := x.(*mat.Dense)
	if !ok {
		return Pick(x, rows)
	}
	_, c := x.Dims()
	chosen := First(memory, len(rows), c)
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
