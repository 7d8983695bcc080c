package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

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
	draws  int
	quiet  bool
}

// newScale is the study of docs/scale.md.
func newScale() *cobra.Command {
	var f scaleFlags
	cmd := &cobra.Command{
		Use:   "scale",
		Short: "What slow and lost workers cost a pass over many rows, as Markdown; or large tables to measure fits with",
		Args:  arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.draws, "draws", 100, "simulated passes for each line")
	flags.StringVar(&f.write, "write", "", "simulate nothing, and write parts of two tables into this folder: xu-01.parquet, uy-01.parquet and so on")
	flags.IntVar(&f.shards.Rows, "rows", 100_000, "with --write: rows of each table")
	flags.IntVar(&f.shards.Parts, "parts", 16, "with --write: parts of each table")
	flags.Uint64Var(&f.shards.Seed, "seed", 1, "seed of all random choices")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

func (f *scaleFlags) run(ctx context.Context, stdout io.Writer) error {
	if f.write != "" {
		return f.writeTables(ctx)
	}
	if f.draws < 2 {
		return usagef("--draws is %d, must be at least 2", f.draws)
	}
	if err := tryStdout(stdout); err != nil {
		return err
	}
	return f.simulate(ctx, stdout)
}

// writeTables writes the parts of both tables.
func (f *scaleFlags) writeTables(ctx context.Context) error {
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

// What docs/scale.md extrapolates: so many rows of each table, at the measured processor time of a row, and sums of 20 blocks of 1,024 features a side over a network of 10 Gbit/s.
const (
	scaleRows       = 1e9
	scaleRowSeconds = 140e-6
	scaleFanIn      = 8
	scaleMerge      = (scaleFanIn - 1) * 20 * 16 * 2 * 1024 * 1024 / 1.25e9
)

// scaleWorkers are numbers of workers, of one core each, scaleShards how many shards each of them gets.
var (
	scaleWorkers = []int{10, 100, 1000}
	scaleShards  = []int{1, 3, 10, 30, 100}
)

// cluster is a pass of so many workers and shards a worker; all of them are equal, and none is lost.
func (f *scaleFlags) cluster(workers, shards int) experiments.Cluster {
	return experiments.Cluster{Workers: workers, Shards: workers * shards, Seconds: scaleRows * scaleRowSeconds / float64(workers*shards), Merge: scaleMerge, FanIn: scaleFanIn, Seed: f.shards.Seed}
}

// troubles are what happens to workers, one after the other.
var troubles = []struct {
	name string
	add  func(*experiments.Cluster)
}{
	{"equal workers", func(*experiments.Cluster) {}},
	{"speeds differ by 20 %", func(c *experiments.Cluster) { c.Spread = .2 }},
	{"and 2 % take 5 times as long", func(c *experiments.Cluster) { c.Slow, c.SlowTimes = .02, 5 }},
	{"and each is lost every 6 h, 60 s until another", func(c *experiments.Cluster) { c.Lost, c.Restart = 6*3600, 60 }},
	{"and is lost every 30 min", func(c *experiments.Cluster) { c.Lost = 1800 }},
	{"and idle workers begin shards a second time", func(c *experiments.Cluster) { c.Backup = true }},
}

// simulate writes the tables of docs/scale.md.
func (f *scaleFlags) simulate(ctx context.Context, w io.Writer) error {
	fmt.Fprintf(w, scaleHead, f.draws, scaleRows, 1e6*scaleRowSeconds, scaleMerge)
	row := func(name string, clusters []experiments.Cluster) error {
		var b strings.Builder
		fmt.Fprintf(&b, "| %s |", name)
		for _, c := range clusters {
			t, err := c.Run(ctx, f.draws)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %.2f (%.2f), %.1f %% |", t.Mean, t.High, 100*t.Again)
		}
		_, err := fmt.Fprintln(w, b.String())
		return err
	}
	heads := []string{"what happens"}
	var clusters []experiments.Cluster
	for _, workers := range scaleWorkers {
		c := f.cluster(workers, 10)
		clusters = append(clusters, c)
		heads = append(heads, fmt.Sprintf("%d workers, ideal %.0f s", workers, c.Seconds*10))
	}
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(heads, " | "), strings.Repeat("---|", len(heads)))
	for _, trouble := range troubles {
		for i := range clusters {
			trouble.add(&clusters[i])
		}
		if err := row(trouble.name, clusters); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "%s| shards a worker | without | with a second time |\n|---|---|---|\n", scaleShardsHead)
	for _, shards := range scaleShards {
		var two [2]experiments.Cluster
		for i := range two {
			two[i] = f.cluster(scaleWorkers[len(scaleWorkers)-1], shards)
			for _, trouble := range troubles[:len(troubles)-1+i] {
				trouble.add(&two[i])
			}
		}
		if err := row(fmt.Sprintf("%d, of %.1f s", shards, two[0].Seconds), two[:]); err != nil {
			return err
		}
	}
	return nil
}

const scaleHead = `Made by ` + "`mediant study scale --draws %d`" + `. One pass over both tables of %.0e rows, of %.0f µs of one core for a row of each, in ten shards a worker, then merging in a tree in which eight workers send to
one, %.1f s a level. Times are means and, in brackets, 95th percentiles, as multiples of the ideal time of equal workers without merging; behind them is the share of shards that were begun again, or
twice. A line adds to the one above.

`

const scaleShardsHead = `
All of that with the last number of workers, in other numbers of shards, without and with idle workers that begin shards a second time:

`
