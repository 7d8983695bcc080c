package kerneltest

import (
	"gonum.org/v1/gonum/mat"

	"mediant/internal/sparsetest"
)

// Sparse returns x as a matrix of nonzeros, in which At panics: whoever takes it by its nonzeros is
// well, and whoever loops over its elements is found out. Columns come in no order within a row.
func Sparse(x mat.Matrix) mat.Matrix { return sparsetest.Of(x) }
