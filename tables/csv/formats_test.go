package csv

import (
	"archive/zip"
	"bytes"
	"context"
	"strings"
	"testing"

	"mediant/internal/input"

	"mediant/internal/tabletest"
)

// TestOtherFormats: a file in another format is refused by its name, packed with gzip or not, and CSV that begins alike is not.
func TestOtherFormats(t *testing.T) {
	zipped := func(name string) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte("<x/>"))
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, content, want string // want "": it is read
	}{
		{"workbook", zipped("[Content_Types].xml"), ".xlsx"},
		{"workbook of another program", zipped("xl/workbook.xml"), ".xlsx"},
		{"zip", zipped("a.csv"), "zip file"},
		{"old workbook", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600), ".xls"},
		{"records", `[{"x": 1, "u": 2}, {"x": 2, "u": 3}]`, "JSON"},
		{"indented", "\n[\n  {\n    \"x\": 1\n  }\n]\n", "JSON"},
		{"lines", "{\"x\":1,\"u\":2}\n{\"x\":2,\"u\":3}\n", "JSON"},
		{"mark and lines", "\ufeff{\"x\":1,\"u\":2}\n", "JSON"},
		{"page", "<!DOCTYPE html>\n<html><table><tr><td>1</td></tr></table></html>", "HTML"},
		{"table", "  <table border=1>", "HTML"},
		{"XML", "<?xml version=\"1.0\"?>\n<a/>", "XML"},
		{"UTF-32 LE", "\xff\xfe\x00\x00x\x00\x00\x00", "UTF-32"},
		{"UTF-32 BE", "\x00\x00\xfe\xff\x00\x00\x00x", "UTF-32"},
		{"UTF-16 LE", "\xff\xfex\x00,\x00", "UTF-16"},
		{"UTF-16 BE", "\xfe\xff\x00x\x00,", "UTF-16"},
		{"Parquet", "PAR1\x15\x04", "Parquet"},
		{"bzip2", "BZh91AY&SY", "bzip2"},
		{"names", "PK,u\n1,2\n2,3\n", ""},
		{"brackets", "[x],{u}\n1,2\n2,3\n", ""},
		{"nested brackets", "[[a,u\n1,2\n2,3\n", ""},
		{"list of lists", "[[1, 2], [2, 3]]\n", "JSON"},
		{"cut short", "[{\"x\": \"a", "JSON"},
		{"signs", "<x,u>\n1,2\n2,3\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, content := range []string{c.content, tabletest.Gzipped(t, c.content)} {
				_, err := newFile(context.Background(), input.File{Name: "f.csv", File: bytes.NewReader([]byte(content)), Size: int64(len(content))}, Options{})
				if c.want != "" {
					wantError(t, err, "f.csv: the file is ", c.want)
				} else if err != nil {
					t.Error(err)
				}
			}
		})
	}
}
