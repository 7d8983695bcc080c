package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediant/experiments"
	"mediant/internal/progress"
)

const tablesHead = `# Beside other learners on one set of tables

Written by ` + "`mediant study tables --draws %d`" + `. Fits with nothing set but the seed. The excess is E[(f(X) - E[Y|X])²] in %% of the variance of E[Y|X], on %d rows: the mean of %d draws of both tables, with
its standard error.

| distribution | n | m | mediant | seconds a fit |
|---|---|---|---|---|
`

// tablesFlags are those of study tables.
type tablesFlags struct {
	draws, test int
	seed        uint64
	only        []string
	out         string
	json, quiet bool
}

// newTablesStudy repeats the study of docs/tables.md.
func newTablesStudy() *cobra.Command {
	var f tablesFlags
	cmd := &cobra.Command{
		Use:     "tables",
		Short:   "Fits with nothing set explicitly on one set of distributions and real tables",
		Example: "  mediant study tables -o docs/tables.md\n  mediant study tables --only steps --draws 5",
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLeast(least{"draws", f.draws, 2}, least{"test", f.test, 2}); err != nil {
				return err
			}
			return f.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.draws, "draws", 10, "draws of both tables")
	flags.IntVar(&f.test, "test", 20000, "rows on which the excess is measured")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the first draw")
	flags.StringSliceVar(&f.only, "only", nil, "names of distributions, all others left out")
	flags.StringVarP(&f.out, "output", "o", "", "Markdown file to write (default: standard output)")
	flags.BoolVar(&f.json, "json", false, "print all draws as JSON, besides the file of --output")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

func (f *tablesFlags) run(ctx context.Context, stdout io.Writer) error {
	if f.out == "" || f.json {
		if err := tryStdout(stdout); err != nil {
			return err
		}
	}
	if f.out != "" {
		if err := checkOutput(f.out); err != nil {
			return err
		}
	}
	scenarios, err := f.scenarios()
	if err != nil {
		return err
	}
	study := experiments.TableStudy{Draws: f.draws, TestRows: f.test, Seed: f.seed}
	all := map[string][]experiments.TableResult{}
	var lines, choices strings.Builder
	for i, s := range scenarios {
		results, err := study.Scenario(progress.Step(ctx, "studying "+s.Name, i, len(scenarios)), s)
		if err != nil {
			return err
		}
		all[s.Name] = results
		fmt.Fprintf(&lines, "| %s | %d | %d |", s.Name, s.RowsXU, s.RowsUY)
		for _, r := range results {
			excess := r.Excess()
			fmt.Fprintf(&lines, " %.1f ± %.1f | %.1f |", 100*excess.Value, 100*excess.SE, mean(r.Seconds))
		}
		lines.WriteString("\n")
		fmt.Fprintf(&choices, "- %s: %s\n", s.Name, counted(results[0].Chosen))
	}
	if f.json {
		if err := writeJSON(stdout, all); err != nil || f.out == "" {
			return err
		}
	}
	return writeText(stdout, f.out, fmt.Sprintf(tablesHead, f.draws, f.test, f.draws)+lines.String()+"\nChosen, as method; map of U; map of X:\n\n"+choices.String())
}

// scenarios are those asked for.
func (f *tablesFlags) scenarios() ([]experiments.Scenario, error) {
	if f.only == nil {
		return experiments.Scenarios(), nil
	}
	var all []experiments.Scenario
	for _, name := range f.only {
		s, err := experiments.ScenarioNamed(name)
		if err != nil {
			return nil, usagef("%v", err)
		}
		all = append(all, s)
	}
	return all, nil
}

func mean(values []float64) (m float64) {
	for _, v := range values {
		m += v / float64(len(values))
	}
	return m
}

// counted lists texts with how often each occurs, most frequent first.
func counted(texts []string) string {
	counts := map[string]int{}
	for _, t := range texts {
		counts[t]++
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d of %d)", name, counts[name], len(texts))
	}
	return strings.Join(names, ", ")
}
