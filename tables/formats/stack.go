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

// openStack puts files one below another. Columns whose kinds differ are read as text in all of them.
func openStack(ctx context.Context, parts []string, opt Options) (*Table, error) {
	files, err := openAll(ctx, parts, opt)
	if err != nil {
		return nil, err
	}
	if mixed := otherKinds(files); len(mixed) > 0 && opt.Only == nil {
		if err := closeAll(files); err != nil {
			return nil, err
		}
		opt.Text = append(slices.Clip(opt.Text), mixed...)
		if files, err = openAll(ctx, parts, opt); err != nil {
			return nil, err
		}
	}
	t, err := stacked(parts, files)
	if err != nil {
		return nil, errors.Join(err, closeAll(files))
	}
	return t, nil
}

func openAll(ctx context.Context, parts []string, opt Options) ([]*Table, error) {
	var files []*Table
	for _, part := range parts {
		f, err := openOne(ctx, part, opt)
		if err != nil {
			return nil, errors.Join(err, closeAll(files))
		}
		files = append(files, f)
	}
	return files, nil
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
