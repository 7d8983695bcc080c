// Package baselines holds what 2Step-RR and Joint-RR are compared with, behind the same interface
// rr.Method: the naive chain of two models, kernel mean embedding, the integral over a conditional density, and the
// supervised oracle that sees the pairs that nobody has.
package baselines
