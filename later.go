package mediant

import (
	"context"
	"slices"

	"mediant/check"
	"mediant/encode"
	"mediant/tables"
	"mediant/tables/copies"
)

// Later reads a table once, or three times more for copies of rows where learned rows are looked for, for the columns of some of the model's roles, and says what it has that the tables had not that the model
// learned from, before anything is predicted: numbers out of range or in another unit, levels without a coefficient, missing
// values, and, of a table of (X, U) or (U, Y) to estimate an error on (check.XU, check.UY; else check.Later), rows that were learned from; so, read once more, of a
// table of X and Y that has U too. A model that keeps no
// profile (Learned is nil) knows of levels and missing values alone. Findings are in no order; check.Settle sorts them. The error
// is one of reading, or names columns that are missing or of another kind.
func (m *Model) Later(ctx context.Context, src tables.Source, roles tables.Roles, table check.Table) ([]check.Finding, error) {
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

// A counter counts what an encoder was not prepared for.
type counter struct {
	encoder *encode.Encoder
	bind    *encode.Binding
	counts  encode.Counts
}
