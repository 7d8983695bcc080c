package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mediant/rr"
	"mediant/tables"
)

// judged is what evaluate --xu --uy --json prints: the keys of the assessment, and the diagnosis.
type judged struct {
	*rr.Assessment
	Diagnosis *rr.Diagnosis `json:"diagnosis,omitempty"`
}

// diagnose looks at the tables, and at coupled rows if there are any. Methods without a model of Y from
// U have no diagnosis.
func (f *uncoupledFlags) diagnose(ctx context.Context, read *readFlags, model *rr.Model, a *rr.Assessment, xu, uy tables.Source) (*rr.Diagnosis, error) {
	if model.H == nil {
		return nil, nil
	}
	d, err := model.Diagnose(ctx, xu, uy, f.weights)
	if err != nil {
		return nil, err
	}
	d.AddSensitivity(a)
	if f.xuy == "" {
		return d, nil
	}
	xuy, close, err := read.open(ctx, f.xuy, slices.Concat(model.X.Columns(), model.U.Columns(), model.Y.Columns()))
	if err != nil {
		return nil, err
	}
	defer close()
	if err := d.AddCMI(ctx, model, xu, uy, xuy, f.weights); err != nil {
		return nil, fmt.Errorf("%s: %w", f.xuy, err)
	}
	return d, nil
}

// describeDiagnosis writes a diagnosis for people, a sentence each.
func describeDiagnosis(d *rr.Diagnosis) string {
	var b strings.Builder
	if d != nil {
		for _, sentence := range d.Sentences() {
			fmt.Fprintf(&b, "%s\n", oneLine(sentence))
		}
	}
	return b.String()
}
