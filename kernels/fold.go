package kernels

import (
	"sync"

	"gonum.org/v1/gonum/mat"
)

// spanRows is the number of rows that combinations work on at a time, so that they need one more
// matrix of that many rows and no more. Each part prepares its copy of y once a span, which at this
// size is a fraction of a per cent of the work.
const spanRows = 1024

var grams = sync.Pool{New: func() any { return new(mat.Dense) }}

// foldTo stores the parts' Gram matrices in dst, combined one after the other by into(acc, acc, next).
func foldTo(dst *mat.Dense, x, y mat.Matrix, parts []Kernel, into func(acc *mat.Dense, a, b mat.Matrix)) {
	n, m, _ := prepare(dst, x, y)
	y = span(y, 0, m)
	next := grams.Get().(*mat.Dense)
	defer grams.Put(next)
	for lo := 0; lo < n; lo += spanRows {
		hi := min(lo+spanRows, n)
		rows := span(x, lo, hi)
		acc := dst.Slice(lo, hi, 0, m).(*mat.Dense)
		parts[0].GramTo(acc, rows, y)
		for _, part := range parts[1:] {
			next.Reset()
			part.GramTo(next, rows, y)
			into(acc, acc, next)
		}
	}
}

// foldDiagTo stores the parts' diagonals in dst, combined one after the other by into(dst, next).
func foldDiagTo(dst []float64, x mat.Matrix, parts []Kernel, into func(acc, next []float64)) {
	prepareDiag(dst, x)
	parts[0].DiagTo(dst, x)
	next := make([]float64, len(dst))
	for _, part := range parts[1:] {
		part.DiagTo(next, x)
		into(dst, next)
	}
}
