package csv

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"

	"mediant/internal/input"
	"mediant/internal/names"
	"mediant/tables"
	"mediant/tables/internal/cells"
)

// peekBytes is how much of a file Peek reads.
const peekBytes = 1 << 24

// Peek returns the columns of the header of a CSV file, all of them with kind Numeric, and a lower bound of its number of rows, from the lines of
// its first 16 MiB; the bound is 0 if the file is compressed or has quotes. For streams and unreadable files it returns no columns; Open returns the
// error.
func Peek(path string, opt Options) (columns []tables.Column, rows int) {
	format, err := opt.format()
	info, missing := os.Stat(path)
	if path == "-" || err != nil || missing != nil || !info.Mode().IsRegular() {
		return nil, 0
	}
	in, err := input.Open(context.Background(), path)
	if err != nil {
		return nil, 0
	}
	defer in.Close()
	header, err := openRows(context.Background(), &in, format)
	if err != nil {
		return nil, 0
	}
	for _, name := range header.names {
		columns = append(columns, tables.Column{Name: name, Kind: tables.Numeric})
	}
	dates, _ := cells.DateColumns(header.names, opt.Dates)
	for i := range dates {
		for _, part := range names.OfDates(columns[i].Name)[1:] {
			columns = append(columns, tables.Column{Name: part, Kind: tables.Numeric})
		}
	}
	if !header.packed {
		rows = max(0, countLines(io.NewSectionReader(in.File, 0, min(in.Size, peekBytes)))-1-header.above)
	}
	return columns, rows
}

// Heads returns the names of the columns of a file that is open, as its header has them.
func Heads(ctx context.Context, in input.File, opt Options) ([]string, error) {
	format, err := opt.format()
	if err != nil {
		return nil, err
	}
	header, err := openRows(ctx, &in, format)
	if err != nil {
		return nil, err
	}
	return header.heads, nil
}

// countLines counts the lines on which something stands besides delimiters, 0 if they cannot be told from what stands in quotes.
func countLines(r io.Reader) int {
	text := bufio.NewReaderSize(r, input.BufferSize)
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
