package csv

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mediant/internal/input"
	"mediant/internal/slow"
	"mediant/internal/tabletest"
	"mediant/tables"
	"mediant/tables/libsvm"
)

func TestPeek(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct {
		text    string
		columns int
		rows    int
	}{
		{"a,b\n1,2\n3,4\n", 2, 2},
		{"a,b\n1,2\n3,4", 2, 1}, // at least: the last line has no end
		{"a,b\r\n1,2\r\n\r\n\n3,4\r\n", 2, 2},
		{"a\n" + strings.Repeat("7", 3*input.BufferSize+7) + "\n1\n", 1, 2},
		{"a,b\n\"1\n\n\n\",2\n", 2, 0},
		{"\xef\xbb\xbfa,b\n1,2\n", 2, 1},
		{"a,a\n1,2\n", 0, 0}, // for Open to refuse
		{tabletest.Gzipped(t, "a,b\n1,2\n3,4\n"), 2, 0},
		{"(\xb5/\xfd\x04\x00\x81\x00\x00a,b\n1,2\n3,4\n5,6\np\xb5\xfc\xe9", 2, 0}, // zstd, with lines in its bytes
		{"", 0, 0},
	} {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		columns, rows := Peek(path, Options{})
		if len(columns) != c.columns || rows != c.rows {
			t.Errorf("%.20q: %d columns, %d rows, want %d and %d", c.text, len(columns), rows, c.columns, c.rows)
		}
		if csv, err := Open(context.Background(), path, Options{}); err == nil {
			if csv.Rows() < rows {
				t.Errorf("%.20q: at least %d rows, and there are %d", c.text, rows, csv.Rows())
			}
			csv.Close()
		}
	}
	for _, path := range []string{"-", dir, filepath.Join(dir, "none"), "/dev/null"} {
		if columns, rows := Peek(path, Options{}); columns != nil || rows != 0 {
			t.Errorf("%s: %v, %d rows", path, columns, rows)
		}
	}
}

// TestHeld: what tables say that they hold is what they have allocated.
func TestHeld(t *testing.T) {
	slow.Only(t)
	const rows = 20000
	var text, sparse strings.Builder
	text.WriteString("a,word,b\n")
	for i := range rows {
		fmt.Fprintf(&text, "%d,a rather long word that comes back %d,%d\n", i, i%100, i%7)
		fmt.Fprintf(&sparse, "%d %d:1 %d:2\n", i%3, 1+i%50, 60+i%50)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"t.csv": text.String(), "t.svm": sparse.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	csv, err := Open(context.Background(), filepath.Join(dir, "t.csv"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer csv.Close()
	if tables.FactsOf(csv).Held != 0 || tables.LoadBytes(csv, rows) < rows*(8*2+16) {
		t.Errorf("a file holds %d bytes, and %d when loaded", tables.FactsOf(csv).Held, tables.LoadBytes(csv, rows))
	}
	svm := filepath.Join(dir, "t.svm")
	measured, err := libsvm.Size(context.Background(), svm)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		load  func() (tables.Source, error)
		bound int64
	}{
		"csv": {func() (tables.Source, error) { return tables.Load(context.Background(), csv) }, tables.LoadBytes(csv, rows)},
		"svm": {func() (tables.Source, error) {
			return libsvm.Open(context.Background(), svm, libsvm.Options{Features: "x", Label: "y"})
		}, measured},
	} {
		before := inUse()
		src, err := c.load()
		if err != nil {
			t.Fatal(err)
		}
		grown := inUse() - before
		held := tables.FactsOf(tables.NewGuard("", src)).Held
		if float64(grown) > 1.4*float64(held) || float64(grown) < .9*float64(held) { // slices that grew have room
			t.Errorf("%s: %d bytes are held, %d by its own account", name, grown, held)
		}
		if held > c.bound || tables.FactsOf(src).Held != held {
			t.Errorf("%s: %d bytes, bounded by %d", name, held, c.bound)
		}
		runtime.KeepAlive(src)
	}
}

// inUse is the size of the heap without garbage.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestPeekAtWhatIsNoRow: a glance counts no lines of delimiters alone, and the parts of dates.
func TestPeekAtWhatIsNoRow(t *testing.T) {
	path := tabletest.WriteFile(t, "f.csv", "sep=;\n# a\nd;x\n2024-01-01;1\n;\n ; \n2024-01-02;2\n")
	opt := Options{Dates: []string{"d"}, Rename: map[string]string{"x": "z"}}
	columns, rows := Peek(path, opt)
	c, err := Open(context.Background(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if len(columns) != len(c.Columns()) || columns[1].Name != "z" || rows != c.Rows() {
		t.Errorf("%d columns, %q among them, and %d rows, want %d and %d", len(columns), columns[1].Name, rows, len(c.Columns()), c.Rows())
	}
}
