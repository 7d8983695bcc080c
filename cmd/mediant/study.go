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
	cmd.AddCommand(newCoverage(), newErrors(), newEffectStudy(), newChoice(), newIntegral(), newPayoff(), newFeatures(), newCorruption(), newCheckStudy(), newCollectStudy(), newLossesStudy(), newPrivacyStudy(), newScale())
	return cmd
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
