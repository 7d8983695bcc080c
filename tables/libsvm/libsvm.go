// Package libsvm reads files in the format of libsvm, whose rows are sparse, as tables in memory.
package libsvm

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"mediant/internal/input"
	"mediant/internal/lines"
	"mediant/internal/literal"
	"mediant/tables"
)

// Options, of which Features must be set, name the columns of a file in the format of libsvm.
type Options struct {
	// Features names the column of kind Vector, Label that of the labels; "" leaves labels out, as is done
	// with labels that are the same in every row, which stand in files that have none.
	Features, Label string
	// Text reads labels as text, to classify.
	Text bool
}

// maxIndex bounds the indices of a file: products of sparse rows hold some bytes for each.
const maxIndex = 1 << 24

// Open reads a file, plain or gzip, "-" for standard input, in the format of libsvm,
//
//	label index:value index:value ...
//
// with indices from 1, ascending within a line, and an optional comment after "#". It is kept in memory, 16 bytes
// an element. Errors name the file, the line and what is wrong with it; ctx ends the reading.
func Open(ctx context.Context, path string, opt Options) (*tables.Table, error) {
	in, err := input.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("libsvm: %w", err)
	}
	defer in.Close()
	text, packed, err := in.Text(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("libsvm: %w", err)
	}
	p := parser{opt: opt, at: &lines.Index{File: in.Name}, longest: in.LongestRecord(packed)}
	if packed {
		p.room = input.NewRoom(in.Size)
	}
	s, err := p.read(text)
	if packed && errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("libsvm: %s: %w", in.Name, input.Damaged(io.ErrUnexpectedEOF))
	}
	return s, err
}

// Size returns the size in bytes of the table that Open makes of a file, from the number of its colons and
// lines. Standard input cannot be read twice and has the size 0.
func Size(ctx context.Context, path string) (int64, error) {
	if path == "-" {
		return 0, nil
	}
	in, err := input.Open(ctx, path)
	if err != nil {
		return 0, fmt.Errorf("libsvm: %w", err)
	}
	defer in.Close()
	text, _, err := in.Text(ctx, 0)
	if err != nil {
		return 0, fmt.Errorf("libsvm: %w", err)
	}
	size := int64(16)
	for {
		block, err := text.Peek(text.Size())
		size += 16 * int64(bytes.Count(block, []byte(":"))+bytes.Count(block, []byte("\n")))
		if _, skip := text.Discard(len(block)); err != nil || skip != nil {
			return size, nil // Open says what is wrong
		}
	}
}

// Read is Open for a reader; errors call it by the name given.
func Read(name string, r io.Reader, opt Options) (*tables.Table, error) {
	p := parser{opt: opt, at: &lines.Index{File: name}, longest: math.MaxInt}
	return p.read(bufio.NewReader(r))
}

// A parser gathers the rows of a file.
type parser struct {
	opt     Options
	at      *lines.Index
	cells   tables.SparseRows
	numbers []float64   // labels
	words   []string    // or these
	longest int         // bytes of a line
	line    []byte      // one that is longer than the buffer of the reader
	places  []int       // of a row
	values  []float64   // in them
	room    *input.Room // for a compressed file, nil for others, whose rows are no larger than their text
}

// read reads all rows.
func (p *parser) read(text *bufio.Reader) (*tables.Table, error) {
	name := p.at.File
	for n := 1; ; n++ {
		line, err := p.readLine(text)
		if err == errLong {
			return nil, fmt.Errorf("libsvm: %s:%d: has a line of more than %d bytes; decompress the file to read it", name, n, p.longest)
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("libsvm: %s: %w", name, err)
		}
		row, _, _ := bytes.Cut(line, []byte("#"))
		if row = bytes.TrimSpace(row); len(row) > 0 {
			if err := p.addLine(string(row)); err != nil {
				return nil, fmt.Errorf("libsvm: %s:%d: %w", name, n, err)
			}
			p.at.Add(n)
		}
		if err == io.EOF {
			break
		}
	}
	if p.at.Rows == 0 {
		return nil, fmt.Errorf("libsvm: %s: no rows", name)
	}
	return p.table()
}

