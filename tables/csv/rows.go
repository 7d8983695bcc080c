package csv

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"mediant/internal/input"
	"mediant/internal/literal"
	"mediant/internal/names"
	"mediant/tables"
	"mediant/tables/internal/foreign"
	"mediant/tables/notes"
)

// A header is what stands above the rows of a CSV file.
type header struct {
	name       string // of the file
	sep        string // the delimiter
	decimal    byte
	names      []string // of the columns, without a nameless last one
	heads      []string // their names as the header has them
	trailing   bool     // the last cell of each line is nameless and empty
	allNumbers bool     // the heads are numbers
	above      int      // lines above the header that are no part of the table
	top        int      // the line of the header
	renamed    []string // heads that have another name
	skips      []notes.Skip

	decimalCommas bool // numbers between other delimiters have them
}

// recordReader is one pass over the rows of a CSV file.
type recordReader struct {
	header
	ctx    context.Context // of the pass
	in     *input.File
	packed bool
	begin  *shortened // the file up to the end of the header
	cut    cutter
	now    records // in which read is
	begun  bool    // a record that is not ragged has been read
}

// openRows reads the header of in, for a pass that ctx ends.
func openRows(ctx context.Context, in *input.File, how dialect) (*recordReader, error) {
	r := &recordReader{ctx: ctx, in: in, header: header{name: in.Name, decimal: how.decimal}}
	r.now.header = &r.header
	text, err := r.open(how.buffer)
	if err != nil {
		return nil, err
	}
	comma, err := r.preamble(text, how)
	if err != nil {
		return nil, err
	}
	r.sep = string(comma)
	r.begin.comma = []byte(r.sep)
	end, err := r.readHeader(text, comma, how)
	r.unbound()
	size := how.buffer // so that chunks are as small as what is read at a time
	if size == 0 {
		size = chunkBytes
	}
	r.cut = cutter{text: text, comma: []byte(r.sep), size: min(size, chunkBytes), most: r.in.LongestRecord(r.packed), round: roundOf(len(r.names), in.Size, r.packed), line: end + 1, end: end}
	return r, err
}

// open returns the text of the file from its start, without a byte order mark.
func (r *recordReader) open(buffer int) (*bufio.Reader, error) {
	text, packed, err := r.in.Text(r.ctx, buffer)
	if err != nil {
		return nil, fmt.Errorf("csv: %w", err)
	}
	r.packed = packed
	r.begin = &shortened{Reader: text, left: r.in.LongestRecord(packed), cells: input.MostColumns(r.in.Size)}
	text = bufio.NewReaderSize(r.begin, input.BufferSize)
	return text, r.skipMark(text)
}

// unbound lets the text that open returned have any length, behind the header.
func (r *recordReader) unbound() { r.begin.left, r.begin.comma = math.MaxInt, nil }

// skipMark removes the byte order mark of UTF-8 and refuses files in other formats.
func (r *recordReader) skipMark(text *bufio.Reader) error {
	head, err := text.Peek(foreign.HeadBytes)
	if err != nil && err != io.EOF {
		return r.readError(err)
	}
	if err := foreign.Refuse(*r.in, string(head)); err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		text.Discard(3)
	}
	return nil
}

// RowNames is the name of a first column without one, which data frames write in front of others for their row names: the name
// that pandas gives it.
const RowNames = "Unnamed: 0"

// readHeader reads the names of the columns, and returns the line on which the header ends.
func (r *recordReader) readHeader(text *bufio.Reader, comma rune, how dialect) (end int, err error) {
	first, _ := text.Peek(1)
	reader := csv.NewReader(text)
	reader.Comma = comma
	record, err := reader.Read()
	if err == io.EOF {
		return 0, r.noRows()
	}
	if err != nil {
		return 0, r.readError(err)
	}
	line, _ := reader.FieldPos(0)
	r.top = r.above + line
	return r.top + newlines(record), r.setNames(record, string(first) == `"`, how)
}

// setNames sets the names of the columns; quoted tells that the file begins with a quote.
func (r *recordReader) setNames(record []string, quoted bool, how dialect) (err error) {
	line := r.top
	if len(record) > input.MostColumns(r.in.Size) {
		return r.readError(errWide)
	}
	for _, cell := range record {
		name := names.Canonical(cell)
		if !utf8.ValidString(name) && !strings.Contains(name, "\x00") {
			return fmt.Errorf("csv: %s:%d: the column name %s is not UTF-8; a file in Latin-1 or Windows-1252 is converted by iconv -f WINDOWS-1252 -t UTF-8 IN > OUT", r.name, line, literal.Quote(name))
		}
		if strings.ContainsAny(name, "\x00\r") {
			return fmt.Errorf("csv: %s:%d: the column name %s is not text in UTF-8; "+
				"is this a CSV file with LF or CR LF at line ends?", r.name, line, literal.Quote(name))
		}
		r.names = append(r.names, name)
	}
	if !quoted {
		if err := r.wrongDelimiter(line); err != nil {
			return err
		}
	}
	if n := len(r.names); n > 1 && r.names[n-1] == "" {
		r.names, r.trailing = r.names[:n-1], true
	}
	r.heads = slices.Clone(r.names)
	r.allNumbers = !slices.ContainsFunc(r.heads, func(name string) bool { return !someNumber([]string{name}) })
	if n := len(r.names); n > 1 && r.names[0] == "" && r.names[1] != "" {
		r.names[0] = RowNames
	}
	if r.names, r.renamed, err = names.Rename(r.names, names.WithAliases(r.names, how.rename, how.aliases)); err != nil {
		return fmt.Errorf("csv: %s:%d: csv.Options.Rename: %w", r.name, line, err)
	}
	if err := names.Check(r.names); err != nil {
		return fmt.Errorf("csv: %s:%d: %w%s", r.name, line, err, headerHint(r.names, line))
	}
	return nil
}

