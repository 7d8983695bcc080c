package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mediant"
	"mediant/check"
	"mediant/collect"
	"mediant/diagnose"
	"mediant/distribution"
	"mediant/problem"
	"mediant/risk"
	"mediant/tables"
)

// evaluation is what evaluate --xu --uy --json prints: the keys of the assessment, the diagnosis and what was found in the tables.
type evaluation struct {
	*risk.Assessment
	Distribution *distribution.Assessment `json:"distribution,omitempty"`
	Diagnosis    *diagnose.Diagnosis      `json:"diagnosis,omitempty"`
	Collect      *collect.Advice          `json:"collect,omitempty"`
	Findings     []check.Finding          `json:"findings"`
}

// diagnose looks at the tables, and at coupled rows if there are any. Methods without a model of Y from
// U have no diagnosis.
func (f *uncoupledFlags) diagnose(ctx context.Context, read *readFlags, model *mediant.Model, a *risk.Assessment, xu, uy tables.Source) (*diagnose.Diagnosis, error) {
	if model.H == nil {
		return nil, nil
	}
	d, err := diagnose.Diagnose(ctx, model.Model, xu, uy, f.weights)
	if err != nil {
		return nil, err
	}
	d.AddSensitivity(a)
	hint(d.DistributionOfU)
	if f.xuy == "" {
		return d, nil
	}
	xuy, close, err := read.open(ctx, f.xuy, slices.Concat(model.X.Columns(), model.U.Columns(), model.Y.Columns()))
	if err != nil {
		return nil, err
	}
	defer close()
	if err := read.checkNames(xu, uy, xuy); err != nil {
		return nil, err
	}
	if err := d.AddCMI(ctx, model.Model, xu, uy, xuy, f.weights); err != nil {
		return nil, fmt.Errorf("%s: %w", f.xuy, err)
	}
	return d, nil
}

// diagnose looks at the tables of a fit, if that was not declined. That they are too small for it is a
// warning of the model.
func (f *fitFlags) diagnose(ctx context.Context, model *mediant.Model, xu, uy tables.Source, s *summary) (*diagnose.Diagnosis, error) {
	if f.noRisk || f.noDiagnosis || model.H == nil || model.Assessment == nil {
		return nil, nil
	}
	clock := time.Now()
	d, err := diagnose.DiagnoseFit(ctx, model.Model, model.Assessment, xu, uy, f.roles)
	s.Seconds.Look = lap(&clock)
	if short := new(problem.MemoryError); errors.As(err, &short) {
		model.Warnings = append(model.Warnings, "no diagnosis: "+plain(memoryHint(err).Error()))
		return nil, nil
	}
	if errors.Is(err, risk.ErrNoRisk) {
		model.Warnings = append(model.Warnings, plain(err.Error()))
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d.AddSensitivity(model.Assessment)
	if f.shift && d.DistributionOfU.Recommends() {
		d.DistributionOfU.Text += " This fit has them."
	} else {
		hint(d.DistributionOfU)
	}
	return d, nil
}

// hint adds to the sentence on the distribution of U, if it differs, the flag that helps.
func hint(t *diagnose.DistributionTest) {
	if t.Recommends() {
		t.Text += " Flag of fit: --shift."
	}
}

// describeDiagnosis writes a diagnosis for people, a sentence each.
func describeDiagnosis(d *diagnose.Diagnosis) string {
	var b strings.Builder
	if d != nil {
		for _, sentence := range d.Sentences() {
			fmt.Fprintf(&b, "%-10s%s\n", "tables", oneLine(sentence))
		}
	}
	return b.String()
}
