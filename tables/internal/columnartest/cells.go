// Package columnartest reads files of package columnar in tests.
package columnartest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"mediant/tables"
	"mediant/tables/internal/columnar"
)

// Input is a file of the given bytes.
func Input(name string, data []byte) columnar.Input {
	return columnar.Input{Name: name, ReaderAt: bytes.NewReader(data), Size: int64(len(data))}
}

// Text is a text file.
func Text(name, data string) columnar.Input { return Input(name, []byte(data)) }

// Written adds the files that other programs wrote, of which the names end so, to what a fuzz target begins with.
func Written(f *testing.F, ending string) {
	f.Helper()
	paths, err := filepath.Glob("../formats/testdata/written/*" + ending)
	if err != nil || len(paths) == 0 {
		f.Fatalf("%d files, error %v", len(paths), err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

// Cells reads all columns that can be read, each as what its type says, as text: a column in each slice, its name first, then "number" or "text".
func Cells(t testing.TB, f columnar.File) [][]string {
	t.Helper()
	var wants []columnar.Want
	var got [][]string
	for i, field := range f.Fields() {
		if field.Refused == "" {
			wants = append(wants, columnar.Want{Field: i, As: field.Kind})
			got = append(got, []string{field.Name, map[tables.Kind]string{tables.Numeric: "number", tables.Text: "text"}[field.Kind]})
		}
	}
	rows := 0
	for b, err := range f.Blocks(context.Background(), wants) {
		if err != nil {
			t.Fatal(err)
		}
		rows += b.Rows
		for i, v := range b.Values {
			got[i] = append(got[i], v.Cells...)
			for _, x := range v.Numbers {
				cell := fmt.Sprint(x)
				if math.IsNaN(x) {
					cell = ""
				}
				got[i] = append(got[i], cell)
			}
		}
	}
	if want := f.Rows(); want >= 0 && want != rows {
		t.Errorf("%d rows were read, the file has %d", rows, want)
	}
	for _, c := range got {
		if len(c) != rows+2 {
			t.Errorf("column %q has %d cells in %d rows", c[0], len(c)-2, rows)
		}
	}
	return got
}

// drainRows are as many rows as Drain reads: a few bytes can stand for any number of equal ones.
const drainRows = 1 << 17

// Drain reads all columns that can be read, or the first rows of them, and returns the first error.
func Drain(f columnar.File) error {
	var wants []columnar.Want
	for i, field := range f.Fields() {
		if field.Refused == "" {
			wants = append(wants, columnar.Want{Field: i, As: field.Kind})
		}
	}
	rows := 0
	for b, err := range f.Blocks(context.Background(), wants) {
		if err != nil {
			return err
		}
		if rows += b.Rows; rows*max(1, len(wants)) > drainRows {
			break
		}
	}
	return nil
}
