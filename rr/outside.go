package rr

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
)

// outside says, a sentence each, which encoded columns of U leave in S_X the range that they have in S_Y: a
// level or a missing value that S_Y never has, a column in other units. Where S_Y has no such U, neither
// E[Y|U] nor the ratio of the laws can be learned. If both tables had the same law without ties, about
// 2/(m+1) of the rows would lie outside of the range of m others, and more than 10/(m+1) with odds of
// (1+10) exp(-10) = 5e-4 for many rows; only more is told. Rows of S_X without the other side x do not
// count. Columns of sparse rows are not looked at.
func (p *Problem) outside(ctx context.Context, x features.Side) ([]string, error) {
	if p.U.Sparse() {
		return nil, nil
	}
	low, high := make([]float64, p.U.Width()), make([]float64, p.U.Width())
	for j := range low {
		low[j], high[j] = math.Inf(1), math.Inf(-1)
	}
	m, n, out := 0., 0., make([]float64, len(low))
	_, err := features.Walk(ctx, p.sources[tableUY], p.U, p.Y, features.PassOptions{}, func(_ int, u, _ *mat.Dense, w features.Weights) {
		m += eachRow(u, w, func(j int, v, _ float64) { low[j], high[j] = min(low[j], v), max(high[j], v) })
	})
	if err != nil {
		return nil, fmt.Errorf("table of U and Y: %w", err)
	}
	_, err = features.Walk(ctx, p.sources[tableXU], p.U, x, features.PassOptions{}, func(_ int, u, _ *mat.Dense, w features.Weights) {
		n += eachRow(u, w, func(j int, v, rows float64) {
			if v < low[j] || v > high[j] {
				out[j] += rows
			}
		})
	})
	if err != nil {
		return nil, fmt.Errorf("table of X and U: %w", err)
	}
	var notes []string
	for j, name := range p.U.Names() {
		if out[j]*(m+1) > 10*n {
			notes = append(notes, fmt.Sprintf("%q is outside of its range in the table of U and Y in %g of the %g rows of the first table: nothing is known of Y there, and the estimate may be far off", name, out[j], n))
		}
	}
	return notes, nil
}

// eachRow calls do for every value, with the number of rows that it stands for, and returns the number of all rows.
func eachRow(x *mat.Dense, w features.Weights, do func(j int, v, rows float64)) float64 {
	rows, _ := x.Dims()
	counted := 0.
	for i := range rows {
		own := w.FrequencyOf(i)
		counted += own
		for j, v := range x.RawRowView(i) {
			do(j, v, own)
		}
	}
	return counted
}