var errLong = errors.New("too long")

// readLine returns the next line, valid until the next call, with io.EOF if it is the last.
func (p *parser) readLine(text *bufio.Reader) ([]byte, error) {
	p.line = p.line[:0]
	for {
		part, err := text.ReadSlice('\n')
		if err != bufio.ErrBufferFull && len(p.line) == 0 {
			return part, err
		}
		if p.line = append(p.line, part...); len(p.line) > p.longest {
			return nil, errLong
		}
		if err != bufio.ErrBufferFull {
			return p.line, err
		}
	}
}

// table returns the rows, without labels that are the same in every one.
func (p *parser) table() (*tables.Table, error) {
	columns := []tables.ColumnData{tables.Vectors(p.opt.Features, p.cells)}
	switch {
	case !p.labelsDiffer():
	case p.opt.Text:
		columns = append(columns, tables.Strings(p.opt.Label, p.words))
	default:
		columns = append(columns, tables.Numbers(p.opt.Label, p.numbers))
	}
	t, err := tables.FromColumns(columns...)
	if err != nil {
		return nil, fmt.Errorf("libsvm: %s: %w", p.at.File, err)
	}
	return t.WithFacts(tables.Facts{Place: p.at.Place}), nil
}

func (p *parser) labelsDiffer() bool {
	for i := 1; i < p.at.Rows; i++ {
		if p.words != nil && p.words[i] != p.words[0] || p.numbers != nil && p.numbers[i] != p.numbers[0] {
			return true
		}
	}
	return false
}

// addLine adds the fields of a line: the label and the elements.
func (p *parser) addLine(line string) error {
	p.places, p.values = p.places[:0], p.values[:0]
	label := true
	for field := range strings.FieldsSeq(line) {
		if label {
			label = false
			if p.opt.Label != "" {
				if err := p.addLabel(field); err != nil {
					return err
				}
			}
			continue
		}
		place, value, err := parseElement(field)
		if err != nil {
			return err
		}
		if n := len(p.places); n > 0 && place <= p.places[n-1] {
			return fmt.Errorf("index %d after index %d, want ascending ones", place+1, p.places[n-1]+1)
		}
		p.places, p.values = append(p.places, place), append(p.values, value)
	}
	if err := p.take(); err != nil {
		return err
	}
	return p.cells.Add(p.places, p.values)
}

// take takes the room for a row, and for as much again while slices grow.
func (p *parser) take() error {
	const rowBytes, elementBytes, growing = 32, 16, 9 / 4.
	if p.room == nil {
		return nil
	}
	if err := p.room.Take(int(growing * float64(rowBytes+elementBytes*len(p.places)))); err != nil {
		return fmt.Errorf("the table %w; decompress the file to read it", err)
	}
	return nil
}

func (p *parser) addLabel(text string) error {
	if strings.Contains(text, ":") {
		return fmt.Errorf("the line begins with %s, want a label", literal.Quote(text))
	}
	if p.opt.Text {
		p.words = append(p.words, strings.Clone(text)) // not the whole line
		return nil
	}
	v, class := literal.Parse(text, '.')
	if class != literal.Number && class != literal.Missing {
		return fmt.Errorf("the label %s is not a number", literal.Quote(text))
	}
	p.numbers = append(p.numbers, v)
	return nil
}

// parseElement reads index:value; places count from 0.
func parseElement(field string) (place int, value float64, err error) {
	index, number, ok := strings.Cut(field, ":")
	j, err := strconv.Atoi(index)
	if !ok || err != nil || j < 1 || j > maxIndex {
		return 0, 0, fmt.Errorf("%s is no element, want index:value with an index from 1", literal.Quote(field))
	}
	v, class := literal.Parse(number, '.')
	if class != literal.Number {
		return 0, 0, fmt.Errorf("the value of index %d is %s, want a number", j, literal.Quote(number))
	}
	return j - 1, v, nil
}
