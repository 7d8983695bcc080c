package tables

import (
	"context"
	"fmt"
	"iter"

	"gonum.org/v1/gonum/mat"
)

// BlockRows is the number of rows of every Batch but the last. It is a constant because sums are
// formed batch by batch, and the same input must give the same bytes whatever reads it.
const BlockRows = 1024

// Kind says what the cells of a column are.
type Kind int

const (
	Numeric Kind = iota // float64, NaN where missing
	Text                // string, "" where missing
	Vector              // a sparse row of numbers
)

// String returns "numeric", "text" or "vector".
func (k Kind) String() string {
	switch k {
	case Numeric:
		return "numeric"
	case Text:
		return "text"
	case Vector:
		return "vector"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// A Column is a named column of a Source.
type Column struct {
	Name string
	Kind Kind
}

// A Source is a table that can be read again and again, from its first row each time.
type Source interface {
	// Columns lists the columns in the order of the file; the names are distinct.
	Columns() []Column
	// Batches yields the rows in order, BlockRows at a time. A Batch is valid until the next one
	// is asked for. After an error nothing more is yielded.
	Batches(ctx context.Context) iter.Seq2[Batch, error]
}

// A Batch is a run of consecutive rows. The i-th column of the source, counted among the columns of
// its kind, is column i of Num or element i of Text or of Sparse. The zero value has no rows and is none that a Source
// may yield.
type Batch struct {
	Start int        // number of rows before this batch
	Rows  int        // number of rows here
	Num   *mat.Dense // Rows × number of numeric columns; nil if there are none
	Text  [][]string // one slice of Rows cells a text column
	// Sparse has the rows of each column of kind Vector.
	Sparse []SparseRows

	weights rowWeights // of a source made by Weigh
}
