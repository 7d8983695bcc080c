package blas

import (
	"runtime"

	"mediant/internal/asm"
)

// PackBytes is what a product over terms of n-wide rows, such as a sum of products of features, holds packed, on all
// goroutines: each packs a stretch of both factors, of at most span columns, and keeps the memory for the next.
func PackBytes(n float64) float64 {
	return 8 * float64(runtime.GOMAXPROCS(0)) * 2 * depthBlock * min(n+asm.Cols, span)
}
