package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mediant/experiments"
	"mediant/internal/outfile"
	"mediant/internal/progress"
	"mediant/tables"
	"mediant/tables/parquet"
)

// scaleFlags are those of study scale.
type scaleFlags struct {
	write  string
	shards experiments.Shards
	quiet  bool
}

// newScale is the study of docs/scale.md.
func newScale() *cobra.Command {
	var f scaleFlags
	cmd := &cobra.Command{
		Use:   "scale",
		Short: "Large tables in parts, of any number of rows",
		Args:  arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.write, "write", "", "folder for the parts of both tables, xu-01.parquet, uy-01.parquet and so on")
	flags.IntVar(&f.shards.Rows, "rows", 100_000, "rows of each table")
	flags.IntVar(&f.shards.Parts, "parts", 16, "parts of each table")
	flags.Uint64Var(&f.shards.Seed, "seed", 1, "seed of all random choices")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

func (f *scaleFlags) run(ctx context.Context, stdout io.Writer) error {
	if err := f.shards.Validate(); err != nil {
		return usagef("--rows, --parts: %w", err)
	}
	if err := os.MkdirAll(f.write, 0o777); err != nil {
		return err
	}
	for part := range f.shards.Parts {
		within := progress.Step(ctx, "writing tables", part, f.shards.Parts)
		for _, t := range []struct {
			name string
			src  tables.Source
		}{{"xu", f.shards.XU(part)}, {"uy", f.shards.UY(part)}} {
			if err := writeParquet(within, filepath.Join(f.write, fmt.Sprintf("%s-%02d.parquet", t.name, part+1)), t.src); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeParquet writes a table.
func writeParquet(ctx context.Context, path string, src tables.Source) error {
	return outfile.Write(path, func(w io.Writer) error {
		to, err := parquet.NewWriter(w, src.Columns())
		if err != nil {
			return err
		}
		return tables.Copy(ctx, to, src)
	})
}
