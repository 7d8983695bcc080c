package problem

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/internal/rowops"
	"mediant/tables"
)

// rowFolds returns, for each row of encoded rows, the folds of a pass over src that hold a row equal to it, ascending.
// Rows of landmarks that were picked from src are found so, in the one fold that they are in or, where src has
// equal rows, in several. Rows of src without the other side, nil for none, do not count, since no sum of both has them.
// It costs one pass.
func rowFolds(ctx context.Context, e *encode.Encoder, src tables.Source, other encode.Side, opt PassOptions, rows mat.Matrix) ([][]int, error) {
	wanted := make(map[uint64][]int)
	n, _ := rows.Dims()
	for i := range n {
		key := rowHash(rows, i)
		wanted[key] = append(wanted[key], i)
	}
	found := make([][]bool, n)
	binding, err := e.Bind(src.Columns())
	if err != nil {
		return nil, err
	}
	var with encode.SideReader
	if other != nil {
		if with, err = other.Open(src); err != nil {
			return nil, err
		}
	}
	folds := max(1, opt.Folds)
	assign := opt.assigner()
	var memory mat.Dense
	for batch, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		encoded, _ := binding.Rows(&memory, batch)
		var usable []int
		if with != nil {
			if _, usable, err = with.Read(batch); err != nil {
				return nil, err
			}
		}
		for i := range batch.Rows {
			if !contains(usable, i) {
				continue
			}
			for _, at := range wanted[rowHash(encoded, i)] {
				if found[at] == nil {
					found[at] = make([]bool, folds)
				}
				if folds == 1 {
					found[at][0] = true
				} else {
					found[at][assign.of(batch, i)] = true
				}
			}
		}
	}
	out := make([][]int, n)
	for i, in := range found {
		for f, there := range in {
			if there {
				out[i] = append(out[i], f)
			}
		}
	}
	return out, nil
}

// rowHash mixes the nonzeros of row i and their columns; rows that differ have other values but by chance, 1 in 2^64.
func rowHash(x mat.Matrix, i int) uint64 {
	h := uint64(0xcbf29ce484222325)
	mix := func(v uint64) {
		h = (h ^ v) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	add := func(_, j int, v float64) {
		if v != 0 {
			mix(uint64(j))
			mix(math.Float64bits(v))
		}
	}
	if sparse, ok := x.(mat.RowNonZeroDoer); ok {
		sparse.DoRowNonZero(i, add)
		return h
	}
	if raw, ok := x.(mat.RawMatrixer); ok {
		for j, v := range rowops.Row(raw.RawMatrix(), i) {
			add(i, j, v)
		}
		return h
	}
	_, c := x.Dims()
	for j := range c {
		add(i, j, x.At(i, j))
	}
	return h
}
