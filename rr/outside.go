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
	m, n, out := 0, 0, make([]int, len(low))
	roles := p.Setup.Roles
	_, err := features.Walk(ctx, p.sourceUY, p.U, p.Y, features.PassOptions{Weights: roles.WeightsUY}, func(_ int, u, _ *mat.Dense, w []float64) {
		m += eachRow(u, w, func(j int, v float64) { low[j], high[j] = min(low[j], v), max(high[j], v) })
	})
	if err != nil {
		return nil, fmt.Errorf("table of U and Y: %w", err)
	}
	_, err = features.Walk(ctx, p.sourceXU, p.U, x, features.PassOptions{Weights: roles.WeightsXU}, func(_ int, u, _ *mat.Dense, w []float64) {
		n += eachRow(u, w, func(j int, v float64) {
			if v < low[j] || v > high[j] {
				out[j]++
			}
		})
	})
	if err != nil {
		return nil, fmt.Errorf("table of X and U: %w", err)
	}
	var notes []string
	for j, name := range p.U.Names() {
		if float64(out[j])*float64(m+1) > 10*float64(n) {
			notes = append(notes, fmt.Sprintf("%q is outside of its range in the table of U and Y in %d of the %d rows of the first table: nothing is known of Y there, and the estimate may be far off", name, out[j], n))
		}
	}
	return notes, nil
}

// eachRow calls do for every value of the rows that carry weight, and returns their number.
func eachRow(x *mat.Dense, w []float64, do func(j int, v float64)) int {
	rows, _ := x.Dims()
	counted := 0
	for i := range rows {
		if weightOf(w, i) == 0 {
			continue
		}
		counted++
		for j, v := range x.RawRowView(i) {
			do(j, v)
		}
	}
	return counted
}
