// Package formats opens files of tables, whatever their format. A format is a package below tables that reads files as a tables.Source, and one line
// here.
package formats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mediant/internal/input"
	"mediant/tables"
	"mediant/tables/arrow"
	"mediant/tables/csv"
	"mediant/tables/internal/foreign"
	"mediant/tables/jsonl"
	"mediant/tables/npy"
	"mediant/tables/parquet"
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
	begins  func(head string) bool // whether a file that begins so, decompressed, is one; nil if that does not tell
	endings []string               // of the names of files, before .gz or .zst
	open    func(ctx context.Context, in input.File, opt Options) (*Table, error)
	peek    func(path string, opt Options) (columns []tables.Column, rows int)      // nil where a glance tells nothing
	heads   func(ctx context.Context, in input.File, opt Options) ([]string, error) // the names of columns, of which no cell is read if that can be
	// named tells that columns have the name of their file, so that several files can stand side by side.
	named bool
}

// all are the formats besides CSV, which every other file is taken for.
var all = []format{
	{begins: parquet.Begins, endings: []string{".parquet", ".pq"}, open: columnar(parquet.OpenInput), heads: headsBy(parquet.Heads)},
	{begins: arrow.Begins, endings: []string{".arrow", ".arrows", ".feather"}, open: columnar(arrow.OpenInput), heads: headsBy(arrow.Heads)},
	{begins: npy.Begins, endings: []string{".npy", ".npz"}, open: columnar(npy.OpenInput), heads: headsBy(npy.Heads)},
	{begins: jsonl.Begins, endings: []string{".jsonl", ".ndjson"}, open: columnar(jsonl.OpenInput), heads: headsOfLines},
	{endings: libsvmEndings, open: openLibSVM, heads: headsOfLibSVM, named: true},
}

var csvFormat = format{open: openCSV, heads: headsOfCSV, peek: func(path string, opt Options) ([]tables.Column, int) { return csv.Peek(path, opt.Options) }}

// Open opens a file, "-" being standard input, in the format that its content shows, or else its ending: Parquet, Arrow, NPY and NPZ, JSON lines, libsvm
// (.svm and .libsvm), and CSV for all others; text may be compressed with gzip or zstd. A file whose content is of a format that is not read, such as a
// workbook, is refused by the name of that format, with the command line that converts it.
//
// Several files, with commas between their paths, or as a glob of package filepath, which is expanded in natural order, are one table: files of the format of
// libsvm stand side by side, all others one below another. These have the same columns, and one that is text in any of them is text. A path that
// there is stands for itself, whatever it holds. Errors are those of the format, or say that files do not go together.
func Open(ctx context.Context, path string, opt Options) (*Table, error) {
	parts, err := Paths(path)
	if err != nil {
		return nil, err
	}
	if len(parts) == 1 {
		return openOne(ctx, parts[0], opt)
	}
	if allNamed(parts) {
		return openBeside(ctx, parts, opt)
	}
	return openStack(ctx, parts, opt)
}

// openBeside puts files side by side.
func openBeside(ctx context.Context, parts []string, opt Options) (*Table, error) {
	t, err := openOne(ctx, parts[0], opt)
	if err != nil {
		return nil, err
	}
	for _, part := range parts[1:] {
		next, err := openOne(ctx, part, opt)
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

// openOne opens one file.
func openOne(ctx context.Context, path string, opt Options) (*Table, error) {
	in, err := input.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	return openInput(ctx, in, path, opt)
}

// OpenBytes is Open of a file that is in memory, whose content must not change before the Table is closed. Errors begin with its name, whose ending counts as that of a path does.
func OpenBytes(ctx context.Context, name string, content []byte, opt Options) (*Table, error) {
	in := input.File{Name: name, File: bytes.NewReader(content), Size: int64(len(content)), Close: func() error { return nil }}
	return openInput(ctx, in, name, opt)
}

// openInput opens what is open in the format that it has.
func openInput(ctx context.Context, in input.File, path string, opt Options) (*Table, error) {
	head, err := beginning(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", errors.Join(err, in.Close()))
	}
	f, shown := formatOf(head, path, all)
	if !shown {
		if err := foreign.Refuse(in, head); err != nil {
			return nil, fmt.Errorf("tables: %w", errors.Join(err, in.Close()))
		}
	}
	return f.open(ctx, in, opt)
}

// Peek returns the columns of a file and a lower bound of its number of rows, from its beginning, as csv.Peek does; nil and 0 if they are unknown.
func Peek(path string, opt Options) (columns []tables.Column, rows int) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // it can perhaps be read only once
		return nil, 0
	}
	in, err := input.Open(context.Background(), path)
	if err != nil {
		return nil, 0
	}
	head, err := beginning(context.Background(), in)
	if in.Close() != nil || err != nil {
		return nil, 0
	}
	if f, _ := formatOf(head, path, all); f.peek != nil {
		return f.peek(path, opt)
	}
	return nil, 0
}

// allNamed reports paths of files whose columns have the name of the file.
func allNamed(parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool {
		f, _ := formatOf("", part, all)
		return !f.named
	})
}

// formatOf is the format of a file by how it begins, which it has shown then, or else by its ending.
func formatOf(head, path string, of []format) (f format, shown bool) {
	for _, f := range of {
		if f.begins != nil && f.begins(head) {
			return f, true
		}
	}
	for _, f := range of {
		if _, ok := cutEnding(path, f.endings); ok {
			return f, false
		}
	}
	return csvFormat, false
}

// cutEnding returns the name of a file, without its folder, without one of these endings; more must be left than that.
func cutEnding(path string, endings []string) (name string, ok bool) {
	name = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".zst")
	for _, ending := range endings {
		if short, is := strings.CutSuffix(name, ending); is && short != "" {
			return short, true
		}
	}
	return "", false
}

// beginning returns the first bytes of a file, decompressed, or none where it is damaged: reading it will say how.
func beginning(ctx context.Context, in input.File) (string, error) {
	text, _, err := in.Text(ctx, 0)
	if err != nil {
		return "", ctx.Err()
	}
	head, err := io.ReadAll(io.LimitReader(text, foreign.HeadBytes))
	if err != nil && ctx.Err() == nil {
		err = nil
	}
	return string(head), err
}

func openCSV(ctx context.Context, in input.File, opt Options) (*Table, error) {
	f, err := csv.OpenInput(ctx, in, opt.Options)
	if err != nil {
		return nil, err
	}
	return tableOf(f), nil
}

// columnar is how a format whose columns have types of their own is opened.
func columnar(open func(context.Context, input.File, tables.ReadOptions) (tables.File, error)) func(context.Context, input.File, Options) (*Table, error) {
	return func(ctx context.Context, in input.File, opt Options) (*Table, error) {
		f, err := open(ctx, in, opt.Columns())
		if err != nil {
			return nil, err
		}
		return tableOf(f), nil
	}
}

func tableOf(f tables.File) *Table {
	return &Table{Source: f, Header: f.Header(), Renamed: f.Renamed(), Dates: f.Dates(), close: f.Close}
}
