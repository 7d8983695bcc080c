package csv

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mediant/internal/input"
	"mediant/internal/literal"
	"mediant/tables/notes"
)

// preamble reads what may stand above the header and is no part of the table: a line such as "sep=;", as Excel writes it,
// which sets the delimiter where it is unset, as numbers in quotes with decimal commas do, and lines that begin with #. It returns the delimiter.
func (r *recordReader) preamble(text *bufio.Reader, how dialect) (comma rune, err error) {
	comma = how.comma
	head, _ := text.Peek(len(`"sep=;"`) + utf8.UTFMax)
	if sep, line := separatorLine(head); line > 0 && canDelimit(sep) {
		if how.defaultComma {
			comma = sep
		}
		r.skips = append(r.skips, notes.Skip{File: r.name, Reason: notes.SeparatorLine, Line: 1, Lines: 1, Text: literal.Quote(strings.TrimRight(string(head[:line]), "\r\n"))})
		r.above++
		text.Discard(line)
	} else if how.defaultComma && how.decimal == ',' {
		if all, _ := text.Peek(input.BufferSize); quotedDecimals(all) {
			comma = ','
		}
	} else if how.defaultComma {
		all, cut := text.Peek(input.BufferSize)
		comma, r.decimalCommas = delimiterOf(all, cut == nil)
	}
	if first, _ := text.Peek(1); string(first) != "#" {
		return comma, nil
	}
	all, err := text.Peek(input.BufferSize)
	return comma, r.comments(text, all, err == nil, comma, how.decimal)
}

// delimiterRecords are looked at for the delimiter.
const delimiterRecords = 100

// delimiterOf finds the delimiter of the file that head is the beginning of; cut says that the file goes on behind it. A comma it is, unless the header has none and
// exactly one other usual delimiter cuts the header and the first records into equally many cells. A delimiter between numbers
// with decimal commas, which are to be set, is none.
func delimiterOf(head []byte, cut bool) (comma rune, decimalCommas bool) {
	if n, _ := cellsOf(head, cut, ','); n != 1 {
		return ',', false
	}
	found := ','
	for _, c := range usualDelimiters[1:] {
		n, decimals := cellsOf(head, cut, c)
		if decimals {
			decimalCommas = true
		} else if n > 1 {
			if found != ',' {
				return ',', false
			}
			found = c
		}
	}
	return found, decimalCommas
}

// cellsOf is the number of cells of the header, or 0 if another of the first records has not as many; it ends at a decimal comma. With a comma only the
// header counts.
func cellsOf(head []byte, cut bool, comma rune) (n int, decimalCommas bool) {
	reader := csv.NewReader(bytes.NewReader(head))
	reader.Comma, reader.Comment, reader.FieldsPerRecord, reader.LazyQuotes, reader.ReuseRecord = comma, '#', -1, true, true
	header, err := reader.Read()
	if err != nil {
		return 0, false
	}
	n = len(header)
	for range delimiterRecords {
		record, err := reader.Read()
		if err != nil || comma == ',' || cut && reader.InputOffset() == int64(len(head)) { // perhaps a record that is not whole
			break
		}
		if len(record) != n {
			return 0, false
		}
		if slices.ContainsFunc(record, decimalComma) {
			return n, true
		}
	}
	return n, false
}

// quotedDecimals reports whether commas delimit the cells of the file that head is the beginning of, and numbers in quotes have decimal
// commas.
func quotedDecimals(head []byte) bool {
	reader := csv.NewReader(bytes.NewReader(head))
	reader.Comment = '#'
	header, err := reader.Read()
	if err != nil || len(header) < 2 || strings.Contains(strings.Join(header, ""), ";") {
		return false
	}
	for {
		record, err := reader.Read()
		if err != nil { // perhaps because the head ends there
			return false
		}
		for _, cell := range record {
			if decimalComma(cell) {
				return true
			}
		}
	}
}

// decimalComma reports a number that has one.
func decimalComma(cell string) bool {
	_, ok := literal.Scan(literal.Trim(cell), ',')
	return ok && strings.Contains(cell, ",")
}

