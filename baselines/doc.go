// Package baselines has the methods that 2Step-RR and Joint-RR are compared with, behind the same interface rr.Method: the
// naive chain of two models, the kernel mean embedding, the integral over a conditional density, and the supervised oracle,
// which uses coupled rows (X, Y).
package baselines
