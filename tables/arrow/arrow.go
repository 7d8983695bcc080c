// Package arrow reads Arrow IPC files (Feather version 2) and streams as columns of tables.
//
// Numbers are whole numbers, floats of any width, decimals, and durations in seconds; text is strings, truth values (true, false), dates, points
// in time and times of day in ISO 8601. Dictionary-encoded columns are read as their values. Null is a missing value. A list of fixed size, or of
// numbers of the same length in every row, becomes the columns name[0], name[1], ...; other nested columns are refused by name if they are used.
package arrow

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"mediant/internal/input"
	"mediant/tables"
	"mediant/tables/internal/columnar"
)

var _ columnar.File = (*file)(nil)

// magic is how an IPC file begins; a stream has no such mark.
const magic = "ARROW1"

// ones begin each message of a stream.
const ones = "\xff\xff\xff\xff"

// A file is an IPC file or stream.
type file struct {
	in     columnar.Input
	fields []columnar.Field
	of     []place // of each field
	spare  spare
}

// A place is a column of the schema, and of a list the number of the item, or -1.
type place struct{ column, item int }

// Open opens an IPC file or stream and reads it once to check it. The path "-" is standard input, which is copied to a temporary file
// first. Errors name the file, and the column and row, from 1. The table must be closed.
func Open(ctx context.Context, path string, opt tables.ReadOptions) (tables.File, error) {
	in, err := input.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("arrow: %w", err)
	}
	return OpenInput(ctx, in, opt)
}

// OpenInput is Open for an input that package formats has opened to detect its format.
func OpenInput(ctx context.Context, in input.File, opt tables.ReadOptions) (tables.File, error) {
	return columnar.Open(ctx, "arrow", in, opt, opener(ctx))
}

// Heads returns the names of the columns of a file that is open, from its schema alone.
func Heads(ctx context.Context, in input.File) ([]string, error) {
	return columnar.Heads(in, opener(ctx))
}

func opener(ctx context.Context) func(columnar.Input) (columnar.File, error) {
	return func(in columnar.Input) (columnar.File, error) { return newFile(ctx, in) }
}

// newFile reads the schema of in, and lists once to learn how long they are.
func newFile(ctx context.Context, in columnar.Input) (f *file, err error) {
	defer columnar.Located("arrow", in.Name, &err)
	f = &file{in: in}
	r, err := f.reader(input.ColumnsRoom(in.Size, 0))
	if err != nil {
		return nil, err
	}
	defer r.close()
	lengths, err := listLengths(ctx, r)
	if err != nil {
		return nil, err
	}
	for i, c := range r.schema.Fields() {
		f.add(i, c, lengths[i])
	}
	return f, nil
}

// add adds column i of the schema; length is that of lists without a length in their type, nil of other columns.
func (f *file) add(i int, c arrow.Field, length *columnar.ListLength) {
	items, item := 1, -1
	field := columnar.Field{Name: c.Name}
	if list, ok := c.Type.(*arrow.FixedSizeListType); ok {
		items, item = int(list.Len()), 0
		field.Kind, field.Refused = kindOf(list.Elem())
		if int64(items) > f.in.Size { // it would be as many columns
			field.Refused = fmt.Sprintf("is a list of %d items, more than the file has bytes", items)
		}
	} else if length != nil {
		item = 0
		items, field.Refused = length.Length()
	} else {
		field.Kind, field.Refused = kindOf(c.Type)
	}
	if item < 0 || field.Refused != "" {
		f.fields, f.of = append(f.fields, field), append(f.of, place{i, -1})
		return
	}
	for k := range items {
		field.Name = fmt.Sprintf("%s[%d]", c.Name, k)
		f.fields, f.of = append(f.fields, field), append(f.of, place{i, k})
	}
}

// A reader goes through the record batches of a file or a stream.
type reader struct {
	schema *arrow.Schema
	next   func() (arrow.RecordBatch, error) // io.EOF at the end
	close  func()
}

// reader starts at the first record batch, in the room of a pass.
func (f *file) reader(room *input.Room) (reader, error) {
	var begin [len(magic)]byte
	f.in.ReadAt(begin[:], 0)
	isFile := string(begin[:]) == magic
	if err := f.verify(isFile); err != nil {
		return reader{}, err
	}
	section := io.NewSectionReader(f.in, 0, f.in.Size)
	options := []ipc.Option{ipc.WithAllocator(newBounded(room, &f.spare)), ipc.WithBodySizeLimit(f.in.Size), ipc.WithMetadataSizeLimit(f.in.Size)}
	if !isFile {
		r, err := ipc.NewReaderFromMessageReader(ipc.NewMessageReader(section, options...), options...) // NewReader has no limits
		if err != nil {
			return reader{}, err
		}
		return reader{r.Schema(), func() (arrow.RecordBatch, error) {
			if r.Next() {
				return r.RecordBatch(), nil
			}
			if r.Err() != nil {
				return nil, r.Err()
			}
			return nil, f.ended(section)
		}, r.Release}, nil
	}
	r, err := ipc.NewFileReader(section, options...)
	if err != nil {
		return reader{}, err
	}
	at := 0
	var batch arrow.RecordBatch
	release := func() {
		if batch != nil {
			batch.Release()
			batch = nil
		}
	}
	return reader{r.Schema(), func() (arrow.RecordBatch, error) {
		release() // before there is room for the next, which RecordBatch does after
		if at == r.NumRecords() {
			return nil, io.EOF
		}
		at++
		var err error
		batch, err = r.RecordBatchAt(at - 1)
		return batch, err
	}, func() { release(); r.Close() }}, nil
}

