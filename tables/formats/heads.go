package formats

import (
	"bytes"
	"context"
	"io"
	"os"

	"mediant/internal/input"
	"mediant/internal/names"
	"mediant/tables/csv"
	"mediant/tables/internal/foreign"
	"mediant/tables/jsonl"
)

// Heads returns the names of the columns of a table, several files included, with their new names, from the beginnings of its files or what stands for a header there. Files that
// can be read once only are left alone. It is for suggestions: what cannot be read has no names, and a file of JSON lines those of its first lines.
func Heads(ctx context.Context, path string, opt Options) []string {
	parts, err := Paths(path)
	if err != nil {
		return nil
	}
	if !allNamed(parts) { // parts of one table have the same columns
		parts = parts[:min(1, len(parts))]
	}
	var all []string
	for _, part := range parts {
		heads := headsOf(ctx, part, opt)
		if renamed, _, err := names.Rename(heads, names.WithAliases(heads, opt.Rename, opt.Aliases)); err == nil {
			heads = renamed
		}
		all = append(all, heads...)
	}
	return all
}

func headsOf(ctx context.Context, path string, opt Options) []string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	in, err := input.Open(ctx, path)
	if err != nil {
		return nil
	}
	defer in.Close()
	head, err := beginning(ctx, in)
	if err != nil {
		return nil
	}
	f, shown := formatOf(head, path, all)
	if !shown && foreign.Refuse(in, head) != nil {
		return nil
	}
	heads, err := f.heads(ctx, in, opt)
	if err != nil {
		return nil
	}
	return heads
}

// headsBy is for formats that need no options.
func headsBy(heads func(context.Context, input.File) ([]string, error)) func(context.Context, input.File, Options) ([]string, error) {
	return func(ctx context.Context, in input.File, _ Options) ([]string, error) { return heads(ctx, in) }
}

func headsOfCSV(ctx context.Context, in input.File, opt Options) ([]string, error) {
	opt.Rename, opt.Aliases = nil, nil // which are applied to all formats
	return csv.Heads(ctx, in, opt.Options)
}

// headLines is how much of a file of lines is read for names.
const headLines = 64 << 10

// headsOfLines are those of the whole lines at the beginning.
func headsOfLines(ctx context.Context, in input.File, _ Options) ([]string, error) {
	text, _, err := in.Text(ctx, 0)
	if err != nil {
		return nil, err
	}
	begin, err := io.ReadAll(io.LimitReader(text, headLines))
	if err != nil {
		return nil, err
	}
	if end := bytes.LastIndexByte(begin, '\n'); end > 0 {
		begin = begin[:end]
	}
	return jsonl.Heads(ctx, input.File{Name: in.Name, File: bytes.NewReader(begin), Size: int64(len(begin))})
}

// headsOfLibSVM are those of the column that is named as the file, and of its labels.
func headsOfLibSVM(_ context.Context, in input.File, _ Options) ([]string, error) {
	name, _ := cutEnding(in.Name, libsvmEndings)
	name = names.Canonical(name)
	return []string{name, labelOf(name)}, nil
}
