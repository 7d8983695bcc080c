package formats

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mediant/internal/literal"
	"mediant/internal/names"
	"mediant/tables"
	"mediant/tables/notes"
)

// Paths takes a list of paths with commas between apart, and expands globs (*, ?, [...]) in the natural order of names, in which part-2 stands before part-10. A
// path that there is stands for itself, and so does one without a comma that no file matches, whose opening says that it is not there.
func Paths(path string) ([]string, error) {
	var all []string
	for _, part := range split(path) {
		if part == "" && path != "" {
			return nil, fmt.Errorf("tables: %q has nothing before or behind a comma", path)
		}
		if exists(part) || !strings.ContainsAny(part, "*?[") {
			all = append(all, part)
			continue
		}
		hit, err := filepath.Glob(part)
		if err != nil {
			return nil, fmt.Errorf("tables: %q: %w", part, err)
		}
		if len(hit) == 0 {
			return nil, fmt.Errorf("tables: no file matches %q", part)
		}
		slices.SortFunc(hit, literal.NaturalCompare)
		all = append(all, hit...)
	}
	return all, nil
}

// split takes a list of paths apart, unless it is the path of a file.
func split(path string) []string {
	if exists(path) {
		return []string{path}
	}
	return strings.Split(path, ",")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// openStack puts files one below another. Columns whose kinds differ are read as text in all of them. Files with a header alone, which programs write that split a
// table by its keys, add nothing.
func openStack(ctx context.Context, parts []string, opt Options) (*Table, error) {
	files, empty, err := openAll(ctx, parts, opt)
	if err != nil {
		return nil, err
	}
	parts = slices.DeleteFunc(slices.Clone(parts), func(part string) bool {
		return slices.ContainsFunc(empty, func(s notes.Skip) bool { return s.File == part })
	})
	if mixed := otherKinds(files); len(mixed) > 0 && opt.Only == nil {
		if err := closeAll(files); err != nil {
			return nil, err
		}
		opt.Text = append(slices.Clip(opt.Text), mixed...)
		if files, _, err = openAll(ctx, parts, opt); err != nil {
			return nil, err
		}
	}
	t, err := stacked(parts, files)
	if err != nil {
		return nil, errors.Join(err, closeAll(files))
	}
	if len(empty) > 0 {
		t.Source = noted{t.Source, empty}
	}
	return t, nil
}

// noted is a Source of whose files some things were left out.
type noted struct {
	tables.Source
	skips []notes.Skip
}

// Facts are those of the Source and what was left out.
func (n noted) Facts() tables.Facts {
	f := tables.FactsOf(n.Source)
	f.Skips = append(slices.Clip(f.Skips), n.skips...)
	return f
}

// openAll opens those files that have rows, of which there must be one, and returns notes of the others.
func openAll(ctx context.Context, parts []string, opt Options) (files []*Table, empty []notes.Skip, err error) {
	var none error
	for _, part := range parts {
		f, err := openOne(ctx, part, opt)
		switch {
		case err == nil:
			files = append(files, f)
		case errors.Is(err, tables.ErrNoRows) && !isBlank(part): // of no bytes, it was to be written and was not
			empty, none = append(empty, notes.Skip{File: part, Reason: notes.EmptyPart, Line: 1, Lines: 1}), err
		default:
			return nil, nil, errors.Join(err, closeAll(files))
		}
	}
	if len(files) == 0 {
		return nil, nil, none
	}
	return files, empty, nil
}

func isBlank(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() == 0
}

func closeAll(files []*Table) error {
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// otherKinds are the columns that have not one kind in all files.
func otherKinds(files []*Table) []string {
	kinds := map[string]tables.Kind{}
	mixed := map[string]bool{}
	for _, f := range files {
		for _, c := range f.Source.Columns() {
			if kind, known := kinds[c.Name]; known && kind != c.Kind {
				mixed[c.Name] = true
			}
			kinds[c.Name] = c.Kind
		}
	}
	return slices.Sorted(maps.Keys(mixed))
}

// stacked is the table of all files.
func stacked(parts []string, files []*Table) (*Table, error) {
	first := files[0]
	heads := tables.ColumnNames(first.Source.Columns())
	sources := make([]tables.Source, len(files))
	t := &Table{Header: first.Header, close: func() error { return closeAll(files) }}
	for i, f := range files {
		own := tables.ColumnNames(f.Source.Columns())
		for _, name := range own {
			if names.Index(heads, name) < 0 {
				return nil, fmt.Errorf("tables: %s has the column %q, which %s has not: parts of one table have the same columns", parts[i], name, parts[0])
			}
		}
		for _, name := range heads {
			if names.Index(own, name) < 0 {
				return nil, fmt.Errorf("tables: %s has no column %q, which %s has: parts of one table have the same columns", parts[i], name, parts[0])
			}
		}
		sources[i] = f.Source
		t.Dates, t.Renamed = union(t.Dates, f.Dates), union(t.Renamed, f.Renamed)
	}
	var err error
	t.Source, err = tables.VStack(sources...)
	return t, err
}

// union appends those of more that all has not.
func union(all, more []string) []string {
	for _, one := range more {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}
