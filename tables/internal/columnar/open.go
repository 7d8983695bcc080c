package columnar

import (
	"context"
	"io"

	"mediant/internal/input"
	"mediant/internal/names"
	"mediant/tables"
)

// Open returns the table that read finds in a file, which is closed with it, or on an error.
func Open(ctx context.Context, format string, in input.File, opt tables.ReadOptions, read func(Input) (File, error)) (tables.File, error) {
	file, err := read(Input{Name: in.Name, ReaderAt: in.File, Size: in.Size})
	if err != nil {
		in.Close()
		return nil, err
	}
	closers := []io.Closer{closer(in.Close)}
	if c, ok := file.(io.Closer); ok {
		closers = []io.Closer{c, closers[0]}
	}
	return NewSource(ctx, format, in.Name, file, opt, closers...)
}

// Heads returns the names of the fields that read finds in a file, of which no cell is read.
func Heads(in input.File, read func(Input) (File, error)) ([]string, error) {
	file, err := read(Input{Name: in.Name, ReaderAt: in.File, Size: in.Size})
	if err != nil {
		return nil, err
	}
	var heads []string
	for _, f := range file.Fields() {
		heads = append(heads, names.Canonical(f.Name))
	}
	if c, ok := file.(io.Closer); ok {
		err = c.Close()
	}
	return heads, err
}

type closer func() error

func (c closer) Close() error { return c() }

// Text is the content from its start, decompressed where it is packed.
func (in Input) Text(ctx context.Context) (io.ReadCloser, error) {
	f := input.File{Name: in.Name, File: in.ReaderAt, Size: in.Size}
	text, _, err := f.Text(ctx, 0)
	return io.NopCloser(text), err
}
