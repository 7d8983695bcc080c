package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"mediant/experiments"
	"mediant/internal/outfile"
	"mediant/internal/progress"
	"mediant/report"
)

type syntheticFlags struct {
	experiment experiments.Reproduction
	out        string
	json       bool
	quiet      bool
}

func newReproduceSynthetic() *cobra.Command {
	f := syntheticFlags{experiment: experiments.PaperReproduction()}
	cmd := &cobra.Command{
		Use:   "synthetic",
		Short: "The synthetic experiment, by kernels and by the paper's networks",
		Long: `Fit every method to new draws of the paper's synthetic distribution, with conditional mean
independence and without: the naive chain, 2Step-RR, Joint-RR with w = 1/2 and with w
chosen, the mean embedding and the integral over a conditional density; each by kernels
whose settings the two tables choose, and by the paper's networks.

Writes report.html, report.md, report.json and the charts into the folder -o DIR, and
results.json, the raw results, which are the same for the same seed. The report has errors
by PyTorch and the limits of the distributions beside ours. Prints the errors. In full it takes a
quarter of an hour on two cores.`,
		Example: "  mediant reproduce synthetic\n  mediant reproduce synthetic --repetitions 4 --dims 2,5 -o few",
		Args:    arguments(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.IntSliceVar(&f.experiment.Dims, "dims", f.experiment.Dims, "dimensions of X and U")
	flags.IntVar(&f.experiment.Repetitions, "repetitions", f.experiment.Repetitions, "draws of each distribution")
	flags.IntVar(&f.experiment.Rows, "rows", f.experiment.Rows, "rows of each of the two tables")
	flags.IntVar(&f.experiment.TestRows, "test", f.experiment.TestRows, "coupled rows for the errors")
	flags.Uint64Var(&f.experiment.Seed, "seed", f.experiment.Seed, "seed of all random choices")
	flags.StringVarP(&f.out, "output", "o", "mediant-synthetic", "folder for the report and the raw results")
	flags.BoolVar(&f.json, "json", false, "print the raw results as JSON")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

func (f *syntheticFlags) check() error {
	e := f.experiment
	if err := checkLeast(least{"repetitions", e.Repetitions, 2}, least{"rows", e.Rows, 10}, least{"test", e.TestRows, 1}); err != nil {
		return err
	}
	for i, d := range e.Dims {
		if d < 1 || i > 0 && d <= e.Dims[i-1] {
			return usagef("--dims has %d, must be positive numbers that rise", d)
		}
	}
	if f.out == "" {
		return usagef("--output is empty")
	}
	return nil
}

func (f *syntheticFlags) run(cmd *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := tryStdout(cmd.OutOrStdout()); err != nil {
		return err
	}
	if err := report.TryFiles(f.out, "results.json"); err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	ctx := cmd.Context()
	outcomes, err := f.experiment.Run(progress.Step(ctx, "drawing and fitting", 0, 0), func(done, all int) {
		progress.Report(ctx, "drawing and fitting", int64(done), int64(all))
	})
	if err != nil {
		return err
	}
	result := experiments.Reproduced{Experiment: f.experiment, Outcomes: outcomes}
	document := result.Document()
	if err := writeReport(document, f.out); err != nil {
		return err
	}
	err = outfile.Write(filepath.Join(f.out, "results.json"), func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", " ")
		return encoder.Encode(result)
	})
	if err != nil {
		return err
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), result)
	}
	for _, s := range document.Sections[:2] {
		fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n", s.Title)
		if err := s.Tables[0].WriteText(cmd.OutOrStdout()); err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout())
	}
	return nil
}
