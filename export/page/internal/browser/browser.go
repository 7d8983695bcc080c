// Package browser predicts for the bytes of a CSV file with the bytes of a model file: what the page of package page does in a browser.
package browser

import (
	"bytes"
	"context"
	"fmt"

	"mediant"
	"mediant/baselines"
	"mediant/check"
	"mediant/internal/input"
	"mediant/internal/predictions"
	"mediant/mlp"
	"mediant/tables"
	"mediant/tables/csv"
)

// Load reads a model file with predictors of all packages of this module.
func Load(raw []byte) (*mediant.Model, error) {
	return mediant.Load(bytes.NewReader(raw), mlp.Format(), baselines.Format())
}

// Predict returns as CSV what the command predict writes for a CSV file of a name, plain or compressed, and warnings of how its rows differ from those of training. The error
// names what is wrong with the table, such as a column in another unit.
func Predict(ctx context.Context, m *mediant.Model, name string, table []byte) (out []byte, warnings []string, err error) {
	in := input.File{Name: name, File: bytes.NewReader(table), Size: int64(len(table)), Close: func() error { return nil }}
	src, err := csv.OpenInput(ctx, in, csv.Options{Only: m.X.Columns(), KeepRows: true, Aliases: m.Reading.Aliases, NA: m.Reading.NA, Dates: m.Reading.Dates})
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	found, err := m.Later(ctx, src, tables.Roles{X: m.Roles.X}, check.Later)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	found = check.Settle(found, nil, false)
	if err := check.Refused(found); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	var as predictions.Options
	var b bytes.Buffer
	w, err := csv.NewWriter(&b, as.Columns(m))
	if err != nil {
		return nil, nil, err
	}
	if err := as.Write(ctx, m, src, w); err != nil {
		return nil, nil, err
	}
	return b.Bytes(), check.LaterLines(found), nil
}
