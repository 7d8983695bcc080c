package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"mediant"
	"mediant/check"
	"mediant/modelreport"
	"mediant/report"
	"mediant/search"
)

// A reportFlag names the page that a command writes, or, with a slash at its end, a folder for the page and its charts; "" for none.
type reportFlag string

func (f *reportFlag) register(flags *pflag.FlagSet) {
	flags.StringVar((*string)(f), "report", "", "also write a page with tables and charts, FILE.html, or a folder, FOLDER/, with the page and its charts as files (docs/report.md)")
}

// folder reports whether f names a folder.
func (f reportFlag) folder() bool { return strings.HasSuffix(string(f), "/") }

// said tells of the page in a line about a model.
func (f reportFlag) said() string {
	if f == "" {
		return ""
	}
	return ", and a page about it to " + string(f)
}

// check refuses, before any work, a page that cannot be written, or that would replace one of the files that the command reads or writes.
func (f reportFlag) check(others ...string) error {
	if f == "" {
		return nil
	}
	files := []string{string(f)}
	if f.folder() {
		files = nil
		for _, name := range []string{"report.html", "report.md", "report.json"} {
			files = append(files, filepath.Join(string(f), name))
		}
	}
	for _, other := range others {
		if other != "" && slices.Contains(append(files, filepath.Clean(string(f))), filepath.Clean(other)) {
			return usagef("--report %s is a file that the command reads or writes", f)
		}
	}
	if f.folder() {
		if err := report.TryFiles(string(f)); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
		return nil
	}
	return checkOutputOf("--report", string(f), others...)
}

// write makes the page of a subject and writes it.
func (f reportFlag) write(ctx context.Context, s modelreport.Subject) error {
	if f == "" {
		return nil
	}
	s.Words = func(err error) string { return oneLine(plain(err.Error())) }
	page, err := modelreport.Document(ctx, s)
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return f.writePage(page)
}

// writeReport writes the page of a fit.
func (f *fitFlags) writeReport(ctx context.Context, m *mediant.Model, c *search.Choice, checked *check.Report, two *twoTables, s *summary) error {
	err := f.report.write(ctx, modelreport.Subject{Model: m, Choice: c, XU: two.xu, UY: two.uy, Weights: f.roles, Checked: checked, Diagnosis: s.Diagnosis, Collect: s.Collect})
	if err != nil {
		return fmt.Errorf("%w; %s is the model", err, f.out)
	}
	return nil
}
