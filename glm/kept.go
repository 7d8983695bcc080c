package glm

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A block is what do is called with.
type block struct {
	phi, y  *mat.Dense
	weights []float64
}

// Kept returns the rows with their features kept in memory from the first pass on, if they take at most so many bytes; later passes do not call rows then.
func Kept(rows Rows, bytes int) Rows {
	var all []block
	complete := false
	return func(ctx context.Context, do func(phi, y *mat.Dense, weights []float64)) error {
		if complete {
			for _, b := range all {
				if err := ctx.Err(); err != nil {
					return err
				}
				do(b.phi, b.y, b.weights)
			}
			return nil
		}
		all = nil
		left := bytes
		err := rows(ctx, func(phi, y *mat.Dense, weights []float64) {
			n, p := phi.Dims()
			_, k := y.Dims()
			if left -= 8 * n * (p + k + 1); left >= 0 {
				all = append(all, block{mat.DenseCopyOf(phi), mat.DenseCopyOf(y), slices.Clone(weights)})
			}
			do(phi, y, weights)
		})
		complete = err == nil && left >= 0
		if !complete {
			all = nil
		}
		return err
	}
}
