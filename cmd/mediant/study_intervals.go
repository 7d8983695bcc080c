package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mediant/experiments"
	"mediant/internal/progress"
	"mediant/tables"
	"mediant/tables/formats"
)

const intervalsHead = `# Do prediction intervals contain what they say?

Written by ` + "`mediant study intervals --repetitions %d --data FOLDER -o docs/intervals.md`" + `. The distribution of docs/coverage.md, in d dimensions; n = m = %d rows. The model is that of ` + "`fit --distribution`" + ` on 200 Fourier
features a side of an additive Gaussian kernel; truths on %d coupled rows. A share of 95 %% has a standard error of %.1f points.

## Synthetic tables

Intervals of the nominal level 90 %%: the share of Y in them for the models of the folds, its estimate without coupled rows, how often the 95 %% interval of the estimate contains the share, and the share for the model of all rows.

| d | mean truth | mean estimate | sd of error | mean se | covered | model of all rows | CRPS, truth | estimate |
|---|---|---|---|---|---|---|---|---|
`

const intervalsTuned = `
The estimate is of models of four fifths of the rows. Intervals of the model of all rows contain up to a point more. Standard errors are those of the terms of rows; they do not contain the product of the errors of h and of the Riesz weights.

Intervals whose level is tuned so that the estimate is 90 %: the share of Y in them, over all rows and in the lowest and the highest third of X_1 with its estimates. In the last line the standard deviation of the noise is 7 times as
large where X_1 > 0 as elsewhere: E[Y|U,X] = E[Y|U] holds, and Y is not independent of X given U.

| d | tuned: mean truth | sd over draws | lowest third: truth | estimate | highest third: truth | estimate |
|---|---|---|---|---|---|---|
`

const intervalsFoot = `
Where only the mean condition holds the share over all rows may still be near what the estimate says, since the noise of Y given U is right on average; that in groups is not, and no estimate from the two
tables can show it: U does not tell on which rows the noise is large.
`

const intervalsReal = `
## Real tables

Fits of ` + "`fit --distribution`" + ` to real tables, and the share of coupled rows in intervals, with their standard errors. The last two columns are of intervals whose level was tuned so that the estimate is 90 %.

| tables | rows | nominal 90 %: estimate | coupled rows | tuned: nominal level | coupled rows |
|---|---|---|---|---|---|
`

// intervalsFlags are those of study intervals.
type intervalsFlags struct {
	repetitions, rows, test int
	seed                    uint64
	out, data               string
}

// newIntervalsStudy repeats the study of docs/intervals.md.
func newIntervalsStudy() *cobra.Command {
	var f intervalsFlags
	cmd := &cobra.Command{
		Use:     "intervals",
		Short:   "Whether prediction intervals contain as much of Y as is estimated without coupled rows",
		Example: "  mediant study intervals -o docs/intervals.md",
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLeast(least{"repetitions", f.repetitions, 2}, least{"rows", f.rows, 40}, least{"test", f.test, 10}); err != nil {
				return err
			}
			if f.out != "" {
				if err := checkOutput(f.out); err != nil {
					return err
				}
			}
			text, err := f.run(cmd.Context())
			if err != nil {
				return err
			}
			return writeText(cmd.OutOrStdout(), f.out, text)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.repetitions, "repetitions", 200, "draws for each line")
	flags.IntVar(&f.rows, "rows", 1000, "rows of each of the two tables")
	flags.IntVar(&f.test, "test", 100000, "coupled rows for the truth")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of all random choices")
	flags.StringVar(&f.data, "data", "", "folder of real tables: a folder each with xu.csv, uy.csv and xy.csv (coupled rows); those whose Y is no number are left out")
	flags.StringVarP(&f.out, "output", "o", "", "Markdown file to write (default: standard output)")
	return cmd
}

