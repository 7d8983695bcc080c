package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediant/experiments"
	"mediant/internal/progress"
	"mediant/tables"
	"mediant/tables/formats"
)

const tablesHead = `# Beside other learners

Written by ` + "`mediant study tables --data FOLDER --peers --draws %[1]d -o docs/tables.md`" + `. Fits with nothing set but the seed, as ` + "`mediant fit`" + ` with no other flag makes them, beside scikit-learn's learners in two
steps, h of Y on U and then f of h(U) on X: GBM is GradientBoosting (HistGradientBoosting with early stopping for classes), RF RandomForest, both with their default settings, and iso exact kernel ridge regression with a
Gaussian kernel of one bandwidth, which is chosen with the penalty by leave-one-out error. Numbers are standardised for them, levels are indicators, and texts 100 components of TF-IDF. Means of %[1]d draws with their standard errors; seed %[2]d.
`

const tablesSynthetic = `
## Distributions

Excess E[(f(X) - E[Y|X])²] in %% of the variance of E[Y|X], on %d rows.

`

const tablesReal = `
## Real tables

Rows of either table and test rows of a draw. A quarter of the coupled rows takes the place of as many rows of (X, U), a quarter that of rows of (U, Y), and the others are test rows. Draws overlap, so that their standard errors are somewhat
too small. "Difference" is the mean of ours less that of the best peer, with the standard error of its mean over draws.

`

// tablesFlags are those of study tables; their defaults are the study of docs/tables.md.
type tablesFlags struct {
	draws, test, rows  int
	seed               uint64
	only               []string
	data, out          string
	peers, json, quiet bool
}

