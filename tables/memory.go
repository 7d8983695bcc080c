package tables

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
)

// Held is what a Source of this package, or one that has a method Bytes, keeps in memory, in bytes: a number takes 8, a
// cell of text 16 and each distinct text of a column once, an element of a sparse row 16.
func Held(src Source) int64 {
	switch s := src.(type) {
	case *Guard:
		return Held(s.src)
	case *weighted:
		return Held(s.guard)
	case *subset:
		return Held(s.guard) + s.bytes()
	case beside:
		return Held(s.a) + Held(s.b)
	case renamedSource:
		return Held(s.guard)
	case interface{ Bytes() int64 }:
		return s.Bytes()
	}
	return 0
}

// KnownRows returns the number of rows of a source, if that is known without a pass.
func KnownRows(src Source) (rows int, known bool) { return NewGuard("", src).known() }

// Bytes is the size of the table in memory.
func (t *Table) Bytes() int64 {
	bytes := int64(t.rows)*int64(8*t.num.Cols+16*len(t.text)) + t.letters + int64(8*(len(t.weights.weights)+len(t.weights.times)+len(t.weights.copies)+len(t.weights.numbers)))
	for _, s := range t.sparse {
		bytes += s.bytes()
	}
	return bytes
}

func (s SparseRows) bytes() int64 { return int64(8*len(s.Start) + 16*len(s.Columns)) }

// letters is the length of the distinct cells.
func letters(cells []string) int64 {
	seen := make(map[string]bool)
	total := int64(0)
	for _, cell := range cells {
		if !seen[cell] {
			seen[cell] = true
			total += int64(len(cell))
		}
	}
	return total
}

// LoadBytes bounds the size of the table that Load makes of a source of so many rows: a file cannot have more text than it
// has bytes, and of other sources of text nothing is known.
func LoadBytes(src Source, rows int) int64 {
	switch s := src.(type) {
	case *Guard:
		return LoadBytes(s.src, rows)
	case *weighted:
		return LoadBytes(s.guard, rows)
	case renamedSource:
		return LoadBytes(s.guard, rows)
	case *subset:
		return LoadBytes(s.guard, rows)
	}
	_, numeric, text := kindIndexes(src.Columns())
	bytes := int64(rows) * int64(8*numeric+16*text)
	if c, ok := src.(*CSV); ok && text > 0 {
		bytes += c.in.size
	}
	return bytes
}

// Bytes is the size of the table in memory.
func (s *Sparse) Bytes() int64 {
	bytes := s.cells.bytes() + int64(8*len(s.numbers)+16*len(s.words))
	for _, word := range s.words {
		bytes += int64(len(word))
	}
	return bytes
}

// peekBytes is how much of a file Peek reads.
const peekBytes = 1 << 24

// Peek returns what a glance at a CSV file tells: the columns of its header, as numbers, whatever they are, and a number of
// rows that it has at least, from the lines of its first 16 MiB, 0 where it is compressed or has quotes. Of what can be
// read once only, or not at all, there are no columns: OpenCSV says why.
func Peek(path string, opt CSVOptions) (columns []Column, rows int) {
	format, err := opt.format()
	info, missing := os.Stat(path)
	if path == "-" || err != nil || missing != nil || !info.Mode().IsRegular() {
		return nil, 0
	}
	in, err := openInput(context.Background(), path)
	if err != nil {
		return nil, 0
	}
	defer in.close()
	header, err := openRows(context.Background(), &in, format)
	if err != nil {
		return nil, 0
	}
	for _, name := range header.names {
		columns = append(columns, Column{Name: name, Kind: Numeric})
	}
	dates, _ := dateColumns(columns, opt.Dates)
	for i := range dates {
		for _, part := range dateNames(columns[i].Name)[1:] {
			columns = append(columns, Column{Name: part, Kind: Numeric})
		}
	}
	return columns, max(0, countLines(io.NewSectionReader(in.file, 0, min(in.size, peekBytes)))-1-header.above)
}

// countLines counts the lines on which something stands besides delimiters, 0 if they cannot be told from what stands in quotes.
func countLines(r io.Reader) int {
	text := bufio.NewReaderSize(r, defaultReaderBuffer)
	if magic, _ := text.Peek(2); string(magic) == gzipMagic {
		return 0
	}
	lines := 0
	for {
		line, err := text.ReadSlice('\n') // or as much of a line as the buffer holds
		switch {
		case bytes.IndexByte(line, '"') >= 0:
			return 0
		case err == nil && len(bytes.Trim(line, "\r\n "+usualDelimiters)) > 0:
			lines++
		case err != nil && err != bufio.ErrBufferFull:
			return lines
		}
	}
}
