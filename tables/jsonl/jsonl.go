// Package jsonl reads JSON lines, one flat object a line, as a table: names of members are columns, and a member that an object lacks, or that
// is null, is a missing value.
//
// A column is of numbers if all its values are, and of text if all are strings or truth values. One with both is refused unless it is to be
// read as text. Lists and objects as values are refused by name, as are names that an object has twice. Blank lines are skipped.
package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"mediant/internal/input"
	"mediant/tables"
	"mediant/tables/internal/columnar"
)

var _ columnar.File = (*file)(nil)

// A file is a file of JSON lines.
type file struct {
	in     input.File
	fields []columnar.Field
	index  map[string]int
	rows   int
}

// Open opens a file of JSON lines, plain or compressed, and reads it once to check it. The path "-" is standard input, which is copied to a temporary file
// first. Errors name the file, and the column and row, from 1. The table must be closed.
func Open(ctx context.Context, path string, opt tables.ReadOptions) (tables.File, error) {
	in, err := input.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("jsonl: %w", err)
	}
	return OpenInput(ctx, in, opt)
}

// OpenInput is Open for an input that package formats has opened to detect its format.
func OpenInput(ctx context.Context, in input.File, opt tables.ReadOptions) (tables.File, error) {
	return columnar.Open(ctx, "jsonl", in, opt, opener(ctx))
}

// Heads returns the names of the columns of a file that is open, from all of its lines.
func Heads(ctx context.Context, in input.File) ([]string, error) {
	return columnar.Heads(in, opener(ctx))
}

func opener(ctx context.Context) func(columnar.Input) (columnar.File, error) {
	return func(in columnar.Input) (columnar.File, error) {
		return newFile(ctx, in)
	}
}

