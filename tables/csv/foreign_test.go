package csv

import (
	"bytes"
	"context"
	"testing"

	"mediant/internal/input"
	"mediant/internal/tabletest"
)

// TestOtherFormats: a file in another format is refused by its name, packed with gzip or not, and CSV that begins alike is not.
func TestOtherFormats(t *testing.T) {
	for _, c := range []struct{ content, want string }{ // want "": it is read
		{"[{\"x\": 1}]", "JSON"},
		{"<!DOCTYPE html>\n<html>", "HTML"},
		{"X\n\x00\x00\x00\x03", "an R object (.rds)"},
		{"[[a,u\n1,2\n2,3\n", ""},
		{"<x,u>\n1,2\n2,3\n", ""},
	} {
		for _, content := range []string{c.content, tabletest.Gzipped(t, c.content)} {
			_, err := newFile(context.Background(), input.File{Name: "f.csv", File: bytes.NewReader([]byte(content)), Size: int64(len(content))}, Options{})
			if c.want != "" {
				wantError(t, err, "csv: f.csv: the file is ", c.want)
			} else if err != nil {
				t.Error(err)
			}
		}
	}
}
