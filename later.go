package mediant

import (
	"context"
	"slices"

	"mediant/check"
	"mediant/encode"
	"mediant/internal/progress"
	"mediant/tables"
	"mediant/tables/copies"
)

// Later compares a later table with the training tables, in the columns of roles, and returns findings in no order
// (check.Settle sorts them): numbers out of range or in another unit, levels without a coefficient, missing values. Rows that
// the model was trained on are found as well if table is check.XU or check.UY, which means that an error will be estimated on
// src, or if a table of X and Y has U too; for other tables pass check.Later.
//
// It reads the table once, and up to three times more to find copies of rows. Without a profile (Learned is nil) only levels
// and missing values are compared. The error is one of reading, or names columns that are missing or of another kind.
func (m *Model) Later(ctx context.Context, src tables.Source, roles tables.Roles, table check.Table) ([]check.Finding, error) {
	ctx = progress.Stage(ctx, "comparing rows with those of training")
	var counters []*counter
	for _, of := range []struct {
		encoder *encode.Encoder
		names   []string
	}{{m.X, roles.X}, {m.U, roles.U}} {
		if of.names == nil {
			continue
		}
		bind, err := of.encoder.Bind(src.Columns())
		if err != nil {
			return nil, err
		}
		counters = append(counters, &counter{encoder: of.encoder, bind: bind})
	}
	if table == check.XU || table == check.UY { // without copies, as a fit learns from its tables
		var err error
		if src, _, err = copies.Distinct(ctx, src, slices.Concat(roles.X, roles.U, roles.Y)); err != nil {
			return nil, err
		}
	}
	found, err := m.Learned.Later(ctx, src, roles, check.LaterOptions{Table: table, Seed: m.Seed, Each: func(b tables.Batch) {
		for _, c := range counters {
			c.counts.Add(c.bind.Count(b))
		}
	}})
	if err != nil {
		return nil, err
	}
	if table != check.XU && table != check.UY && len(roles.Y) > 0 {
		learned, err := m.Learned.Coupled(ctx, src, m.Roles)
		if err != nil {
			return nil, err
		}
		found = append(found, learned...)
	}
	for _, c := range counters {
		found = append(found, c.encoder.Findings(c.counts)...)
	}
	for i := range found {
		found[i].Table = table
	}
	return found, nil
}

// A counter counts values that an encoder was not prepared for.
type counter struct {
	encoder *encode.Encoder
	bind    *encode.Binding
	counts  encode.Counts
}
