package formats

import (
	"context"
	"errors"
	"maps"
	"slices"

	"mediant/internal/input"
	"mediant/internal/names"
	"mediant/tables"
	"mediant/tables/libsvm"
)

var libsvmEndings = []string{".svm", ".libsvm"}

// openLibSVM reads a file in the format of libsvm. Its column has the name of the file without its ending, NAME, and its labels, if they differ, are column
// "NAME label": text if the options say so.
func openLibSVM(ctx context.Context, in input.File, opt Options) (*Table, error) {
	path := in.Name
	if err := in.Close(); err != nil {
		return nil, err
	}
	if opt.Room != nil {
		bytes, err := libsvm.Size(ctx, path)
		if err == nil {
			err = opt.Room(path, bytes)
		}
		if err != nil {
			return nil, err
		}
	}
	name, _ := cutEnding(path, libsvmEndings)
	name = names.Canonical(name)
	label := labelOf(name)
	text := names.Matches(label, opt.Text) || slices.Contains(opt.Only, tables.Column{Name: label, Kind: tables.Text})
	t, err := libsvm.Open(ctx, path, libsvm.Options{Features: name, Label: label, Text: text})
	if err != nil {
		return nil, err
	}
	return renamed(t, names.WithAliases(tables.ColumnNames(t.Columns()), opt.Rename, opt.Aliases))
}

// labelOf is the name of the column of labels.
func labelOf(name string) string { return name + " label" }

// renamed is a table without a header with new names for those of its columns that the map has.
func renamed(src tables.Source, change map[string]string) (*Table, error) {
	canonical := make(map[string]string, len(change))
	for old, name := range change {
		canonical[names.Canonical(old)] = name
	}
	t, own := &Table{Source: src}, map[string]string{}
	for _, c := range src.Columns() {
		if name, ok := canonical[names.Canonical(c.Name)]; ok {
			own[c.Name] = name
		}
	}
	if len(own) == 0 {
		return t, nil
	}
	t.Renamed = slices.Sorted(maps.Keys(own))
	var err error
	t.Source, err = tables.Rename(src, own)
	return t, err
}

// beside is the table with the columns of another one behind its own. After an error both are closed by closing the first.
func (t *Table) beside(next *Table) (*Table, error) {
	first := *t
	t.close = func() error { return errors.Join(first.Close(), next.Close()) }
	t.Header, t.Renamed, t.Dates = slices.Concat(t.Header, next.Header), slices.Concat(t.Renamed, next.Renamed), slices.Concat(t.Dates, next.Dates)
	both, err := tables.HStack(t.Source, next.Source)
	if err == nil {
		t.Source = both
	}
	return t, err
}
