// Package tables has named columns, which all that learns or predicts reads. A table is a Source: columns with distinct names, and
// batches of exactly BlockRows rows (the last one has the rest), the same on every pass. Columns are matched by name, never by position.
//
// Tables come from
//
//   - slices in memory: FromColumns, with columns made by Numbers, Strings and Vectors;
//   - matrices: FromMatrix, and FromSparse for those whose rows are mostly zeros;
//   - files: packages tables/csv (csv.Open) and tables/libsvm, each with a Source of its own, so that this package knows no format;
//   - whatever implements Source.
//
// Load reads any of them into memory. Keep, Pick, Rename, HStack, Weigh and Indicator make tables of tables, package tables/copies one without copies of rows;
// AssignRoles says which columns are X, U and Y in
//
//	S_X = {(X_i, U_i)}, i = 1..n        S_Y = {(U'_j, Y'_j)}, j = 1..m
//
// and Select finds columns in the batches of a table that may have more, in any order. FactsOf returns metadata of a table: the number of rows,
// memory, weights, and places of rows in files.
//
// # Cells
//
// A number is finite, and so is its square, or it is NaN, which is missing; a missing cell is never 0. Text is UTF-8, kept to the byte, and only the
// empty cell is missing. A column of kind Vector has a sparse row of numbers in each cell: Batch.Sparse. To roles, which go by name, it is one
// column.
//
// # Weights
//
// Weigh reads a column of weights: whole numbers are frequencies, others sampling weights, and rows of weight 0 are left
// out. Batch has what they mean for sums, for variances and for counts.
package tables