// headerHint says what to do about a header with cells that have no name: perhaps only its first one has, or all but the last ones.
func headerHint(names []string, line int) string {
	first := slices.Index(names, "")
	switch {
	case first < 0 || len(names) < 2:
		return ""
	case first == 1 && strings.Join(names[1:], "") == "":
		return fmt.Sprintf("; if line %d is a title above the header, remove it", line)
	case strings.Join(names[first:], "") == "":
		return "; name it in the header, or remove the column, which may be delimiters at the end of each line"
	}
	return fmt.Sprintf("; name it in the header, or, if line %d is a title above it, remove the line", line)
}

// wrongDelimiter refuses a header of one column that another delimiter would split.
func (r *recordReader) wrongDelimiter(line int) error {
	if len(r.names) != 1 {
		return nil
	}
	if i := strings.IndexAny(r.names[0], usualDelimiters); i >= 0 {
		if r.decimalCommas {
			return fmt.Errorf("csv: %s:%d: the header is the single column %s, and numbers below have decimal commas, which csv.Options.Decimal , reads",
				r.name, line, literal.Quote(r.names[0]))
		}
		return fmt.Errorf("csv: %s:%d: the header is the single column %s; "+
			"if the delimiter is %q, say so in csv.Options.Comma",
			r.name, line, literal.Quote(r.names[0]), r.names[0][i])
	}
	return nil
}

const usualDelimiters = ",;\t|"

// read returns the cells of the next record, valid until the next call, or io.EOF. ragged says that it has not the cells of the header.
func (r *recordReader) read() (record []string, ragged bool, err error) {
	for {
		record, ragged, err := r.now.read()
		if err != io.EOF {
			r.begun = r.begun || !ragged
			return record, ragged, r.fault(err, r.now.start)
		}
		next, err := r.cut.next()
		if err != nil {
			if err != io.EOF {
				err = r.readError(err)
			}
			return nil, false, err
		}
		r.now.open(next)
	}
}

// fault says where a quote is wrong if that is what records have found in a record that begins on a line.
func (r *recordReader) fault(err error, start int) error {
	if err == csv.ErrQuote || err == csv.ErrBareQuote {
		return r.quoteError(start)
	}
	return err
}

func newlines(record []string) int {
	n := 0
	for _, cell := range record {
		n += strings.Count(cell, "\n")
	}
	return n
}

func (r *recordReader) noRows() error { return fmt.Errorf("csv: %s: %w", r.name, tables.ErrNoRows) }

// raggedError is the complaint about a record with other cells than the header.
func (r *recordReader) raggedError(record []string, line int) error {
	want := len(r.names)
	if r.trailing {
		want++
	}
	more := ""
	if n := newlines(record); n > 0 { // perhaps a quote that was not meant to begin a cell
		more = fmt.Sprintf("; a cell in quotes goes on to line %d", line+n)
	} else if len(record) > want && !someNumber(record) {
		more = fmt.Sprintf("; if line %d is the header, remove what is above it", line)
	} else if len(record) > want && !r.begun && record[len(record)-1] != "" {
		more = fmt.Sprintf("; if line %d is a title above the header, remove it", r.top)
	} else if r.sep == string(rune(r.decimal)) && len(record) > want {
		more = "; where commas are delimiters and decimal marks, numbers that have one must be in quotes"
	} else if r.begun && len(record) < want && !someNumber(record) {
		more = "; if it is a note and no row, remove it"
	}
	return fmt.Errorf("csv: %s:%d: %d cells, want %d as in the header%s", r.name, line, len(record), want, more)
}

// readError says where encoding/csv or the file below it failed.
func (r *recordReader) readError(err error) error {
	var parse *csv.ParseError
	switch {
	case errors.Is(err, errLong):
		return fmt.Errorf("csv: %s:%d: has a line, or a cell in quotes, of more than %d bytes, which a compressed file of %d bytes may not have; decompress the file to read it",
			r.name, max(r.cut.line, r.above+1), r.in.LongestRecord(r.packed), r.in.Size)
	case errors.Is(err, errWide):
		return fmt.Errorf("csv: %s:%d: %w", r.name, max(r.top, r.above+1), input.CheckColumns(math.MaxInt, r.in.Size))
	case errors.As(err, &parse) && isQuoteError(parse):
		return r.quoteError(r.above + parse.StartLine)
	case errors.As(err, &parse):
		return fmt.Errorf("csv: %s:%d: %w",
			r.name, r.above+parse.Line, parse.Err)
	case r.packed:
		return fmt.Errorf("csv: %s: %w", r.name, input.Damaged(err))
	}
	return fmt.Errorf("csv: %s: %w", r.name, err)
}

// someNumber reports whether a cell is a number, with either decimal mark.
func someNumber(record []string) bool {
	for _, cell := range record {
		for _, mark := range []byte{'.', ','} {
			if _, ok := literal.Scan(literal.Trim(cell), mark); ok {
				return true
			}
		}
	}
	return false
}
