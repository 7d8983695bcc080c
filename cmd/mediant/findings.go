package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"mediant"
	"mediant/check"
	"mediant/tables"
)

// checkFlags are the flags of every command that checks its tables.
type checkFlags struct {
	accept []string
	strict bool
}

func (f *checkFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.accept, "accept", nil, "take findings of a code as known, CODE or CODE:COLUMN (repeatable; mediant check lists them)")
	flags.BoolVar(&f.strict, "strict", false, "end at warnings as at errors")
}

// acceptances parses what is taken as known.
func (f *checkFlags) acceptances() ([]check.Acceptance, error) {
	var all []check.Acceptance
	for _, text := range f.accept {
		a, err := check.ParseAcceptance(text)
		if err != nil {
			return nil, usagef("--accept: %w", err)
		}
		all = append(all, a)
	}
	return all, nil
}

// tables looks at two tables as the flags say.
func (f *checkFlags) tables(ctx context.Context, xu, uy tables.Source, opt check.Options) (*check.Report, error) {
	var err error
	if opt.Accept, err = f.acceptances(); err != nil {
		return nil, err
	}
	opt.Strict = f.strict
	return check.Tables(ctx, xu, uy, opt)
}

// keepsCopies reports whether copies are rows of their own.
func (f *checkFlags) keepsCopies() bool { return slices.Contains(f.accept, string(check.CopiedRows)) }

// keepsAll reports whether rows without overlap are to stay in fit and risk. Where most rows have none there is no risk in any case.
func (f *checkFlags) keepsAll(found []check.Finding) bool {
	most := slices.ContainsFunc(found, func(f check.Finding) bool { return f.Code == check.NoOverlap && 2*f.Rows > f.Of })
	return slices.Contains(f.accept, string(check.NoOverlap)) && !most
}

// later looks at a table of rows that come after the fit of a model.
func (f *checkFlags) later(ctx context.Context, m *mediant.Model, src tables.Source, roles tables.Roles, table check.Table) ([]check.Finding, error) {
	found, err := m.Later(ctx, src, roles, table)
	if err != nil {
		return nil, err
	}
	return f.settle(found)
}

// settle applies what is accepted, and sorts.
func (f *checkFlags) settle(found []check.Finding) ([]check.Finding, error) {
	accept, err := f.acceptances()
	if err != nil {
		return nil, err
	}
	return check.Settle(found, accept, f.strict), nil
}

// ofResult are findings that results have a note of.
var ofResult = []check.Code{check.CopiedRows, check.NoOverlap}

// writeFindings writes warnings and notes for people, but those that are said elsewhere; errors are what the command ends with.
func writeFindings(w io.Writer, findings []check.Finding, elsewhere ...check.Code) {
	writeLines(w, findings, check.Lines, elsewhere...)
}

// writeLater is writeFindings of later rows.
func writeLater(w io.Writer, findings []check.Finding) { writeLines(w, findings, check.LaterLines) }

func writeLines(w io.Writer, findings []check.Finding, lines func([]check.Finding) []string, elsewhere ...check.Code) {
	var all []check.Finding
	for _, f := range findings {
		if f.Severity < check.Error && !slices.Contains(elsewhere, f.Code) {
			all = append(all, f)
		}
	}
	for _, line := range lines(all) {
		fmt.Fprintln(w, oneLine(line))
	}
}
