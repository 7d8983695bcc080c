//go:build race

package blas

// raced says that pools forget on purpose.
const raced = true
