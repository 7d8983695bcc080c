package csv

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediant/internal/input"
	"mediant/internal/tabletest"
)

// TestQuoteErrors: errors name the line on which the quote stands and the column of the table (adaltas/node-csv-parse#273,
// mholt/PapaParse#432).
func TestQuoteErrors(t *testing.T) {
	for _, c := range []struct {
		name, content string
		comma         rune
		want          []string
	}{
		{"inches", "x,g,u\n1,5\" pipe,2\n2,6\" pipe,3\n", 0, []string{"f.csv:2:", `column "g"`, `"5"" pipe"`}},
		{"formula", "x,g,u\n1,=\"01\",2\n2,=\"02\",3\n", 0, []string{"f.csv:2:", `column "g"`}},
		{"never closed", "x,g,u\n1,\"open,2\n0,plain,3\n1,plain,3\n", 0, []string{"f.csv:2:", `column "g"`, "no other closes it"}},
		{"closed by the next", "x,g,u\n1,\"open,2\n0,\"plain\",3\n", 0, []string{"f.csv:2:", `column "g"`, "on line 3"}},
		{"first column", "x,g,u\n1,a,2\n3\",b,4\n", 0, []string{"f.csv:3:", `column "x"`}},
		{"last column", "x,g,u\n1,a,2\"\n", 0, []string{"f.csv:2:", `column "u"`}},
		{"after cells with delimiters", "x,g,u\n\"1,,\",\"a\nb\",2\"3\n", 0, []string{"f.csv:3:", `column "u"`}},
		{"after lines in quotes", "x,g,u\n\"1\n\n\n\",b\"c,2\n", 0, []string{"f.csv:5:", `column "g"`}},
		{"after blank lines", "x,g,u\n1,a,2\n\n\n1,a\",2\n", 0, []string{"f.csv:5:", `column "g"`}},
		{"more than letters of one byte", "x,g,u\n1,é€", 0, []string{"f.csv:2:", "cells"}},
		{"behind letters of more bytes", "größe,g\n1,é€😀\"\n", 0, []string{"f.csv:2:", `column "g"`}},
		{"CR LF", "x,g\r\n\"1\",\"a\"\r\n\"1\",\"a\"b\r\n", 0, []string{"f.csv:3:", `column "g"`, "on line 3"}},
		{"CR within", "x,g\n\"1\"\r,2\n", 0, []string{"f.csv:2:", `column "x"`}},
		{"other delimiter", "x;g\n1,5;\"a\"b\n", ';', []string{"f.csv:2:", `column "g"`}},
		{"header", "x,\"g\"h,u\n1,2,3\n", 0, []string{"f.csv:1:", "column 2"}},
		{"byte order mark", "\ufeffx,g\n1,a\"\n", 0, []string{"f.csv:2:", `column "g"`}},
		{"too many cells", "x,g\n1,a,\"\n", 0, []string{"f.csv:2:", "column 3"}},
		{"lost delimiters", "x,g,u\n1,\"open,2\n0,plain\"\n", 0, []string{"f.csv:2:", "2 cells", "goes on to line 3"}},
		{"a long line before", "x,g\n" + strings.Repeat("a", 3*input.BufferSize) + ",b\n1,a\"\n", 0, []string{"f.csv:3:", `column "g"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, content := range []string{c.content, tabletest.Gzipped(t, c.content)} {
				_, err := newFile(context.Background(), input.File{Name: "f.csv", File: bytes.NewReader([]byte(content)), Size: int64(len(content))}, Options{Comma: c.comma})
				wantError(t, err, c.want...)
			}
		})
	}
}

// TestQuoteErrorOfSecondPass: a pass over a file that has changed says so in the same way.
func TestQuoteErrorOfSecondPass(t *testing.T) {
	content := []byte("x,g\n1,a\n2,b\n")
	c, err := newFile(context.Background(), input.File{Name: "f.csv", File: bytes.NewReader(content), Size: int64(len(content))}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	content[6] = '"'
	for _, err := range c.Batches(context.Background()) {
		wantError(t, err, "f.csv:2:", `column "g"`)
	}
}

// TestFindQuote: a quote is found wherever encoding/csv stumbles over one, and nowhere else, in the record in which it does.
func TestFindQuote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{`"`, `"`, ",", "\n", "\r\n", "\r", "a", "é"}), 1, 12).Draw(t, "content"), "")
		reader := csv.NewReader(strings.NewReader("n\n" + content))
		reader.FieldsPerRecord = -1
		_, err := reader.ReadAll()
		var parse *csv.ParseError
		errors.As(err, &parse)
		r := &recordReader{ctx: context.Background(), in: &input.File{Name: "f", File: strings.NewReader("n\n" + content), Size: int64(len(content)) + 2}, header: header{name: "f", sep: ","}}
		if parse == nil {
			if got := r.quoteError(2); !strings.Contains(got.Error(), "EOF") {
				t.Fatalf("%q: %v, want nothing", content, got)
			}
			return
		}
		got := r.quoteError(parse.StartLine)
		var line, column int
		if _, err := fmt.Sscanf(got.Error(), "csv: f:%d: column %d:", &line, &column); err != nil {
			t.Fatalf("%q: %v, want that of %v", content, got, err)
		}
		bare := errors.Is(parse.Err, csv.ErrBareQuote)
		if line < parse.StartLine || line > parse.Line || bare && line != parse.Line || bare == strings.Contains(got.Error(), "begins with a quote,") {
			t.Fatalf("%q: %v, want that of %v", content, got, parse)
		}
		lines := strings.SplitAfter("n\n"+content, "\n")
		if !strings.Contains(lines[line-1], `"`) || column > 1+strings.Count(strings.Join(lines[parse.StartLine-1:line], ""), ",") {
			t.Fatalf("%q: %v names another place", content, got)
		}
	})
}
