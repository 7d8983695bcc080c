package columnar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"mediant/internal/input"
	"mediant/internal/names"
	"mediant/tables"
	"mediant/tables/internal/cells"
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
	if err := input.CheckColumns(len(file.Fields()), in.Size); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %s: %w", format, in.Name, err), closeAll(closers))
	}
	s, err := NewSource(ctx, format, in.Name, limited{file, in.Size, format + ": " + in.Name}, opt, closers...)
	if err != nil {
		return nil, err
	}
	if err := cells.CheckBatch(s.columns, s.rows, in.Size); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %s: %w", format, in.Name, err), s.Close())
	}
	return s, nil
}

// A limited file is an error where it has more cells than a file of its size can stand for. Cells that are all null, or all of one value, take no bytes, so that a
// damaged file may claim as many as would take years to read.
type limited struct {
	File
	size int64
	name string // begins errors
}

const (
	cellsOfAny   = 1 << 24
	cellsPerByte = 1 << 12
)

// CheckRows refuses more rows of so many columns than a file of size bytes can stand for.
func CheckRows(rows int64, columns int, size int64) error {
	if rows > (cellsOfAny+cellsPerByte*size)/int64(max(1, columns)) {
		return fmt.Errorf("the file claims more rows than its %d bytes can stand for", size)
	}
	return nil
}

// Blocks implements File.
func (l limited) Blocks(ctx context.Context, wants []Want) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		rows := int64(0)
		for b, err := range l.File.Blocks(ctx, wants) {
			rows += int64(b.Rows)
			first := rows - int64(b.Rows) + 1
			for i, v := range b.Values {
				if err == nil && v.Err != nil {
					err = fmt.Errorf("%s: column %q: the text of rows %d to %d %w", l.name, l.Fields()[wants[i].Field].Name, first, rows, v.Err)
				}
			}
			if err == nil {
				if err = CheckRows(rows, len(wants), l.size); err != nil {
					b, err = Block{}, fmt.Errorf("%s: %w", l.name, err)
				}
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
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
