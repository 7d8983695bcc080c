package rr

import "mediant/internal/blas"

// UseFastBLAS makes all of gonum compute its matrix products, symmetric products and triangular solves, and
// what mat and lapack make of them, by the routines that this module uses itself, in the whole program.
// Call it once, before anything computes. This module's own results are as fast without it, but for
// minimum-norm solutions of singular systems.
func UseFastBLAS() { blas.Use() }
