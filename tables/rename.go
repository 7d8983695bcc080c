package tables

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"mediant/internal/names"
)

// Rename returns src with other names for some of its columns, old names to new ones, all at once, so that two can change
// places. Rows and what is known of them stay. The error says that there is no such column, or names one that two columns
// would have.
func Rename(src Source, change map[string]string) (Source, error) {
	columns := slices.Clone(src.Columns())
	renamed, found, err := names.Rename(ColumnNames(columns), change)
	if err != nil {
		return nil, fmt.Errorf("tables: rename: %w", err)
	}
	for _, old := range slices.Sorted(maps.Keys(change)) {
		if !slices.Contains(found, names.Canonical(old)) {
			return nil, fmt.Errorf("tables: rename: %w", names.Missing(ColumnNames(columns), old))
		}
	}
	for i := range columns {
		columns[i].Name = renamed[i]
	}
	if s, ok := unguarded(src).(*Table); ok {
		t := *s
		t.columns, t.file = columns, s.file.renamed(s.columns, columns)
		return &t, nil
	}
	return renamedSource{NewGuard("", src), columns, nil}, nil
}

// renamedSource is a Source with other names, or with an indicator in the place of a column.
type renamedSource struct {
	guard     *Guard
	columns   []Column
	indicator *indicator // nil: rows stay as they are
}

func (r renamedSource) Columns() []Column { return r.columns }

func (r renamedSource) Facts() Facts {
	if r.indicator != nil {
		return r.guard.Facts()
	}
	return r.guard.Facts().renamed(r.guard.Columns(), r.columns)
}

func (r renamedSource) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	if r.indicator != nil {
		return r.indicator.batches(ctx, r.guard)
	}
	return r.guard.Batches(ctx)
}
