package csv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// formatBytes of a file tell that it is in another format.
const formatBytes = 512

// otherFormats are formats that tables are often in, by how a file begins, and what to do about each.
var otherFormats = []struct{ begins, what string }{
	{"\xff\xfe\x00\x00", "UTF-32; save it as UTF-8"},
	{"\x00\x00\xfe\xff", "UTF-32; save it as UTF-8"},
	{"\xff\xfe", "UTF-16; save it as UTF-8"},
	{"\xfe\xff", "UTF-16; save it as UTF-8"},
	{"PK\x03\x04", "a zip file; unpack it"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook (.xls); save the sheet as CSV in UTF-8"},
	{"PAR1", "a Parquet file; write it as CSV"},
	{"ARROW1", "a Feather or Arrow file; write it as CSV"},
	{"\x89HDF\r\n", "an HDF5 file; write the table as CSV"},
	{"SQLite format 3\x00", "an SQLite database; write the table as CSV"},
	{"%PDF-", "a PDF; it has no table that can be read"},
	{"BZh", "compressed with bzip2; unpack it"},
	{"\xfd7zXZ\x00", "compressed with xz; unpack it"},
}

// inZip are the formats of zip files, by what they have in their first bytes.
var inZip = []struct{ has, what string }{
	{"[Content_Types].xml", "an Excel workbook (.xlsx); save the sheet as CSV in UTF-8"},
	{"xl/", "an Excel workbook (.xlsx); save the sheet as CSV in UTF-8"},
	{"opendocument.spreadsheet", "an OpenDocument spreadsheet (.ods); save the sheet as CSV in UTF-8"},
}

// otherFormat says in which other format a file is that begins so, and what to do about it; "" if it may be CSV.
func otherFormat(head []byte) string {
	for _, f := range otherFormats {
		if !bytes.HasPrefix(head, []byte(f.begins)) {
			continue
		}
		if f.begins == "PK\x03\x04" {
			for _, z := range inZip {
				if bytes.Contains(head, []byte(z.has)) {
					return z.what
				}
			}
		}
		return f.what
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	for _, tag := range []string{"<!doctype html", "<html", "<table", "<head"} {
		if len(text) >= len(tag) && bytes.EqualFold(text[:len(tag)], []byte(tag)) {
			return "HTML, perhaps the page of an error; save the table as CSV"
		}
	}
	if bytes.HasPrefix(text, []byte("<?xml")) {
		return "XML; save the table as CSV"
	}
	if isJSON(text) {
		return "JSON; write the table as CSV"
	}
	return ""
}

// isJSON reports a text that begins as an object, or as a list of objects, lists or strings, up to its first value. A name
// that only begins with brackets, as [[a, is none.
func isJSON(text []byte) bool {
	next := func(of string) bool {
		rest := bytes.TrimLeft(text[1:], " \t\r\n")
		return len(rest) > 0 && bytes.IndexByte([]byte(of), rest[0]) >= 0
	}
	switch {
	case len(text) < 2:
		return false
	case text[0] == '{' && !next(`"`), text[0] == '[' && !next(`{["`), text[0] != '{' && text[0] != '[':
		return false
	}
	for values := json.NewDecoder(bytes.NewReader(text)); ; {
		token, err := values.Token()
		if err != nil {
			return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
		if _, bracket := token.(json.Delim); !bracket {
			return true
		}
	}
}

// refuseFormat refuses a file in another format.
func refuseFormat(name string, head []byte) error {
	if what := otherFormat(head); what != "" {
		return fmt.Errorf("csv: %s: the file is %s", name, what)
	}
	return nil
}
