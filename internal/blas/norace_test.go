//go:build !race

package blas

const raced = false
