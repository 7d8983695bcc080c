// Package tabletest has what tests of tables and of their formats need: whole tables as values, and errors that are one line.
package tabletest

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mediant/tables"
)

// T is a testing.TB or a rapid.T.
type T interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

// WriteFile writes a file of this content into a new folder and returns its path.
func WriteFile(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Columns makes columns from "a b:text c".
func Columns(list string) []tables.Column {
	var columns []tables.Column
	for _, f := range strings.Fields(list) {
		name, text := strings.CutSuffix(f, ":text")
		c := tables.Column{Name: name}
		if text {
			c.Kind = tables.Text
		}
		columns = append(columns, c)
	}
	return columns
}

// A Table is a whole table of numbers and text, column by column.
type Table struct {
	Columns []tables.Column
	Numbers map[string][]float64
	Text    map[string][]string
}

// ReadAll reads a source and checks the batches on the way.
func ReadAll(t T, src tables.Source) Table {
	t.Helper()
	got := Table{src.Columns(), map[string][]float64{}, map[string][]string{}}
	selection, err := tables.Select(got.Columns, got.Columns)
	if err != nil {
		t.Fatal(err)
	}
	var count [3]int // columns of each kind
	for _, c := range got.Columns {
		count[c.Kind]++
	}
	rows, last := 0, false
	for b, err := range src.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if b.Start != rows || last || b.Rows < 1 || b.Rows > tables.BlockRows || len(b.Text) != count[tables.Text] || (b.Num == nil) != (count[tables.Numeric] == 0) {
			t.Fatalf("batch of %d rows at %d after %d rows, %d text columns, Num %v", b.Rows, b.Start, rows, len(b.Text), b.Num)
		}
		last = b.Rows < tables.BlockRows
		rows += b.Rows
		if b.Num != nil {
			if r, cols := b.Num.Dims(); r != b.Rows || cols != count[tables.Numeric] {
				t.Fatalf("Num is %d×%d, want %d×%d", r, cols, b.Rows, count[tables.Numeric])
			}
		}
		for i, c := range got.Columns {
			if c.Kind == tables.Text {
				for _, cell := range selection.Text(b, i) {
					got.Text[c.Name] = append(got.Text[c.Name], strings.Clone(cell))
				}
				continue
			}
			cells := make([]float64, b.Rows)
			selection.NumericTo(cells, b, i)
			got.Numbers[c.Name] = append(got.Numbers[c.Name], cells...)
		}
	}
	return got
}

// WantTable checks the cells of a source.
func WantTable(t T, src tables.Source, numbers map[string][]float64, text map[string][]string) {
	t.Helper()
	got := ReadAll(t, src)
	for i, want := range []any{numbers, text} {
		if d := cmp.Diff(want, []any{got.Numbers, got.Text}[i], cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("cells differ (-want +got):\n%s", d)
		}
	}
}

// WantError checks that the error is one line of a package with all the parts.
func WantError(t T, err error, pkg string, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	s := err.Error()
	if !strings.HasPrefix(s, pkg+": ") || strings.Contains(s, "\n") || strings.HasSuffix(s, ".") {
		t.Errorf("error %q is not one line that starts with the package", s)
	}
	for _, p := range parts {
		if !strings.Contains(s, p) {
			t.Errorf("error %q has no %q", s, p)
		}
	}
}

// Gzipped is a compressed text.
func Gzipped(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func WantPanic(t testing.TB, want any, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got == nil || want != nil && got != want {
			t.Errorf("panic %v, want %v", got, want)
		}
	}()
	f()
}

// Bounded fails the test if read, which reads a file of size bytes, allocates more than ten times as much and 64 MB.
func Bounded(t testing.TB, size int, read func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read()
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(10*size+64<<20); got > most {
		t.Errorf("%d bytes were allocated to read %d", got, size)
	}
}
