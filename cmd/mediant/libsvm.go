package main

import (
	"path/filepath"
	"slices"
	"strings"

	"mediant/tables"
)

// libsvmName returns the name of the column that a file in the format of libsvm has, as its own name tells.
func libsvmName(path string) (name string, ok bool) {
	name = strings.TrimSuffix(filepath.Base(path), ".gz")
	for _, ending := range []string{".svm", ".libsvm"} {
		if short, is := strings.CutSuffix(name, ending); is && short != "" {
			return short, true
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

// openLibSVM puts the files side by side. Labels are text if the options say so.
func openLibSVM(paths []string, opt tables.CSVOptions) (tables.Source, error) {
	var all tables.Source
	for _, path := range paths {
		name, _ := libsvmName(path)
		label := name + " label"
		text := slices.Contains(opt.Text, label) || slices.Contains(opt.Only, tables.Column{Name: label, Kind: tables.Text})
		src, err := tables.OpenLibSVM(path, tables.LibSVMOptions{Features: name, Label: label, Text: text})
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