// separatorLine returns the delimiter that a first line such as "sep=;" sets, and the length of the line, 0 if it is none.
func separatorLine(head []byte) (sep rune, line int) {
	quoted := bytes.HasPrefix(head, []byte(`"`))
	at := 0
	if quoted {
		at = 1
	}
	const key = "sep="
	if len(head) < at+len(key) || !strings.EqualFold(string(head[at:at+len(key)]), key) {
		return 0, 0
	}
	at += len(key)
	sep, size := utf8.DecodeRune(head[at:])
	at += size
	if quoted {
		if !bytes.HasPrefix(head[at:], []byte(`"`)) {
			return 0, 0
		}
		at++
	}
	for _, end := range []string{"\r\n", "\n"} {
		if bytes.HasPrefix(head[at:], []byte(end)) {
			return sep, at + len(end)
		}
	}
	return 0, 0
}

// comments discards lines of comments above the header, of which head is the beginning; cut says that the file goes on
// behind it. The last line that begins with # is the header itself where it has as many cells as the next, which is a row.
func (r *recordReader) comments(text *bufio.Reader, head []byte, cut bool, comma rune, decimal byte) error {
	at, last, lastLine, count := 0, 0, 0, 0
	line := r.above // lines before at
	for at < len(head) && (head[at] == '#' || head[at] == '\n' || head[at] == '\r') {
		next := bytes.IndexByte(head[at:], '\n') + 1
		if next == 0 {
			next = len(head) - at
		}
		line++
		if head[at] == '#' {
			last, lastLine = at, line
			count++
		}
		at += next
	}
	if at == len(head) && cut {
		return fmt.Errorf("csv: %s: more than %d bytes of lines that begin with # above the header; remove them", r.name, len(head))
	}
	cells := func(text []byte, records int) [][]string {
		reader := csv.NewReader(bytes.NewReader(text))
		reader.Comma, reader.FieldsPerRecord, reader.LazyQuotes = comma, -1, true
		var all [][]string
		for range records {
			record, err := reader.Read()
			if err != nil {
				break
			}
			all = append(all, record)
		}
		return all
	}
	hash := cells(head[last:at], 1)
	below := cells(head[at:], 2)
	header, known := hashIsHeader(hash, below, decimal)
	if !known {
		return fmt.Errorf("csv: %s:%d: the line begins with #, and it is not clear whether the next is the header or a row; remove the line if it is a comment, or its # if it is the header", r.name, lastLine)
	}
	if header {
		at, line = last, lastLine-1
		count--
	}
	if count > 0 {
		r.skips = append(r.skips, notes.Skip{File: r.name, Reason: notes.CommentLines, Line: r.above + 1, Lines: count,
			Text: literal.Quote(strings.TrimRight(string(head[:bytes.IndexByte(head, '\n')]), "\r"))})
	}
	r.above = line
	text.Discard(at)
	return nil
}

// hashIsHeader decides whether a line that begins with # is the header of the records below, or a comment above it.
func hashIsHeader(hash, below [][]string, decimal byte) (header, known bool) {
	if len(hash) == 0 || len(below) == 0 {
		return true, true // there are no rows either way
	}
	numbers := func(i int) (some, all bool) {
		if i >= len(below) {
			return false, false
		}
		all = true
		for _, cell := range below[i] {
			if class, _, _ := literal.Classify(cell, decimal); class == literal.Number || class == literal.Huge {
				some = true
			} else if literal.Trim(cell) != "" {
				all = false
			}
		}
		return some, some && all
	}
	some, all := numbers(0)
	below1, _ := numbers(1)
	if len(hash[0]) != len(below[0]) {
		return false, !all // names of columns are not all numbers
	}
	prose := len(hash[0][0]) > 1 && strings.ContainsRune(" \t#!", rune(hash[0][0][1]))
	switch {
	case some:
		return true, all || !prose
	case below1:
		return false, prose
	}
	return true, !prose
}
