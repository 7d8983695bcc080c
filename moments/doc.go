// Package moments has co-moments: the weighted means and sums of products of two sets of columns, from which models are fitted without the rows.
//
// [CoMoments] sum over the rows of one table: for S_X of (phi(x), psi(u)), for S_Y of (psi(u), y). They can be added over
// batches, files, threads and machines, so that streaming, cross-validation, incremental fits and the exchange of sums
// between organisations are one operation, [CoMoments.Merge].
//
// In the notation of docs/design.md, after division by the total weight:
//
//	S_X: LeftTo = A (p×p)   CrossTo = B (p×q)   RightTo = C (q×q)
//	S_Y: LeftTo = D (q×q)   CrossTo = E (q×k)   RightTo's diagonal = s (k)
//
// Invariants. Symmetric matrices keep their upper triangle. Rows are samples. CoMoments knows the identity of the maps that
// made its columns ([ID]) and is never merged with sums of others. Merged sums agree with a single pass to rounding.
package moments
