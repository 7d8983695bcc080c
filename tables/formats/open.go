// Package formats opens a table in whatever format its file is: CSV, JSON lines, plain or compressed, Parquet, Arrow, NPY and NPZ.
// It imports all their libraries; a program that needs one format imports its package alone.
package formats

import (
	"context"
	"errors"
	"fmt"

	"mediant/internal/input"
	"mediant/tables"
	"mediant/tables/arrow"
	"mediant/tables/csv"
	"mediant/tables/jsonl"
	"mediant/tables/npy"
	"mediant/tables/parquet"
)

// A Format is the name of a format, as Of finds it.
type Format string

const (
	CSV     Format = "csv" // and all that is none of the others
	JSONL   Format = "jsonl"
	Parquet Format = "parquet"
	Arrow   Format = "arrow"
	NPY     Format = "npy" // and NPZ
)

// Open opens the file of a path as its format, which its first bytes tell. Options of CSV that other formats have no use for are theirs alone. The table must
// be closed.
func Open(ctx context.Context, path string, opt csv.Options) (tables.File, error) {
	in, err := input.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("formats: %w", err)
	}
	format, err := of(ctx, in)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("formats: %w", err), in.Close())
	}
	switch format {
	case Parquet:
		return parquet.OpenInput(ctx, in, opt.Columns())
	case Arrow:
		return arrow.OpenInput(ctx, in, opt.Columns())
	case NPY:
		return npy.OpenInput(ctx, in, opt.Columns())
	case JSONL:
		return jsonl.OpenInput(ctx, in, opt.Columns())
	}
	return csv.OpenInput(ctx, in, opt)
}
