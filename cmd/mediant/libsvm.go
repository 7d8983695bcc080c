package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"mediant/internal/names"
	"mediant/problem"
	"mediant/tables"
	"mediant/tables/csv"
	"mediant/tables/libsvm"
)

// libsvmName returns the name of the column that a file in the format of libsvm has, as its own name tells.
func libsvmName(path string) (name string, ok bool) {
	name = strings.TrimSuffix(filepath.Base(path), ".gz")
	for _, ending := range []string{".svm", ".libsvm"} {
		if short, is := strings.CutSuffix(name, ending); is && short != "" {
			return tables.CanonicalName(short), true
		}
	}
	return "", false
}

// isLibSVM reports whether path is a list of such files with commas between.
func isLibSVM(path string) bool {
	return !slices.ContainsFunc(strings.Split(path, ","), func(p string) bool {
		_, ok := libsvmName(p)
		return !ok
	})
}

// matches reports whether a column is among those that the patterns name.
func matches(name string, patterns []string) bool {
	column := []string{name}
	return slices.ContainsFunc(names.Resolve(column, patterns), func(p string) bool {
		hit, err := names.Match(column, p)
		return err == nil && len(hit) > 0
	})
}

// openLibSVM puts the files side by side. Labels are text if the options say so. The tables, which are kept in memory, must
// leave a quarter of the limit, if there is one.
func openLibSVM(ctx context.Context, paths []string, opt csv.Options, limit int64) (tables.Source, error) {
	var all tables.Source
	var held int64
	for _, path := range paths {
		if limit > 0 {
			bytes, err := libsvm.Size(ctx, path)
			if err != nil {
				return nil, err
			}
			if held += bytes; held > limit*3/4 {
				return nil, memoryHint(&problem.MemoryError{Need: float64(held) * 4 / 3, Limit: limit, What: path + ", which is kept in memory,", Least: true})
			}
		}
		name, _ := libsvmName(path)
		label := name + " label"
		text := matches(label, opt.Text) || slices.Contains(opt.Only, tables.Column{Name: label, Kind: tables.Text})
		src, err := libsvm.Open(ctx, path, libsvm.Options{Features: name, Label: label, Text: text})
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = src
			continue
		}
		if all, err = tables.Beside(all, src); err != nil {
			return nil, err
		}
	}
	return all, nil
}
