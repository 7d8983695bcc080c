package csv

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A quoteFault is a quote that CSV does not allow. Lines are those of the file, the field counts from 0.
type quoteFault struct {
	line, field int
	quoted      bool // the cell begins with a quote, at line
	behind      rune // what follows the quote that closes it, 0 if none does
	closed      int  // the line of that quote
}

// quoteError says where a quote is wrong that encoding/csv stumbled over in the record that begins on line start: which
// cell it is in, and on which line, while encoding/csv counts bytes of the last line it read.
func (r *recordReader) quoteError(start int) error {
	text, err := r.open(0)
	if err != nil {
		return err
	}
	r.unbound() // a line is read in parts
	for line := 1; line < start; {
		part, err := text.ReadSlice('\n')
		if err == nil {
			line++
		} else if !errors.Is(err, bufio.ErrBufferFull) || len(part) == 0 {
			return r.readError(err)
		}
	}
	fault, err := findQuote(text, r.sep)
	if err != nil {
		return r.readError(err)
	}
	fault.line += start
	where := fmt.Sprintf("column %d", fault.field+1)
	if fault.field < len(r.names) {
		where = fmt.Sprintf("column %q", r.names[fault.field])
	}
	what := `a quote in a cell that does not begin with one; write the whole cell in quotes and each of its quotes twice, as in "5"" pipe"`
	switch {
	case fault.quoted && fault.behind == 0:
		what = "the cell begins with a quote, and no other closes it; close it, or write it twice and the whole cell in quotes"
	case fault.quoted && strings.ContainsRune(usualDelimiters, fault.behind):
		what = fmt.Sprintf("the cell begins with a quote, and %q is behind the one that closes it; if the delimiter is %[1]q, say so in csv.Options.Comma", fault.behind)
	case fault.quoted:
		what = fmt.Sprintf(`the cell begins with a quote, and there is more behind the one that closes it on line %d; close it before, or write each quote within twice, as in "5"" pipe"`,
			fault.closed+start)
	}
	return fmt.Errorf("csv: %s:%d: %s: %s", r.name, fault.line, where, what)
}

// findQuote reads from the start of a record to the quote that is wrong; lines count from 0. The rules are those of
// encoding/csv. The error is that of text, or io.EOF if nothing is wrong.
func findQuote(text *bufio.Reader, sep string) (quoteFault, error) {
	comma, _ := utf8.DecodeRuneInString(sep)
	var line, field int
	next := func() (rune, error) {
		c, _, err := text.ReadRune()
		if c == '\n' {
			line++
		}
		return c, err
	}
	for {
		c, err := next()
		if err != nil {
			return quoteFault{}, err
		}
		if c == '"' {
			fault := quoteFault{line: line, field: field, quoted: true}
			if c, err = closingQuote(next); err == io.EOF {
				return fault, nil
			}
			if err != nil {
				return fault, err
			}
			if c != comma && c != '\n' {
				fault.behind, fault.closed = c, line
				return fault, nil
			}
		}
		for c != comma && c != '\n' {
			if c, err = next(); err != nil {
				return quoteFault{}, err
			}
			if c == '"' {
				return quoteFault{line: line, field: field}, nil
			}
		}
		field++
		if c == '\n' {
			field = 0
		}
	}
}

// closingQuote reads to the end of a cell in quotes and returns what follows its last quote, CR LF as LF. It returns
// io.EOF if no quote closes the cell, and LF where the file ends behind one.
func closingQuote(next func() (rune, error)) (rune, error) {
	for {
		c, err := next()
		if err != nil {
			return 0, err
		}
		if c != '"' {
			continue
		}
		c, err = next()
		if c == '\r' && err == nil {
			if c, err = next(); err == nil && c != '\n' {
				c = '\r'
			}
		}
		if err == io.EOF {
			return '\n', nil
		}
		if err != nil || c != '"' {
			return c, err
		}
	}
}

// isQuoteError reports whether encoding/csv stumbled over a quote.
func isQuoteError(parse *csv.ParseError) bool {
	return errors.Is(parse.Err, csv.ErrBareQuote) || errors.Is(parse.Err, csv.ErrQuote)
}
