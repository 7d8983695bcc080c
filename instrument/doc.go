// Package instrument estimates what X does to Y from S_X = {(X, Z)} and S_Y = {(Z, Y)} where Z, the columns that both tables have, is an
// instrument for X: two-sample instrumental variables (docs/theory.md, section 26).
//
//	Y = f(X) + e,   E[e|Z] = 0,   so that   E[Y|Z] = E[f(X)|Z]
//
// TS2SLS fits a linear f by two-stage least squares, with standard errors, the strength of the first stage and a test of
// over-identification. Kernel fits f by ridge regression on features, which is two-sample kernel instrumental variable regression.
//
// The same two tables identify other quantities under other assumptions (Assumptions): 2Step-RR of package rr takes Z for a mediator and estimates
// E[Y|X]. The tables do not show which assumption holds, so that no program chooses between the methods.
package instrument
