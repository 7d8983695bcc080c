// Package formats opens files of tables, whatever their format. A format is a package below tables that reads files as a tables.Source, and one line
// here.
package formats

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mediant/internal/input"
	"mediant/tables"
	"mediant/tables/csv"
)

// Options say how files are read. What a format has no use for has no effect.
type Options struct {
	csv.Options
	// Room, if not nil, is called before a file is read that is kept in memory as a whole, with a bound on the bytes that it takes there. Its
	// error ends the reading.
	Room func(path string, bytes int64) error
}

// A Table is what was read, and must be closed.
type Table struct {
	Source tables.Source
	// Header has the names of the columns of the file itself, in which a column of dates is one; nil for a format whose columns have no names.
	Header []string
	// Renamed are the old names in Options.Rename that the file has, in canonical form.
	Renamed []string
	// Dates are the columns that were read as dates, in the form of Options.Dates.
	Dates []string
	close func() error
}

// Close closes the file; after it the Source may not be read.
func (t *Table) Close() error {
	if t.close == nil {
		return nil
	}
	return t.close()
}

// A format is a kind of files, and how one is opened.
type format struct {
	begins  []string // what files begin with, decompressed
	endings []string // of the names of files, before .gz
	open    func(ctx context.Context, path string, opt Options) (*Table, error)
	peek    func(path string, opt Options) (columns []tables.Column, rows int) // nil where a glance tells nothing
	// named tells that columns have the name of their file, so that several files can stand side by side.
	named bool
}

// all are the formats besides CSV, which every other file is taken for, as is what can be read once only and has no ending that tells.
var all = []format{
	{endings: libsvmEndings, open: openLibSVM, named: true},
}

var csvFormat = format{open: openCSV, peek: func(path string, opt Options) ([]tables.Column, int) { return csv.Peek(path, opt.Options) }}

// Open opens a file, plain or gzip, "-" being standard input, in the format that its content shows, or else its ending: .svm and .libsvm are libsvm, all
// others CSV. Several files of the format of libsvm, with commas between their paths, stand side by side. Errors are those of the
// format, or say that files have not the same rows.
func Open(ctx context.Context, path string, opt Options) (*Table, error) {
	parts := split(path)
	t, err := formatOf(parts[0], all).open(ctx, parts[0], opt)
	if err != nil {
		return nil, err
	}
	for _, part := range parts[1:] {
		next, err := formatOf(part, all).open(ctx, part, opt)
		if err == nil {
			t, err = t.beside(next)
		}
		if err != nil {
			t.Close()
			return nil, err
		}
	}
	return t, nil
}

// Peek returns what a glance at a file tells: its columns and a number of rows that it has at least, as csv.Peek does, or nothing.
func Peek(path string, opt Options) (columns []tables.Column, rows int) {
	parts := split(path)
	if f := formatOf(parts[0], all); len(parts) == 1 && f.peek != nil {
		return f.peek(path, opt)
	}
	return nil, 0
}

// split takes paths with commas between apart, if each is of a file whose columns have its name; a path with commas is itself.
func split(path string) []string {
	parts := strings.Split(path, ",")
	if slices.ContainsFunc(parts, func(part string) bool { return !formatOf(part, all).named }) {
		return []string{path}
	}
	return parts
}

// formatOf is the format of a file by how it begins, or else by its ending.
func formatOf(path string, of []format) format {
	head := beginning(path)
	for _, f := range of {
		if slices.ContainsFunc(f.begins, func(s string) bool { return strings.HasPrefix(head, s) }) {
			return f
		}
	}
	for _, f := range of {
		if _, ok := cutEnding(path, f.endings); ok {
			return f
		}
	}
	return csvFormat
}

// cutEnding returns the name of a file, without its folder, without one of these endings; more must be left than that.
func cutEnding(path string, endings []string) (name string, ok bool) {
	name = strings.TrimSuffix(filepath.Base(path), ".gz")
	for _, ending := range endings {
		if short, is := strings.CutSuffix(name, ending); is && short != "" {
			return short, true
		}
	}
	return "", false
}

// headBytes of a file tell its format.
const headBytes = 512

// beginning returns the first bytes of a file, decompressed, and nothing of what can be read once only or not at all: opening it will say why.
func beginning(path string) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, _, err := input.Gunzip(file)
	if err != nil {
		return ""
	}
	head, _ := io.ReadAll(io.LimitReader(text, headBytes))
	return string(head)
}

func openCSV(ctx context.Context, path string, opt Options) (*Table, error) {
	f, err := csv.Open(ctx, path, opt.Options)
	if err != nil {
		return nil, err
	}
	return &Table{Source: f, Header: f.Header(), Renamed: f.Renamed(), Dates: f.Dates(), close: f.Close}, nil
}
