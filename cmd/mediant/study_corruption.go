package main

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"mediant"
	"mediant/internal/corruption"
	"mediant/internal/corruption/study"
	"mediant/internal/progress"
	"mediant/internal/unfinished"
)

// corruptionFlags are those of study corruption; their defaults are the study of docs/corruption.md.
type corruptionFlags struct {
	runs, draws, rows, full int
	seed                    uint64
	data, only, pair, out   string
	json, quiet             bool
}

func newCorruption() *cobra.Command {
	var f corruptionFlags
	cmd := &cobra.Command{
		Use:   "corruption",
		Short: "How faults in the tables end: found, harmless, or a silent wrong number",
		Long: `Take clean pairs of tables whose truth is known, put one fault into each that real files have, run
fit or effect on it, and count what comes of it: a refusal, a finding that names the column, a result
that is right, or a wrong number in silence. Writes docs/corruption.md. A run is done again
by the name of its corruption, its pair and its seed.`,
		Example: `  mediant study corruption -o docs/corruption.md
  mediant study corruption --only 'misspelt' --pair survey --seed 2 --draws 1`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLeast(least{"runs", f.runs, 1}, least{"draws", f.draws, 1}, least{"rows", f.rows, 50}, least{"full", f.full, 1}); err != nil {
				return err
			}
			return f.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.runs, "runs", 2100, "number of runs")
	flags.IntVar(&f.draws, "draws", 4, "draws of each pair of tables, of consecutive seeds; one of free text")
	flags.IntVar(&f.rows, "rows", 250, "rows of each of the two tables")
	flags.IntVar(&f.full, "full", 200, "one fit in this many chooses all its settings; the others have fixed ones, which is faster")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the first draw")
	flags.StringVar(&f.data, "data", "", "folder of real pairs: a folder each with xu.csv, uy.csv and xuy.csv (coupled rows)")
	flags.StringVar(&f.only, "only", "", "corruptions whose name contains this alone")
	flags.StringVar(&f.pair, "pair", "", "the pair of this name alone")
	flags.StringVarP(&f.out, "output", "o", "", "Markdown file to write (default: standard output)")
	flags.BoolVar(&f.json, "json", false, "print every run as JSON, besides the file of --output")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

func (f *corruptionFlags) run(ctx context.Context, stdout io.Writer) error {
	if err := tryStudy(stdout, f.out, f.json); err != nil {
		return err
	}
	sources, err := f.sources()
	if err != nil {
		return err
	}
	dir, err := unfinished.CreateFolder(func() (string, error) { return os.MkdirTemp("", "mediant-corruption-*") })
	if err != nil {
		return err
	}
	defer unfinished.RemoveFolder(dir)
	s := study.Study{Runs: f.runs, Draws: f.draws, Seed: f.seed, Rows: f.rows, Full: f.full, Only: f.only, Mediant: run,
		Load: func(path string) (*mediant.Model, error) { return loadModel(path, 0) }}
	done, err := s.Run(ctx, sources, dir, func(n int) { progress.Report(ctx, "corrupting tables", int64(n), int64(f.runs)) })
	if err != nil {
		return err
	}
	if len(done) == 0 {
		return usagef("there is nothing to run: --only %q, --pair %q", f.only, f.pair)
	}
	if f.json {
		if err := writeJSON(stdout, done); err != nil || f.out == "" {
			return err
		}
	}
	return writeText(stdout, f.out, s.Markdown(done))
}

func (f *corruptionFlags) sources() ([]corruption.Source, error) {
	all := corruption.Synthetic(f.rows, study.CoupledRows)
	if f.data != "" {
		real, err := corruption.Folder(f.data, f.rows, study.CoupledRows)
		if err != nil {
			return nil, err
		}
		all = append(all, real...)
	}
	if f.pair != "" {
		all = slices.DeleteFunc(all, func(s corruption.Source) bool { return s.Name != f.pair })
	}
	return all, nil
}