// newFile reads in once, for its columns, their kinds and the number of rows.
func newFile(ctx context.Context, in columnar.Input) (*file, error) {
	f := &file{in: input.File{Name: in.Name, File: in.ReaderAt, Size: in.Size}, index: map[string]int{}}
	var seen []kinds
	err := f.lines(ctx, func(line int, members []member) error {
		f.rows++
		for _, m := range members {
			i, ok := f.index[m.name]
			if !ok {
				i = len(f.fields)
				if err := input.CheckColumns(i+1, in.Size); err != nil {
					return err
				}
				f.index[m.name] = i
				f.fields, seen = append(f.fields, columnar.Field{Name: m.name}), append(seen, kinds{})
			}
			if seen[i].row == f.rows {
				return fmt.Errorf("has %q twice", m.name)
			}
			seen[i].row = f.rows
			seen[i].look(line, m.value)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range seen {
		seen[i].decide(&f.fields[i])
	}
	return f, nil
}

// kinds are the lines on which a column first has a value of each kind, 0 if it has none, and the last row that has it.
type kinds struct{ number, text, nested, row int }

func (k *kinds) look(line int, value json.Token) {
	first := func(at *int) {
		if *at == 0 {
			*at = line
		}
	}
	switch value.(type) {
	case json.Number:
		first(&k.number)
	case string, bool:
		first(&k.text)
	case json.Delim:
		first(&k.nested)
	}
}

func (k *kinds) decide(f *columnar.Field) {
	switch {
	case k.nested > 0:
		f.Refused = fmt.Sprintf("has a list or an object on line %d, want numbers, strings or truth values", k.nested)
	case k.text > 0:
		f.Kind = tables.Text
		if k.number > 0 {
			f.Mixed = fmt.Sprintf("has a number on line %d and text on line %d", k.number, k.text)
		}
	}
}

// lines passes the members of each object to use, which are valid until it returns.
func (f *file) lines(ctx context.Context, use func(line int, members []member) error) error {
	text, packed, err := f.in.Text(ctx, 0)
	if err != nil {
		return fmt.Errorf("jsonl: %w", err)
	}
	most := min(longestLine, f.in.LongestRecord(packed))
	var members []member
	var long []byte
	for n := 1; ; n++ {
		line, err := readLine(text, &long, most)
		if err == io.EOF {
			return nil
		}
		if err == errLong {
			return fmt.Errorf("jsonl: %s:%d: has more than %d bytes, want an object a line", f.in.Name, n, most)
		}
		if err != nil {
			return fmt.Errorf("jsonl: %s: %w", f.in.Name, err)
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if !utf8.Valid(line) {
			return fmt.Errorf("jsonl: %s:%d: is not UTF-8", f.in.Name, n)
		}
		if members, err = object(members[:0], line, f.in.Size); err == nil {
			err = use(n, members)
		}
		if err != nil {
			return fmt.Errorf("jsonl: %s:%d: %w", f.in.Name, n, err)
		}
	}
}

// longestLine bounds the memory of a line.
const longestLine = 16 << 20

var errLong = errors.New("too long")

// readLine returns the next line of at most so many bytes, valid until the next call; long holds one that is longer than the reader's buffer.
func readLine(r *bufio.Reader, long *[]byte, most int) ([]byte, error) {
	*long = (*long)[:0]
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case err == nil && len(*long) == 0:
			return part, nil
		case err == io.EOF && len(part)+len(*long) == 0:
			return nil, io.EOF
		case err != nil && err != io.EOF && err != bufio.ErrBufferFull:
			return nil, err
		}
		if *long = append(*long, part...); len(*long) > most {
			return nil, errLong
		}
		if err != bufio.ErrBufferFull {
			return *long, nil
		}
	}
}

// Fields lists the columns in the order in which they first occur.
func (f *file) Fields() []columnar.Field { return f.fields }

// Rows is the number of rows.
func (f *file) Rows() int { return f.rows }

// errStop ends a pass whose caller wants no more.
var errStop = fmt.Errorf("stopped")

// Blocks implements columnar.File.
func (f *file) Blocks(ctx context.Context, wants []columnar.Want) iter.Seq2[columnar.Block, error] {
	return func(yield func(columnar.Block, error) bool) {
		p := newPass(f, wants)
		stopped := false
		err := f.lines(ctx, func(_ int, members []member) error {
			if err := p.add(members); err != nil {
				return err
			}
			if p.rows < columnar.RowsAtATime(len(wants)) {
				return nil
			}
			if stopped = !yield(p.block(), nil); stopped {
				return errStop
			}
			p.reset()
			return nil
		})
		switch {
		case stopped:
		case err != nil:
			yield(columnar.Block{}, err)
		case p.rows > 0:
			yield(p.block(), nil)
		}
	}
}

// A pass gathers rows of the wanted columns.
type pass struct {
	index   map[string]int
	buffers []columnar.Buffer
	wanted  []int // of a field the place in buffers, or -1
	rows    int
}

func newPass(f *file, wants []columnar.Want) *pass {
	p := &pass{index: f.index, buffers: columnar.NewBuffers(wants, input.NewRoom(f.in.Size)), wanted: make([]int, len(f.fields))}
	for i := range p.wanted {
		p.wanted[i] = -1
	}
	for k, w := range wants {
		p.wanted[w.Field] = k
	}
	return p
}

func (p *pass) block() columnar.Block { return columnar.BlockOf(p.rows, p.buffers) }

func (p *pass) reset() {
	p.rows = 0
	for i := range p.buffers {
		p.buffers[i].Reset()
	}
}

// add adds a row.
func (p *pass) add(members []member) error {
	for _, m := range members {
		i, ok := p.index[m.name]
		if !ok {
			return fmt.Errorf("has the new name %q: the file changed while it was read", m.name)
		}
		if p.wanted[i] < 0 {
			continue
		}
		b := &p.buffers[p.wanted[i]]
		if b.Len() > p.rows {
			return fmt.Errorf("has %q twice", m.name)
		}
		if err := add(b, m.value); err != nil {
			return fmt.Errorf("column %q: %w", m.name, err)
		}
	}
	p.rows++
	for i := range p.buffers {
		if p.buffers[i].Len() < p.rows {
			p.buffers[i].Missing()
		}
	}
	return nil
}

// add adds a value to a column of its kind.
func add(b *columnar.Buffer, value json.Token) error {
	switch v := value.(type) {
	case nil:
		b.Missing()
	case json.Number:
		return b.Numeral(v.String())
	case string:
		b.Text(v)
	case bool:
		b.Truth(v)
	default:
		return fmt.Errorf("a list or an object is new: the file changed while it was read")
	}
	return nil
}

// Begins reports whether head, the first bytes of a file, begins a JSON object.
func Begins(head string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(head, "\ufeff"), " \t\r\n"), "{")
	rest = strings.TrimLeft(rest, " \t")
	return ok && (strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "}"))
}
