// Package npy reads NPY files, an array each, and NPZ archives of several, as NumPy writes them, as columns of tables.
//
// An array of one dimension is a column that is named after its file, or after its key in an archive; a matrix has the columns name[0],
// name[1], ... by its second dimension. All arrays of an archive have as many rows. Elements are whole numbers, floats of 16, 32 or 64 bits,
// truth values or text, in either byte order; matrices are stored by rows or by columns (Fortran order). NaN is a missing value.
package npy

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"mediant/internal/input"
	"mediant/tables"
	"mediant/tables/internal/columnar"
)

var _ columnar.File = (*file)(nil)

// A file is an NPY file or an NPZ archive.
type file struct {
	name     string
	size     int64
	arrays   []array
	unpacked *os.File     // what was compressed, nil if nothing was
	remove   func() error // it
}

// Open opens an NPY file or an NPZ archive and reads it once to check it. The path "-" is standard input, which is copied to a temporary file
// first, as are compressed arrays. Errors name the file, and the column and row, from 1. The table must be closed.
func Open(ctx context.Context, path string, opt tables.ReadOptions) (tables.File, error) {
	in, err := input.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	return OpenInput(ctx, in, opt)
}

// OpenInput is Open for an input that package formats has opened to detect its format.
func OpenInput(ctx context.Context, in input.File, opt tables.ReadOptions) (tables.File, error) {
	return columnar.Open(ctx, "npy", in, opt, opener(ctx))
}

// Heads returns the names of the columns of a file that is open, from the headers of its arrays alone.
func Heads(ctx context.Context, in input.File) ([]string, error) {
	return columnar.Heads(in, opener(ctx))
}

func opener(ctx context.Context) func(columnar.Input) (columnar.File, error) {
	return func(in columnar.Input) (columnar.File, error) { return newFile(ctx, in) }
}

// newFile reads the headers of in. Compressed arrays are unpacked to a temporary file, which Close removes.
func newFile(ctx context.Context, in columnar.Input) (*file, error) {
	f := &file{name: in.Name, size: in.Size}
	if err := f.open(ctx, in); err != nil {
		return nil, errors.Join(fmt.Errorf("npy: %s: %w", in.Name, err), f.Close())
	}
	return f, nil
}

func (f *file) open(ctx context.Context, in columnar.Input) error {
	var begin [4]byte
	in.ReadAt(begin[:], 0)
	if string(begin[:2]) == "PK" {
		return f.openArchive(ctx, in)
	}
	base := filepath.Base(in.Name)
	a, err := readArray(strings.TrimSuffix(base, filepath.Ext(base)), in, in.Size)
	if err == nil {
		err = input.CheckColumns(a.columns, in.Size)
	}
	f.arrays = []array{a}
	return err
}

// openArchive reads the headers of all arrays of an archive.
func (f *file) openArchive(ctx context.Context, in columnar.Input) error {
	z, err := zip.NewReader(in, in.Size)
	if err != nil {
		return err
	}
	if len(z.File) == 0 {
		return errors.New("the archive is empty")
	}
	if err := input.CheckColumns(len(z.File), in.Size); err != nil {
		return err
	}
	columns := 0
	for _, member := range z.File {
		data, size, err := f.content(ctx, in, member)
		if err != nil {
			return fmt.Errorf("%s: %w", member.Name, err)
		}
		a, err := readArray(strings.TrimSuffix(member.Name, ".npy"), data, size)
		var no noColumn
		switch first := f.table(); {
		case errors.As(err, &no):
			a.header, a.refused = header{columns: 1}, "cannot be read: "+no.Error()
		case err != nil:
			return fmt.Errorf("%s: %w", member.Name, err)
		case first != nil && first.rows != a.rows:
			a.header, a.refused = header{columns: 1}, fmt.Sprintf("has %d rows, %q has %d, want as many", a.rows, first.name, first.rows)
		}
		columns += a.columns
		if err := input.CheckColumns(columns, in.Size); err != nil {
			return err
		}
		f.arrays = append(f.arrays, a)
	}
	return nil
}

// table is the first array that can be read, whose rows are those of the table, or nil.
func (f *file) table() *array {
	for i := range f.arrays {
		if f.arrays[i].refused == "" {
			return &f.arrays[i]
		}
	}
	return nil
}

// content is a member as a file that can be read at any place.
func (f *file) content(ctx context.Context, in columnar.Input, member *zip.File) (io.ReaderAt, int64, error) {
	size := int64(member.UncompressedSize64)
	if member.Method == zip.Store {
		start, err := member.DataOffset()
		if err == nil && (start < 0 || size < 0 || size > in.Size-start) {
			err = errors.New("the archive is cut")
		}
		return io.NewSectionReader(in, start, size), size, err
	}
	packed, err := member.Open()
	if err != nil {
		return nil, 0, err
	}
	defer packed.Close()
	if f.unpacked == nil { // one file for all, since an archive may have more arrays than a process files
		if f.unpacked, f.remove, err = input.Temporary(); err != nil {
			return nil, 0, err
		}
	}
	start, err := f.unpacked.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, err
	}
	n, err := io.Copy(f.unpacked, input.Until(ctx, packed))
	return io.NewSectionReader(f.unpacked, start, n), n, err
}

// Close removes what was unpacked.
func (f *file) Close() error {
	if f.unpacked == nil {
		return nil
	}
	return f.remove()
}

// Fields lists the columns of all arrays, in the order of the file.
func (f *file) Fields() []columnar.Field {
	var fields []columnar.Field
	for i := range f.arrays {
		fields = append(fields, f.arrays[i].fields()...)
	}
	return fields
}

// Rows is the number of rows.
func (f *file) Rows() int {
	if a := f.table(); a != nil {
		return a.rows
	}
	return 0
}

// Blocks implements columnar.File.
func (f *file) Blocks(ctx context.Context, wants []columnar.Want) iter.Seq2[columnar.Block, error] {
	return func(yield func(columnar.Block, error) bool) {
		read(ctx, f.arrays, f.Rows(), wants, input.NewRoom(f.size), func(b columnar.Block, err error) bool {
			if err != nil && ctx.Err() == nil {
				err = fmt.Errorf("npy: %s: %w", f.name, err)
			}
			return yield(b, err)
		})
	}
}

// Begins reports whether head, the first bytes of a file, begins an NPY file, or an archive whose first member is one.
func Begins(head string) bool {
	const nameLength, name = 26, 30 // in the header of a file in a zip archive
	if !strings.HasPrefix(head, "PK\x03\x04") || len(head) < name {
		return strings.HasPrefix(head, magic)
	}
	end := name + int(binary.LittleEndian.Uint16([]byte(head[nameLength:])))
	return end <= len(head) && strings.HasSuffix(head[name:end], ".npy")
}
