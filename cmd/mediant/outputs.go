package main

import (
	"fmt"
	"io"
	"os"

	"mediant/internal/outfile"
	"mediant/tables/formats"
)

// tryStdout finds out before any work whether standard output can be written, as far as a write of nothing tells: it does
// of a full device and of a file that is open to read only.
func tryStdout(stdout io.Writer) error {
	_, err := stdout.Write(nil)
	return err
}

// filesOf are the files that a table is read from, as far as its paths tell.
func filesOf(table string) []string {
	all, err := formats.Paths(table)
	if err != nil { // reading says why
		return []string{table}
	}
	return all
}

// checkOutput is checkOutputOf for -o.
func checkOutput(out string, inputs ...string) error { return checkOutputOf("-o", out, inputs...) }

// checkOutputOf refuses, before any work is done, an output that would replace an input, or that cannot be written.
func checkOutputOf(flag, out string, inputs ...string) error {
	if out == "-" {
		return usagef("%s - : give a file name", flag)
	}
	if target, err := os.Stat(out); err == nil {
		for _, in := range inputs {
			if info, err := os.Stat(in); err == nil && os.SameFile(info, target) {
				return usagef("%s %s would replace an input", flag, out)
			}
		}
	}
	if err := outfile.Try(out); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}
