// Package diagnose reports what two tables show about whether a model fitted to them can be trusted: whether U has the same
// distribution in both, which rows both tables share, how much of h(U) is explained by X and of Y by U, how large the error
// may be under a violation of conditional mean independence, and, with coupled rows, a test of it.
package diagnose
