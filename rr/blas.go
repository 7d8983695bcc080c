package rr

import "mediant/internal/blas"

// UseFastBLAS makes all of gonum compute its matrix products, symmetric products and triangular solves, and
// what mat and lapack make of them, by the routines that this module uses itself, in the whole program.
// Call it once, before anything computes: it is for a program's own work with gonum, whose last bits it
// changes. This module calls its routines itself, so that fits and predictions are as fast without it, but
// for the eigendecompositions of singular systems.
func UseFastBLAS() { blas.Use() }