// newTablesStudy repeats the study of docs/tables.md.
func newTablesStudy() *cobra.Command {
	var f tablesFlags
	cmd := &cobra.Command{
		Use:   "tables",
		Short: "Fits with nothing set explicitly, beside scikit-learn's learners in two steps",
		Long: `Fit distributions whose E[Y|X] is known, and real tables, with nothing set but the seed. Writes the tables of
docs/tables.md. --only has one of them run alone.`,
		Example: "  mediant study tables --data tables --peers -o docs/tables.md\n  mediant study tables --only steps --draws 5",
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLeast(least{"draws", f.draws, 2}, least{"test", f.test, 2}, least{"rows", f.rows, 0}); err != nil {
				return err
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.draws, "draws", 10, "draws of both tables")
	flags.IntVar(&f.test, "test", 20000, "rows on which the excess is measured")
	flags.IntVar(&f.rows, "rows", 0, "rows of each of the two tables of a distribution (default: those of docs/tables.md)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the first draw")
	flags.StringVar(&f.data, "data", "", "folder of real tables: a folder each with xu.csv, uy.csv and xuy.csv (coupled rows)")
	flags.StringSliceVar(&f.only, "only", nil, "these distributions and real tables alone, by name")
	flags.BoolVar(&f.peers, "peers", false, "fit scikit-learn's learners as well, if there is a python3 with it")
	flags.StringVarP(&f.out, "output", "o", "", "Markdown file to write (default: standard output)")
	flags.BoolVar(&f.json, "json", false, "print all draws as JSON, besides the file of --output")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

func (f *tablesFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := tryStudy(stdout, f.out, f.json); err != nil {
		return err
	}
	scenarios, real, err := f.subjects(ctx)
	if err != nil {
		return err
	}
	study := experiments.TableStudy{Draws: f.draws, TestRows: f.test, Seed: f.seed}
	if f.peers {
		study.Peers, err = experiments.FindPeers(ctx)
		if errors.Is(err, experiments.ErrNoPeers) {
			fmt.Fprintf(stderr, "mediant: peers are left out: %v\n", err)
		}
	}
	p := &tablesPage{results: map[string][]experiments.TableResult{}}
	if err := p.synthetic(ctx, study, scenarios); err != nil {
		return err
	}
	if err := p.real(ctx, study, real); err != nil {
		return err
	}
	if f.json {
		if err := writeJSON(stdout, p.results); err != nil || f.out == "" {
			return err
		}
	}
	return writeText(stdout, f.out, fmt.Sprintf(tablesHead, f.draws, f.seed)+p.body(scenarios))
}

// subjects are the distributions and the real tables that are asked for.
func (f *tablesFlags) subjects(ctx context.Context) (scenarios []experiments.Scenario, real []*experiments.RealTable, err error) {
	left := map[string]bool{}
	for _, name := range f.only {
		left[name] = true
	}
	wanted := func(name string) bool {
		is := len(f.only) == 0 || slices.Contains(f.only, name)
		delete(left, name)
		return is
	}
	for _, s := range experiments.Scenarios() {
		if wanted(s.Name) {
			if f.rows > 0 {
				s.RowsXU, s.RowsUY = f.rows, f.rows
			}
			scenarios = append(scenarios, s)
		}
	}
	known := experiments.ScenarioNames()
	if f.data != "" {
		folders, err := filepath.Glob(filepath.Join(f.data, "*", "xuy.csv"))
		if err != nil {
			return nil, nil, err
		}
		for _, file := range folders {
			folder := filepath.Dir(file)
			known = append(known, filepath.Base(folder))
			if !wanted(filepath.Base(folder)) {
				continue
			}
			t, err := readRealTable(ctx, folder)
			if err != nil {
				return nil, nil, err
			}
			real = append(real, t)
		}
	}
	if len(left) > 0 {
		return nil, nil, usagef("--only %s: there is no such distribution or table, only %s", slices.Sorted(maps.Keys(left))[0], strings.Join(known, ", "))
	}
	return scenarios, real, nil
}

// readRealTable reads the files of a folder into memory.
func readRealTable(ctx context.Context, folder string) (*experiments.RealTable, error) {
	var of [3]tables.Source
	for i, file := range []string{"xu.csv", "uy.csv", "xuy.csv"} {
		src, err := formats.Open(ctx, filepath.Join(folder, file), formats.Options{})
		if err != nil {
			return nil, err
		}
		defer src.Close()
		of[i] = src.Source
	}
	return experiments.ReadRealTable(ctx, filepath.Base(folder), of[0], of[1], of[2])
}

// A tablesPage gathers the text of docs/tables.md.
type tablesPage struct {
	text    strings.Builder
	order   []string
	results map[string][]experiments.TableResult
}

// add keeps the results of a subject.
func (p *tablesPage) add(name string, results []experiments.TableResult) {
	p.order = append(p.order, name)
	p.results[name] = results
}

// synthetic writes the section of distributions.
func (p *tablesPage) synthetic(ctx context.Context, study experiments.TableStudy, scenarios []experiments.Scenario) error {
	for i, s := range scenarios {
		results, err := study.Scenario(progress.Step(ctx, "studying "+s.Name, i, len(scenarios)), s)
		if err != nil {
			return err
		}
		if i == 0 {
			fmt.Fprintf(&p.text, tablesSynthetic, study.TestRows)
			p.heading(results, "distribution | n | m")
		}
		p.add(s.Name, results)
		fmt.Fprintf(&p.text, "| %s | %d | %d |", s.Name, s.RowsXU, s.RowsUY)
		for _, r := range results {
			excess := experiments.MeanOf(r.Unexplained)
			fmt.Fprintf(&p.text, " %.1f ± %.1f |", 100*excess.Value, 100*excess.SE)
		}
		p.text.WriteString("\n")
	}
	return nil
}

// heading writes the first two lines of a table with a column for each method.
func (p *tablesPage) heading(results []experiments.TableResult, first string, last ...string) {
	cells := strings.Split(first, " | ")
	for _, r := range results {
		cells = append(cells, r.Method)
	}
	cells = append(cells, last...)
	fmt.Fprintf(&p.text, "| %s |\n|%s\n", strings.Join(cells, " | "), strings.Repeat("---|", len(cells)))
}

// real writes the section of real tables.
func (p *tablesPage) real(ctx context.Context, study experiments.TableStudy, all []*experiments.RealTable) error {
	for i, t := range all {
		results, err := study.Real(progress.Step(ctx, "studying "+t.Name, i, len(all)), t)
		if err != nil {
			return err
		}
		if i == 0 {
			p.text.WriteString(tablesReal)
			p.heading(results, "table | rows | measure", "difference")
		}
		p.add(t.Name, results)
		n, m, test := t.Rows()
		rows := fmt.Sprintf("%d + %d, %d", n, m, test)
		if results[0].Accuracy == nil {
			p.measured(t.Name, rows, "R²", results, func(r experiments.TableResult) []float64 { return less(r.Unexplained) }, 1)
			continue
		}
		p.measured(t.Name, rows, "MSE", results, func(r experiments.TableResult) []float64 { return r.MSE }, -1)
		p.measured(t.Name, rows, "accuracy", results, func(r experiments.TableResult) []float64 { return r.Accuracy }, 1)
	}
	return nil
}

// measured writes a line of a real table: a measure of every method, and the difference of ours and the best peer; better is the sign of a better value.
func (p *tablesPage) measured(name, rows, measure string, results []experiments.TableResult, of func(experiments.TableResult) []float64, better float64) {
	fmt.Fprintf(&p.text, "| %s | %s | %s |", name, rows, measure)
	best, most := -1, math.Inf(-1)
	for i, r := range results {
		m := experiments.MeanOf(of(r))
		fmt.Fprintf(&p.text, " %.4f ± %.4f |", m.Value, m.SE)
		if i > 0 && better*m.Value > most {
			best, most = i, better*m.Value
		}
	}
	if best < 0 {
		p.text.WriteString(" |\n")
		return
	}
	gaps := slices.Clone(of(results[0]))
	for i, v := range of(results[best]) {
		gaps[i] -= v
	}
	gap := experiments.MeanOf(gaps)
	fmt.Fprintf(&p.text, " %+.4f ± %.4f |\n", gap.Value, gap.SE)
}

// less is 1 less each value.
func less(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = 1 - v
	}
	return out
}

// body is the figures, followed by times, what was chosen, and definitions.
func (p *tablesPage) body(scenarios []experiments.Scenario) string {
	p.text.WriteString("\n## Seconds a fit\n\nOurs are those of the whole fit: the check of both tables, the search, and the risk with its interval.\n\n")
	for i, name := range p.order {
		if i == 0 {
			p.heading(p.results[name], "table")
		}
		fmt.Fprintf(&p.text, "| %s |", name)
		for _, r := range p.results[name] {
			fmt.Fprintf(&p.text, " %.1f |", experiments.MeanOf(r.Seconds).Value)
		}
		p.text.WriteString("\n")
	}
	p.text.WriteString("\n## What was chosen\n\nThe method, the map of U and that of X, with the number of draws.\n\n")
	for _, name := range p.order {
		fmt.Fprintf(&p.text, "- %s: %s\n", name, counted(p.results[name][0].Chosen))
	}
	if len(scenarios) > 0 {
		p.text.WriteString("\n## Definitions\n\n")
	}
	for _, s := range scenarios {
		fmt.Fprintf(&p.text, "- **%s**: %s\n", s.Name, s.Definition)
	}
	return p.text.String()
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
		names[i] = fmt.Sprintf("%s (%d)", name, counts[name])
	}
	return strings.Join(names, "; ")
}
