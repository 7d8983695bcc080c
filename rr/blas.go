package rr

import "mediant/internal/blas"

// UseFastBLAS makes all of gonum in the program, mat and lapack included, compute matrix products, symmetric products and
// triangular solves by this module's routines. Call it once, before anything computes. It is for a program's own work with
// gonum, whose last bits it changes: fits and predictions of this module are as fast without it, except for the
// eigendecompositions of singular systems.
func UseFastBLAS() { blas.Use() }
