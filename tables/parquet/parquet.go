// Package parquet reads Parquet files as columns of tables.
//
// Numbers are whole numbers, floats of any width and decimals; text is strings, truth values (true, false), dates, points in time and times
// of day in ISO 8601, and UUIDs. Null is a missing value. A list of numbers of the same length in every row, such as an embedding, becomes the
// columns name[0], name[1], ...; other nested columns are refused by name if they are used.
//
// Pages are decoded as they are needed, columns side by side rather than row groups: that costs as much of the processors, and fewer row groups than processors, or
// long ones (writers put a million rows in one), neither leave processors idle nor have to be held in memory.
package parquet

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"mediant/internal/input"
	"mediant/tables"
	"mediant/tables/internal/columnar"
)

var _ columnar.File = (*file)(nil)

// A file is a Parquet file.
type file struct {
	name   string
	in     columnar.Input
	stored *parquet.File
	groups []rowGroup
	rows   int64
	fields []columnar.Field
	of     []place      // of each field
	leaves map[int]leaf // by their place among all of the file
	levels map[int]levels
}

// A leaf is a column as it is stored.
type leaf struct {
	name   string
	decode decoder
	list   int // numbers in each row of a list, 0 if it is none
}

// A place is where a field is stored: a leaf, and of a list the number of the item.
type place struct{ leaf, item int }

// Open opens a Parquet file and reads it once to check it. The path "-" is standard input, which is copied to a temporary file
// first. Errors name the file, and the column and row, from 1. The table must be closed.
func Open(ctx context.Context, path string, opt tables.ReadOptions) (tables.File, error) {
	in, err := input.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	return OpenInput(ctx, in, opt)
}

// OpenInput is Open for an input that package formats has opened to detect its format.
func OpenInput(ctx context.Context, in input.File, opt tables.ReadOptions) (tables.File, error) {
	return columnar.Open(ctx, "parquet", in, opt, opener(ctx))
}

// Heads returns the names of the columns of a file that is open, from its footer alone.
func Heads(ctx context.Context, in input.File) ([]string, error) {
	return columnar.Heads(in, opener(ctx))
}

func opener(ctx context.Context) func(columnar.Input) (columnar.File, error) {
	return func(in columnar.Input) (columnar.File, error) { return newFile(ctx, in) }
}

// newFile reads the footer of in, and lists once to learn how long they are.
func newFile(ctx context.Context, in columnar.Input) (f *file, err error) {
	defer columnar.Located("parquet", in.Name, &err)
	stored, footer, err := openPlain(in)
	if err != nil {
		return nil, err
	}
	f = &file{name: in.Name, in: in, stored: stored, groups: footer.groups, leaves: map[int]leaf{}, levels: map[int]levels{}}
	if f.rows, err = footer.count(); err != nil {
		return nil, err
	}
	if err := columnar.CheckRows(f.rows, 1, in.Size); err != nil {
		return nil, err
	}
	for _, c := range stored.Root().Columns() {
		if err := f.add(ctx, c); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// add adds a column at the top of the schema.
func (f *file) add(ctx context.Context, c *parquet.Column) error {
	inner := c
	for !inner.Leaf() && len(inner.Columns()) == 1 {
		inner = inner.Columns()[0]
	}
	f.levels[inner.Index()] = levels{inner.MaxRepetitionLevel() > 0, inner.MaxDefinitionLevel() > 0}
	l, field := leaf{name: c.Name()}, columnar.Field{Name: c.Name()}
	if !inner.Leaf() || inner.MaxRepetitionLevel() > 1 || inner != c && inner.MaxRepetitionLevel() == 0 {
		field.Refused = "is nested, want one value a row"
	} else {
		l.decode, field.Kind, field.Refused = decoderOf(inner.Type())
		field.Bytes = inner.Type().Kind() == parquet.ByteArray && inner.Type().LogicalType() == nil
	}
	if field.Refused == "" {
		field.Refused = f.packed(inner.Index())
	}
	if field.Refused == "" && inner.MaxRepetitionLevel() == 1 {
		var err error
		if l.list, field.Refused, err = f.listLength(ctx, inner.Index()); err != nil {
			return err
		}
		if field.Kind != tables.Numeric {
			field.Refused = "is a list of text, want one value a row"
		}
	}
	if field.Refused == "" {
		f.leaves[inner.Index()] = l
	}
	if l.list == 0 || field.Refused != "" {
		f.fields, f.of = append(f.fields, field), append(f.of, place{inner.Index(), 0})
		return nil
	}
	for i := range l.list {
		field.Name = fmt.Sprintf("%s[%d]", c.Name(), i)
		f.fields, f.of = append(f.fields, field), append(f.of, place{inner.Index(), i})
	}
	return nil
}

// packed says why the pages of a leaf cannot be decompressed, "" if they can.
func (f *file) packed(index int) (refused string) {
	for _, g := range f.groups {
		if codec := g.chunks[index].codec; !slices.Contains(codecs, codec) {
			return fmt.Sprintf("is compressed with %s, want Zstandard, Snappy, gzip, Brotli, LZ4 or none", codec)
		}
	}
	return ""
}

// listLength returns the number of items that each row of a list has that has any, or why they are no columns.
func (f *file) listLength(ctx context.Context, index int) (n int, refused string, err error) {
	c := f.newCursor(index, input.ColumnsRoom(f.in.Size, 0))
	defer c.close()
	var length columnar.ListLength
	for row := 1; ; row++ {
		if row%tables.BlockRows == 0 && ctx.Err() != nil {
			return 0, "", ctx.Err()
		}
		items, err := c.row()
		if err != nil && err != io.EOF {
			return 0, "", err
		}
		if err == nil && int64(row) > f.rows {
			return 0, "", fmt.Errorf("column %q: it has more values than the file has rows", f.stored.Schema().Columns()[index][0])
		}
		if len(items) == 1 && items[0].IsNull() { // null or an empty list, or a list of one null
			continue
		}
		if err == io.EOF || length.Look(row, len(items)) != nil {
			n, refused = length.Length()
			return n, refused, nil
		}
	}
}

// Fields lists the columns in the order of the schema.
func (f *file) Fields() []columnar.Field { return f.fields }

// Rows is the number of rows.
func (f *file) Rows() int { return int(f.rows) }

// Blocks implements columnar.File.
func (f *file) Blocks(ctx context.Context, wants []columnar.Want) iter.Seq2[columnar.Block, error] {
	return func(yield func(columnar.Block, error) bool) {
		p := f.newPass(wants)
		defer p.close()
		for left := f.Rows(); left > 0; {
			n := min(left, columnar.RowsAtATime(len(wants)))
			b, err := p.read(ctx, n)
			if !yield(b, err) || err != nil {
				return
			}
			left -= n
		}
		if err := p.end(); err != nil {
			yield(columnar.Block{}, err)
		}
	}
}

// Begins reports whether head, the first bytes of a file, begins a Parquet file.
func Begins(head string) bool { return strings.HasPrefix(head, magic) }
