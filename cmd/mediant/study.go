package main

import (
	"io"

	"github.com/spf13/cobra"

	"mediant/internal/outfile"
)

// newStudy has the simulation studies behind the documents. It is hidden: they measure the program, not
// anyone's tables.
func newStudy() *cobra.Command {
	cmd := &cobra.Command{
		Use:    "study",
		Short:  "Repeat the simulation studies of the documents",
		Hidden: true,
	}
	belowOnly(cmd, "study")
	cmd.AddCommand(newCoverage(), newErrors(), newEffectStudy(), newEffectsStudy(), newChoice(), newIntegral(), newPayoff(), newFeatures(), newCorruption(), newCheckStudy(), newCollectStudy(), newLossesStudy(), newIntervalsStudy(), newPrivacyStudy(), newScale(), newTablesStudy())
	return cmd
}

// A least is the smallest value that a flag may have.
type least struct {
	flag        string
	value, want int
}

// checkLeast refuses the first flag below its least value.
func checkLeast(all ...least) error {
	for _, l := range all {
		if l.value < l.want {
			return usagef("--%s is %d, must be at least %d", l.flag, l.value, l.want)
		}
	}
	return nil
}

// writeText writes a text to a file, or to standard output if it has no name.
func writeText(stdout io.Writer, path, text string) error {
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
	if path == "" {
		return write(stdout)
	}
	return outfile.Write(path, write)
}

// tryStudy tries what a study will write: its file, and standard output where there is none or JSON goes there.
func tryStudy(stdout io.Writer, out string, json bool) error {
	if out == "" || json {
		if err := tryStdout(stdout); err != nil {
			return err
		}
	}
	if out == "" {
		return nil
	}
	return checkOutput(out)
}
