// Package encode turns the columns of tables into rows of numbers.
//
// An [Encoder] imputes missing numbers, standardises, writes levels of text as 0/1 columns and hashes free text; there is
// one encoder for U, fitted on the pooled U of both tables. [Targets] are the outputs: columns of numbers, or one column of
// labels as 0/1 columns. A [Side] is one of the two sides, a or b, whose products a pass over a table sums by fold (package
// problem). Sparse rows stay sparse, as a [CSR].
//
// # Invariants
//
// Rows are samples. Encoders and targets are immutable once made and safe for concurrent use. An encoded row depends on that row
// alone, and encoders of the same rows in any order and batches are equal to rounding; levels are sorted.
//
// Panics are for shapes; errors are for what came from data.
package encode
