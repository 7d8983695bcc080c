package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"mediant"
	"mediant/check"
	"mediant/tables"
	"mediant/tables/copies"
)

// checkFlags are the flags of every command that checks its tables.
type checkFlags struct {
	accept []string
	strict bool
	copies string
}

// copyRules are the values of --copies.
var copyRules = map[string]copies.Rule{"": copies.Unset, "weight": copies.Weigh, "one": copies.One, "keep": copies.Keep}

func (f *checkFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.accept, "accept", nil, "treat findings of these codes as notes, CODE, CODE,CODE or CODE:COLUMN (repeatable; mediant check lists them)")
	flags.BoolVar(&f.strict, "strict", false, "treat warnings as errors")
	inGroup(flags, checkGroup)
}

// registerCopies is for commands whose result depends on what copies count as.
func (f *checkFlags) registerCopies(flags *pflag.FlagSet) {
	flags.StringVar(&f.copies, "copies", "", "how copies of a row count: weight, as one observation with the weight of all of them (default); one, as one row of weight 1; keep, as rows of their own")
	inGroup(flags, checkGroup)
}

// checkCopies refuses a value of --copies that there is not.
func (f *checkFlags) checkCopies() error {
	if _, ok := copyRules[f.copies]; !ok {
		return usagef("--copies is %q, must be weight, one or keep", f.copies)
	}
	return nil
}

// accepted are the values of --accept; names of columns may have commas, codes have none.
func (f *checkFlags) accepted() []string {
	var all []string
	for _, value := range f.accept {
		if strings.Contains(value, ":") {
			all = append(all, value)
		} else {
			all = append(all, strings.Split(value, ",")...)
		}
	}
	return all
}

// copyRule is what copies count as. To accept them is to keep them, where nothing else is set.
func (f *checkFlags) copyRule() copies.Rule {
	if f.copies == "" && slices.Contains(f.accepted(), string(check.CopiedRows)) {
		return copies.Keep
	}
	return copyRules[f.copies]
}

// acceptances parses what is taken as known.
func (f *checkFlags) acceptances() ([]check.Acceptance, error) {
	var all []check.Acceptance
	for _, text := range f.accepted() {
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
	err := f.checkCopies()
	if err != nil {
		return nil, err
	}
	if opt.Accept, err = f.acceptances(); err != nil {
		return nil, err
	}
	opt.Strict, opt.Copies = f.strict, f.copyRule()
	return check.Tables(ctx, xu, uy, opt)
}

// keepsAll reports whether rows without overlap are to stay in fit and risk. Where most rows have none there is no risk in any case.
func (f *checkFlags) keepsAll(found []check.Finding) bool {
	most := slices.ContainsFunc(found, func(f check.Finding) bool { return f.Code == check.NoOverlap && 2*f.Rows > f.Of })
	return slices.Contains(f.accepted(), string(check.NoOverlap)) && !most
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

// ofResult reports whether results have a note of a finding.
func ofResult(f check.Finding) bool {
	return f.Code == check.NoOverlap || f.Code == check.CopiedRows && f.Severity == check.Note
}

// writeFindings writes warnings and notes for people, but those that the result has a note of; errors are what the command ends with.
func writeFindings(w io.Writer, findings []check.Finding) {
	writeLines(w, slices.DeleteFunc(slices.Clone(findings), ofResult), check.Lines)
}

// writeLater is writeFindings of later rows.
func writeLater(w io.Writer, findings []check.Finding) { writeLines(w, findings, check.LaterLines) }

func writeLines(w io.Writer, findings []check.Finding, lines func([]check.Finding) []string) {
	var all []check.Finding
	for _, f := range findings {
		if f.Severity < check.Error {
			all = append(all, f)
		}
	}
	for _, line := range lines(all) {
		fmt.Fprintln(w, oneLine(line))
	}
}
