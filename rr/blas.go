package rr

import (
	"mediant/internal/blas"
	"mediant/internal/parallel"
)

// UseFastBLAS makes all of gonum in the program, mat and lapack included, compute matrix products, symmetric products and
// triangular solves by this module's routines. Call it once, before anything computes. It is for a program's own work with
// gonum, whose last bits it changes: fits and predictions of this module are as fast without it, except for the
// eigendecompositions of singular systems.
func UseFastBLAS() { blas.Use() }

// SetBusyWait says whether goroutines of this module that have done their part of a loop look for more work for 0.2 ms before they sleep, and returns what held before. It is off unless a program turns it on. Fits are up to some
// per cent faster with it, since loops follow each other closely and to wake a goroutine takes a while, at the price of processor time that a program with other work would miss. Results do not depend on it.
func SetBusyWait(on bool) (before bool) { return parallel.SetBusyWait(on) }
