package problem

import (
	fast "mediant/internal/blas"
	"mediant/tables"
)

// sampleBytes is the size in bytes of a sample of rows.
func sampleBytes(rows int, rowBytes float64) float64 { return float64(rows) * rowBytes }

// passBytes estimates what a pass over a table holds at a time, if both sides have encoded rows of so many bytes and
// finished ones of so many columns together: a batch as it is read, encoded, picked by folds and mapped, and centred for
// the sums, which it packs.
func passBytes(rowBytes, columns, folds float64) float64 {
	picked := 1 + 1/max(1, folds)
	return tables.BlockRows*(rowBytes*(1+picked)+8*columns*picked) + fast.PackBytes(columns)
}
