// Package diagnose has diagnostics of a model from two tables: a test that U has the same distribution in both, the rows that both tables share, the
// variance of h(U) that X explains and that of Y that U explains, and a bound of the error under a violation of conditional mean independence; with
// coupled (X, U, Y) rows also a test of conditional mean independence.
package diagnose
