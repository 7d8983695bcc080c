package kernels

import "gonum.org/v1/gonum/mat"

// Span returns rows lo to hi of x as a matrix of x's own kind: a view of a dense matrix, a selection
// of a sparse one (mat.RowNonZeroDoer).
func Span(x mat.Matrix, lo, hi int) mat.Matrix { return span(x, lo, hi) }
