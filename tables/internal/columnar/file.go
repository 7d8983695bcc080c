// Package columnar makes a tables.Source of a file whose columns have types of their own: Parquet, Arrow, NPY, JSON lines.
// A format implements File; Open decides the kinds of the columns and cuts the rows into batches.
package columnar

import (
	"context"
	"io"
	"iter"

	"mediant/tables"
)

// A Field is a column of a file.
type Field struct {
	Name string
	// Kind is what its type says: numbers or text.
	Kind tables.Kind
	// Refused says why no column of a table can be made of it ("is a list of numbers"), "" if one can.
	Refused string
	// Bytes says that its type is bytes, which are read as text if that is what they are, and not looked at if the column is unused.
	Bytes bool
	// Mixed says that it has numbers and text ("has a number on line 3 and text on line 5"), "" if not: it is read if it is wanted as text.
	Mixed string
}

// A Want asks for a column, as numbers or as text.
type Want struct {
	Field int // its place in Fields
	As    tables.Kind
}

// Values are cells of a column, as they were asked for.
type Values struct {
	Numbers []float64 // NaN where missing
	Cells   []string  // "" where missing
	// Rounded reports a whole number among the numbers that float64 cannot hold, Fraction one that is not written as a whole number.
	Rounded, Fraction bool
	// Err says that there is no room for some of the cells.
	Err error
}

// A Block has consecutive rows of the columns that were asked for, in that order.
type Block struct {
	Rows   int
	Values []Values
}

// A File stores a table by columns. Several passes may run at the same time.
type File interface {
	Fields() []Field
	// Rows is the number of rows, or -1 where only a pass tells it.
	Rows() int
	// Blocks yields the rows in order, in blocks of any size that are valid until the next one is asked for. Text asked for as numbers is
	// never; numbers asked for as text are written in full, the shortest that reads back the same. Row i of an error counts from 1.
	Blocks(ctx context.Context, wants []Want) iter.Seq2[Block, error]
}

// An Input is a file that can be read at any place, by several readers at a time.
type Input struct {
	Name string
	io.ReaderAt
	Size int64
}