func (f *intervalsFlags) run(ctx context.Context) (string, error) {
	head, tuned := new(strings.Builder), new(strings.Builder)
	fmt.Fprintf(head, intervalsHead, f.repetitions, f.rows, f.test, 100*math.Sqrt(.95*.05/float64(f.repetitions)))
	cases := []experiments.Synthetic{{D: 2, Noise: coverageNoise}, {D: 5, Noise: coverageNoise}, {D: 10, Noise: coverageNoise}, {D: 2, Noise: coverageNoise, Uneven: true}}
	for i, of := range cases {
		r, err := experiments.IntervalCoverage{Distribution: of, Rows: f.rows, TestRows: f.test, Repetitions: f.repetitions, Seed: f.seed}.Run(progress.Step(ctx, "studying cases", i, len(cases)))
		if err != nil {
			return "", err
		}
		name := fmt.Sprint(of.D)
		if of.Uneven {
			name += ", mean only"
		}
		fmt.Fprintf(head, "| %s | %.4f | %.4f | %.4f | %.4f | %.1f %% | %.4f | %.4f | %.4f |\n", name, r.Truth, r.Mean, r.SD, r.MeanSE, 100*r.Covered, r.Final, r.CRPSTruth, r.CRPS)
		low, high := r.Thirds[0], r.Thirds[1]
		fmt.Fprintf(tuned, "| %s | %.1f %% | %.1f | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", name, 100*r.Tuned, 100*r.TunedSD, 100*low.Truth, 100*low.Mean, 100*high.Truth, 100*high.Mean)
	}
	text := head.String() + intervalsTuned + tuned.String() + intervalsFoot
	if f.data == "" {
		return text, nil
	}
	real, err := f.real(ctx)
	return text + intervalsReal + real, err
}

// real compares the folders of real tables.
func (f *intervalsFlags) real(ctx context.Context) (string, error) {
	folders, err := os.ReadDir(f.data)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, folder := range folders {
		line, err := f.pair(ctx, filepath.Join(f.data, folder.Name()), folder.Name())
		if err != nil {
			return "", fmt.Errorf("%s: %w", folder.Name(), err)
		}
		b.WriteString(line)
	}
	return b.String(), nil
}

// pair is the line of two tables, "" if their Y is no number.
func (f *intervalsFlags) pair(ctx context.Context, folder, name string) (string, error) {
	var of [3]tables.Source
	for i, file := range []string{"xu.csv", "uy.csv", "xy.csv"} {
		src, err := formats.Open(ctx, filepath.Join(folder, file), formats.Options{})
		if err != nil {
			return "", err
		}
		defer src.Close()
		of[i] = src.Source
	}
	roles, err := tables.AssignRoles(of[0].Columns(), of[1].Columns(), tables.RoleOptions{})
	if err != nil {
		return "", err
	}
	for _, c := range of[1].Columns() {
		if len(roles.Y) != 1 || c.Name == roles.Y[0] && c.Kind != tables.Numeric {
			return "", nil
		}
	}
	r, err := experiments.CompareIntervals(ctx, of[0], of[1], of[2], tables.RoleOptions{}, f.seed)
	if err != nil {
		return "", err
	}
	line := fmt.Sprintf("| %s | %d |", name, r.Score.Rows)
	for _, l := range r.Assessment.Levels {
		if l.Nominal == r.Assessment.Level {
			line += fmt.Sprintf(" %.1f %% (%.1f) |", 100*l.Coverage.Value, 100*l.Coverage.SE)
		}
	}
	for _, l := range r.Score.Levels {
		switch {
		case l.Tuned != 0:
			line += fmt.Sprintf(" %.1f %% | %.1f %% (%.1f) |", 100*l.Nominal, 100*l.Coverage, 100*l.SE)
		case l.Nominal == r.Assessment.Level:
			line += fmt.Sprintf(" %.1f %% (%.1f) |", 100*l.Coverage, 100*l.SE)
		}
	}
	return line + "\n", nil
}