// ended is io.EOF where the mark of the end of a stream, ones and a length of 0, was read last. The format lets a stream end without it, but writers
// of files write it, and without it a stream that is cut between two batches would be a short table. Streams that begin without ones are older than the mark.
func (f *file) ended(stream io.Seeker) error {
	var begin [4]byte
	var last [8]byte
	f.in.ReadAt(begin[:], 0)
	at, err := stream.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	f.in.ReadAt(last[:], at-int64(len(last)))
	if string(begin[:]) == ones && string(last[:]) != ones+"\x00\x00\x00\x00" {
		return errors.New("the stream is cut: the mark of its end is missing")
	}
	return io.EOF
}

// Fields lists the columns in the order of the schema.
func (f *file) Fields() []columnar.Field { return f.fields }

// Rows is -1: only reading tells.
func (f *file) Rows() int { return -1 }

// Blocks implements columnar.File.
func (f *file) Blocks(ctx context.Context, wants []columnar.Want) iter.Seq2[columnar.Block, error] {
	return func(yield func(columnar.Block, error) bool) {
		if err := f.blocks(ctx, wants, func(b columnar.Block) bool { return yield(b, nil) }); err != nil {
			yield(columnar.Block{}, err)
		}
	}
}

// blocks passes blocks to use until it returns false.
func (f *file) blocks(ctx context.Context, wants []columnar.Want, use func(columnar.Block) bool) error {
	room := input.ColumnsRoom(f.in.Size, len(f.fields))
	p := pass{file: f, wants: wants, buffers: columnar.NewBuffers(wants, room), room: room}
	if err := p.open(); err != nil {
		return err
	}
	defer p.close()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := p.read()
		if err != nil || p.ended {
			return err
		}
		if n > 0 && !use(columnar.BlockOf(n, p.buffers)) {
			return nil
		}
	}
}

// A pass reads blocks of rows of the wanted columns.
type pass struct {
	file    *file
	wants   []columnar.Want
	buffers []columnar.Buffer
	room    *input.Room
	reader
	batch arrow.RecordBatch // nil before the first
	start int               // of the next block in it
	rows  int               // before the block
	ended bool              // there is no further batch
}

func (p *pass) open() (err error) {
	defer columnar.Located("arrow", p.file.in.Name, &err)
	p.reader, err = p.file.reader(p.room)
	return err
}

// read reads the next rows into the buffers, if there are any.
func (p *pass) read() (n int, err error) {
	defer columnar.Located("arrow", p.file.in.Name, &err)
	if p.batch == nil || p.start == int(p.batch.NumRows()) {
		if p.batch, err = p.next(); err == io.EOF {
			p.ended = true
			return 0, nil
		} else if err != nil {
			return 0, err
		}
		p.start = 0
	}
	n = min(columnar.RowsAtATime(len(p.wants)), int(p.batch.NumRows())-p.start)
	for k, w := range p.wants {
		if err := p.column(k, p.file.of[w.Field], n); err != nil {
			return 0, fmt.Errorf("column %q: %w", p.file.fields[w.Field].Name, err)
		}
	}
	p.start += n
	p.rows += n
	return n, nil
}

// column reads n rows of wanted column k.
func (p *pass) column(k int, at place, n int) error {
	b := &p.buffers[k]
	b.Reset()
	values := p.batch.Column(at.column)
	for i := range n {
		var err error
		if at.item < 0 {
			err = add(b, values, p.start+i)
		} else {
			err = addItem(b, values.(array.ListLike), p.start+i, at.item)
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", p.rows+i+1, err)
		}
	}
	return nil
}

// Begins reports whether head, the first bytes of a file, begins an Arrow IPC file or a stream: ones, and the length of the
// message with the schema, a multiple of 8.
func Begins(head string) bool {
	if strings.HasPrefix(head, magic) {
		return true
	}
	if len(head) < 8 || !strings.HasPrefix(head, ones) {
		return false
	}
	n := binary.LittleEndian.Uint32([]byte(head[4:]))
	return n > 0 && n%8 == 0
}
