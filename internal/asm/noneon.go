//go:build !arm64 || noasm

package asm

// The assembly that other builds lack is never called at their levels.

func gemmNEON(width, k int, a *float64, rowA, colA int, b *float64, rowB int, alpha float64, c *float64, rowC int, add bool) {
	panic("asm: no assembly")
}
