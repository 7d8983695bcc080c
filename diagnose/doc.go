// Package diagnose reports what two tables, and a model fitted to them, show of whether the model may be trusted: whether U has
// one distribution in both tables, rows that both tables share, how much X explains of h(U) and U of Y, how large the error may
// be if X says more of Y than U does, and, with coupled rows, a test of that.
package diagnose
