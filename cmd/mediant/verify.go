package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mediant/report"
	"mediant/theory"
)

// What verify is made of; tests replace them.
var (
	verifyClaims = theory.Verify
	writeReport  = (*report.Document).WriteFiles
)

type verifyFlags struct {
	quick, json bool
	out         string
	seed        uint64
}

func newVerify() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check the theory by numbers",
		Long: `Check each claim of the paper, and of docs/theory.md, by numbers: identities and bounds
by exact sums on random finite distributions, rates by samples, with a chance of a false alarm
below one in a million for all together. Prints a table: the claim, its place (the
paper's theorem, section or appendix, and the section of docs/theory.md), what was measured,
the result, its bound or tolerance, and the verdict.

The report, with statements, formulas, tables and charts, is written as report.html, report.md and
report.json into the folder -o DIR; -o "" writes none. Exit status 1 and the name of the
claim on stderr if a check fails.`,
		Example: `  mediant verify
  mediant verify --quick -o ""`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.quick, "quick", false, "fewer distributions and smaller samples")
	flags.StringVarP(&f.out, "output", "o", "mediant-verify", `folder for the report, "" for none`)
	flags.Uint64Var(&f.seed, "seed", 0, "seed of distributions and samples")
	flags.BoolVar(&f.json, "json", false, "print the checks as JSON")
	return cmd
}

func (f *verifyFlags) run(cmd *cobra.Command) error {
	if err := tryStdout(cmd.OutOrStdout()); err != nil {
		return err
	}
	if f.out != "" {
		if err := report.TryFiles(f.out); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
	}
	document, checks, err := verifyClaims(cmd.Context(), theory.Options{Quick: f.quick, Seed: f.seed})
	if err != nil {
		return err
	}
	// The report of a check that fails is the one that is needed: write first, then fail.
	if f.out != "" {
		if err := writeReport(document, f.out); err != nil {
			return err
		}
	}
	if f.json {
		err = writeJSON(cmd.OutOrStdout(), map[string]any{"seed": f.seed, "quick": f.quick, "checks": checks})
	} else {
		err = theory.WriteText(cmd.OutOrStdout(), checks)
	}
	if err != nil {
		return err
	}
	return verdictOf(checks)
}

// verdictOf is the error that names the claims whose checks fail.
func verdictOf(checks []theory.Check) error {
	failed := theory.Failed(checks)
	if len(failed) == 0 {
		return nil
	}
	var names []string
	for _, c := range failed {
		if name := fmt.Sprintf("%q", c.Name); !strings.Contains(strings.Join(names, ", "), name) {
			names = append(names, name)
		}
	}
	return fmt.Errorf("verify: %d of %d checks fail, of %s; the first: %s: got %.4g, want %s %.4g",
		len(failed), len(checks), strings.Join(names, ", "), failed[0].Statement, failed[0].Got, failed[0].Relation, failed[0].Bound)
}
